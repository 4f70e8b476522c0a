"""An environment whose torch can be trained with, and takes as long and as much memory as a test wishes."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tiny.plans import base_python
from tiny.world import program

VERSION = "2.14.1+cpu"


def make_environment(folder: Path, cuda: str | None = None) -> Path:
    """A virtual environment with the tiny torch alone."""
    subprocess.run([base_python(), "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    package, metadata = site / "torch", site / f"torch-{VERSION}.dist-info"
    package.mkdir()
    metadata.mkdir()
    whole = program("torch") + "\n\n" + program("torch_training")
    (package / "__init__.py").write_text(whole.replace("from __future__", "# from __future__"))
    (package / "version.py").write_text(f"__version__ = {VERSION!r}\ncuda = {cuda!r}\nhip = None\n")
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: {VERSION}\n")
    (metadata / "RECORD").write_text("torch/__init__.py,,\n")
    return folder
