"""`create env --lock` with an explicit lock of conda packages, by the embedded installer."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tiny.command import Command

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
LOCK = "conda-linux-64.lock"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the lock is for Linux")


@pytest.fixture
def locked(command: Command, channel: Path, tmp_path: Path) -> Command:
    """The command, beside a lock of tiny packages for this machine."""
    command.environ |= {
        "CONDA_CHANNELS": channel.as_uri(),
        "RATTLER_CACHE_DIR": str(tmp_path / "rattler cache"),
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
    }
    words = ("torch>=2.14,<2.15", "torchvision", "--cpu", "--python", PYTHON, "--form", "conda-lock", "--yes")
    made = command("create", "files", *words)
    assert made.returncode == 0, made.stderr
    (command.home / LOCK).replace(tmp_path / LOCK)
    return command


def test_what_is_locked_is_installed_and_proved(locked: Command, tmp_path: Path) -> None:
    """Nothing is solved: the channel that is configured is not even asked."""
    locked.environ["CONDA_CHANNELS"] = "http://127.0.0.1:9/nowhere"
    found = locked.json("demo", "--lock", str(tmp_path / LOCK), "--yes")
    assert found["exit"] == 0, found
    environment = found["environment"]
    assert environment["tool"] == "rattler"
    assert [item["framework"] for item in environment["outcomes"] if item["ok"]] == ["torch", "torchvision"]
    assert Path(environment["lock"]).read_text() == (tmp_path / LOCK).read_text()
    records = [json.loads(path.read_text()) for path in (locked.home / "demo/conda-meta").glob("*.json")]
    torch = next(item for item in records if item["name"] == "pytorch")
    assert any(text.startswith("numpy") for text in torch["depends"])
    assert len(records) == environment["packages"]
    assert locked.entries() == ["demo"]


def refused(command: Command, lock: Path, *words: str) -> dict[str, Any]:
    found = command.json("demo", "--lock", str(lock), *words, "--yes")
    assert found["exit"] != 0
    assert command.entries() == []
    return found


def test_another_file_at_the_address_is_refused(locked: Command, tmp_path: Path) -> None:
    place = tmp_path / LOCK
    text = place.read_text()
    at = text.index("#sha256:", text.index("/numpy-")) + len("#sha256:")
    place.write_text(f"{text[:at]}{'0' * 64}{text[at + 64 :]}")
    assert "another hash" in refused(locked, place)["error"]["message"]
    place.write_text(text.replace("numpy-2.3.5", "numpy-2.3.6"))
    assert "does not list" in refused(locked, place)["error"]["message"]


def test_a_lock_that_does_not_serve_is_refused(locked: Command, tmp_path: Path) -> None:
    place = tmp_path / LOCK
    place.write_text(place.read_text().replace("/linux-64/", "/osx-arm64/").replace("linux-64", "osx-arm64"))
    found = refused(locked, place)
    assert found["exit"] == 1
    assert [item["id"] for item in found["lock"]["findings"]] == ["lock-platform"]


def test_dry_run_shows_the_steps(locked: Command, tmp_path: Path) -> None:
    found = locked.json("demo", "--lock", str(tmp_path / LOCK), "--dry-run")
    assert [step["argv"][-2] for step in found["procedure"]["steps"] if "argv" in step] == [
        "recall",
        "install",
    ]
    assert locked.entries() == []


def test_words_that_choose_do_not_go_with_it(locked: Command, tmp_path: Path) -> None:
    assert refused(locked, tmp_path / LOCK, "torch")["exit"] == 2
    told = refused(locked, tmp_path / LOCK, "--kernel", "demo")["error"]["message"]
    assert "ipykernel" in told


def test_bundles_and_images_say_that_they_take_wheels(locked: Command, tmp_path: Path) -> None:
    found = locked("bundle", "--lock", str(tmp_path / LOCK), "--output", "out", "--yes")
    assert found.returncode != 0
    assert "conda packages" in found.stderr
