"""The distributions of a virtual environment, for the journal: read from their own files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from packaging.utils import canonicalize_name

from dlsetup.model.journal import Holding

_SITES = ("lib/python*/site-packages", "Lib/site-packages")
_LARGEST_NOTE = 64 << 10


def holdings(environment: Path) -> tuple[Holding, ...]:
    """By name. Raises `OSError`."""
    folders = (path for form in _SITES for path in environment.glob(f"{form}/*.dist-info"))
    found = {path.resolve(): path for path in folders}
    return tuple(sorted((_holding(path) for path in found.values()), key=lambda item: item.name))


def moved(before: tuple[Holding, ...], after: tuple[Holding, ...]) -> Iterator[str]:
    """What differs between the two, in words: `numpy 1.26.4 -> 2.3.5`."""
    was = {item.name: item for item in before}
    now = {item.name: item for item in after}
    for name in sorted({*was, *now}):
        if name not in now:
            yield f"remove {name} {was[name].version}"
        elif name not in was:
            yield f"install {name} {now[name].version}"
        elif was[name].version != now[name].version:
            yield f"{name} {was[name].version} -> {now[name].version}"
        elif was[name] != now[name]:
            yield f"write {name} {now[name].version} again"


def _holding(folder: Path) -> Holding:
    name, _, version = folder.name.removesuffix(".dist-info").partition("-")
    record = _content(folder / "RECORD")
    return Holding(
        name=canonicalize_name(name),
        version=version,
        record="" if record is None else hashlib.sha256(record).hexdigest(),
        direct_url=_bare(_note(folder / "direct_url.json")),
        installer=_note(folder / "INSTALLER").strip(),
    )


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _note(path: Path) -> str:
    return (_content(path) or b"")[:_LARGEST_NOTE].decode("utf-8", "replace")


def _bare(text: str) -> str:
    """Addresses without user names and passwords: `https://me:secret@host/x` is `https://host/x`."""
    return re.sub(r"(://)[^/@\s\"]*@", r"\1", text)
