"""A package index on loopback that keeps ETags, and that can be busy, break off, forge and lose things."""

from __future__ import annotations

import hashlib
import html
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tiny.wheels import TinyWheel, build_wheel


@dataclass
class Registry:
    """A package index on loopback: pages with ETags, metadata beside wheels or only inside them."""

    folder: Path
    wheels: list[TinyWheel] = field(default_factory=list)
    yanked: set[str] = field(default_factory=set)
    beside: bool = True
    """Whether it keeps the metadata of wheels beside them."""
    fails: dict[str, int] = field(default_factory=dict)
    """Beginning of a path to how often it answers 503 before it answers."""
    breaks: dict[str, int] = field(default_factory=dict)
    """Beginning of a path to how often its answer ends half-way."""
    html: bool = False
    """Whether its pages are in HTML, which says neither sizes nor dates."""
    dated: bool = False
    """Whether it knows its pages by the day of their last change instead of a tag."""
    whole: bool = False
    """Whether it gives files only as a whole."""
    wrong: set[str] = field(default_factory=set)
    """Wheels whose metadata is not what the page says."""
    asked: list[tuple[str, int]] = field(default_factory=list)
    address: str = ""

    @property
    def question(self) -> str:
        """The header that asks whether a page has changed."""
        return "If-Modified-Since" if self.dated else "If-None-Match"

    def page(self, name: str) -> bytes:
        files = [self._entry(wheel) for wheel in self.wheels if wheel.name == name]
        if self.html:
            return "".join(map(_anchor, files)).encode()
        return json.dumps({"meta": {"api-version": "1.1"}, "name": name, "files": files}).encode()

    def _entry(self, wheel: TinyWheel) -> dict[str, Any]:
        body = self.body(wheel)
        return {
            "filename": wheel.filename,
            "url": f"/files/{wheel.filename}",
            "hashes": {"sha256": hashlib.sha256(body).hexdigest()},
            "requires-python": wheel.requires_python or None,
            "size": len(body),
            "upload-time": "2026-01-02T03:04:05Z",
            "yanked": wheel.version in self.yanked,
            "core-metadata": {"sha256": hashlib.sha256(wheel.metadata.encode()).hexdigest()},
        }

    def body(self, wheel: TinyWheel) -> bytes:
        return build_wheel(wheel, self.folder).read_bytes()

    def answer(self, path: str, tag: str | None, span: str | None) -> tuple[int, bytes, str]:
        for start, left in self.fails.items():
            if path.startswith(start) and left > 0:
                self.fails[start] = left - 1
                return 503, b"", ""
        if path.startswith("/simple/"):
            name = path.split("/")[2]
            if not any(wheel.name == name for wheel in self.wheels):
                return 404, b"", ""
            body = self.page(name)
            etag = f'"{hashlib.sha256(body).hexdigest()}"'
            return (304, b"", etag) if tag == etag else (200, body, etag)
        return self._file(path.removeprefix("/files/"), span)

    def span(self, path: str, asked: str) -> str:
        """Which part of how many bytes an answer is."""
        whole = self._file(path.removeprefix("/files/"), None)[1]
        return f"bytes {asked.removeprefix('bytes=')}/{len(whole)}"

    def breaks_off(self, path: str) -> bool:
        start = next((start for start, left in self.breaks.items() if path.startswith(start) and left), None)
        if start is not None:
            self.breaks[start] -= 1
        return start is not None

    def _file(self, name: str, span: str | None) -> tuple[int, bytes, str]:
        found = next((item for item in self.wheels if name.startswith(item.filename)), None)
        if found is None or (name.endswith(".metadata") and not self.beside):
            return 404, b"", ""
        if name.endswith(".metadata"):
            text = found.metadata + ("\nforged" if found.filename in self.wrong else "")
            return 200, text.encode(), ""
        if span is None or self.whole:
            return 200, self.body(found), ""
        first, last = span.removeprefix("bytes=").split("-")
        return 206, self.body(found)[int(first) : int(last) + 1], ""


def _anchor(entry: dict[str, Any]) -> str:
    bounds = html.escape(entry["requires-python"] or "")
    digests = entry["hashes"]["sha256"], entry["core-metadata"]["sha256"]
    yanked = " data-yanked" if entry["yanked"] else ""
    return (
        f'<a href="{entry["url"]}#sha256={digests[0]}" data-requires-python="{bounds}"'
        f' data-core-metadata="sha256={digests[1]}"{yanked}>{entry["filename"]}</a>\n'
    )


@contextmanager
def served(folder: Path) -> Iterator[Registry]:
    """The index, at `address` while the context lasts."""
    made = Registry(folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(made))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    made.address = f"http://127.0.0.1:{server.server_address[1]}/simple/"
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()


def _handler(registry: Registry) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.replace("%2B", "+")
            status, body, etag = registry.answer(
                path, self.headers.get(registry.question), self.headers.get("Range")
            )
            registry.asked.append((path, status))
            self.send_response(status)
            if etag:
                self.send_header("Last-Modified" if registry.dated else "ETag", etag)
            if registry.html and path.startswith("/simple/"):
                self.send_header("Content-Type", "text/html; charset=UTF-8")
            if status == 206:
                self.send_header("Content-Range", registry.span(path, self.headers["Range"]))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if registry.breaks_off(path):
                self.close_connection = True
                body = body[: len(body) // 2]
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Quiet: pytest shows what matters."""

    return Handler
