"""What tests of `act` share: a tree in a form that can be compared."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


class Trees:
    """Looks at folders to the byte."""

    def look(self, folder: Path) -> dict[str, tuple[object, ...]]:
        """Every entry by its path: kind, mode, modification time and content."""
        return {str(path.relative_to(folder)): _about(path) for path in [folder, *sorted(folder.rglob("*"))]}


def _about(path: Path) -> tuple[object, ...]:
    about = path.lstat()
    if path.is_symlink():
        return "link", os.readlink(path)
    if path.is_dir():
        return "folder", about.st_mode, about.st_mtime_ns
    return "file", about.st_mode, about.st_mtime_ns, path.read_bytes()


@pytest.fixture
def trees() -> Trees:
    return Trees()
