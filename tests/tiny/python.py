"""The running Python, packed as uv fetches Pythons, with a list that knows no other."""

from __future__ import annotations

import hashlib
import json
import platform
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest

RELEASE = "20990101"
PATCH = 99
_LEFT = ("test", "site-packages", "__pycache__", "idlelib", "lib2to3", "tkinter", "ensurepip", "turtledemo")


@dataclass
class PackedPython:
    """A mirror of Pythons in a folder, and the variables that make uv see it alone."""

    folder: Path
    key: str
    name: str

    @property
    def file(self) -> Path:
        return self.folder / RELEASE / self.name

    @property
    def environ(self) -> dict[str, str]:
        return {
            "UV_PYTHON_INSTALL_MIRROR": self.folder.as_uri(),
            "UV_PYTHON_DOWNLOADS_JSON_URL": str(self.folder / "downloads.json"),
            "UV_PYTHON_DOWNLOADS": "automatic",
            "UV_PYTHON_INSTALL_DIR": str(self.folder / "installed"),
        }

    def damage(self) -> None:
        """From now on the file has another hash than the list says."""
        with self.file.open("ab") as file:
            file.write(b"\0")


def pack(folder: Path) -> PackedPython:
    """Packs the running Python, without what no environment needs. Skips the test where that cannot be.

    Its shared library, if it has one, is found where it is.
    """
    base, minor = Path(sys.base_prefix), f"{sys.version_info[0]}.{sys.version_info[1]}"
    program = base / "bin" / f"python{minor}"
    if sys.platform != "linux" or not program.exists() or not (base / f"lib/python{minor}/os.py").exists():
        pytest.skip("the running Python cannot be moved")
    arch = platform.machine()
    version = f"{minor}.{PATCH}"
    name = f"cpython-{version}+{RELEASE}-{arch}-unknown-linux-gnu-install_only_stripped.tar.gz"
    found = PackedPython(folder, f"cpython-{version}-linux-{arch}-gnu", name)
    found.file.parent.mkdir(parents=True)
    with tarfile.open(found.file, "w:gz", compresslevel=1) as archive:
        archive.add(program, f"python/bin/python{minor}")
        for link in ("python3", "python"):
            member = tarfile.TarInfo(f"python/bin/{link}")
            member.type, member.linkname = tarfile.SYMTYPE, f"python{minor}"
            archive.addfile(member)
        library = f"lib/python{minor}"
        archive.add(base / library, f"python/{library}", filter=_needed)
    row = {
        "name": "cpython",
        "arch": {"family": arch, "variant": None},
        **{"os": "linux", "libc": "gnu", "prerelease": "", "variant": None, "build": RELEASE},
        **{"major": sys.version_info[0], "minor": sys.version_info[1], "patch": PATCH},
        "url": "https://github.com/astral-sh/python-build-standalone/releases/download/"
        f"{RELEASE}/{name.replace('+', '%2B')}",
        "sha256": hashlib.sha256(found.file.read_bytes()).hexdigest(),
    }
    (folder / "downloads.json").write_text(json.dumps({found.key: row}))
    return found


def _needed(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    parts = member.name.split("/")
    large = member.name.endswith((".a", ".pyc")) or any(part.startswith("config-") for part in parts)
    return None if large or set(parts) & set(_LEFT) else member
