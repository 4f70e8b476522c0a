"""Which files go into a bundle, and the lock that lies beside them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import NamedTuple
from urllib.parse import unquote

from packaging.markers import Marker
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import Version

from dlsetup.model.addresses import without_login
from dlsetup.model.bundle import Fetched, Room
from dlsetup.model.errors import DataError, UsageError
from dlsetup.model.locked import LockNote
from dlsetup.model.machine import Libc
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.target import Interpreter, Target
from dlsetup.plan.lock_files import Row, address_of, file_for, fits
from dlsetup.plan.lock_text import HEAD, note_text
from dlsetup.plan.toml import quoted
from dlsetup.rules.libraries import marker_environment
from dlsetup.rules.wheels import platform_of

_LARGEST = 1 << 40
_DIGEST = re.compile(r"[0-9a-f]{32,128}")


class Contents(NamedTuple):
    """The files that a target takes of a lock."""

    files: tuple[Fetched, ...]
    sources: tuple[str, ...] = ()
    """Packages without a wheel for it: they have to be built there."""


def check_told(target: Target) -> None:
    """Raises `UsageError` where too little is known of the target to say which wheels install on it."""
    lacking = [
        word for word, value in (("os", target.os), ("arch", target.arch)) if isinstance(value, Unknown)
    ]
    libc = target.libc
    versioned = libc is None or (isinstance(libc, Libc) and not isinstance(libc.version, Unknown))
    if target.os == "linux" and not versioned:
        lacking.append("glibc")
    if target.os == "macos" and isinstance(target.release, Unknown):
        lacking.append("macos")
    if lacking:
        raise UsageError(
            f"which wheels install on {target.name} is not told: its {' and '.join(lacking)} is missing",
            hint="say it: `--target os=linux,arch=x86_64,glibc=2.28,…`",
        )


def contents_of(rows: Sequence[Row], target: Target, python: Interpreter, room: Room = "wheels") -> Contents:
    """One file for each package that the target installs. Raises `DataError` for a lock without files."""
    environment = marker_environment(python, target)
    files: list[Fetched] = []
    sources: list[str] = []
    for package in rows:
        marker = package.get("marker")
        if marker and environment is not None and not Marker(marker).evaluate(environment):
            continue
        files.append(_file(package, target, python, room))
        if not files[-1].name.endswith(".whl"):
            sources.append(f"{files[-1].package} {files[-1].version}")
    return Contents(tuple(files), tuple(sources))


def _file(package: Row, target: Target, python: Interpreter, room: Room) -> Fetched:
    name = canonicalize_name(package["name"])
    if not any(package.get(kind) for kind in ("wheels", "sdist", "archive")):
        raise DataError(
            f"the lock names no file of {name}: it is a folder or a repository",
            hint="lock it as a wheel, or leave it out.",
        )
    row = file_for(package, [target], python)
    if row in package.get("wheels", []) and not fits(row, [target], python):
        raise DataError(
            f"the lock has no wheel of {name} for Python {python.version} on {platform_of(target)}",
            hint="`dlsetup check-lock` says for what a lock serves.",
        )
    size = row.get("size")
    algorithm, digest = _digest(row, name)
    return Fetched(
        name=_filename(row, name),
        room=room,
        address=address_of(row),
        algorithm=algorithm,
        digest=digest,
        size=size if isinstance(size, int) and 0 <= size <= _LARGEST else UNKNOWN,
        package=name,
        version=str(Version(str(package.get("version", "0")))),
    )


def _digest(row: Row, package: str) -> tuple[str, str]:
    hashes = {str(name).lower(): str(value).lower() for name, value in (row.get("hashes") or {}).items()}
    for algorithm in ("sha256", "sha512", "sha384", *sorted(hashes)):
        known = algorithm in hashlib.algorithms_guaranteed and not algorithm.startswith(
            ("shake", "md5", "sha1")
        )
        if known and _DIGEST.fullmatch(hashes.get(algorithm, "")):
            return algorithm, hashes[algorithm]
    raise DataError(
        f"the lock has no hash of {package} that can be trusted",
        hint="`dlsetup resolve … --lock FILE` writes the hash of every file",
    )


def _filename(row: Row, package: str) -> str:
    """The name of a file. Raises `DataError` for a path, and for the name of another package."""
    name = str(row.get("name") or "") or unquote(address_of(row).partition("#")[0].rpartition("/")[2])
    plain = PurePosixPath(name).name == PureWindowsPath(name).name == name and name.isprintable()
    try:
        owner = parse_wheel_filename(name)[0] if name.endswith(".whl") else parse_sdist_filename(name)[0]
    except (InvalidWheelFilename, InvalidSdistFilename):
        owner = canonicalize_name("")
    if not plain or not re.fullmatch(r"[\w.+!-]+", name, re.ASCII) or owner != package:
        raise DataError(f"the lock calls a file of {package} `{name[:100]}`", hint="make the lock anew.")
    return name


def bundled_lock(files: Sequence[Fetched], note: LockNote, digests: dict[str, str]) -> str:
    """The lock of a bundle (PEP 751): each file by its path in the bundle, and where it came from.

    `digests`: what each file turned out to be (SHA-256), by its path.
    """
    lines = [HEAD.rstrip("\n"), 'lock-version = "1.0"', 'created-by = "dlsetup"']
    lines.append(f'requires-python = "=={note.python}.*"')
    for item in sorted(files, key=lambda file: file.path):
        row = ", ".join(_row(item, digests[item.path]))
        lines += ["", "[[packages]]", f"name = {quoted(item.package)}", f"version = {quoted(item.version)}"]
        lines.append(f"wheels = [{{ {row} }}]" if item.name.endswith(".whl") else f"sdist = {{ {row} }}")
    return "\n".join(lines) + "\n\n" + note_text(note)


def _row(item: Fetched, digest: str) -> Iterator[str]:
    yield f"name = {quoted(item.name)}"
    if re.match(r"https?://", item.address):
        yield f"url = {quoted(without_login(item.address))}"
    yield f"path = {quoted(item.path)}"
    if not isinstance(item.size, Unknown):
        yield f"size = {item.size}"
    yield f"hashes = {{ sha256 = {quoted(digest)} }}"


def bundled_requirements(files: Sequence[Fetched], digests: dict[str, str]) -> str:
    """The same for pip and for older uv: exact versions with hashes, to be found among the wheels."""
    rows = (f"{item.package}=={item.version} --hash=sha256:{digests[item.path]}" for item in files)
    return "".join(f"{row}\n" for row in sorted(rows))
