"""Real wheels of a few hundred bytes: real names, tags, metadata and RECORD, made from a description."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class TinyWheel:
    """One wheel file. `files` maps paths inside site-packages to what is in them."""

    name: str
    version: str
    tag: str = "py3-none-any"
    requires: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    scripts: tuple[str, ...] = ()
    """Console scripts: `tool = package.module:function`."""
    requires_python: str = ""

    @property
    def folder(self) -> str:
        return f"{self.name.replace('-', '_')}-{self.version}"

    @property
    def filename(self) -> str:
        return f"{self.folder}-{self.tag}.whl"

    @property
    def metadata(self) -> str:
        lines = ["Metadata-Version: 2.1", f"Name: {self.name}", f"Version: {self.version}"]
        lines += [f"Requires-Python: {self.requires_python}"] if self.requires_python else []
        lines += [f"Provides-Extra: {extra}" for extra in self.extras]
        lines += [f"Requires-Dist: {requirement}" for requirement in self.requires]
        return "\n".join(lines) + "\n"


def _tags(tag: str) -> Iterator[str]:
    python, abi, platforms = tag.split("-")
    for platform in platforms.split("."):
        yield f"{python}-{abi}-{platform}"


def contents_of(wheel: TinyWheel) -> dict[str, str | bytes]:
    """What lies in it, without its RECORD."""
    info = f"{wheel.folder}.dist-info"
    pure = "true" if wheel.tag.endswith("-any") else "false"
    tags = "".join(f"Tag: {tag}\n" for tag in _tags(wheel.tag))
    contents = dict(wheel.files)
    contents[f"{info}/METADATA"] = wheel.metadata
    contents[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tiny\nRoot-Is-Purelib: {pure}\n{tags}"
    if wheel.scripts:
        contents[f"{info}/entry_points.txt"] = "[console_scripts]\n" + "\n".join(wheel.scripts) + "\n"
    return contents


def record_line(path: str, text: str | bytes) -> str:
    """The line of RECORD that tells of one file."""
    content = text.encode() if isinstance(text, str) else text
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    return f"{path},sha256={digest},{len(content)}\n"


def build_wheel(wheel: TinyWheel, folder: Path) -> Path:
    """Writes the wheel into `folder` and gives its path. The same description gives the same bytes."""
    contents = contents_of(wheel)
    record = f"{wheel.folder}.dist-info/RECORD"
    contents[record] = "".join(record_line(*item) for item in contents.items()) + f"{record},,\n"
    path = folder / wheel.filename
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in contents.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), text)
    return path
