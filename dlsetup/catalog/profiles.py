"""Profiles: wishes with a name, one TOML file each; packaged ones, or a file of one's own."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path

from dlsetup.catalog.folders import read_toml
from dlsetup.model.errors import DataError, UsageError
from dlsetup.model.wish import Profile


def profile_names(folders: Sequence[Path] = ()) -> tuple[str, ...]:
    """Names of the packaged profiles and of those in `profiles/` of the folders, in alphabetical order."""
    found = {path.stem for place in _places(folders) for path in place.glob("*.toml")}
    return tuple(sorted(found))


def load_profile(name_or_path: str, folders: Sequence[Path] = ()) -> Profile:
    """A profile by its name, or by the path of its file (with a slash, or ending in `.toml`).

    Raises `UsageError` where there is none and `DataError`, with the path, where it is malformed.
    """
    if name_or_path.endswith(".toml") or "/" in name_or_path or "\\" in name_or_path:
        return _from_file(Path(name_or_path))
    if name_or_path in profile_names(folders):
        for place in _places(folders):
            profile = read_toml(place / f"{name_or_path}.toml", Profile)
            if profile is not None:
                return _of_its_name(profile, name_or_path, place)
    raise _unknown(name_or_path, profile_names(folders))


def _from_file(path: Path) -> Profile:
    profile = read_toml(path, Profile)
    if profile is None:
        raise UsageError(f"there is no profile file {path}", hint="Name a profile or the path of its file.")
    return profile


def _of_its_name(profile: Profile, name: str, place: Path) -> Profile:
    if profile.name != name:
        raise DataError(f"{place / name}.toml: the name inside is `{profile.name}`, not `{name}`")
    return profile


def _unknown(name: str, known: Sequence[str]) -> UsageError:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean `{near[0]}`? " if near else ""
    return UsageError(f"there is no profile `{name}`", hint=f"{hint}There are {', '.join(known)}.")


def _places(folders: Sequence[Path]) -> Iterator[Path]:
    """Folders of profiles, the first one first. An editable install keeps its own beside the package."""
    yield from (folder / "profiles" for folder in folders)
    package = Path(__file__).parent.parent
    packaged = package / "profiles"
    yield packaged if packaged.is_dir() else package.parent / "profiles"
