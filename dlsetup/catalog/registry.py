"""The package index that uv or pip is configured with: its pages and the metadata of its wheels."""

from __future__ import annotations

import hashlib
import io
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from msgspec.structs import replace

from dlsetup.catalog.ranges import METADATA_LIMIT, PIECE, Pieces, metadata_in
from dlsetup.catalog.releases import File, Page
from dlsetup.model.codec import decode, encode
from dlsetup.model.errors import DataError, StepFailed, UsageError
from dlsetup.model.record import Record, Unknown

if TYPE_CHECKING:
    import requests

JSON = "application/vnd.pypi.simple.v1+json"
PAGE_LIMIT = 64 * 1024 * 1024
TIMEOUT = (10, 60)
"""Seconds to connect, and between two pieces of an answer."""
RETRIES = 4
"""How often a busy index is asked again, with growing pauses."""
ATTEMPTS = 3
"""How often an answer that breaks off is asked for."""
UV_SAYS = r"^--(?:default-index|index-url) (\S+)"
PIP_SAYS = r"^(?::env:|global|install)\.index-url='([^']+)'"
"""The environment comes first in pip's list, as it does in its choice."""
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Kept(Record, frozen=True, kw_only=True):
    """A page as it was last seen, with what the index needs to say that it has not changed."""

    etag: str = ""
    modified: str = ""
    body: str


def configured_index() -> str:
    """The address of the index that uv, or else pip, would ask. Raises `UsageError` if neither says."""
    for argv, form in ((_uv(), UV_SAYS), (_pip(), PIP_SAYS)):
        try:
            ran = subprocess.run(argv, input="", capture_output=True, text=True, timeout=30, check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        found = re.search(form, ran.stdout, re.MULTILINE)
        if found:
            return found[1]
    raise UsageError(
        "neither uv nor pip says which package index they use",
        hint="Name it: `dlsetup catalog refresh --index https://…/simple/`.",
    )


def _uv() -> list[str]:
    try:
        from uv import find_uv_bin

        program = os.fspath(find_uv_bin())
    except (ImportError, FileNotFoundError):
        program = "uv"
    return [program, "pip", "compile", "-", "--emit-index-url", "--offline", "--quiet"]


def _pip() -> list[str]:
    return [sys.executable, "-m", "pip", "config", "list"]


class Answer(Record, frozen=True, kw_only=True):
    status: int
    etag: str
    modified: str
    body: bytes


class Registry:
    """Asks an index, and keeps what it said in a folder: metadata for ever, pages until they change.

    Every method may be called from several threads at once.
    """

    def __init__(self, address: str, cache: Path, *, connections: int = 8) -> None:
        self._address = address.rstrip("/")
        self._cache = cache
        self._session = _session(connections)

    def page(self, name: str) -> Page | None:
        """The project page of a distribution; None if the index has none.

        Raises `DataError` or `StepFailed`.
        """
        place = self._cache / "pages" / f"{name}.json"
        kept = _kept(place)
        headers = {"Accept": JSON}
        if kept:
            headers |= {"If-None-Match": kept.etag} if kept.etag else {}
            headers |= {"If-Modified-Since": kept.modified} if kept.modified else {}
        address = f"{self._address}/{name}/"
        answer = self._ask(address, headers, PAGE_LIMIT, name)
        if answer.status == 304 and kept:
            return _page(kept.body, name, address)
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise StepFailed(f"the package index answers {answer.status} for `{name}`")
        page = _page(answer.body, name, address)
        if answer.etag or answer.modified:
            seen = Kept(etag=answer.etag, modified=answer.modified, body=answer.body.decode())
            write_whole(place, encode(seen))
        return page

    def metadata(self, file: File) -> str:
        """The METADATA text of a wheel: the file beside it, or else read out of the wheel itself."""
        digest = file.hashes.sha256
        place = self._cache / "metadata" / f"{digest}.txt" if _DIGEST.fullmatch(digest) else None
        if place and place.is_file():
            return place.read_text(encoding="utf-8")
        address = f"{file.url.partition('#')[0]}.metadata"
        answer = self._ask(address, {}, METADATA_LIMIT, file.filename)
        if answer.status == 200:
            _agree(file, answer.body)
        body = answer.body if answer.status == 200 else metadata_in(self.opened(file), file.filename)
        text = body.decode("utf-8", errors="replace")
        if place:
            write_whole(place, text.encode())
        return text

    def opened(self, file: File, piece: int = PIECE) -> io.BufferedReader:
        """A file of the index to read here and there in; at least `piece` bytes are asked for at a time."""
        if isinstance(file.size, Unknown):
            raise StepFailed(f"the package index does not say how large `{file.filename}` is")

        def ask(start: int, end: int) -> bytes:
            headers = {"Range": f"bytes={start}-{end - 1}", "Accept-Encoding": "identity"}
            answer = self._ask(file.url, headers, end - start, file.filename)
            if answer.status != 206:
                raise StepFailed(f"the package index answers {answer.status} for a part of `{file.filename}`")
            return answer.body

        return io.BufferedReader(Pieces(file.size, ask), piece)

    def _ask(self, address: str, headers: dict[str, str], limit: int, what: str) -> Answer:
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
            f"the package index does not answer for `{what}`: {type(fault).__name__}",
            hint="Look at the network and at the index that uv is configured with, then try again.",
        ) from fault


def _read(answer: requests.Response, limit: int, what: str) -> Answer:
    body = bytearray()
    for piece in answer.iter_content(1 << 16):
        body += piece
        if len(body) > limit:
            raise DataError(f"the package index sends more than {limit} bytes for `{what}`")
    return Answer(
        status=answer.status_code,
        etag=answer.headers.get("ETag", ""),
        modified=answer.headers.get("Last-Modified", ""),
        body=bytes(body),
    )


def _kept(place: Path) -> Kept | None:
    try:
        return decode(place.read_bytes(), Kept, where=str(place))
    except (OSError, DataError):
        return None


def _page(body: bytes | str, name: str, address: str) -> Page:
    """The page with the addresses of its files made whole."""
    page = decode(body, Page, where=f"the page of `{name}` on the package index")
    files = tuple(replace(file, url=urljoin(address, file.url)) for file in page.files)
    return replace(page, files=files)


def _session(connections: int) -> requests.Session:
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.util.retry import Retry

    session = requests.Session()
    retries = Retry(
        total=RETRIES,
        backoff_factor=0.5,
        status_forcelist=(429, 500, 502, 503, 504),
        respect_retry_after_header=False,
    )
    for scheme in ("https://", "http://"):
        session.mount(scheme, HTTPAdapter(pool_maxsize=connections, max_retries=retries))
    return session


def _agree(file: File, content: bytes) -> None:
    said = file.core_metadata.get("sha256") if isinstance(file.core_metadata, dict) else None
    if said and hashlib.sha256(content).hexdigest() != said:
        raise DataError(f"the metadata of `{file.filename}` is not what the index says it is")


def write_whole(place: Path, content: bytes) -> None:
    """Writes a file so that there is always the old one or the new one, never half of one."""
    place.parent.mkdir(parents=True, exist_ok=True)
    neighbour = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        neighbour.write_bytes(content)
        os.replace(neighbour, place)
    finally:
        neighbour.unlink(missing_ok=True)
