"""A real Docker engine, and the base images that tests stand on."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

MAKE_BASE = Path(__file__).parents[1] / "image" / "make_base.sh"


def docker(*words: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["docker", *words], capture_output=True, text=True, timeout=timeout)


def missing(reason: str, what: str = "docker") -> NoReturn:
    """Skip, or fail where the run is told that an engine, or a network, has to be there."""
    if what in os.environ.get("DLSETUP_REQUIRE", "").split(","):
        pytest.fail(reason)
    pytest.skip(reason)


def base_image(name: str) -> None:
    """Sees to it that the image is there: pulled, or made of Debian packages where no registry answers."""
    if shutil.which("docker") is None:
        missing("there is no `docker` program")
    answer = docker("version", "--format", "{{.Server.Version}}")
    if answer.returncode:
        missing(f"no Docker engine answers: {answer.stderr.strip()[-200:]}")
    if docker("image", "inspect", name).returncode and docker("pull", "-q", name, timeout=120).returncode:
        if shutil.which("debootstrap") is None or os.geteuid() != 0:
            missing(f"{name} cannot be pulled, and making it needs root and debootstrap")
        made = subprocess.run(["sh", str(MAKE_BASE), name], capture_output=True, text=True)
        assert made.returncode == 0, made.stderr[-2000:]


def python_image() -> tuple[str, str]:
    """A slim image with Python and no more, under the name that Dockerfiles ask for; and the Python in it.

    What is made of Debian packages has the Python of this machine's Debian.
    """
    name = "python:3.11-slim-bookworm"
    base_image(name)
    words = ("run", "--rm", name, "python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])")
    version = docker(*words).stdout.strip()
    found = f"python:{version}-slim-bookworm"
    assert docker("tag", name, found).returncode == 0
    return found, version
