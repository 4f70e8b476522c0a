"""`dlsetup create env` with the embedded solver and installer, on a real channel of tiny packages."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from string import Template
from typing import Any

import psutil
import pytest
from tiny.command import Command
from tiny.conda import make_channel, make_tool
from tiny.index import TinyIndex
from tiny.wheels import TinyWheel

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
WORDS = ("--python", PYTHON, "--yes")


@pytest.fixture(scope="session")
def channel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_channel(tmp_path_factory.mktemp("a channel") / "conda-forge")


@pytest.fixture
def forge(command: Command, channel: Path, tmp_path: Path) -> Command:
    """The command, for which the tiny channel is conda-forge."""
    if sys.platform == "win32":
        pytest.skip("the tiny packages are for POSIX systems")
    command.environ |= {
        "CONDA_CHANNELS": channel.as_uri(),
        "RATTLER_CACHE_DIR": str(tmp_path / "rattler cache"),
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
    }
    return command


def passport(command: Command) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((command.home / "demo/dlsetup.json").read_text())
    return found


def test_environment_is_solved_installed_and_proved(forge: Command) -> None:
    found = forge.json("demo", "torch>=2.14,<2.15", "torchvision", "--cpu", "--with", "conda", *WORDS)
    assert found["exit"] == 0, found
    environment = found["environment"]
    assert environment["tool"] == passport(forge)["tool"] == "rattler"
    assert [item["framework"] for item in environment["outcomes"] if item["ok"]] == ["torch", "torchvision"]
    assert environment["packages"] == 5
    assert forge.entries() == ["demo"]
    lock = Path(environment["lock"]).read_text()
    assert "@EXPLICIT" in lock
    assert "cpu_generic" in lock
    code = "import torch, sys; print(torch.__version__, sys.prefix)"
    shell = f"{environment['activate']}; python -c '{code}'"
    ran = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, cwd=forge.home)
    assert ran.stdout.split(" ", 1) == ["2.14.1", f"{forge.home / 'demo'}\n"]


def test_refused_release_is_planned_again(forge: Command) -> None:
    """The catalog knows releases of torch that the channel does not have."""
    found = forge.create("demo", "torch>=2.14", "--cpu", "--with", "rattler", *WORDS)
    assert found.returncode == 0, found.stderr
    if "Once more" in found.stdout + found.stderr:
        assert "pytorch-cpu 2.14.1" in found.stdout + found.stderr
    picks = passport(forge)["plan"]["picks"]
    assert [item["version"] for item in picks] == ["2.14.1"]


def test_refusal_says_what_there_is(forge: Command) -> None:
    found = forge.json("demo", "torch>=2.14", "--cpu", "--with", "rattler", "--python", "3.13", "--yes")
    assert found["exit"] == 3
    assert "python" in found["error"]["message"]
    assert PYTHON in found["error"]["message"]
    assert forge.entries() == []


class Served(SimpleHTTPRequestHandler):
    """The channel over HTTP: it counts what is asked for, and stays silent where `waits` is in the path."""

    asked: list[str]
    waits = "nothing"
    over: threading.Event

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.waits in self.path:
            self.over.wait(60)
            return
        super().do_GET()

    def log_message(self, *words: object) -> None:
        """Nothing on standard error."""


@pytest.fixture
def served(forge: Command, channel: Path) -> Iterator[type[Served]]:
    handler = type("Own", (Served,), {"asked": [], "over": threading.Event()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(channel.parent)))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    forge.environ["CONDA_CHANNELS"] = f"http://127.0.0.1:{server.server_port}/conda-forge"
    yield handler
    handler.over.set()
    server.shutdown()
    server.server_close()


ASKED = ("demo", "torch>=2.14,<2.15", "--cpu", "--with", "rattler", *WORDS)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interruption_leaves_nothing_and_nobody(number: int, forge: Command, served: type[Served]) -> None:
    served.waits = "numpy-"
    process = subprocess.Popen(
        forge.argv("create", "env", *ASKED),
        cwd=forge.home,
        env=forge.environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while not any("/numpy-" in path for path in served.asked):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    children = psutil.Process(process.pid).children(recursive=True)
    assert children
    process.send_signal(number)
    assert process.wait(30) == 130
    assert psutil.wait_procs(children, timeout=10)[1] == []
    assert forge.entries() == []


def test_offline_from_the_cache(forge: Command, served: type[Served]) -> None:
    refused = forge.json(*ASKED, "--offline")
    assert refused["exit"] == 3
    assert served.asked == []
    assert forge.json(*ASKED)["exit"] == 0
    served.asked.clear()
    again = forge.json("again", *ASKED[1:], "--offline")
    assert again["exit"] == 0, again
    assert served.asked == []
    assert forge.entries() == ["again", "demo"]


def test_offline_names_what_is_not_cached(forge: Command, served: type[Served]) -> None:
    assert forge.json(*ASKED)["exit"] == 0
    for path in Path(forge.environ["RATTLER_CACHE_DIR"], "pkgs").glob("numpy-*"):
        subprocess.run(["rm", "-r", str(path)], check=True)
    served.asked.clear()
    found = forge.json("again", *ASKED[1:], "--offline")
    assert found["exit"] == 3
    assert "numpy-2.3.5" in found["error"]["message"]
    assert served.asked == []
    assert forge.entries() == ["demo"]


def test_what_conda_forge_lacks_is_left_to_uv(forge: Command, tiny_index: TinyIndex) -> None:
    """The wheel comes from the configured index, and sees the conda packages."""
    listed = forge.home / "requirements.txt"
    listed.write_text("nvidia-cudnn-cu12==9.20.0.48\nonnxruntime-gpu==1.31.1\ntiny-tool\n")
    listed.write_text("odd-tool==1.0\n")
    tiny_index.add("default", [TinyWheel("odd-tool", "1.0", files={"odd_tool.py": ""})])
    found = forge.json(*ASKED, "-r", str(listed))
    assert found["exit"] == 0, found
    site = forge.home / f"demo/lib/python{PYTHON}/site-packages"
    assert (site / "odd_tool-1.0.dist-info").is_dir()
    assert (site / "pip").is_dir()
    assert "odd-tool==1.0" in (forge.home / "demo/dlsetup.json").read_text()


def test_dry_run_shows_the_file_and_changes_nothing(forge: Command) -> None:
    found = forge.create("demo", "torch", "--cpu", "--with", "conda", "--python", PYTHON, "--dry-run")
    assert found.returncode == 0
    assert "environment.yml" in found.stdout
    assert "pytorch-cpu=" in found.stdout
    assert forge.entries() == []


def test_a_conda_tool_that_is_there_goes_first(forge: Command, tmp_path: Path) -> None:
    tool = make_tool(tmp_path / "tools")
    forge.environ["PATH"] = f"{tool.parent}:{forge.environ['PATH']}"
    words = ("demo", "torch", "--cpu", "--python", PYTHON, "--dry-run")
    assert str(tool) in forge.create(*words, "--with", "conda").stdout
    assert str(tool) not in forge.create(*words, "--with", "rattler").stdout


def kernels_of(command: Command) -> Path:
    for name in ("XDG_DATA_HOME", "JUPYTER_PATH"):
        command.environ.pop(name, None)
    command.environ["JUPYTER_DATA_DIR"] = str(command.home.parent / "jupyter")
    return command.home.parent / "jupyter/kernels"


def test_kernel_of_conda_packages_starts_as_if_activated(forge: Command) -> None:
    """`ipykernel` is the channel's, and nothing of the environment is a wheel."""
    kernels = kernels_of(forge)
    found = forge.json(*ASKED, "--kernel", "demo")
    assert found["exit"] == 0, found
    assert "ipykernel-7.1.0-pyh1_0" in Path(found["environment"]["lock"]).read_text()
    about = json.loads((kernels / "demo/kernel.json").read_text())
    variables = {name: Template(text).safe_substitute(forge.environ) for name, text in about["env"].items()}
    argv = [word.replace("{connection_file}", "a file") for word in about["argv"]]
    ran = subprocess.run(argv, capture_output=True, text=True, env={**forge.environ, **variables}, check=True)
    home = str(forge.home / "demo")
    assert ran.stdout.split() == [home, home, f"{home}/bin"]
    assert variables["PATH"].endswith(forge.environ["PATH"])


def test_channel_without_ipykernel_refuses_a_kernel(forge: Command, channel: Path, tmp_path: Path) -> None:
    from rattler.index import index_fs

    poor = tmp_path / "poor" / "conda-forge"
    shutil.copytree(channel, poor)
    for path in poor.glob("*/ipykernel-*"):
        path.unlink()
    for path in poor.glob("*/repodata*"):
        path.unlink()
    asyncio.run(index_fs(poor, write_zst=False, write_shards=False))
    forge.environ["CONDA_CHANNELS"] = poor.as_uri()
    kernels = kernels_of(forge)
    found = forge.json(*ASKED, "--kernel", "demo")
    assert found["exit"] == 3
    assert "ipykernel" in found["error"]["message"]
    assert "--kernel" in found["error"]["hint"]
    assert (forge.entries(), kernels.exists()) == ([], False)
