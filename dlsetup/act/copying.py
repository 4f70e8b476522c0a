"""A copy of a folder tree that no later write to the copy can carry back into the original."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from pathlib import Path

from dlsetup.act.inventory import About, Inventory, about, digest, is_hashed, walk
from dlsetup.model.journal import CopyCost, CopyMeans

LINKED_FROM = 1 << 20
"""Files from this size on may be hard links. Installers unlink such files before they write new ones;
smaller files (scripts, metadata, namespace modules) are sometimes written in place and are copied."""

_FICLONE = 0x40049409
"""The request of Linux that makes a file share the blocks of another until one of them is written."""


def links_possible(tree: Path, cache: Path | None) -> bool:
    """Whether big files may be hard links: only where the installer links too.

    An installer whose cache lies on another file system copies instead, and some releases of it copy
    onto a file that is there.
    """
    if cache is None or not hasattr(os, "link") or os.name == "nt":
        return False
    place = next((folder for folder in (cache, *cache.parents) if folder.exists()), None)
    return place is not None and place.stat().st_dev == tree.stat().st_dev


def means_for(tree: Path, *, links: bool) -> CopyMeans:
    """The cheapest way to copy a tree beside itself that keeps the two apart. `links`: they are allowed."""
    if _clones(tree):
        return "reflink"
    return "hard-link" if links else "copy"


def cost(tree: Path, means: CopyMeans) -> CopyCost:
    """What `copy_tree` will take. Raises `OSError`."""
    sizes = [(found.st_size, _costs_nothing(found, means)) for _, _, found in walk(tree) if _is_file(found)]
    return CopyCost(
        means=means,
        written=sum(size for size, free in sizes if not free),
        shared=sum(size for size, free in sizes if free),
        free=shutil.disk_usage(tree.parent).free,
    )


def copy_tree(original: Path, copy: Path, means: CopyMeans) -> Inventory:
    """Copies a folder with modes, times and symbolic links. `copy` must not exist yet.

    Gives what the original held, sockets and pipes too, which are left out of the copy. Raises `OSError`.
    """
    copy.mkdir(mode=0o700)
    items: Inventory = {}
    folders: list[tuple[str, Path]] = []
    for name, path, found in walk(original):
        place = copy / name
        if stat.S_ISDIR(found.st_mode):
            place.mkdir(exist_ok=name == ".")
            folders.append((path, place))
            items[name] = about(path, found, hashes=False)
        else:
            items[name] = _copy_file(path, found, place, means)
    for path, place in reversed(folders):
        shutil.copystat(path, place)
    return items


def _copy_file(path: str, found: os.stat_result, place: Path, means: CopyMeans) -> About:
    row = about(path, found, hashes=False)
    if stat.S_ISLNK(found.st_mode):
        place.symlink_to(row.mark)
    elif not _is_file(found):
        return row
    elif is_hashed(found):
        data = Path(path).read_bytes()
        if not (means == "reflink" and _clone(path, place)):
            place.write_bytes(data)
        row = row._replace(mark=digest(data))
    elif means == "hard-link" and found.st_size >= LINKED_FROM and _link(path, place):
        return row
    elif not (means == "reflink" and _clone(path, place)):
        shutil.copyfile(path, place)
    shutil.copystat(path, place, follow_symlinks=False)
    return row


def _is_file(found: os.stat_result) -> bool:
    return stat.S_ISREG(found.st_mode)


def _costs_nothing(found: os.stat_result, means: CopyMeans) -> bool:
    return means == "reflink" or (means == "hard-link" and found.st_size >= LINKED_FROM)


def _link(source: str, place: Path) -> bool:
    try:
        os.link(source, place, follow_symlinks=False)
    except OSError:
        return False
    return True


def _clone(source: str, place: Path) -> bool:
    with open(source, "rb") as file, place.open("xb") as copy:
        if _share_blocks(file.fileno(), copy.fileno()):
            return True
    place.unlink()
    return False


def _clones(tree: Path) -> bool:
    """Whether the file system shares blocks, tried with a file that never has a name."""
    if sys.platform != "linux":
        return False
    try:
        nameless = os.open(tree.parent, os.O_TMPFILE | os.O_RDWR, 0o600)
    except OSError:
        return False
    try:
        sample = next(Path(path) for _, path, found in walk(tree) if _is_file(found) and found.st_size)
        with sample.open("rb") as file:
            return _share_blocks(file.fileno(), nameless)
    except (OSError, StopIteration):
        return False
    finally:
        os.close(nameless)


def _share_blocks(source: int, target: int) -> bool:
    if sys.platform != "linux":
        return False
    import fcntl

    try:
        fcntl.ioctl(target, _FICLONE, source)
    except OSError:
        return False
    return True
