"""A virtual environment made of metadata alone, and what the probe says of it."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from dlsetup.model.framework import Clue
from dlsetup.model.machine import Distribution, Environment
from dlsetup.model.record import UNKNOWN
from dlsetup.probe.environments import environments
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes

VENV = "opt/env"
SITE = f"{VENV}/lib/python3.12/site-packages"
CLUES = (
    Clue(distribution="torch", path="torch/version.py", pattern=r"(?m)^cuda.*= '([\d.]+)", gives="cuda"),
    Clue(distribution="torch", path="torch/version.py", pattern=r"(?m)^hip.*= '([\d.]+)", gives="rocm"),
)


def with_environment(root: Path) -> Path:
    """A machine with one empty virtual environment."""
    (root / SITE).mkdir(parents=True)
    write(root / VENV / "bin/python", "")
    write(root / VENV / "pyvenv.cfg", "home = /usr/bin\nversion = 3.12.3\n")
    return root


def write(file: Path, text: str | bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)


def examined(
    root: Path, clues: tuple[Clue, ...] = CLUES, asked: str = f"/{VENV}", **environ: str
) -> Environment:
    host = Host(root, {"HOME": "/home/ada", **environ}, folder="/")
    return environments(host, Notes(), asked=asked, clues=clues)[0]


def installed(root: Path, name: str, version: str, site: str = SITE, **files: str) -> Path:
    """A distribution as pip writes it; `files` are those of its metadata folder."""
    folder = root / site / f"{name.replace('-', '_')}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nA text.\nRequires-Dist: prose\n"
    for file, text in {"METADATA": metadata, "INSTALLER": "pip\n", **files}.items():
        write(folder / file, text)
    return folder


def digest(content: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")


def record(*files: tuple[str, bytes]) -> str:
    return "".join(f"{path},{digest(content)},{len(content)}\n" for path, content in files)


def only(found: Environment, name: str) -> Distribution:
    assert not isinstance(found.distributions, type(UNKNOWN))
    (item,) = (item for item in found.distributions if item.name == name)
    return item
