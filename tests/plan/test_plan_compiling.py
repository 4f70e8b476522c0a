"""What uv is told about releases that it has to compile, and that it heeds it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import tomli
from packaging.version import Version
from uv import find_uv_bin

from dlsetup.model.resolution import Compiled, Pick, Plan
from dlsetup.model.target import Target
from dlsetup.plan.toml import compiling

BACKEND = """
import os, zipfile

def build_wheel(folder, settings=None, metadata=None):
    name = "deep-1.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        wheel.writestr("deep.py", "FLAVOUR = " + repr(os.environ.get("DEEP_FLAVOUR")) + "\\n")
        wheel.writestr("deep-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: deep\\nVersion: 1.0\\n")
        wheel.writestr("deep-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nTag: py3-none-any\\n")
        wheel.writestr("deep-1.0.dist-info/RECORD", "")
    return name
"""
PROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'


def plan(*compiled: Compiled | None) -> Plan:
    picks = tuple(
        Pick(
            framework=f"deep{number}",
            version=Version("1.0"),
            variant="cuda",
            index="default",
            requirement="deep==1.0",
            compiled=item,
        )
        for number, item in enumerate(compiled)
    )
    return Plan(target=Target(), python=Version("3.12"), picks=picks)


def deep(*variables: str) -> Compiled:
    return Compiled(distribution="deep", version=Version("1.0"), requires=("numpy",), variables=variables)


def source(folder: Path) -> None:
    """A source that writes into its wheel what it sees while it is built."""
    texts = {"backend.py": BACKEND, "pyproject.toml": PROJECT}
    texts["PKG-INFO"] = "Metadata-Version: 2.1\nName: deep\nVersion: 1.0\n"
    with tarfile.open(folder / "deep-1.0.tar.gz", "w:gz") as archive:
        for name, text in texts.items():
            member = tarfile.TarInfo(f"deep-1.0/{name}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))


def test_a_plan_of_wheels_says_nothing_about_compiling() -> None:
    assert compiling(plan(None)) == ""


def test_what_is_compiled_comes_last_and_says_what_it_requires() -> None:
    other = Compiled(distribution="flash-attn", version=Version("2.8.3"), requires=("torch>=2.2", "einops"))
    told = tomli.loads(compiling(plan(deep(), None, other)))
    assert told["no-build-isolation-package"] == ["deep", "flash-attn"]
    assert [item["requires-dist"] for item in told["dependency-metadata"]] == [
        ["numpy"],
        ["torch>=2.2", "einops"],
    ]
    assert "extra-build-variables" not in told


def test_variables_go_to_the_one_that_they_are_for() -> None:
    told = tomli.loads(compiling(plan(deep("DEEP_FLAVOUR=NCCL", 'DEEP_FLAGS=-a=b "c"'), None)))
    assert told["extra-build-variables"] == {"deep": {"DEEP_FLAVOUR": "NCCL", "DEEP_FLAGS": '-a=b "c"'}}


def test_uv_compiles_under_these_variables(tmp_path: Path) -> None:
    source(tmp_path)
    project = tmp_path / "project"
    project.mkdir()
    (project / "uv.toml").write_text(compiling(plan(deep("DEEP_FLAVOUR=NCCL"))), encoding="utf-8")
    uv, place = find_uv_bin(), tmp_path / "environment"
    environ = {**os.environ, "UV_NO_CONFIG": "0", "UV_CACHE_DIR": str(tmp_path / "cache")}
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, place], check=True, env=environ)
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    told = ("--project", project, "--python", python, "--no-index", "--find-links", tmp_path, "--no-deps")
    subprocess.run([uv, "pip", "install", "--quiet", *told, "deep==1.0"], check=True, env=environ)
    seen = subprocess.run(
        [python, "-c", "import deep; print(deep.FLAVOUR)"], check=True, capture_output=True, text=True
    )
    assert seen.stdout.strip() == "NCCL"
