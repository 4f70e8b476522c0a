"""Serves a model over HTTP.

    GET  /health    200 once the model is loaded
    POST /predict   {"inputs": {NAME: nested lists}} -> {"outputs": {NAME: nested lists}}

The model is the file that MODEL names, else the only one in /models. `--check` asks a running server
whether it is well.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PORT = int(os.environ.get("PORT", "8000"))
MODELS = os.environ.get("MODELS", "/models")
LARGEST = int(os.environ.get("LARGEST_REQUEST", str(64 << 20)))
"""Bytes of a request."""


def found_model(endings: tuple[str, ...]) -> str:
    """The path of the model. Exits with a sentence where it is not clear which one is meant."""
    named = os.environ.get("MODEL", "")
    if named:
        return named
    found = sorted(str(path) for path in Path(MODELS).glob("*") if path.suffix in endings)
    if len(found) != 1:
        told = f"{len(found)} models ({', '.join(endings)}) lie in {MODELS}"
        sys.exit(f"{told}: mount a folder with one, or name it with MODEL=/models/NAME")
    return found[0]


class Handler(BaseHTTPRequestHandler):
    """One request. `server.model` answers it."""

    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self) -> None:
        if self.path == "/health":
            self.answer(200, {"model": self.server.model.path})  # type: ignore[attr-defined]
        else:
            self.answer(404, {"error": "ask for /health, or post to /predict"})

    def do_POST(self) -> None:
        if self.path != "/predict":
            return self.answer(404, {"error": "post to /predict"})
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > LARGEST:
            self.close_connection = True
            return self.answer(413, {"error": f"a request has a length of at most {LARGEST} bytes"})
        try:
            inputs = json.loads(self.rfile.read(int(length)))["inputs"]
            outputs = self.server.model.predict(inputs)  # type: ignore[attr-defined]
        except Exception as error:
            return self.answer(400, {"error": f"{type(error).__name__}: {error}"[:2000]})
        return self.answer(200, {"outputs": outputs})

    def answer(self, status: int, document: dict[str, Any]) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def check() -> None:
    """Exits with 0 where the server on this machine says that it is well."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/health", timeout=10) as answer:
            sys.exit(0 if answer.status == 200 else 1)
    except OSError as error:
        sys.exit(f"not well: {error}")


def serve() -> None:
    """Loads the model and answers until the container is stopped."""
    from model import ENDINGS, Model

    server = ThreadingHTTPServer(("", PORT), Handler)
    server.model = Model(found_model(ENDINGS))  # type: ignore[attr-defined]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print(f"serving {server.model.path} on port {PORT}", flush=True)  # type: ignore[attr-defined]
    server.serve_forever()


if __name__ == "__main__":
    check() if "--check" in sys.argv[1:] else serve()
