"""A package index: its pages, the metadata of its wheels, and the files in them."""

from __future__ import annotations

import hashlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TypeVar

from dlsetup.catalog.delivery import write_whole
from dlsetup.catalog.pages import File, Page
from dlsetup.catalog.ranges import LIST_LIMIT, METADATA_LIMIT, PIECE, Member, Pieces, members_in, metadata_in
from dlsetup.catalog.simple_page import ACCEPT, page_of
from dlsetup.catalog.transport import Transport
from dlsetup.model.codec import decode, encode
from dlsetup.model.errors import DataError, StepFailed, UsageError
from dlsetup.model.record import Record, Unknown

PAGE_LIMIT = 64 * 1024 * 1024
UV_SAYS = r"^--(?:default-index|index-url) (\S+)"
PIP_SAYS = r"^(?::env:|global|install)\.index-url='([^']+)'"
"""The environment comes first in pip's list, as it does in its choice."""
T = TypeVar("T")
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Kept(Record, frozen=True, kw_only=True):
    """A page as it was last seen, with what the index needs to say that it has not changed."""

    etag: str = ""
    modified: str = ""
    kind: str = ""
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


def index_asked(address: str | None) -> str:
    """The address that was given, or else the configured one. Raises `UsageError` for none over HTTP."""
    if not address:
        return configured_index()
    if not re.match(r"https?://[^\s/]", address, re.IGNORECASE):
        raise UsageError(
            f"`{address}` is no address of a package index", hint="write `--index https://…/simple/`"
        )
    return address


def _uv() -> list[str]:
    try:
        from uv import find_uv_bin

        program = os.fspath(find_uv_bin())
    except (ImportError, FileNotFoundError):
        program = "uv"
    return [program, "pip", "compile", "-", "--emit-index-url", "--offline", "--quiet"]


def _pip() -> list[str]:
    return [sys.executable, "-m", "pip", "config", "list"]


class Registry:
    """Asks an index, and keeps what it said in a folder: metadata and lists of files for ever, pages until
    they change.

    Every method may be called from several threads at once.
    """

    def __init__(self, address: str, cache: Path, *, transport: Transport | None = None) -> None:
        self._address = address.rstrip("/")
        self._cache = cache
        self._transport = transport or Transport()

    def page(self, name: str) -> Page | None:
        """The project page of a distribution; None if the index has none.

        Raises `DataError` or `StepFailed`.
        """
        address = f"{self._address}/{name}/"
        place = self._place(name)
        kept = _read(place, Kept)
        headers = {"Accept": ACCEPT}
        if kept:
            headers |= {"If-None-Match": kept.etag} if kept.etag else {}
            headers |= {"If-Modified-Since": kept.modified} if kept.modified else {}
        answer = self._transport.ask(address, headers, PAGE_LIMIT, name)
        if answer.status == 304 and kept:
            return page_of(kept.body.encode(), kept.kind, name, address)
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise StepFailed(f"the package index answers {answer.status} for `{name}`")
        page = page_of(answer.body, answer.kind, name, address)
        if answer.etag or answer.modified:
            body = answer.body.decode("utf-8", errors="replace")
            seen = Kept(etag=answer.etag, modified=answer.modified, kind=answer.kind, body=body)
            write_whole(place, encode(seen))
        return page

    def metadata(self, file: File) -> str:
        """The METADATA text of a wheel: the file beside it, or else read out of the wheel itself."""
        place = self._for_ever(file, "metadata", ".txt")
        if place and place.is_file():
            return place.read_text(encoding="utf-8")
        answer = self._transport.ask(f"{file.url}.metadata", {}, METADATA_LIMIT, file.filename)
        if answer.status == 200:
            _agree(file, answer.body)
        body = answer.body if answer.status == 200 else metadata_in(self.opened(file), file.filename)
        text = body.decode("utf-8", errors="replace")
        if place:
            write_whole(place, text.encode())
        return text

    def members(self, file: File) -> tuple[Member, ...]:
        """The files in a wheel, read out of its own list. Raises `DataError` for what is no wheel."""
        place = self._for_ever(file, "members", ".json")
        kept = _read(place, tuple[Member, ...]) if place else None
        found = members_in(self.opened(file, limit=LIST_LIMIT), file.filename) if kept is None else kept
        if place and kept is None:
            write_whole(place, encode(found))
        return found

    def opened(self, file: File, piece: int = PIECE, limit: int | None = None) -> io.BufferedReader:
        """A file of the index to read here and there in; at least `piece` bytes are asked for at a time.

        `limit`: how many bytes may be asked for in all.
        """
        size = self._size(file) if isinstance(file.size, Unknown) else file.size

        def ask(start: int, end: int) -> bytes:
            return self._part(file, f"{start}-{end - 1}", end - start)[0]

        return io.BufferedReader(Pieces(size, ask, limit), piece)

    def _size(self, file: File) -> int:
        """As the index says it with the first byte, where its page does not say it."""
        found = re.fullmatch(r"bytes 0-0/(\d{1,15})", self._part(file, "0-0", 1)[1].strip())
        if not found:
            raise StepFailed(f"the package index does not say how large `{file.filename}` is")
        return int(found[1])

    def _part(self, file: File, span: str, limit: int) -> tuple[bytes, str]:
        """The bytes, and which ones of how many they are."""
        headers = {"Range": f"bytes={span}", "Accept-Encoding": "identity"}
        answer = self._transport.ask(file.url, headers, limit, file.filename)
        if answer.status != 206:
            raise StepFailed(f"the package index answers {answer.status} for a part of `{file.filename}`")
        return answer.body, answer.span

    def _for_ever(self, file: File, kind: str, ending: str) -> Path | None:
        """Where something about a file is kept that cannot change; None for one whose digest nobody says."""
        digest = file.hashes.sha256
        return self._cache / kind / f"{digest}{ending}" if _DIGEST.fullmatch(digest) else None

    def _place(self, name: str) -> Path:
        """Indexes have pages of the same name, each its own."""
        index = hashlib.sha256(self._address.encode()).hexdigest()[:16]
        return self._cache / "pages" / index / f"{name}.json"


def _read(place: Path, kind: type[T]) -> T | None:
    """What the cache has; None for nothing, or for what cannot be read."""
    try:
        return decode(place.read_bytes(), kind, where=str(place))
    except (OSError, DataError):
        return None


def _agree(file: File, content: bytes) -> None:
    said = file.core_metadata.get("sha256") if isinstance(file.core_metadata, dict) else None
    if said and hashlib.sha256(content).hexdigest() != said:
        raise DataError(f"the metadata of `{file.filename}` is not what the index says it is")
