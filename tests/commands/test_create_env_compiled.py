"""A framework that nobody ships wheels of is compiled against the very release that it will run with."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny.command import Command
from tiny.index import TinyIndex
from tiny.sources import TinySource

FRAMEWORK = """
name = "needy"
title = "Needy"
distributions = ["needy"]
imports = "needy"
needs = ["torch"]

[[build]]
variant = "any"
accelerator = "cpu"
platforms = ["linux-x86_64", "linux-aarch64", "macos-arm64"]
from_source = true
requires = ["torch>=2"]
expects = ["gcc>=9"]
build_requires = ["torch", "numpy"]
source = "s"

[[distribution]]
name = "needy"
sources = true

[[source]]
id = "s"
what = "a test"
checked = "2026-01-02"
"""


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    folder = tmp_path / "overlay"
    (folder / "frameworks").mkdir(parents=True)
    (folder / "generated").mkdir()
    (folder / "frameworks" / "needy.toml").write_text(FRAMEWORK)
    releases = [{"version": "1.0", "sdist": True}]
    document = {"distribution": "needy", "checked": "2026-01-02", "releases": releases}
    (folder / "generated" / "needy.json").write_text(json.dumps(document))
    return folder


def test_a_source_is_compiled_inside_the_environment(
    command: Command, stocked: Callable[..., dict[str, Any]], tiny_index: TinyIndex, overlay: Path
) -> None:
    stocked("torch", "--cpu")
    tiny_index.add("default", [TinySource("needy", "1.0", needs="torch")])
    words = ("demo", "needy", "--cpu", "--catalog", str(overlay))
    document = command.json(*words, "--dry-run")
    (pick,) = (item for item in document["plan"]["picks"] if item["framework"] == "needy")
    assert pick["compiled"]["requires"] == ["torch>=2"]
    assert pick["expects"] == ["gcc>=9"]
    found = command.create(*words, "--yes")
    assert found.returncode == 0, found.stdout + found.stderr
    assert "needs on the machine: gcc>=9" in found.stdout
    assert "it is built from its source" in found.stdout
    torch = next(item for item in document["plan"]["picks"] if item["framework"] == "torch")
    code = (
        "import needy; print(next(iter(needy.against)) if isinstance(needy.against, set) else needy.against)"
    )
    python = command.home / "demo/bin/python"
    said = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert said.stdout.startswith(torch["version"])
