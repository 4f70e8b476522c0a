"""Files that are fetched by address and known by hash: several at once, taken up where they broke off.

NAME             a file that is whole and has the hash of its lock
NAME.partial     its beginning, which the next run goes on with
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import urlsplit
from urllib.request import url2pathname

from dlsetup.catalog.parallel import in_parallel
from dlsetup.catalog.watch import ByteWatch
from dlsetup.model.bundle import Carried, Fetched
from dlsetup.model.errors import StepFailed
from dlsetup.model.record import Unknown

if TYPE_CHECKING:
    import requests

CONNECTIONS = 4
PIECE = 1 << 16
"""Bytes at a time; of a connection that breaks off at most so many are lost."""
TIMEOUT = (10, 30)
"""Seconds to connect, and between two pieces of an answer."""
ATTEMPTS = 4
"""How often in a row a file may break off without a byte having come."""
AGAIN = "run the same command again: it goes on with what is there already."
Logins = Mapping[str, tuple[str, str]]
"""User names and passwords by host and port, as the addresses of indexes hold them."""


class BrokenOff(Exception):
    """The connection ended before the file did."""


class Fetcher:
    """Fetches files into a folder. `session` keeps connections open and is used by several threads."""

    def __init__(
        self, folder: Path, session: requests.Session, watch: ByteWatch, logins: Logins | None = None
    ) -> None:
        self.folder = folder
        self.session = session
        self.watch = watch
        self.logins = logins or {}
        self.stopped = threading.Event()

    def fetch(self, files: Iterable[Fetched]) -> tuple[Carried, ...]:
        """Every file, whole and with its hash. What is there already is only read.

        Raises `StepFailed` with the name of the first that cannot be had; what has come by then stays.
        """
        todo = list(files)
        for item in todo:
            os.makedirs(self._place(item).parent, exist_ok=True)
        try:
            return tuple(in_parallel(self._one, todo, connections=CONNECTIONS))
        finally:
            self.stopped.set()

    def _one(self, item: Fetched) -> Carried:
        place = self._place(item)
        digest, sha256 = _digests(place, item.algorithm)
        if not sha256 or (item.digest and digest != item.digest):
            sha256 = self._brought(item, place)
        self.watch.end(item.name)
        return Carried(path=item.path, sha256=sha256, size=place.stat().st_size)

    def _brought(self, item: Fetched, place: Path) -> str:
        """Fetches a file. A beginning of another run that does not lead to the hash is thrown away once."""
        partial = place.with_name(f"{place.name}.partial")
        begun = partial.exists()
        self._bring(item, partial)
        digest, sha256 = _digests(partial, item.algorithm)
        if begun and item.digest and digest != item.digest:
            partial.unlink()
            self._bring(item, partial)
            digest, sha256 = _digests(partial, item.algorithm)
        if item.digest and digest != item.digest:
            partial.unlink(missing_ok=True)
            raise _other_file(item, digest)
        os.replace(partial, place)
        return sha256

    def _place(self, item: Fetched) -> Path:
        return self.folder.joinpath(*item.path.split("/"))

    def _bring(self, item: Fetched, partial: Path) -> None:
        local = _local(item.address)
        failures, there = 0, -1
        while True:
            now = partial.stat().st_size if partial.exists() else 0
            failures = 0 if now > there >= 0 else failures
            there = now
            if item.digest and there == item.size:
                return
            try:
                if local is not None:
                    self._copy(item, local, partial)
                else:
                    self._download(item, partial, there)
                return
            except BrokenOff as error:
                failures += 1
                if failures >= ATTEMPTS:
                    raise _lost(item, str(error)) from error
                self.stopped.wait(0.25 * 2**failures)

    def _copy(self, item: Fetched, local: Path, partial: Path) -> None:
        try:
            with local.open("rb") as source, partial.open("wb") as file:
                self._pour(iter(lambda: source.read(PIECE), b""), file, item, 0)
        except OSError as error:
            raise _lost(item, error.strerror or str(error)) from error

    def _download(self, item: Fetched, partial: Path, there: int) -> None:
        import requests

        headers = {"Accept-Encoding": "identity"}
        if there:
            headers["Range"] = f"bytes={there}-"
        login = self.logins.get(urlsplit(item.address).netloc)
        try:
            with self.session.get(
                item.address, headers=headers, timeout=TIMEOUT, stream=True, auth=login
            ) as answer:
                if answer.status_code == 416:
                    partial.unlink()
                begin = _begin(item, answer, there)
                with partial.open("r+b" if partial.exists() else "wb") as file:
                    file.truncate(begin)
                    file.seek(begin)
                    self._pour(answer.iter_content(PIECE), file, item, begin)
        except (requests.RequestException, TimeoutError, ConnectionError) as error:
            raise BrokenOff(_reason(error)) from error
        except OSError as error:
            raise _lost(item, error.strerror or str(error)) from error

    def _pour(self, pieces: Iterator[bytes], file: BinaryIO, item: Fetched, done: int) -> None:
        total = 0 if isinstance(item.size, Unknown) else item.size
        for piece in pieces:
            if self.stopped.is_set():
                raise StepFailed("stopped")
            file.write(piece)
            done += len(piece)
            if total and done > total:
                file.truncate(0)
                raise _lost(item, f"it has more than the {total} bytes that the index announced")
            self.watch.at(item.name, done, total)
        if total and done < total:
            raise BrokenOff(f"it ends after {done} of {total} bytes")


def session_for(environ: Mapping[str, str]) -> requests.Session:
    """Connections that trust what uv and pip are told to trust. Proxies and `.netrc` hold as usual."""
    import requests

    session = requests.Session()
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "PIP_CERT"):
        if os.path.exists(environ.get(name) or ""):
            session.verify = environ[name]
            break
    return session


def arrived(folder: Path, item: Fetched) -> int:
    """How many bytes of a file are in the folder already."""
    place = folder.joinpath(*item.path.split("/"))
    for path in (place, place.with_name(f"{place.name}.partial")):
        if path.is_file():
            return path.stat().st_size
    return 0


def _begin(item: Fetched, answer: requests.Response, there: int) -> int:
    """From which byte on the answer is. Raises `BrokenOff` for what may pass, `StepFailed` for what stays."""
    status = answer.status_code
    if status == 206:
        found = re.match(r"bytes (\d+)-", answer.headers.get("Content-Range", ""))
        if found and int(found[1]) <= there:
            return int(found[1])
        raise BrokenOff("it sends another part than was asked for")
    if status == 200:
        return 0
    if status in (408, 416, 429) or status >= 500:
        raise BrokenOff(f"the server says {status}")
    raise StepFailed(
        f"`{item.name}` cannot be fetched: the server says {status}.",
        hint="the index of the lock may have removed it, or asks for a password: lock anew, or name the "
        "index with `--index`.",
    )


def _local(address: str) -> Path | None:
    """The path of an address on this machine; None for one of the network."""
    if re.match(r"https?://", address, re.IGNORECASE):
        return None
    if address.startswith("file:"):
        return Path(url2pathname(urlsplit(address).path))
    return Path(address)


def _digests(path: Path, algorithm: str) -> tuple[str, str]:
    """What a file is by an algorithm, and by SHA-256; empty where there is none."""
    if not path.is_file():
        return "", ""
    asked, usual = hashlib.new(algorithm), hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            usual.update(piece)
            if algorithm != "sha256":
                asked.update(piece)
    return (usual if algorithm == "sha256" else asked).hexdigest(), usual.hexdigest()


def _other_file(item: Fetched, digest: str) -> StepFailed:
    return StepFailed(
        f"`{item.name}` is not the file of the lock: its {item.algorithm} is {digest or 'none'}, "
        f"and {item.digest} is wanted.",
        hint="the index serves another file than it announced: do not trust it; lock anew if it stays so.",
    )


def _lost(item: Fetched, reason: str) -> StepFailed:
    return StepFailed(f"`{item.name}` cannot be fetched: {reason}.", hint=AGAIN)


def _reason(fault: Exception) -> str:
    """In a few words: the texts of the library name its own objects and addresses."""
    from requests import exceptions

    reasons: tuple[tuple[type[Exception], str], ...] = (
        (exceptions.ProxyError, "the proxy refuses"),
        (exceptions.SSLError, "the certificate of the server is not accepted"),
        (exceptions.Timeout, "the server takes too long"),
        (exceptions.ChunkedEncodingError, "the connection broke off"),
        (exceptions.ConnectionError, "no connection"),
    )
    return next((text for kind, text in reasons if isinstance(fault, kind)), type(fault).__name__)
