"""Files that list packages, told apart by their names, with what they include."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path

from msgspec.structs import replace

from dlsetup.intake.environment_file import parse_environment
from dlsetup.intake.lock import note_in_requirements
from dlsetup.intake.lock_file import parse_lock
from dlsetup.intake.pixi_file import parse_pixi
from dlsetup.intake.project_file import parse_project
from dlsetup.intake.requirements_file import parse_requirements
from dlsetup.model.errors import DataError, UsageError
from dlsetup.model.listing import Left, Listing, Said
from dlsetup.model.locked import LockNote
from dlsetup.model.record import UNKNOWN, Unknown

LARGEST = 1 << 20
LARGEST_LOCK = 32 << 20
MOST_FILES = 20
KINDS = "`requirements.txt`, `environment.yml`, `pyproject.toml`, `pixi.toml`, `pylock.toml` or `uv.lock`"


def read_listed(path: str, *, extras: tuple[str, ...] = (), groups: tuple[str, ...] = ()) -> Listing:
    """What the file says. `extras` and `groups` choose parts of a `pyproject.toml`.

    Raises `UsageError` for a file that cannot be read or whose name tells no form, `DataError` for one that
    is malformed.
    """
    place = Path(path)
    name = place.name.lower()
    if name == "pyproject.toml":
        return parse_project(_text(place), place.name, extras=extras, groups=groups)
    if extras or groups:
        raise UsageError(
            f"`{path}` has no extras and groups",
            hint="`--extra` and `--group` choose parts of a pyproject.toml",
        )
    if name == "pixi.toml":
        return parse_pixi(_text(place), place.name)
    if name == "uv.lock" or re.fullmatch(r"pylock(\..+)?\.toml", name):
        return parse_lock(_text(place, LARGEST_LOCK), place.name)
    if name.endswith((".yml", ".yaml")):
        return _with_included(parse_environment(_text(place), place.name), place)
    if name.endswith((".txt", ".in")):
        return _requirements(_text(place), place)
    raise UsageError(f"nothing tells how to read `{path}`", hint=f"name a file such as {KINDS}")


def _requirements(text: str, place: Path) -> Listing:
    """Requirements that dlsetup made are a lock: they name every package, and the build of each framework."""
    listing = _with_included(parse_requirements(text, place.name), place)
    note: LockNote | Unknown = UNKNOWN
    with contextlib.suppress(DataError, ValueError, AttributeError):
        note = note_in_requirements(text, place.name)
    if isinstance(note, Unknown):
        return listing
    return replace(listing, locked=True, note=note, python=f"=={note.python}.*")


def _with_included(listing: Listing, place: Path) -> Listing:
    """With the files that it includes, and those that they include; each is read once."""
    found = [listing]
    seen = {place.resolve()}
    waiting = list(_named(listing, place))
    while waiting:
        path, said, bounds = waiting.pop(0)
        key = path.resolve()
        if key in seen:
            continue
        if len(seen) >= MOST_FILES:
            raise DataError(f"{place}: it includes more than {MOST_FILES} files")
        seen.add(key)
        try:
            inner = parse_requirements(_text(path), path.name)
        except UsageError as exc:
            found.append(_unread(said, exc.message))
            continue
        found.append(_as_bounds(inner) if bounds else inner)
        waiting += [(item, more, bounds or inside) for item, more, inside in _named(inner, path)]
    return joined(found)


def joined(listings: Iterable[Listing]) -> Listing:
    """Several as one; the first is the one that the others are included in."""
    first, *rest = listings
    several = (first, *rest)

    def of(part: Callable[[Listing], tuple[Said, ...]]) -> tuple[Said, ...]:
        return tuple(chain.from_iterable(map(part, several)))

    return replace(
        first,
        requirements=of(lambda item: item.requirements),
        constraints=of(lambda item: item.constraints),
        indexes=of(lambda item: item.indexes),
        includes=(),
        bounds=(),
        left=tuple(chain.from_iterable(item.left for item in several)),
    )


def _named(listing: Listing, place: Path) -> Iterator[tuple[Path, Said, bool]]:
    for said in listing.includes:
        yield place.parent / said.text, said, False
    for said in listing.bounds:
        yield place.parent / said.text, said, True


def _as_bounds(listing: Listing) -> Listing:
    return replace(listing, requirements=(), constraints=(*listing.constraints, *listing.requirements))


def _unread(said: Said, because: str) -> Listing:
    return Listing(left=(Left(text=said.text, where=said.where, because=because),))


def _text(path: Path, largest: int = LARGEST) -> str:
    """The text of an ordinary file, in UTF-8 or as PowerShell writes it. Raises `UsageError`."""
    try:
        if not path.is_file():
            raise UsageError(f"there is no file `{path}`", hint=f"name a file such as {KINDS}")
        with path.open("rb") as file:
            data = file.read(largest + 1)
    except (OSError, ValueError) as exc:
        reason = getattr(exc, "strerror", None) or str(exc)
        raise UsageError(f"`{path}` cannot be read: {reason}", hint=f"name a file such as {KINDS}") from exc
    if len(data) > largest:
        raise UsageError(f"`{path}` is larger than {largest >> 20} MiB", hint=f"name a file such as {KINDS}")
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return data.decode("utf-16" if wide else "utf-8-sig", "replace")
