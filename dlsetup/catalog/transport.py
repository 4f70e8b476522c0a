"""Asking a package index over HTTP: patient with a busy one, bounded in size, plain when nobody answers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from dlsetup.model.errors import DataError, StepFailed
from dlsetup.model.record import Record

if TYPE_CHECKING:
    import requests

TIMEOUT = (10, 60)
"""Seconds to connect, and between two pieces of an answer."""
RETRIES = 4
"""How often a busy index is asked again, with growing pauses."""
ATTEMPTS = 3
"""How often an answer that breaks off is asked for."""


class Answer(Record, frozen=True, kw_only=True):
    status: int
    kind: str = ""
    """Its `Content-Type`, in lower case."""
    etag: str = ""
    modified: str = ""
    span: str = ""
    """Its `Content-Range`: which part of how many bytes it is."""
    body: bytes = b""


class Transport:
    """Connections that are kept open. `ask` may be called from several threads at once."""

    def __init__(self, *, connections: int = 8, retries: int | None = None) -> None:
        self._session = _session(connections, RETRIES if retries is None else retries)

    def ask(self, address: str, headers: dict[str, str], limit: int, what: str) -> Answer:
        """The answer, whatever its status; `what` says in an error what was asked for.

        Raises `DataError` for more than `limit` bytes, and `StepFailed` where nobody answers, or an index
        stays busy or breaks off.
        """
        import requests

        for attempt in range(ATTEMPTS):
            try:
                with self._session.get(address, headers=headers, timeout=TIMEOUT, stream=True) as answer:
                    return _read(answer, limit, what)
            except requests.exceptions.ChunkedEncodingError as exc:
                fault: Exception = exc
                time.sleep(attempt)
            except (requests.RequestException, OSError) as exc:
                fault = exc
                break
        raise StepFailed(
            f"the package index does not answer for `{what}`: {_reason(fault)}",
            hint="Look at the network and at the address of the index, then try again.",
        ) from fault


def _reason(fault: Exception) -> str:
    """What went wrong in a few words: the texts of the library name its own objects and addresses."""
    from requests import exceptions

    reasons: tuple[tuple[type[Exception], str], ...] = (
        (exceptions.ProxyError, "the proxy refuses"),
        (exceptions.SSLError, "its certificate is not accepted"),
        (exceptions.Timeout, "it takes too long"),
        (exceptions.ChunkedEncodingError, "the answer breaks off"),
        (exceptions.ConnectionError, "no connection"),
    )
    return next((text for kind, text in reasons if isinstance(fault, kind)), type(fault).__name__)


def _read(answer: requests.Response, limit: int, what: str) -> Answer:
    body = bytearray()
    for piece in answer.iter_content(1 << 16):
        body += piece
        if len(body) > limit:
            raise DataError(f"the package index sends more than {limit} bytes for `{what}`")
    return Answer(
        status=answer.status_code,
        kind=answer.headers.get("Content-Type", "").lower(),
        etag=answer.headers.get("ETag", ""),
        modified=answer.headers.get("Last-Modified", ""),
        span=answer.headers.get("Content-Range", ""),
        body=bytes(body),
    )


def _session(connections: int, retries: int) -> requests.Session:
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.util.retry import Retry

    session = requests.Session()
    again = Retry(
        total=retries,
        backoff_factor=0.5,
        status_forcelist=(429, 500, 502, 503, 504),
        respect_retry_after_header=False,
    )
    for scheme in ("https://", "http://"):
        session.mount(scheme, HTTPAdapter(pool_maxsize=connections, max_retries=again))
    return session
