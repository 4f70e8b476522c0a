"""Package indexes on loopback, over HTTP, that can also misbehave."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal

from packaging.utils import canonicalize_name
from tiny.sources import TinySource, build_source
from tiny.wheels import TinyWheel, build_wheel

Tiny = TinyWheel | TinySource
Fault = Literal["wrong-hash", "unavailable", "hang", "cut", "slow", "slow-cut"]
"""A hash that does not fit, status 503, no answer at all, a file that ends half-way, trickles, or both."""


class TinyIndex:
    """Several indexes by name: `http://127.0.0.1:PORT/NAME/simple/`.

    `faults` maps the beginning of a file name, or of a project for its page, to what goes wrong with it.
    Metadata is always served, so that a fault of a file is met when it is installed.
    `sizes` maps the same to a size that is announced instead of the true one.
    `asked` records every path that was asked for.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.faults: dict[str, Fault] = {}
        self.sizes: dict[str, int] = {}
        self.asked: list[str] = []
        self.released = threading.Event()
        self._files: dict[str, dict[str, tuple[Tiny, Path]]] = {}
        self._additions = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _answer_for(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def add(self, index: str, wheels: Iterable[Tiny]) -> None:
        """Puts wheels on the index of that name."""
        shelf = self._files.setdefault(index, {})
        self._additions += 1
        place = self.folder / index / str(self._additions)
        place.mkdir(parents=True)
        for wheel in wheels:
            path = build_source(wheel, place) if isinstance(wheel, TinySource) else build_wheel(wheel, place)
            shelf[wheel.filename] = (wheel, path)

    def inventory(self) -> dict[str, dict[str, tuple[Tiny, Path]]]:
        """What is on the indexes, to be given to `restore`."""
        return {index: dict(shelf) for index, shelf in self._files.items()}

    def restore(self, inventory: dict[str, dict[str, tuple[Tiny, Path]]]) -> None:
        """Takes back what a test added or replaced."""
        self._files = inventory

    def address(self, index: str) -> str:
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}/{index}/simple/"

    def wheel(self, index: str, filename: str) -> tuple[Tiny, Path] | None:
        return self._files.get(index, {}).get(filename)

    def fault(self, name: str) -> Fault | None:
        return next((fault for start, fault in self.faults.items() if name.startswith(start)), None)

    def page(self, index: str, project: str) -> bytes | None:
        """The project page (PEP 691), or None if the index has no such project."""
        shelf = self._files.get(index, {}).values()
        found = [item for item in shelf if canonicalize_name(item[0].name) == project]
        if not found:
            return None
        files = [self._entry(index, wheel, path) for wheel, path in found]
        page = {"meta": {"api-version": "1.1"}, "name": project, "files": files}
        return json.dumps(page).encode()

    def _entry(self, index: str, wheel: Tiny, path: Path) -> dict[str, object]:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if self.fault(wheel.filename) == "wrong-hash":
            digest = "0" * len(digest)
        return {
            "filename": wheel.filename,
            "url": f"/{index}/files/{wheel.filename}",
            "hashes": {"sha256": digest},
            "size": next(
                (size for start, size in self.sizes.items() if wheel.filename.startswith(start)), None
            )
            or path.stat().st_size,
            "requires-python": wheel.requires_python or None,
            **_metadata(wheel),
        }

    def release(self) -> None:
        """Lets go of every request that hangs."""
        self.released.set()
        self.released = threading.Event()

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()


def _metadata(wheel: Tiny) -> dict[str, object]:
    """What the index keeps beside a wheel; beside a source it keeps nothing."""
    digest = hashlib.sha256(wheel.metadata.encode()).hexdigest()
    return {"core-metadata": {"sha256": digest}} if wheel.metadata else {}


def _answer_for(index: TinyIndex) -> type[BaseHTTPRequestHandler]:
    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.replace("%2B", "+")
            index.asked.append(path)
            name, _, rest = path.lstrip("/").partition("/")
            kind, _, item = rest.partition("/")
            fault = None if item.endswith(".metadata") else index.fault(item.rstrip("/"))
            if fault == "hang":
                index.released.wait(60)
                self.close_connection = True
            elif fault == "unavailable":
                self._send(503, b"", "text/plain")
            elif kind == "simple":
                self._send_found(index.page(name, item.strip("/")), "application/vnd.pypi.simple.v1+json")
            else:
                self._send_file(name, item, cut=fault == "cut")

        def do_HEAD(self) -> None:
            self._send(405, b"", "text/plain")

        def _send_file(self, name: str, item: str, *, cut: bool) -> None:
            found = index.wheel(name, item.removesuffix(".metadata"))
            if found is not None and item.endswith(".metadata"):
                self._send(200, found[0].metadata.encode(), "text/plain")
            elif found is not None and (fault := index.fault(item)) in ("slow", "slow-cut"):
                self._trickle(found[1].read_bytes(), cut=fault == "slow-cut")
            elif found is not None and cut:
                body = found[1].read_bytes()
                self._send(200, body[: len(body) // 2], "application/octet-stream", length=len(body))
                self.close_connection = True
            else:
                body = None if found is None else found[1].read_bytes()
                self._send_found(body, "application/octet-stream")

        def _trickle(self, body: bytes, *, cut: bool) -> None:
            """About a second for the whole."""
            self._send(200, b"", "application/octet-stream", length=len(body))
            self.close_connection = cut
            step = len(body) // 10 + 1
            for start in range(0, len(body) - 2 * step * cut, step):
                self.wfile.write(body[start : start + step])
                time.sleep(0.1)

        def _send_found(self, body: bytes | None, kind: str) -> None:
            self._send(404 if body is None else 200, body or b"", kind)

        def _send(self, status: int, body: bytes, kind: str, *, length: int | None = None) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            if kind == "application/octet-stream":
                self.send_header("Cache-Control", "max-age=365000000, immutable")
            self.send_header("Content-Length", str(len(body) if length is None else length))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Quiet: pytest shows what matters."""

    return Answer
