"""What a lock (`pylock.toml`, PEP 751) says of the work ahead."""

from __future__ import annotations

import re
from typing import Any

import tomli
from packaging.tags import Tag
from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from dlsetup.model.errors import DataError
from dlsetup.model.record import UNKNOWN, Record, Unknown


class Lock(Record, frozen=True, kw_only=True):
    packages: int
    download_bytes: int | Unknown = UNKNOWN
    """Of the files that are not on this machine; unknown where an index does not say the size of one."""


def read_lock(text: str) -> Lock:
    """The number of packages and what they weigh. Raises `DataError` for what is no lock."""
    try:
        packages = tomli.loads(text).get("packages", [])
        sizes = [_size(package) for package in packages]
    except (tomli.TOMLDecodeError, AttributeError, TypeError, KeyError) as error:
        raise DataError(f"the lock cannot be read: {error}") from error
    known = [size for size in sizes if size is not None]
    return Lock(packages=len(sizes), download_bytes=sum(known) if len(known) == len(sizes) else UNKNOWN)


def _size(package: dict[str, Any]) -> int | None:
    """Bytes of the file that will be taken: the wheel with the most specific tag, else the source."""
    wheels = package.get("wheels", [])
    files = (
        [max(wheels, key=rank)]
        if wheels
        else [package[kind] for kind in ("sdist", "archive") if kind in package]
    )
    if not files:
        return 0
    address = str(files[0].get("url", files[0].get("path", "")))
    if address.startswith("file:") or "path" in files[0]:
        return 0
    size = files[0].get("size")
    return size if isinstance(size, int) else None


def rank(wheel: dict[str, Any]) -> tuple[bool, tuple[Any, ...]]:
    """A file on this machine first, then as an installer prefers: own ABI, newest platform."""
    address = str(wheel.get("url", wheel.get("path", "")))
    name = str(wheel.get("name") or address.rpartition("/")[2]).replace("%2B", "+")
    try:
        tags = parse_wheel_filename(name)[3]
    except InvalidWheelFilename:
        return False, ()
    return address.startswith("file:"), max(_worth(tag) for tag in tags)


def _worth(tag: Tag) -> tuple[Any, ...]:
    own = tag.abi not in ("none", "abi3")
    line = re.match(r"[a-z]+_(\d+)_(\d+)_", tag.platform)
    version = (int(line[1]), int(line[2])) if line else (0, 0)
    return own, tag.abi == "abi3", tag.platform != "any", version
