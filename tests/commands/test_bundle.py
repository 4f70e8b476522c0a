"""`dlsetup bundle` from outside: the real command, the real uv, tiny wheels, a plain shell."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomli
from tiny.command import Command, tree
from tiny.index import TinyIndex
from tiny.wheels import TinyWheel

Stock = Callable[..., dict[str, Any]]
HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
WORDS = ("jax", "--cpu", "--python", HERE)
OLD = "os=linux,arch=aarch64,glibc=2.31,driver=none,gpu=none"


def bundle(command: Command, *words: str, **variables: str) -> dict[str, Any]:
    found = command("bundle", *words, *command.indexes, "--json", **variables)
    assert found.stdout, found.stderr
    document: dict[str, Any] = json.loads(found.stdout)
    return {**document, "exit": found.returncode, "err": found.stderr}


def install(folder: Path, place: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """As somebody does it who has neither network nor dlsetup."""
    environ = {"PATH": "/usr/bin:/bin", "PYTHON": sys.executable, "HOME": str(folder.parent), **variables}
    return subprocess.run(
        ["sh", str(folder / "install.sh"), str(place)],
        env={name: value for name, value in environ.items() if value},
        cwd=folder.parent,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def made(command: Command, stocked: Stock) -> Path:
    """A bundle of jax in a folder whose name a shell would act on."""
    stocked(*WORDS)
    found = bundle(command, *WORDS, "-o", "my $(bundle), 'one'", "--yes")
    assert found["exit"] == 0, found
    return Path(found["path"])


def test_holds_the_locked_files_and_nothing_else(command: Command, made: Path) -> None:
    lock = tomli.loads((made / "pylock.toml").read_text())
    listed = {row["wheels"][0]["path"]: row["wheels"][0]["hashes"]["sha256"] for row in lock["packages"]}
    there = {
        f"wheels/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest() for path in made.glob("wheels/*")
    }
    assert listed == there
    assert {row["name"] for row in lock["packages"]} == {"jax", "jaxlib", "numpy"}
    assert lock["tool"]["dlsetup"]["picks"][0]["framework"] == "jax"
    assert sorted(path.name for path in made.iterdir()) == [
        "README.md",
        "SHA256SUMS",
        "bundle.json",
        "install.sh",
        "pylock.toml",
        "requirements.txt",
        "wheels",
    ]
    assert command.entries() == [made.name]


def test_lock_of_the_bundle_serves_this_machine(command: Command, made: Path) -> None:
    found = command("check-lock", str(made / "pylock.toml"))
    assert found.returncode == 0, found.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell is needed")
def test_installs_with_a_plain_python(made: Path) -> None:
    found = install(made, made.parent / "a place")
    assert found.returncode == 0, found.stdout + found.stderr
    python = made.parent / "a place/bin/python"
    said = subprocess.run(
        [python, "-c", "import jax; print(jax.__version__)"], capture_output=True, text=True
    )
    assert said.returncode == 0
    assert said.stdout.strip()


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell is needed")
def test_installs_with_uv(command: Command, made: Path) -> None:
    from dlsetup.act.uv import find_uv

    folder = made.parent / "programs"
    folder.mkdir()
    (folder / "uv").symlink_to(find_uv(command.environ))
    found = install(made, "env", PATH=f"{folder}:/usr/bin:/bin", UV_DEFAULT_INDEX="http://127.0.0.1:9/simple")
    assert found.returncode == 0, found.stdout + found.stderr
    assert (made.parent / "env/bin/python").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell is needed")
def test_install_refuses_a_damaged_file_and_leaves_nothing(made: Path) -> None:
    wheel = next(made.glob("wheels/numpy-*"))
    wheel.write_bytes(wheel.read_bytes()[:-1])
    found = install(made, "env")
    assert found.returncode == 1
    assert wheel.name in found.stderr
    assert not (made.parent / "env").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell is needed")
def test_install_leaves_what_is_there(made: Path) -> None:
    place = made.parent / "env"
    place.mkdir()
    (place / "mine").write_text("mine")
    assert install(made, "env").returncode == 1
    assert (place / "mine").read_text() == "mine"


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell is needed")
def test_install_that_fails_half_way_leaves_nothing(made: Path) -> None:
    text = (made / "requirements.txt").read_text().replace("numpy==2.3.5", "numpy==2.3.6")
    sums = (made / "SHA256SUMS").read_text().splitlines()
    (made / "requirements.txt").write_text(text)
    (made / "SHA256SUMS").write_text("".join(f"{row}\n" for row in sums if "requirements" not in row))
    assert install(made, "env").returncode != 0
    assert not (made.parent / "env").exists()


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not there")
def test_script_is_clean_under_shellcheck(made: Path) -> None:
    found = subprocess.run(["shellcheck", str(made / "install.sh")], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout


def test_create_env_from_it_without_network(command: Command, made: Path, tiny_index: TinyIndex) -> None:
    tiny_index.asked.clear()
    nowhere = {"UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple", "HTTPS_PROXY": "http://127.0.0.1:9"}
    found = command("create", "env", "demo", "--offline", "--bundle", str(made), "--yes", "--json", **nowhere)
    document = json.loads(found.stdout)
    assert document["ok"], document
    assert document["environment"]["outcomes"][0]["device"] == "cpu"
    assert document["environment"]["packages"] == 3
    assert tiny_index.asked == []
    lock = tomli.loads(Path(document["environment"]["lock"]).read_text())
    assert all("path" not in row["wheels"][0] for row in lock["packages"])


def test_create_env_from_it_installs_no_other_file(command: Command, made: Path) -> None:
    wheel = next(made.glob("wheels/numpy-*"))
    data = bytearray(wheel.read_bytes())
    data[-30] ^= 1
    wheel.write_bytes(bytes(data))
    found = command.create("demo", "--bundle", str(made), "--yes")
    assert found.returncode == 3
    assert "numpy" in found.stderr
    assert command.entries() == [made.name]


def test_dry_run_of_create_env_gives_a_script_that_builds_it(command: Command, made: Path) -> None:
    script = command.json("demo", "--bundle", str(made), "--dry-run")["script"]
    subprocess.run(["sh"], input=script, text=True, check=True, env=command.environ, capture_output=True)
    assert (command.home / "demo/bin/python").exists()


def test_bundle_for_another_machine_is_refused_here(command: Command, stocked: Stock) -> None:
    stocked(*WORDS)
    found = bundle(
        command, "--lock", str(foreign_lock(command.home)), "--target", OLD, "-o", "there", "--yes"
    )
    assert found["exit"] == 0, found
    assert [item["path"] for item in found["files"]] == [
        "wheels/numpy-2.3.5-cp312-cp312-manylinux_2_28_aarch64.whl"
    ]
    refused = command.json("demo", "--bundle", "there", "--yes")
    assert refused["exit"] == 1
    assert refused["lock"]["findings"][0]["severity"] == "error"
    assert not (command.home / "demo").exists()
    if sys.platform != "win32":
        shell = install(command.home / "there", "demo")
        assert shell.returncode == 1
        assert "bundle is for" in shell.stderr or "no Python" in shell.stderr


def foreign_lock(
    home: Path, name: str = "numpy-2.3.5-cp312-cp312-manylinux_2_28_aarch64.whl", **more: str
) -> Path:
    """A lock by hand, of a wheel beside it that this machine cannot install."""
    from tiny.wheels import build_wheel

    wheel = TinyWheel("numpy", "2.3.5", "cp312-cp312-manylinux_2_28_aarch64")
    path = build_wheel(wheel, home)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    row = {"name": name, "path": path.name, **more}
    words = ", ".join(f"{key} = {json.dumps(value)}" for key, value in row.items())
    lock = home / "pylock.there.toml"
    lock.write_text(
        'lock-version = "1.0"\ncreated-by = "hand"\nrequires-python = "==3.12.*"\n\n[[packages]]\n'
        f'name = "numpy"\nversion = "2.3.5"\nwheels = [{{ {words}, hashes = {{ sha256 = "{digest}" }} }}]\n'
    )
    return lock


@pytest.mark.parametrize(
    "name", ["../../numpy-2.3.5-py3-none-any.whl", "torch-2.3.5-py3-none-any.whl", "-.whl"]
)
def test_lock_that_names_files_amiss_is_refused(name: str, command: Command) -> None:
    lock = foreign_lock(command.home, name)
    before = tree(command.home)
    found = bundle(command, "--lock", str(lock), "--target", OLD, "-o", "there", "--yes")
    assert found["exit"] in (1, 4)
    assert tree(command.home) == before


def test_lock_that_does_not_serve_the_target_is_refused(command: Command) -> None:
    lock = foreign_lock(command.home)
    found = bundle(
        command, "--lock", str(lock), "--target", OLD.replace("2.31", "2.17"), "-o", "there", "--yes"
    )
    assert found["exit"] == 1
    assert found["lock"]["findings"][0]["id"] == "lock-without-wheel"


def test_target_that_tells_too_little_is_refused(command: Command) -> None:
    found = bundle(command, "jax", "--cpu", "--target", "os=linux,arch=x86_64", "-o", "there", "--yes")
    assert found["exit"] == 2
    assert "glibc" in found["error"]["message"]


def test_dry_run_fetches_nothing(command: Command, stocked: Stock, tiny_index: TinyIndex) -> None:
    stocked(*WORDS)
    before = tree(command.home)
    found = bundle(command, *WORDS, "-o", "there", "--dry-run")
    assert found["exit"] == 0, found
    assert len(found["wanted"]) == found["weight"]["files"] == 3
    assert found["weight"]["free"] > found["weight"]["room"] == found["weight"]["bytes"] > 0
    assert tree(command.home) == before
    assert not [path for path in tiny_index.asked if path.endswith(".whl")]


def test_archive_has_the_same_bytes_again_and_installs(command: Command, stocked: Stock) -> None:
    stocked(*WORDS)
    assert bundle(command, *WORDS, "-o", "one.tar", "--yes")["exit"] == 0
    (command.home / "one.tar").rename(command.home / "former")
    assert bundle(command, *WORDS, "-o", "one.tar", "--yes")["exit"] == 0
    assert (command.home / "one.tar").read_bytes() == (command.home / "former").read_bytes()
    assert command.entries() == ["former", "one.tar"]
    refused = command.json("demo", "--bundle", "one.tar", "--yes")
    assert "tar -xf" in refused["error"]["hint"]
    with tarfile.open(command.home / "one.tar") as archive:
        archive.extractall(command.home, filter="data")
    assert command.json("demo", "--bundle", "one", "--yes")["exit"] == 0


@pytest.mark.parametrize("name", ["there.tar.gz", "there.zip", "", "a\nb", "nowhere/there"])
def test_place_that_cannot_be_is_refused(name: str, command: Command) -> None:
    assert bundle(command, *WORDS, "-o", name, "--yes")["exit"] == 2


def test_nothing_is_written_over(command: Command) -> None:
    (command.home / "there").mkdir()
    found = bundle(command, *WORDS, "-o", "there", "--yes")
    assert found["exit"] == 2
    assert "exists already" in found["error"]["message"]


def test_wrong_hash_is_refused_with_the_name(command: Command, stocked: Stock, tiny_index: TinyIndex) -> None:
    stocked(*WORDS)
    tiny_index.faults["numpy-2"] = "wrong-hash"
    found = bundle(command, *WORDS, "-o", "there", "--yes")
    assert found["exit"] == 3
    assert "numpy-2.3.5" in found["error"]["message"]
    assert not (command.home / "there").exists()


def test_lost_network_is_gone_on_from(command: Command, stocked: Stock, tiny_index: TinyIndex) -> None:
    stocked(*WORDS)
    tiny_index.faults["numpy-"] = "unavailable"
    found = bundle(command, *WORDS, "-o", "there", "--yes")
    assert found["exit"] == 3
    assert "run the same command again" in found["error"]["hint"]
    assert command.entries() == [".there.part"]
    tiny_index.faults.clear()
    tiny_index.asked.clear()
    again = bundle(command, *WORDS, "-o", "there", "--yes")
    assert again["exit"] == 0, again
    fetched = [path for path in tiny_index.asked if path.endswith(".whl")]
    assert len(fetched) < 3
    assert any("numpy-" in path for path in fetched)
    assert again["weight"]["there"] > 0
    assert command.entries() == ["there"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
def test_interrupted_it_says_so_and_is_gone_on_from(
    command: Command, stocked: Stock, tiny_index: TinyIndex
) -> None:
    stocked(*WORDS)
    tiny_index.faults["numpy-"] = "hang"
    argv = command.argv("bundle", *WORDS, "-o", "there", "--yes", *command.indexes)
    process = subprocess.Popen(argv, cwd=command.home, env=command.environ, stderr=subprocess.PIPE)
    part = command.home / ".there.part/wheels"
    deadline = time.monotonic() + 30
    while len(list(part.glob("*.whl"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130
    assert command.entries() == [".there.part"]
    tiny_index.faults.clear()
    tiny_index.release()
    again = bundle(command, *WORDS, "-o", "there", "--yes")
    assert again["exit"] == 0, again


def test_what_has_no_wheel_is_refused_unless_asked(command: Command, tiny_index: TinyIndex) -> None:
    home = command.home
    (home / "numpy-2.3.5.tar.gz").write_bytes(b"no matter")
    digest = hashlib.sha256(b"no matter").hexdigest()
    lock = home / "pylock.toml"
    lock.write_text(
        f'lock-version = "1.0"\ncreated-by = "hand"\nrequires-python = "=={HERE}.*"\n\n[[packages]]\n'
        'name = "numpy"\nversion = "2.3.5"\n'
        f'sdist = {{ path = "numpy-2.3.5.tar.gz", hashes = {{ sha256 = "{digest}" }} }}\n'
    )
    refused = bundle(command, "--lock", "pylock.toml", "-o", "there", "--yes")
    assert refused["exit"] == 3
    assert "numpy 2.3.5 must be compiled" in refused["error"]["message"]
    taken = bundle(command, "--lock", "pylock.toml", "-o", "there", "--sources", "--yes")
    assert taken["exit"] == 0, taken
    assert taken["sources"] == ["numpy 2.3.5"]
    assert "numpy 2.3.5" in (home / "there/README.md").read_text()


def test_requirements_with_hashes_serve_as_well(command: Command, stocked: Stock) -> None:
    stocked(*WORDS)
    assert command("resolve", *WORDS, "--lock", "lock.txt", *command.indexes).returncode == 0
    found = bundle(command, "--lock", "lock.txt", "-o", "there", "--yes")
    assert found["exit"] == 0, found
    assert len(found["files"]) == 3
    assert command.json("demo", "--bundle", "there", "--yes")["exit"] == 0
    assert command.json("again", "--lock", "lock.txt", "--yes")["exit"] == 0


def test_takes_its_tools_along(command: Command, stocked: Stock, tiny_index: TinyIndex) -> None:
    from dlsetup import __version__

    stocked(*WORDS)
    lacking = bundle(command, *WORDS, "-o", "there", "--with", "dlsetup", "--yes")
    assert lacking["exit"] == 3
    assert "--find-links" in lacking["error"]["hint"]
    tiny_index.add(
        "default", [TinyWheel("dlsetup", __version__, requires=("uv",)), TinyWheel("uv", "0.13.9")]
    )
    found = bundle(command, *WORDS, "-o", "there", "--with", "dlsetup", "--yes")
    assert found["exit"] == 0, found
    assert {item["path"] for item in found["files"] if item["path"].startswith("tools/")} == {
        f"tools/dlsetup-{__version__}-py3-none-any.whl",
        "tools/uv-0.13.9-py3-none-any.whl",
    }
    assert "tools/dlsetup" in (command.home / "there/SHA256SUMS").read_text()


def test_space_is_checked_first(command: Command, stocked: Stock, tiny_index: TinyIndex) -> None:
    """An index that announces more than any disk has."""
    stocked(*WORDS)
    tiny_index.sizes["numpy-"] = 1 << 39
    found = bundle(command, *WORDS, "-o", "there", "--yes")
    assert found["exit"] == 3
    assert "MiB left" in found["error"]["message"]
    assert command.entries() == []


def test_words_that_contradict_are_refused(command: Command, made: Path) -> None:
    for words in (
        ("--bundle", str(made), "jax"),
        ("--bundle", str(made), "--lock", "x"),
        ("--lock", "x", "--cpu"),
    ):
        assert command.json("demo", *words, "--yes")["exit"] == 2
    assert bundle(command, "jax", "--lock", "x", "-o", "there", "--yes")["exit"] == 2
    assert bundle(command, *WORDS, "-o", "there", "--with", "pip", "--yes")["exit"] == 2
    assert os.listdir(command.home) == [made.name]
