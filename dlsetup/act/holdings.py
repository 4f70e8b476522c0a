"""What an environment holds, for the journal: distributions and conda packages, read from their own files."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

from packaging.utils import canonicalize_name

from dlsetup.model.addresses import channel_of, of_conda
from dlsetup.model.journal import CondaHolding, Holding

_SITES = ("lib/python*/site-packages", "Lib/site-packages")
_LARGEST_NOTE = 64 << 10
_LARGEST_RECORD = 64 << 20


def holdings(environment: Path) -> tuple[Holding, ...]:
    """By name. Raises `OSError`."""
    folders = (path for form in _SITES for path in environment.glob(f"{form}/*.dist-info"))
    found = {path.resolve(): path for path in folders}
    return tuple(sorted((_holding(path) for path in found.values()), key=lambda item: item.name))


def conda_holdings(environment: Path) -> tuple[CondaHolding, ...]:
    """By name; nothing where conda made nothing. Raises `OSError`."""
    found = (_of_conda(path) for path in environment.glob("conda-meta/*.json"))
    return tuple(sorted((item for item in found if item), key=lambda item: item.name))


def _of_conda(path: Path) -> CondaHolding | None:
    """None: no record of a package."""
    try:
        told = json.loads((_content(path) or b"")[:_LARGEST_RECORD])
        words = {name: told.get(name) or "" for name in ("name", "version", "build", "url", "md5", "sha256")}
        channel = channel_of(told.get("channel") or "")
    except (ValueError, AttributeError, TypeError):
        return None
    if not words["name"] or not all(isinstance(text, str) for text in words.values()):
        return None
    return CondaHolding(**{**words, "url": of_conda(words["url"]), "channel": channel})


def conda_moved(
    before: tuple[CondaHolding, ...], after: tuple[CondaHolding, ...]
) -> Iterator[tuple[str, str | None, str | None]]:
    """Packages that differ: name, version and build before and after; None: not there."""
    was = {item.name: f"{item.version} {item.build}" for item in before}
    now = {item.name: f"{item.version} {item.build}" for item in after}
    for name in sorted({*was, *now}):
        if was.get(name) != now.get(name):
            yield name, was.get(name), now.get(name)


def packages_moved(before: tuple[CondaHolding, ...], after: tuple[CondaHolding, ...]) -> Iterator[str]:
    """The same in words: `pytorch 2.14.1 cpu_py311_0 -> 2.14.1 cuda126_py311_0`."""
    return (_move(*row) for row in conda_moved(before, after))


def moved(before: tuple[Holding, ...], after: tuple[Holding, ...]) -> Iterator[str]:
    """What differs between the two, in words: `numpy 1.26.4 -> 2.3.5`."""
    was = {item.name: item for item in before}
    now = {item.name: item for item in after}
    for name in sorted({*was, *now}):
        first = was[name].version if name in was else None
        last = now[name].version if name in now else None
        if first != last:
            yield _move(name, first, last)
        elif was[name] != now[name]:
            yield f"write {name} {last} again"


def _move(name: str, was: str | None, now: str | None) -> str:
    """None: it is not there."""
    if now is None:
        return f"remove {name} {was}"
    return f"install {name} {now}" if was is None else f"{name} {was} -> {now}"


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
