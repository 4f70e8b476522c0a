"""Images of `create image`, built and run by a real Docker engine with real wheels."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tiny.asking import ask
from tiny.command import has_network
from tiny.engine import docker, missing, python_image

pytestmark = pytest.mark.docker
SUM = bytes.fromhex(
    "08083a4e0a0e0a01780a017912017a2203416464120373756d5a110a0178120c0a0a080112060a000a0208025a110a0179"
    "120c0a0a080112060a000a02080262110a017a120c0a0a080112060a000a02080242040a00100d"
)
"""A model in ONNX: z = x + y, each with two columns of float32."""
TAG = "dlsetup-test/created:1"


@pytest.fixture(scope="module")
def python() -> str:
    version = python_image()[1]
    if not has_network():
        missing("no package index answers")
    return version


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    docker("image", "rm", "-f", TAG)


def create(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "dlsetup", "create", "image", *words, "--into", str(folder), "--tag", TAG]
    environ = {**os.environ, **variables}
    return subprocess.run(argv, capture_output=True, text=True, timeout=600, env=environ)


def test_jax_is_built_proved_and_runs(tmp_path: Path, python: str) -> None:
    words = ("jax", "--cpu", "--python", python, "--build", "--network", "host", "--yes", "--json")
    found = create(tmp_path, *words)
    assert found.returncode == 0, found.stderr[-3000:]
    document = json.loads(found.stdout)
    assert [(item["framework"], item["ok"], item["device"]) for item in document["outcomes"]] == [
        ("jax", True, "cpu")
    ]
    assert "Successfully built" in found.stderr
    config = json.loads(docker("image", "inspect", TAG).stdout)[0]
    assert config["Id"] == document["image"]
    assert config["Config"]["User"] == "1000"
    assert config["Config"]["Healthcheck"]["Test"] == ["CMD", "python", "-c", "import jax"]
    program = "import jax.numpy as n, os; print(int(n.arange(5).sum()), os.getuid(), os.getcwd())"
    ran = docker("run", "--rm", "--network", "none", TAG, "python", "-c", program)
    assert ran.stdout.split() == ["10", "1000", "/work"], ran.stderr
    # Neither uv nor its cache is in what runs.
    assert docker("run", "--rm", TAG, "ls", "/opt").stdout.split() == ["env"]


def test_compose_starts_what_was_built(tmp_path: Path, python: str) -> None:
    tool = shutil.which("docker-compose")
    if tool is None:
        pytest.skip("there is no docker-compose")
    build = ("--build", "--network", "host", "--yes")
    found = create(tmp_path, "jax", "--cpu", "--python", python, "--also", "compose", *build)
    assert found.returncode == 0, found.stderr[-3000:]
    program = "import os, shutil; print(shutil.disk_usage('/dev/shm').total >> 30, os.getcwd())"
    words = [tool, "run", "--rm", "train", "python", "-c", program]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    subprocess.run([tool, "down"], cwd=tmp_path, capture_output=True, timeout=60)
    assert ran.stdout.split() == ["8", "/work"], ran.stderr


def test_a_model_is_served(tmp_path: Path, python: str) -> None:
    build = ("--build", "--network", "host", "--yes")
    found = create(tmp_path, "onnxruntime", "--cpu", "--for", "serve", "--python", python, *build)
    assert found.returncode == 0, found.stderr[-3000:]
    models = tmp_path / "models"
    models.mkdir()
    (models / "sum.onnx").write_bytes(SUM)
    started = docker("run", "-d", "-P", f"-v={models}:/models:ro", "--health-interval=1s", TAG)
    container = started.stdout.strip()
    try:
        server = f"http://127.0.0.1:{docker('port', container, '8000').stdout.split()[0].rpartition(':')[2]}"
        assert ask(f"{server}/health") == (200, {"model": "/models/sum.onnx"})
        inputs = {"x": [[1, 2]], "y": [[10, 20.5]]}
        assert ask(f"{server}/predict", {"inputs": inputs}) == (200, {"outputs": {"z": [[11.0, 22.5]]}})
        status, answer = ask(f"{server}/predict", {"inputs": {"x": [[1, 2]]}})
        assert status == 400
        assert "y" in answer["error"]
        assert ask(f"{server}/predict", [])[0] == 400
        assert ask(f"{server}/nothing", {})[0] == 404
        assert _health(container) == "healthy"
        docker("stop", "-t", "10", container)
        assert docker("inspect", "-f", "{{.State.ExitCode}}", container).stdout.strip() == "0"
    finally:
        docker("rm", "-f", container)


def test_a_server_without_a_model_says_what_is_missing(tmp_path: Path, python: str) -> None:
    build = ("--build", "--network", "host", "--yes")
    assert (
        create(tmp_path, "onnxruntime", "--cpu", "--for", "serve", "--python", python, *build).returncode == 0
    )
    ran = docker("run", "--rm", TAG)
    assert ran.returncode == 1
    assert "0 models (.onnx, .ort) lie in /models: mount a folder with one" in ran.stderr


def test_what_does_not_work_inside_gets_no_name(tmp_path: Path, python: str) -> None:
    """The system inside lacks what the lock was made for: here, Python itself is another one."""
    assert create(tmp_path, "jax", "--cpu", "--python", python).returncode == 0
    before = set(docker("image", "ls", "-q", "--no-trunc").stdout.split())
    broken = tmp_path / "broken"
    words = ("--lock", str(tmp_path / "pylock.toml"), "--cpu", "--base", "no-such-image:1")
    found = create(broken, *words, "--build", "--yes")
    assert found.returncode == 3, found.stderr
    assert "the image was not built" in found.stderr
    assert (broken / "Dockerfile").exists()
    assert set(docker("image", "ls", "-q", "--no-trunc").stdout.split()) == before
    assert docker("image", "inspect", TAG).returncode != 0


def test_a_base_is_named_by_its_digest_where_its_registry_tells(tmp_path: Path, python: str) -> None:
    with Registry() as registry:
        base = f"localhost:{registry.port}/lab/python:1"
        found = create(tmp_path, "jax", "--cpu", "--python", python, "--base", base, "--pin", "--json")
        assert found.returncode == 0, found.stderr
        pinned = f"{base}@{registry.digest}"
        assert json.loads(found.stdout)["base"]["image"] == pinned
        assert f"ARG BASE={pinned}\n" in (tmp_path / "Dockerfile").read_text()
    words = ("--base", "localhost:1/not/there:1", "--pin", "--force")
    assert create(tmp_path, "jax", "--cpu", "--python", python, *words).returncode == 0
    assert "ARG BASE=localhost:1/not/there:1\n" in (tmp_path / "Dockerfile").read_text()


def test_without_an_engine_nothing_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    found = create(folder, "jax", "--cpu", "--build", "--yes", DOCKER_HOST="unix:///nobody/listens.sock")
    assert found.returncode == 5
    assert "no container engine answers" in found.stderr
    assert not folder.exists()


def test_labels_keep_every_sign(tmp_path: Path, python: str) -> None:
    """What Docker itself makes of a value in which nothing is what it seems."""
    from dlsetup.model.versions import LibcVersion
    from dlsetup.plan.base_image import Base
    from dlsetup.plan.dockerfile import dockerfile, labels
    from dlsetup.plan.recipe import Recipe

    image = f"python:{python}-slim-bookworm"
    base = Base(image=image, builder=image, libc=LibcVersion("2.36"), because="it is\nRUN false")
    hostile = """it's "$HOME" ${PATH} `id` \\ \\n #x; é → \n RUN false"""
    recipe = Recipe(
        name="demo", purpose="train", base=base, holds=(hostile,), target=hostile, asks=(hostile,)
    )
    (tmp_path / "Dockerfile").write_text(dockerfile(recipe), encoding="utf-8")
    built = docker("build", "-t", TAG, str(tmp_path), timeout=300)
    assert built.returncode == 0, built.stdout + built.stderr
    config: dict[str, Any] = json.loads(docker("image", "inspect", TAG).stdout)[0]["Config"]
    assert config["Labels"] == labels(recipe)


class Registry:
    """A registry with one image, as far as asking for its digest goes."""

    def __enter__(self) -> Registry:
        kind = "application/vnd.docker.distribution.manifest.v2+json"
        blob = {"mediaType": "application/octet-stream", "size": 2, "digest": f"sha256:{'0' * 64}"}
        manifest = json.dumps({"schemaVersion": 2, "mediaType": kind, "config": blob, "layers": []}).encode()
        self.digest = digest = f"sha256:{hashlib.sha256(manifest).hexdigest()}"

        class Handler(BaseHTTPRequestHandler):
            def do_HEAD(self) -> None:
                self.do_GET()

            def do_GET(self) -> None:
                body = b"{}" if "/blobs/" in self.path else manifest if "/manifests/" in self.path else b""
                self.send_response(200)
                self.send_header("Docker-Distribution-Api-Version", "registry/2.0")
                self.send_header("Docker-Content-Digest", digest)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(body)

            def log_message(self, *words: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *words: object) -> None:
        self.server.shutdown()
        self.server.server_close()


def _health(container: str) -> str:
    status = ""
    for _ in range(100):
        status = docker("inspect", "-f", "{{.State.Health.Status}}", container).stdout.strip()
        if status != "starting":
            break
        time.sleep(0.2)
    return status
