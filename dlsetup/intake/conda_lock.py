"""An explicit lock of conda packages: one address a line, after `@EXPLICIT`."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import tomli

from dlsetup.intake.lock import note_in_requirements, text_of
from dlsetup.model.conda import CondaSolution, SolvedPackage, VirtualPackage
from dlsetup.model.errors import DataError
from dlsetup.model.locked import CondaLocked

HINT = "`dlsetup create files … --form conda-lock` writes such a file, and so does `conda list --explicit`"
_MARK = re.compile(r"^@EXPLICIT\s*$", re.MULTILINE)
_SUBDIR = re.compile(r"noarch|(?:linux|osx|win)-\w{2,10}")
_FILE = re.compile(r"([^/#\s]{1,100})-([\w.!+]{1,80})-([\w.+]{1,100})\.(?:conda|tar\.bz2)")
_ADDRESS = re.compile(
    r"([a-z][a-z0-9+]{1,9}://[^\s#]{1,1000})/([\w-]{1,20})/([^\s/#]{1,300})(?:#(\S{1,80}))?"
)
_HASH = re.compile(r"(?:sha256:)?([0-9a-f]{64})|([0-9a-f]{32})")


def is_explicit(text: str) -> bool:
    """Whether a text is such a lock."""
    return _MARK.search(text) is not None


def read_conda_lock(path: Path) -> CondaLocked | None:
    """The lock in a file; None: it is a lock of wheels, if one at all. Raises `UsageError`, `DataError`."""
    text = text_of(path)
    return parse_conda_lock(text, str(path)) if is_explicit(text) else None


def parse_conda_lock(text: str, path: str) -> CondaLocked:
    """Raises `DataError` for a line that names no package, and for packages of several platforms."""
    try:
        note = note_in_requirements(text, path)
    except tomli.TOMLDecodeError as error:
        raise DataError(f"{path}: its comments are no lock's of dlsetup: {error}", hint=HINT) from error
    lines = [line.strip() for line in text.splitlines()]
    told = [line for line in lines if line.startswith("#")]
    found = [_package(line, path) for line in lines if line and not line.startswith(("#", "@"))]
    if not found:
        raise DataError(f"{path} locks no package", hint=HINT)
    subdirs = {subdir for subdir, _ in found} - {"noarch"}
    if len(subdirs) > 1:
        raise DataError(f"{path} holds packages for {' and for '.join(sorted(subdirs))}", hint=HINT)
    solution = CondaSolution(
        subdir=next(iter(subdirs), None) or _said(told, "# platform: ") or "noarch",
        packages=tuple(package for _, package in found),
        virtual=tuple(map(_virtual, _said(told, "# solved for: ").split())),
    )
    return CondaLocked(path=path, solution=solution, note=note)


def _package(line: str, path: str) -> tuple[str, SolvedPackage]:
    address = _ADDRESS.fullmatch(line)
    file = _FILE.fullmatch(unquote(address[3])) if address else None
    if not address or not file or not _SUBDIR.fullmatch(address[2]):
        raise DataError(f"{path}: a line names no file of a conda channel: {line[:200]!r}", hint=HINT)
    digest = _HASH.fullmatch(address[4]) if address[4] else None
    if address[4] and not digest:
        raise DataError(f"{path}: {file[0]} has a hash of no known form", hint=HINT)
    package = SolvedPackage(
        name=file[1].lower(),
        version=file[2],
        build=file[3],
        url=f"{address[1]}/{address[2]}/{address[3]}",
        sha256=(digest[1] or "") if digest else "",
        md5=(digest[2] or "") if digest else "",
    )
    return address[2], package


def _said(lines: list[str], about: str) -> str:
    return next((line.removeprefix(about).strip() for line in lines if line.startswith(about)), "")


def _virtual(text: str) -> VirtualPackage:
    name, version, build = [*text.split("=", 2), "", ""][:3]
    return VirtualPackage(name=name, version=version, build=build or "0")
