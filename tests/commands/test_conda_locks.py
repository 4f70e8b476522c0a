"""`create files --form conda-lock` on a real channel of tiny packages, and what reads such a lock back."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny.command import Command
from tiny.conda import make_channel, make_tool

from dlsetup.intake.conda_lock import is_explicit, parse_conda_lock
from dlsetup.model.errors import DataError
from dlsetup.model.locked import CondaLocked

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
NODE = "name=node,os=linux,arch=x86_64,glibc=2.28,driver=580.65.06,gpu=A100"
OLD_NODE = "name=old,os=linux,arch=x86_64,glibc=2.34,driver=535.129.03,gpu=A100"
LOGIN = "name=login,os=linux,arch=x86_64,glibc=2.35,gpu=none"
MAC = "name=mac,os=macos,arch=arm64,macos=14.5"
TORCH = ("torch>=2.14,<2.15", "torchvision", "--python", PYTHON, "--form", "conda-lock")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the tiny packages are for POSIX systems")


@pytest.fixture(scope="session")
def channels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("rattler", reason="there is no wheel of py-rattler for this Python")
    folder = tmp_path_factory.mktemp("locked")
    make_channel(folder / "conda-forge", ("linux-64", "osx-arm64"))
    return folder


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *words: object) -> None:
        """Nothing on standard error."""


@pytest.fixture(scope="session")
def server(channels: Path) -> Iterator[str]:
    """Host and port of a server that has the channel."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(channels)))
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def forge(command: Command, server: str, tmp_path: Path) -> Command:
    """The command, for which the tiny channel is conda-forge."""
    command.environ |= {
        "CONDA_CHANNELS": f"http://{server}/conda-forge",
        "RATTLER_CACHE_DIR": str(tmp_path / "rattler cache"),
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
    }
    return command


def locked(command: Command, *words: str, code: int = 0) -> dict[str, Any]:
    found = command("create", "files", *words, "--yes", "--json")
    document: dict[str, Any] = json.loads(found.stdout)
    assert found.returncode == code, document
    return document


def read(command: Command, name: str = "conda-linux-64.lock") -> CondaLocked:
    return parse_conda_lock((command.home / name).read_text(), name)


def builds(lock: CondaLocked) -> dict[str, str]:
    return {item.name: item.build for item in lock.solution.packages}


def checked(command: Command, target: str, name: str = "conda-linux-64.lock") -> dict[str, Any]:
    found = command("check-lock", name, "--target", target, "--json")
    document: dict[str, Any] = json.loads(found.stdout)
    assert found.returncode == (0 if document["ok"] else 1)
    return {**document, "ids": [item["id"] for item in document["findings"]]}


def test_a_login_node_locks_for_a_node_with_a_gpu(forge: Command) -> None:
    """What the solver is told is the target's, and it stands in the file."""
    locked(forge, *TORCH, "--target", NODE)
    lock = read(forge)
    assert builds(lock)["pytorch"].startswith("cuda130_")
    told = {item.name: (item.version, item.build) for item in lock.solution.virtual}
    assert told["__cuda"] == ("13.0", "0")
    assert (told["__glibc"], told["__archspec"]) == (("2.28", "0"), ("1", "x86_64"))
    assert "__linux" in told
    assert all(item.sha256 for item in lock.solution.packages)
    names = list(builds(lock))
    assert names.index("python") < names.index("numpy") < names.index("pytorch")


def test_one_file_a_platform_with_the_oldest_of_its_targets(forge: Command) -> None:
    targets = [word for text in (NODE, OLD_NODE, LOGIN, MAC) for word in ("--target", text)]
    made = locked(forge, *TORCH, *targets)
    assert forge.entries() == ["conda-linux-64.lock", "conda-osx-arm64.lock"]
    assert {item["form"] for item in made["changes"]} == {"conda-lock"}
    linux, mac = read(forge), read(forge, "conda-osx-arm64.lock")
    told = {item.name: item.version for item in linux.solution.virtual}
    assert (told["__glibc"], told["__cuda"]) == ("2.28", "12.2")
    assert builds(linux)["pytorch"].startswith("cuda126_")
    assert builds(mac)["pytorch"].startswith("cpu_")
    assert {item.name for item in mac.solution.virtual} == {"__archspec", "__unix", "__osx"}
    for name, target in (("linux-64", OLD_NODE), ("linux-64", NODE), ("osx-arm64", MAC)):
        assert checked(forge, target, f"conda-{name}.lock")["ok"]


def test_read_back_it_holds_the_same_packages(forge: Command) -> None:
    """By the doctor, by `check-lock`, and by the plan's own account of it."""
    made = locked(forge, *TORCH, "--target", NODE)
    lock = read(forge)
    picks = {item.framework: (str(item.version), item.variant) for item in lock.note.picks}  # type: ignore[union-attr]
    assert picks["torch"] == ("2.14.1", builds(lock)["pytorch"])
    document = checked(forge, NODE)
    assert (document["ids"], document["packages"]) == ([], len(lock.solution.packages))
    assert document["made_for"]["targets"][0]["name"] == "node"
    assert any("code for every GPU" in item["fact"] for item in document["unknown"])
    found = json.loads(forge("doctor", "--from", "conda-linux-64.lock", "--json").stdout)
    (environment,) = found["machine"]["environments"]
    there = {item["name"]: item["version"] for item in environment["distributions"]}
    own = {item.name: item.version for item in lock.solution.packages}
    torch = own.pop("pytorch")
    del own["pytorch-gpu"]
    assert there == {**own, "torch": torch}
    assert made["changes"][0]["change"] == "new"
    again = locked(forge, *TORCH, "--target", NODE)
    assert [item["change"] for item in again["changes"]] == ["same"]


def test_check_lock_says_what_stands_against_a_machine(forge: Command) -> None:
    locked(forge, *TORCH, "--target", NODE)
    assert checked(forge, OLD_NODE)["ids"] == ["lock-driver"]
    assert checked(forge, NODE.replace("A100", "V100"))["ids"] == ["lock-gpu"]
    assert checked(forge, MAC)["ids"] == ["lock-platform"]
    idle = checked(forge, LOGIN)
    assert (idle["ok"], idle["ids"]) == (True, ["lock-without-device"])
    older = checked(forge, NODE.replace("2.28", "2.17"))
    assert older["ok"]
    assert any("glibc 2.17" in item["fact"] for item in older["unknown"])
    locked(forge, *TORCH, "--target", NODE, "--cpu")
    assert checked(forge, NODE)["ids"] == ["lock-gpu-idle"]
    assert checked(forge, LOGIN)["ids"] == []


def test_what_the_channel_lacks_is_planned_again(forge: Command) -> None:
    made = locked(
        forge, "torch>=2.14", "--python", PYTHON, "--form", "conda-lock", "--cpu", "--target", LOGIN
    )
    assert builds(read(forge))["pytorch"].startswith("cpu_")
    lacking = [text for text in made["learned"] if "conda-forge" in text]
    newest = made["plan"]["picks"][0]["version"]
    assert newest.startswith("2.14")
    assert all("pytorch-cpu" in text for text in lacking)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interruption_leaves_nothing_and_nobody(number: int, forge: Command, tmp_path: Path) -> None:
    """A server that says nothing keeps the solver waiting."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(60)
        forge.environ |= {
            "CONDA_CHANNELS": f"http://127.0.0.1:{silent.getsockname()[1]}/conda-forge",
            "TMPDIR": str(scratch),
        }
        argv = forge.argv("create", "files", *TORCH, "--target", NODE, "--yes")
        process = subprocess.Popen(argv, cwd=forge.home, env=forge.environ, stderr=subprocess.PIPE)
        waiting, _ = silent.accept()
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(number)
        process.communicate(timeout=30)
        waiting.close()
    assert process.returncode == 130
    assert children
    assert psutil.wait_procs(children, timeout=10)[1] == []
    assert (forge.entries(), list(scratch.iterdir())) == ([], [])


def test_a_login_is_not_kept(forge: Command, server: str) -> None:
    forge.environ["CONDA_CHANNELS"] = f"http://me:secret@{server}/conda-forge"
    made = locked(forge, *TORCH, "--target", NODE)
    text = (forge.home / "conda-linux-64.lock").read_text()
    assert "secret" not in text
    assert f"\nhttp://{server}/conda-forge/linux-64/pytorch-2.14.1" in text
    assert any("without its login" in note for note in made["notes"])
    assert "secret" not in json.dumps(made)


def test_what_conda_forge_does_not_have_is_refused(forge: Command) -> None:
    (forge.home / "requirements.txt").write_text("odd-tool==1.0\n")
    words = (*TORCH, "--target", NODE, "-r", "requirements.txt")
    found = forge("create", "files", *words, "--yes")
    assert found.returncode == 2
    assert "odd-tool==1.0" in found.stderr
    assert forge.entries() == ["requirements.txt"]


def test_a_lock_of_another_tool_is_replaced_only_by_force(forge: Command) -> None:
    place = forge.home / "conda-linux-64.lock"
    place.write_text(
        "# Generated by conda-lock.\n@EXPLICIT\nhttps://x.example/c/noarch/a-1-0.conda#" + "a" * 32
    )
    before = place.read_bytes()
    found = forge("create", "files", *TORCH, "--target", NODE, "--yes")
    assert (found.returncode, place.read_bytes()) == (4, before)
    assert locked(forge, *TORCH, "--target", NODE, "--force")["written"]
    assert "pytorch" in builds(read(forge))


def blinded(command: Command, folder: Path) -> None:
    """`dlsetup` without the embedded solver; the programs of the tests keep theirs."""
    (folder / "sitecustomize.py").write_text(
        "import sys\nif 'dlsetup' in ' '.join(sys.orig_argv): sys.modules['rattler'] = None\n"
    )
    command.environ["PYTHONPATH"] = f"{folder}{os.pathsep}{command.environ['PYTHONPATH']}"


def test_without_any_solver_it_says_what_to_do(forge: Command, tmp_path: Path) -> None:
    blinded(forge, tmp_path)
    forge.environ["PATH"] = str(tmp_path)
    found = forge("create", "files", *TORCH, "--target", NODE, "--yes", "--json")
    error = json.loads(found.stdout)["error"]
    assert found.returncode == 5
    assert "py-rattler" in error["message"]
    assert "dlsetup[conda]" in error["hint"]
    make_tool(tmp_path, "conda")
    found = forge("create", "files", *TORCH, "--target", NODE, "--yes")
    assert "conda does not say the hashes" in found.stderr
    assert forge.entries() == []


def test_a_conda_tool_solves_where_there_is_no_embedded_solver(forge: Command, tmp_path: Path) -> None:
    """It is told the target too, and its answer is the same lock."""
    locked(forge, *TORCH, "--target", NODE)
    embedded = read(forge)
    (forge.home / "conda-linux-64.lock").unlink()
    blinded(forge, tmp_path)
    tool = make_tool(tmp_path / "tools")
    forge.environ |= {
        "PATH": f"{tool.parent}:/usr/bin:/bin",
        "TINY_CONDA_RECORD": str(tmp_path / "calls"),
        "TINY_CONDA_CHANNEL": forge.environ["CONDA_CHANNELS"],
    }
    locked(forge, *TORCH, "--target", NODE)
    assert '"create"' in (tmp_path / "calls").read_text()
    by_tool = read(forge)
    assert set(by_tool.solution.packages) == set(embedded.solution.packages)
    assert by_tool.solution.virtual == embedded.solution.virtual


@pytest.mark.parametrize(
    "text",
    [
        "@EXPLICIT\n",
        "@EXPLICIT\nnumpy=1.26\n",
        "@EXPLICIT\nhttps://x.example/c/linux-64/a-1-0.conda#beef\n",
        "@EXPLICIT\nhttps://x.example/c/linux-64/a-1-0.conda\nhttps://x.example/c/win-64/b-1-0.conda\n",
        "@EXPLICIT\nhttps://x.example/c/linux-64/a.conda\n",
        "# [tool.dlsetup]\n# version =\n@EXPLICIT\nhttps://x.example/c/linux-64/a-1-0.conda\n",
    ],
)
def test_what_is_no_explicit_lock(text: str) -> None:
    with pytest.raises(DataError):
        parse_conda_lock(text, "x.lock")


def test_locks_of_other_tools_are_read() -> None:
    text = (
        "# platform: linux-64\n@EXPLICIT\n"
        "https://conda.anaconda.org/conda-forge/noarch/tzdata-2024a-h0c530f3_0.conda#161081fc7cec0bfda0d86d7cb595f8d8\n"
        "https://conda.anaconda.org/t/TOKEN/conda-forge/noarch/a%2Bb-1.0-0.tar.bz2\n"
    )
    lock = parse_conda_lock(text, "x.lock")
    first, second = lock.solution.packages
    assert (first.name, first.version, first.build) == ("tzdata", "2024a", "h0c530f3_0")
    assert (first.md5, second.md5, second.name) == ("161081fc7cec0bfda0d86d7cb595f8d8", "", "a+b")
    assert lock.solution.subdir == "linux-64"


@given(st.text(max_size=200))
def test_any_text_is_a_lock_or_an_error(text: str) -> None:
    explicit = f"@EXPLICIT\n{text}"
    assert is_explicit(explicit)
    with contextlib.suppress(DataError):
        assert parse_conda_lock(explicit, "x.lock").solution.packages
