"""Environments that are broken on purpose, with the real uv and the tiny indexes."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from dlsetup.act.uv import find_uv


@dataclass
class Broken:
    """An environment, and how it is looked at from outside."""

    folder: Path
    environ: dict[str, str]

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def put(self, *requirements: str, index: str | None = None) -> None:
        """Installs without asking what goes together: later wheels write over earlier ones."""
        source = [] if index is None else ["--default-index", index]
        self._uv("pip", "install", "--no-deps", "--python", str(self.folder), *source, *requirements)

    def versions(self) -> dict[str, str]:
        """What is installed, by name."""
        lines = self._uv("pip", "freeze", "--python", str(self.folder)).splitlines()
        return dict(line.split("==", 1) for line in lines if "==" in line)

    def text(self, name: str) -> str:
        """A file of site-packages."""
        return next(self.folder.glob(f"lib/python*/site-packages/{name}")).read_text()

    def tree(self) -> dict[str, tuple[object, ...]]:
        """Every entry with its mode, time and content."""
        paths = [self.folder, *sorted(self.folder.rglob("*"))]
        return {str(path.relative_to(self.folder)): _about(path) for path in paths}

    def beside(self) -> list[str]:
        """Names in the folder that it lies in."""
        return sorted(os.listdir(self.folder.parent))

    def _uv(self, *words: str) -> str:
        argv = [find_uv(self.environ), *words]
        return subprocess.run(argv, env=self.environ, check=True, capture_output=True, text=True).stdout


def _about(path: Path) -> tuple[object, ...]:
    about = path.lstat()
    if path.is_symlink():
        return "link", os.readlink(path)
    if path.is_dir():
        return "folder", about.st_mode, about.st_mtime_ns
    return "file", about.st_mode, about.st_mtime_ns, path.read_bytes()


def make_broken(folder: Path, environ: dict[str, str]) -> Broken:
    """An empty environment; what it is filled from is cached apart from what mends it."""
    own = {**environ, "UV_CACHE_DIR": str(folder.parent.parent / "cache-of-the-breaker")}
    folder.parent.mkdir(parents=True, exist_ok=True)
    argv = [find_uv(own), "venv", "--quiet", "--python", sys.executable, str(folder)]
    subprocess.run(argv, env=own, check=True, capture_output=True)
    return Broken(folder, own)
