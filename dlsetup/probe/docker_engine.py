"""Asks a Docker engine about itself.

Through its socket two lines of HTTP do; the SDK, whose import alone costs more than the rest of the look,
is left for engines elsewhere (`tcp://`, `ssh://`, a pipe of Windows).
"""

from __future__ import annotations

import socket
from typing import Any

from msgspec import json

REQUEST = b"GET /info HTTP/1.0\r\nHost: docker\r\nAccept: application/json\r\n\r\n"
UNIX = "unix://"
SIZE_LIMIT = 4 << 20


def engine_info(address: str, deadline: float) -> dict[str, Any]:
    """What `docker info` prints as JSON.

    Raises `PermissionError` if this user may not ask, `OSError` or `ValueError` if there is no answer.
    """
    told = (
        _over_socket(address[len(UNIX) :], deadline)
        if address.startswith(UNIX)
        else _by_sdk(address, deadline)
    )
    if not isinstance(told, dict):
        raise ValueError("the answer is no description of an engine")
    return told


def _over_socket(path: str, deadline: float) -> Any:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(deadline)
        connection.connect(path)
        connection.sendall(REQUEST)
        answer = bytearray()
        while len(answer) < SIZE_LIMIT and (part := connection.recv(65536)):
            answer += part
    head, _, body = bytes(answer).partition(b"\r\n\r\n")
    status = head.split(b" ", 2)[1:2]
    if status != [b"200"]:
        raise ValueError(
            f"the engine answers {status[0].decode('ascii', 'replace') if status else 'nothing'}"
        )
    return json.decode(body)


def _by_sdk(address: str, deadline: float) -> Any:
    import docker
    from docker.errors import DockerException
    from requests.exceptions import RequestException

    try:
        client = docker.DockerClient(base_url=address, timeout=int(deadline))
        try:
            return client.info()
        finally:
            client.close()
    except (DockerException, RequestException) as exc:
        raise OSError(str(exc)) from exc
