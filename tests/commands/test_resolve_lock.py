"""`resolve --lock` and `check-lock` from outside: the real command, the real uv, tiny wheels."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import tomli
from tiny.command import Command
from tiny.index import TinyIndex
from tiny.wheels import TinyWheel
from tiny.world import jax, numpy

from dlsetup.act.uv import find_uv

Stock = Callable[..., dict[str, Any]]
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
HERE = ("--cpu", "--python", PYTHON)


def resolved(command: Command, *words: str) -> dict[str, Any]:
    found = command("resolve", *words, "--json")
    document: dict[str, Any] = json.loads(found.stdout)
    return {**document, "exit": found.returncode}


def checked(command: Command, *words: str) -> dict[str, Any]:
    found = command("check-lock", *words, "--json")
    document: dict[str, Any] = json.loads(found.stdout)
    return {
        **document,
        "exit": found.returncode,
        "ids": [item["id"] for item in document.get("findings", ())],
    }


def test_a_lock_installs_and_serves_the_machine_that_made_it(command: Command, stocked: Stock) -> None:
    stocked("torch", *HERE)
    document = resolved(command, "torch", *HERE, "--lock", "pylock.toml", *command.indexes)
    assert document["exit"] == 0, document
    assert document["lock"] == {"path": "pylock.toml", "form": "pylock", "packages": 2, "learned": []}
    lock = tomli.loads((command.home / "pylock.toml").read_text())
    assert lock["requires-python"] == f"=={PYTHON}.*"
    assert lock["tool"]["dlsetup"]["targets"][0]["name"] == "this machine"
    torch = next(item for item in lock["packages"] if item["name"] == "torch")
    assert torch["index"] in " ".join(command.indexes)
    assert all(wheel["hashes"]["sha256"] for item in lock["packages"] for wheel in item["wheels"])
    _install(command, "pylock.toml")
    assert checked(command, "pylock.toml")["exit"] == 0


def test_requirements_pin_every_file_to_one_address(command: Command, stocked: Stock) -> None:
    stocked("torch", *HERE)
    assert resolved(command, "torch", *HERE, "--lock", "lock.txt", *command.indexes)["exit"] == 0
    rows = [row for row in (command.home / "lock.txt").read_text().splitlines() if row[:1] not in ("#", "")]
    assert len(rows) == 2
    assert all(" @ http" in row and "--hash=sha256:" in row for row in rows)
    _install(command, "lock.txt")
    found = checked(command, "lock.txt")
    assert found["exit"] == 0, found
    assert found["made_for"]["wish"] == ["torch"]


def test_another_machine_is_refused_without_network(
    command: Command, stocked: Stock, tiny_index: TinyIndex
) -> None:
    stocked("torch", *HERE)
    resolved(command, "torch", *HERE, "--lock", "pylock.toml", *command.indexes)
    tiny_index.asked.clear()
    old = checked(command, "pylock.toml", "--target", "os=linux,arch=x86_64,glibc=2.12")
    assert (old["exit"], "lock-without-wheel" in old["ids"]) == (1, True)
    mac = checked(command, "pylock.toml", "--target", "os=macos,arch=arm64,macos=14.5")
    assert (mac["exit"], "lock-platform" in mac["ids"]) == (1, True)
    python = checked(command, "pylock.toml", "--target", "os=linux,arch=x86_64,glibc=2.35,python=3.9")
    assert (python["exit"], python["ids"]) == (1, ["lock-python"])
    assert tiny_index.asked == []


def test_one_lock_for_two_platforms(command: Command, tiny_index: TinyIndex) -> None:
    words = ("jax", "--target", "name=login,os=linux,arch=x86_64,glibc=2.31,gpu=none", "--target")
    words = (*words, "name=mac,os=macos,arch=arm64,macos=14.5", "--python", "3.12")
    version = resolved(command, *words)["together"]["plans"][0]["picks"][0]["version"]
    tiny_index.add("default", jax(version))
    for name, number in (("numpy", "2.3.5"), ("jaxlib", version)):
        tiny_index.add("default", [TinyWheel(name, number, "cp312-cp312-macosx_14_0_arm64")])
        tiny_index.add("default", [TinyWheel(name, number, "cp312-cp312-manylinux_2_28_x86_64")])
    for file in ("pylock.both.toml", "both.txt"):
        document = resolved(command, *words, "--lock", file)
        assert document["exit"] == 0, document
        for target in ("os=linux,arch=x86_64,glibc=2.31,gpu=none", "os=macos,arch=arm64,macos=14.5"):
            found = checked(command, file, "--target", target)
            # Tiny wheels ask for less than the real ones.
            assert (found["exit"], set(found["ids"])) == (0, {"lock-misses"}), found
        assert checked(command, file, "--target", "os=macos,arch=x86_64,macos=14.5")["exit"] == 1


def test_what_uv_knows_more_repairs_the_plan_and_is_told(command: Command, tiny_index: TinyIndex) -> None:
    """The newest jax asks for a numpy that there is not: the catalog does not know, uv does."""
    plan = resolved(command, "jax", *HERE)["plan"]
    newest = plan["picks"][0]["version"]
    older = resolved(command, f"jax<{newest}", *HERE)["plan"]["picks"][0]["version"]
    bad = TinyWheel("jax", newest, requires=(f"jaxlib=={newest}", "numpy>=99"))
    tiny_index.add("default", [bad, *jax(older), *(item for item in jax(newest) if item.name != "jax")])
    tiny_index.add("default", numpy("2.3.5"))
    document = resolved(command, "jax", *HERE, "--lock", "pylock.toml")
    assert document["exit"] == 0, document
    assert document["plan"]["picks"][0]["version"] == older
    (learned,) = document["lock"]["learned"]
    assert f"uv refuses jax {newest}" in learned
    assert "numpy>=99" in learned
    assert f"jax {older} is taken instead" in learned


def test_a_name_without_a_form_is_refused_before_anything_is_done(
    command: Command, tiny_index: TinyIndex
) -> None:
    document = resolved(command, "jax", *HERE, "--lock", "lock.json")
    assert (document["exit"], document["error"]["code"]) == (2, "usage")
    assert tiny_index.asked == []
    assert command.entries() == []


def test_nothing_is_written_where_nothing_fits(command: Command) -> None:
    target = 'os=linux,arch=x86_64,glibc=2.35,driver=390.48,gpu="RTX 4090"'
    document = resolved(command, "torch", "--target", target, "--lock", "pylock.toml")
    assert document["exit"] == 1
    assert document["conflict"]["core"]
    assert command.entries() == []


def _install(command: Command, file: str) -> None:
    uv = find_uv(command.environ)
    environ = {**command.environ, "UV_PREVIEW_FEATURES": "pylock"}
    for words in (
        ("venv", "--quiet", "--python", PYTHON, "env"),
        ("pip", "install", "--python", "env", "-r", file),
    ):
        found = subprocess.run([uv, *words], cwd=command.home, env=environ, capture_output=True, text=True)
        assert found.returncode == 0, found.stderr
