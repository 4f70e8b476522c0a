"""A bundle: the very files of an environment, carried to a machine without network."""

from __future__ import annotations

from typing import Literal

from packaging.version import Version

from dlsetup.model.record import UNKNOWN, Record, Unknown

Room = Literal["wheels", "tools", "python"]


class Fetched(Record, frozen=True, kw_only=True):
    """One file of a bundle, and where it is fetched from."""

    name: str
    """Its file name, without any folder."""
    room: Room = "wheels"
    folder: str = ""
    """Below the room, where the reader of that room wants one."""
    address: str
    """URL, or a path on this machine."""
    algorithm: str = "sha256"
    digest: str = ""
    """What its lock says it must be, in hexadecimal; empty: whoever reads it knows (uv, of a Python)."""
    size: int | Unknown = UNKNOWN
    package: str = ""
    """Canonical name of what is in it, and its version."""
    version: str = ""

    @property
    def path(self) -> str:
        """Inside the bundle, with `/`."""
        return "/".join(filter(None, (self.room, self.folder, self.name)))


class Carried(Record, frozen=True, kw_only=True):
    """A file as it lies in a bundle."""

    path: str
    sha256: str
    size: int


class Manifest(Record, frozen=True, kw_only=True):
    """`bundle.json`: what a bundle was made for, and every file in it."""

    schema: Literal["dlsetup.bundle-manifest/1"] = "dlsetup.bundle-manifest/1"
    dlsetup: str
    """Version of dlsetup that made it."""
    target: str
    """Name of the target."""
    words: str = ""
    """The target as `--target` takes it."""
    python: Version
    """Major and minor."""
    python_key: str = ""
    """uv's name of the Python that goes along; empty: none does."""
    modules: tuple[str, ...] = ()
    """What must be importable once it is installed."""
    files: tuple[Carried, ...] = ()
