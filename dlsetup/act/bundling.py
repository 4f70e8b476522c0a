"""A bundle in the making, beside its place.

NAME or NAME.tar     where it goes; nothing that is there already is ever touched
.NAME.part           what has come so far: the next run of the same command goes on with it
"""

from __future__ import annotations

import os
import shutil
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from dlsetup.act.interruption import undisturbed
from dlsetup.act.state import sync_files
from dlsetup.act.workplace import remove
from dlsetup.model.errors import StepFailed, UsageError
from dlsetup.model.record import Record

_LONGEST = 200
_PACKED = (".tar.gz", ".tgz", ".zip", ".tar.xz", ".tar.zst")
_SPARE = 64 << 20
"""Bytes that are left free on the disk."""


class Destination(Record, frozen=True, kw_only=True):
    """Where a bundle goes."""

    final: str
    part: str
    tar: bool = False

    @property
    def title(self) -> str:
        """The folder that it is, or that comes out of the archive."""
        name = os.path.basename(self.final)
        return name.removesuffix(".tar") if self.tar else name


def destination_for(output: str, folder: str) -> Destination:
    """The place that a name or path stands for. Raises `UsageError` for one that cannot be used."""
    if not output or not output.isprintable():
        raise UsageError("the bundle needs a name of printable signs", hint="for example `-o bundle`")
    path = Path(os.path.abspath(os.path.join(folder, output)))
    tar = path.name.endswith(".tar")
    packed = next((end for end in _PACKED if path.name.endswith(end)), "")
    if packed or path.name in ("", ".tar"):
        raise UsageError(
            f"a bundle is a folder or a `.tar`, not `{packed or path}`",
            hint="wheels are packed already; name a folder, or a file that ends in `.tar`",
        )
    if len(os.fsencode(path.name)) > _LONGEST:
        raise UsageError(f"the name is longer than {_LONGEST} bytes", hint="choose a shorter one")
    return Destination(final=str(path), part=str(path.with_name(f".{path.name}.part")), tar=tar)


def check_free(place: Destination) -> None:
    """Raises `UsageError` if something is at the place, or nothing can be put there."""
    if os.path.lexists(place.final):
        raise UsageError(
            f"`{place.final}` exists already and is left as it is",
            hint="choose another name, or remove it first",
        )
    parent = os.path.dirname(place.final)
    if not os.path.isdir(parent) or not os.access(parent, os.W_OK):
        raise UsageError(f"nothing can be written in `{parent}`", hint="choose another place")
    if os.path.lexists(place.part) and (os.path.islink(place.part) or not os.path.isdir(place.part)):
        raise UsageError(f"`{place.part}` is in the way", hint="remove it")


def free_bytes(place: Destination) -> int:
    """What the disk of the place has left."""
    return shutil.disk_usage(os.path.dirname(place.final)).free


def check_room(place: Destination, needed: int) -> None:
    """Raises `StepFailed` where the disk has no room for so many bytes more."""
    free = free_bytes(place)
    if needed + _SPARE > free:
        raise StepFailed(
            f"the bundle needs {needed >> 20} MiB more, and `{os.path.dirname(place.final)}` has "
            f"{free >> 20} MiB left.",
            hint="free some space, or choose a place on another disk.",
        )


def tidy(place: Destination, paths: Iterable[str]) -> None:
    """The folder of the unfinished bundle without what an earlier lock wanted."""
    part = Path(place.part)
    os.makedirs(part, exist_ok=True)
    kept = {part.joinpath(*path.split("/")) for path in paths}
    kept |= {path.with_name(f"{path.name}.partial") for path in kept}
    for path in sorted(part.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif path not in kept or path.is_symlink():
            path.unlink()


def settle(place: Destination, texts: Mapping[str, str]) -> None:
    """Writes the texts beside the files and puts the whole into its place. Raises `StepFailed`."""
    part = Path(place.part)
    try:
        for name, text in texts.items():
            (part / name).write_text(text, "utf-8", newline="\n")
            (part / name).chmod(0o755 if name.endswith(".sh") else 0o644)
        sync_files(part)
        if place.tar:
            _pack(place)
        else:
            check_free(place)
            os.rename(part, place.final)
    except OSError as error:
        raise StepFailed(
            f"`{place.final}` cannot be written: {error.strerror or error}.",
            hint="what was fetched stays for the next run of the same command.",
        ) from error


def _pack(place: Destination) -> None:
    """One file with the same bytes for the same contents. It has its name when it is whole."""
    part, fresh = Path(place.part), Path(f"{place.part}.tar")
    try:
        with tarfile.open(fresh, "w", format=tarfile.PAX_FORMAT) as archive:
            for path in sorted(part.rglob("*")):
                if path.is_file():
                    archive.add(path, f"{place.title}/{path.relative_to(part).as_posix()}", filter=_plain)
        with fresh.open("rb") as file:
            os.fsync(file.fileno())
        check_free(place)
        with undisturbed():
            os.rename(fresh, place.final)
            remove(part)
    finally:
        fresh.unlink(missing_ok=True)


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = 0
    member.mode = 0o755 if member.name.endswith(".sh") else 0o644
    return member
