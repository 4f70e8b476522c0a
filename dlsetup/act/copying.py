"""A copy of a folder tree that no later write to the copy can carry back into the original."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from dlsetup.model.record import Record

LINKED_FROM = 1 << 20
"""Files from this size on may be hard links. Installers unlink such files before they write new ones;
smaller files (scripts, metadata, namespace modules) are sometimes written in place and are copied."""


class Witness(Record, frozen=True, kw_only=True):
    """A folder of the original, or a file that it shares with the copy, and how it was when it was copied."""

    path: str
    size: int
    """Bytes of a file; 0 for a folder."""
    changed: int
    """Modification time in nanoseconds."""


def bytes_to_copy(tree: Path, *, links: bool) -> int:
    """How many bytes `copy_tree` will write."""
    return sum(
        entry.stat(follow_symlinks=False).st_size for entry in _files(tree) if not _shared(entry, links)
    )


def links_possible(tree: Path, cache: Path | None) -> bool:
    """Whether big files may be hard links: only where the installer links too.

    An installer whose cache lies on another file system copies instead, and some releases of it copy
    onto a file that is there.
    """
    if cache is None or not hasattr(os, "link") or os.name == "nt":
        return False
    place = next((folder for folder in (cache, *cache.parents) if folder.exists()), None)
    return place is not None and place.stat().st_dev == tree.stat().st_dev


def copy_tree(original: Path, copy: Path, *, links: bool) -> tuple[Witness, ...]:
    """Copies a folder with modes, times and symbolic links. `copy` must not exist yet.

    Gives what would tell that the original changed meanwhile. Sockets and pipes are left out.
    """
    copy.mkdir(mode=0o700)
    witnesses: list[Witness] = []
    folders = [(original, copy)]
    for source, target in folders:
        witnesses.append(_witness(source.stat(), str(source), size=0))
        for entry in sorted(os.scandir(source), key=lambda item: item.name):
            place = target / entry.name
            if entry.is_dir(follow_symlinks=False):
                place.mkdir()
                folders.append((Path(entry.path), place))
            else:
                witnesses.extend(_copy_file(entry, place, links))
    for source, target in reversed(folders):
        shutil.copystat(source, target)
    return tuple(witnesses)


def altered(witnesses: tuple[Witness, ...]) -> Witness | None:
    """The first that is no longer what it was."""
    for item in witnesses:
        try:
            now = os.stat(item.path, follow_symlinks=False)
        except OSError:
            return item
        if _witness(now, item.path, size=now.st_size if item.size else 0) != item:
            return item
    return None


def _witness(about: os.stat_result, path: str, *, size: int) -> Witness:
    return Witness(path=path, size=size, changed=about.st_mtime_ns)


def _copy_file(entry: os.DirEntry[str], place: Path, links: bool) -> Iterator[Witness]:
    if entry.is_symlink():
        place.symlink_to(os.readlink(entry.path))
        shutil.copystat(entry.path, place, follow_symlinks=False)
    elif not stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode):
        return
    elif _shared(entry, links) and _link(entry.path, place):
        about = entry.stat(follow_symlinks=False)
        yield _witness(about, entry.path, size=about.st_size)
    else:
        shutil.copy2(entry.path, place)


def _link(source: str, place: Path) -> bool:
    try:
        os.link(source, place, follow_symlinks=False)
    except OSError:
        return False
    return True


def _shared(entry: os.DirEntry[str], links: bool) -> bool:
    return links and entry.stat(follow_symlinks=False).st_size >= LINKED_FROM


def _files(tree: Path) -> Iterator[os.DirEntry[str]]:
    folders = [str(tree)]
    for folder in folders:
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            else:
                yield entry
