"""Environments that were mended in a copy: their scripts, and what uv does to files that both share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tiny.broken import exact_tree

from dlsetup.act.copying import LINKED_FROM
from dlsetup.act.journal import Journal
from dlsetup.act.replacement import About, replacement, weigh
from dlsetup.act.uv import find_uv

BIG = LINKED_FROM + 10


def uv(environ: dict[str, str], *words: str) -> None:
    subprocess.run([find_uv(environ), *words], env=environ, check=True, capture_output=True)


@pytest.fixture
def real(tmp_path: Path, tiny_environ: dict[str, str]) -> Path:
    """An environment of the standard library, with pip's own scripts and one that uv wrote."""
    folder = tmp_path / "envs" / "my env"
    folder.parent.mkdir()
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, capture_output=True)
    uv(tiny_environ, "pip", "install", "--python", str(folder / "bin/python"), "numpy==1.26.4")
    return folder


def said(*words: str, **variables: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=True, env={**os.environ, **variables})
    return done.stdout.strip()


def test_scripts_old_and_new_work_in_the_place(
    real: Path, tiny_environ: dict[str, str], journal: Journal
) -> None:
    with replacement(real, journal, About(what=""), weigh(real, links=True)) as work:
        python = str(work.copy / "bin" / "python")
        uv(tiny_environ, "pip", "install", "--python", python, "numpy==2.3.5")
        work.accept()
    assert said(str(real / "bin" / "numpy-config")) == "numpy 2.3.5"
    assert str(real) in said(str(real / "bin" / "pip"), "--version")
    where = "import sys, numpy; print(sys.prefix, numpy.__version__)"
    assert said(str(real / "bin" / "python"), "-c", where) == f"{real} 2.3.5"
    active = '. "$1/bin/activate" && echo "$VIRTUAL_ENV" && command -v python && numpy-config'
    assert said("sh", "-c", active, "sh", str(real)).splitlines() == [
        str(real),
        str(real / "bin" / "python"),
        "numpy 2.3.5",
    ]
    assert ".mending-" not in (real / "bin" / "numpy-config").read_text()
    uv(tiny_environ, "pip", "check", "--python", str(real / "bin" / "python"))


@pytest.mark.parametrize("mode", ["hardlink", "copy", "clone"])
def test_uv_never_writes_through_to_the_original(
    tmp_path: Path, tiny_environ: dict[str, str], journal: Journal, mode: str
) -> None:
    """Two wheels own one file; its content in the copy changes, whichever way uv places files."""
    folder = tmp_path / "envs" / "shared"
    uv(tiny_environ, "venv", "--quiet", "--python", sys.executable, str(folder))
    uv(tiny_environ, "pip", "install", "--python", str(folder), "nvidia-cudnn-cu13==9.24.0.43")
    library = next(folder.rglob("libcudnn.so.9"))
    library.write_bytes(library.read_bytes() + b" " * BIG)
    before = exact_tree(folder)
    with replacement(folder, journal, About(what=""), weigh(folder, links=True)) as work:
        where = ("--python", str(work.copy), "--link-mode", mode)
        uv(tiny_environ, "pip", "install", *where, "nvidia-cudnn-cu12==9.10.2.21")
        assert next(work.copy.rglob("libcudnn.so.9")).read_bytes().startswith(b"nvidia-cudnn-cu12")
    assert exact_tree(folder) == before
