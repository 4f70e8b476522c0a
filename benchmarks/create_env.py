"""How long `create env` of a real JAX CPU environment takes against bare uv with the same lock, caches warm.

.venv/bin/python benchmarks/create_env.py --runs 7

The wheels are fetched once, by `dlsetup bundle`, and served on loopback as a package index serves them: pages
for ten minutes, files for ever. What the network costs is therefore in neither figure.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from packaging.utils import parse_wheel_filename

from dlsetup.act.uv import find_uv

BOUND = 1.15
WORDS = ("jax", "--cpu")
DLSETUP = (sys.executable, "-m", "dlsetup")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        _call(
            (*DLSETUP, "bundle", *WORDS, "--python", python, "-o", str(work / "bundle"), "--yes"), os.environ
        )
        server = _serve(work / "bundle/wheels")
        environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("UV_", "PIP_"))},
            "UV_DEFAULT_INDEX": f"http://127.0.0.1:{server.server_address[1]}/simple",
            "UV_CACHE_DIR": str(work / "cache"),
            "PIP_CONFIG_FILE": os.devnull,
        }
        _measure(work, environ, python, runs)
        server.shutdown()


def _measure(work: Path, environ: dict[str, str], python: str, runs: int) -> None:
    create = (*DLSETUP, "create", "env", str(work / "env"), *WORDS, "--python", python, "--yes")
    _call(create, environ)
    shutil.copy(work / "env/dlsetup/pylock.toml", work / "pylock.toml")
    ways: dict[str, Callable[[], None]] = {
        "dlsetup create env": lambda: _call(create, environ),
        "uv venv + uv pip sync": lambda: _bare(work, environ),
        "the same, then what `create env` proves": lambda: _proved(work, environ),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(runs + 1):
        for name, way in ways.items():
            shutil.rmtree(work / "env", ignore_errors=True)
            start = time.perf_counter()
            way()
            times[name].append(time.perf_counter() - start)
    # The first round warms up.
    medians = {name: statistics.median(found[1:]) for name, found in times.items()}
    bare = medians["uv venv + uv pip sync"]
    print(
        f"load average {os.getloadavg()[0]:.1f}\n\n| what | median of {runs} | ratio |\n| --- | --- | --- |"
    )
    for name, seconds in medians.items():
        print(f"| {name} | {seconds:.2f} s | {seconds / bare:.2f} |")
    ratio = medians["dlsetup create env"] / bare
    print(f"\nbound {BOUND}: {'✓' if ratio <= BOUND else '✗'}")


def _bare(work: Path, environ: dict[str, str]) -> None:
    uv = find_uv(environ)
    _call((uv, "venv", "--quiet", "--python", sys.executable, str(work / "env")), environ)
    sync = (
        uv,
        "pip",
        "sync",
        "--quiet",
        "--preview-features",
        "pylock",
        "--python",
        str(work / "env/bin/python"),
    )
    _call((*sync, str(work / "pylock.toml")), environ)


def _proved(work: Path, environ: dict[str, str]) -> None:
    from dlsetup.verify.asked import CHILD

    _bare(work, environ)
    _call((str(work / "env/bin/python"), "-I", CHILD, "look", "jax", "60"), environ)


def _call(argv: Sequence[str], environ: os._Environ[str] | dict[str, str]) -> None:
    finished = subprocess.run(argv, env=dict(environ), capture_output=True, text=True, check=False)
    if finished.returncode:
        sys.exit(f"{' '.join(argv)}: {finished.stdout}{finished.stderr}")


def _serve(folder: Path) -> ThreadingHTTPServer:
    """An index of the wheels in a folder."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _answer_for(folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def _answer_for(folder: Path) -> type[BaseHTTPRequestHandler]:
    wheels = {path.name: path for path in folder.iterdir()}
    digests = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in wheels.items()}
    metadata = {name: _metadata(path) for name, path in wheels.items()}

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            _, kind, item, *_rest = f"{self.path}//".split("/")
            name = item.replace("%2B", "+")
            if kind == "simple":
                files = [_row(name, found) for found in wheels if parse_wheel_filename(found)[0] == name]
                page = json.dumps({"meta": {"api-version": "1.1"}, "name": name, "files": files}).encode()
                return self._send(page, "application/vnd.pypi.simple.v1+json", "max-age=600")
            body = metadata[name[:-9]] if name.endswith(".metadata") else wheels[name].read_bytes()
            return self._send(body, "application/octet-stream", "max-age=365000000, immutable")

        def _send(self, body: bytes, kind: str, age: str) -> None:
            self.send_response(200)
            for header, value in (
                ("Content-Type", kind),
                ("Cache-Control", age),
                ("Content-Length", len(body)),
            ):
                self.send_header(header, str(value))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Quiet."""

    def _row(project: str, name: str) -> dict[str, object]:
        return {
            "filename": name,
            "url": f"/files/{name}",
            "size": wheels[name].stat().st_size,
            "hashes": {"sha256": digests[name]},
            "core-metadata": {"sha256": hashlib.sha256(metadata[name]).hexdigest()},
        }

    return Answer


def _metadata(path: Path) -> bytes:
    with zipfile.ZipFile(path) as archive:
        name = next(item for item in archive.namelist() if item.endswith(".dist-info/METADATA"))
        return archive.read(name)


if __name__ == "__main__":
    main()
