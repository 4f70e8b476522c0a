"""What a folder holds, to the byte as far as that is cheap: names, modes, sizes, times, small contents."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dlsetup.model.errors import DataError

HASHED_UP_TO = 64 << 10
"""Files up to this size (scripts, sources, metadata) are hashed; of larger ones size and time are kept."""


class About(NamedTuple):
    """One entry of a folder."""

    mode: int
    size: int
    """Bytes of a file; 0 for anything else."""
    changed: int
    """Modification time in nanoseconds."""
    mark: str = ""
    """SHA-256 of a small file, target of a link."""


Inventory = dict[str, About]
"""By path relative to the folder; the folder itself is `.`."""


def about(path: str, found: os.stat_result, *, hashes: bool) -> About:
    """Raises `OSError` for a file that cannot be read."""
    mark = ""
    if stat.S_ISLNK(found.st_mode):
        mark = os.readlink(path)
    elif hashes and is_hashed(found):
        mark = digest(Path(path).read_bytes())
    size = found.st_size if stat.S_ISREG(found.st_mode) else 0
    return About(found.st_mode, size, found.st_mtime_ns, mark)


def is_hashed(found: os.stat_result) -> bool:
    """Whether an inventory holds the hash of such a file."""
    return stat.S_ISREG(found.st_mode) and found.st_size <= HASHED_UP_TO


def digest(data: bytes) -> str:
    """The mark of a small file."""
    return hashlib.sha256(data).hexdigest()


def inventory(folder: Path, *, hashes: bool) -> Inventory:
    """Everything in a folder. Raises `OSError`."""
    return {name: about(path, found, hashes=hashes) for name, path, found in walk(folder)}


def walk(folder: Path) -> Iterator[tuple[str, str, os.stat_result]]:
    """Relative path, path and status of a folder and of all that is in it. Links are not followed."""
    yield ".", str(folder), folder.stat()
    folders = [("", str(folder))]
    for before, place in folders:
        for entry in os.scandir(place):
            name = before + entry.name
            if entry.is_dir(follow_symlinks=False):
                folders.append((f"{name}/", entry.path))
            yield name, entry.path, entry.stat(follow_symlinks=False)


def differences(folder: Path, kept: Inventory, *, hashes: bool = False) -> Iterator[str]:
    """Paths of what is not as it was, of what is new and of what is missing. Raises `OSError`."""
    seen = set()
    for name, path, found in walk(folder):
        seen.add(name)
        was = kept.get(name)
        if was is None:
            yield name
            continue
        now = about(path, found, hashes=hashes and bool(was.mark))
        if now[:3] != was[:3] or (now.mark and was.mark and now.mark != was.mark):
            yield name
    yield from (name for name in kept if name not in seen)


def exclusive_bytes(folder: Path) -> int:
    """What removing the folder would give back: files that no other folder shares, as they lie on the disk.

    Blocks that are shared by reflinks count as well; nothing tells of them cheaply.
    """
    names: dict[tuple[int, int], int] = {}
    total = 0
    for _, _, found in walk(folder):
        if stat.S_ISDIR(found.st_mode):
            continue
        file = found.st_dev, found.st_ino
        names[file] = names.get(file, 0) + 1
        if names[file] == max(found.st_nlink, 1):
            total += getattr(found, "st_blocks", -(-found.st_size // 512)) * 512
    return total


def packed(items: Inventory) -> bytes:
    """The inventory as it is kept in a file. Names need not be text."""
    return zlib.compress(json.dumps([[name, *row] for name, row in items.items()]).encode(), 1)


def unpacked(data: bytes, *, where: str) -> Inventory:
    """The reverse. Raises `DataError`."""
    try:
        return {
            str(name): About(int(mode), int(size), int(changed), str(mark))
            for name, mode, size, changed, mark in json.loads(zlib.decompress(data))
        }
    except (zlib.error, ValueError, TypeError) as error:
        raise DataError(f"{where}: {error}") from error
