"""Real sources of a release, with a build backend of their own that needs what they run with."""

from __future__ import annotations

import io
import tarfile
from dataclasses import dataclass
from pathlib import Path

PYPROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
PROGRAM = Path(__file__).parent / "programs" / "backend.py"


@dataclass(frozen=True)
class TinySource:
    """The source of a release whose build imports the module `needs`."""

    name: str
    version: str
    needs: str
    requires_python: str = ""
    metadata: str = ""
    """An index tells nothing of what a source requires."""

    @property
    def folder(self) -> str:
        return f"{self.name.replace('-', '_')}-{self.version}"

    @property
    def filename(self) -> str:
        return f"{self.folder}.tar.gz"


def build_source(source: TinySource, folder: Path) -> Path:
    """Writes the source into `folder` and gives its path."""
    words = {"needs": source.needs, "module": source.name.replace("-", "_"), "version": source.version}
    backend = PROGRAM.read_text("utf-8")
    for word, value in words.items():
        backend = backend.replace(f"@{word}@", value)
    texts = {
        "PKG-INFO": f"Metadata-Version: 2.1\nName: {source.name}\nVersion: {source.version}\n",
        "pyproject.toml": PYPROJECT,
        "backend.py": backend,
    }
    path = folder / source.filename
    with tarfile.open(path, "w:gz") as archive:
        for name, text in texts.items():
            about = tarfile.TarInfo(f"{source.folder}/{name}")
            about.size = len(text.encode())
            archive.addfile(about, io.BytesIO(text.encode()))
    return path
