"""Real frameworks in environments of their own: installed by pip from its own indexes, kept between runs."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import platformdirs
import pytest
from tiny.engine import missing

SMALL = ("jax", "onnx", "onnxruntime", "ai-edge-litert", "tensorboard")
PADDLE = ("paddlepaddle", "numpy")
MINUTES = 20


@cache
def small() -> Path:
    """JAX, ONNX and its Runtime, LiteRT, TensorBoard."""
    return environment("small", *SMALL)


@cache
def torch() -> Path:
    """A CPU build of PyTorch, with Lightning."""
    return environment("torch", _torch_for_the_cpu(), "lightning", "numpy")


@cache
def paddle() -> Path:
    return environment("paddle", *PADDLE)


def environment(name: str, *wanted: str) -> Path:
    """An environment that holds these, made once for a Python and a list; it must not be written into.

    Skips where pip cannot get them.
    """
    if sys.platform == "win32":
        pytest.skip("made for systems of POSIX")
    about = repr((sys.version_info[:2], sys.base_prefix, platform.machine(), wanted))
    place = _folder() / f"{name}-{hashlib.sha256(about.encode()).hexdigest()[:12]}"
    if not place.is_dir():
        _folder().mkdir(parents=True, exist_ok=True)
        _make(place, wanted)
    return place


def _make(place: Path, wanted: tuple[str, ...]) -> None:
    """Builds it beside its place; whoever is first there has it."""
    build = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
    try:
        subprocess.run([sys.executable, "-m", "venv", str(build)], check=True, capture_output=True)
        argv = [str(build / "bin/python"), "-m", "pip", "install", "-q", "--only-binary", ":all:", *wanted]
        ran = subprocess.run(argv, capture_output=True, text=True, timeout=MINUTES * 60, check=False)
        if ran.returncode:
            missing(f"pip cannot install {' '.join(wanted)}: {_last_words(ran.stderr)}", "network")
        with contextlib.suppress(OSError):
            build.rename(place)
    finally:
        shutil.rmtree(build, ignore_errors=True)


def _folder() -> Path:
    told = os.environ.get("DLSETUP_TEST_CACHE")
    return Path(told) if told else platformdirs.user_cache_path("dlsetup-tests")


def _torch_for_the_cpu() -> str:
    """The newest CPU build that pip finds. Skips where there is none: the others take gigabytes."""
    if sys.platform == "darwin" or platform.machine() == "aarch64":
        return "torch"
    argv = [sys.executable, "-m", "pip", "index", "versions", "torch"]
    ran = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    if ran.returncode:
        missing(f"pip finds no torch: {_last_words(ran.stderr)}", "network")
    found = re.findall(r"\d[\w.]*\+cpu\b", ran.stdout)
    if not found:
        pytest.skip("pip finds no CPU build of torch on the indexes that it is configured with")
    return f"torch=={found[0]}"


def _last_words(text: str) -> str:
    lines = [line for line in text.splitlines() if line.startswith("ERROR")] or text.splitlines()
    return lines[-1][:300] if lines else "it says nothing"
