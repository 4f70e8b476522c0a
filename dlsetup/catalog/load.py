"""The catalog's front door: which frameworks there are, and what is known of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from pathlib import Path

from dlsetup.catalog.compose import compose
from dlsetup.catalog.folders import Folders, Sheet, user_folder
from dlsetup.catalog.form import FrameworkFile, IndexFile, MeasuredFile
from dlsetup.catalog.generated_form import ListingFile
from dlsetup.catalog.hardware import hardware
from dlsetup.catalog.listed import Listings
from dlsetup.catalog.requirements import canonical
from dlsetup.catalog.shelf import OfLibraries, Shelf
from dlsetup.model.errors import DataError, UsageError
from dlsetup.model.framework import Catalog, Clue, Index

Places = Sequence[Path] | Folders
"""Folders that come before the packaged ones, or what `opened` made of them."""


def opened(folders: Places = (), *, faults: list[str] | None = None) -> Folders:
    """The folders for a command that asks more than one question of them: each curated file is read once.

    `faults`: takes what is malformed, whose frameworks are then left out, instead of an error.
    """
    return folders if isinstance(folders, Folders) else Folders(folders, user=user_folder(), faults=faults)


def load(names: Iterable[str] | None = None, folders: Places = ()) -> Catalog:
    """The catalog with these frameworks (None: all), those that they ask for, the hardware, the indexes.

    torchvision without torch in view would leave the variant of torch to chance. Files in `folders` come
    before the packaged ones. Raises `UsageError` for a framework that is not in the catalog and
    `DataError`, with the path, for a malformed file.
    """
    place = opened(folders)
    known = place.names("frameworks", ".toml")
    wanted = list(dict.fromkeys(known if names is None else names))
    files: list[FrameworkFile] = []
    generated: dict[str, Sheet] = {}
    measured: dict[str, MeasuredFile] = {}
    for name in wanted:
        file = place.sound(partial(_framework_file, name, place))
        if file is None:
            continue
        files.append(file)
        generated |= _generated(file, place)
        measured |= _measured(file, place)
        wanted += [item for item in file.needs if item not in wanted]
    tags = {row.name: row.tags for file in files for row in file.distribution if row.tags}
    shelf = Shelf(generated, measured, place, tags, _listings(files, place))
    indexes = _indexes(place, files)
    libraries = sorted({name for file in files for name in file.libraries})
    return Catalog(
        frameworks=tuple(compose(file, shelf, _model(file, place)) for file in files),
        hardware=hardware(place),
        indexes=indexes,
        libraries=OfLibraries(libraries, shelf.versions),
        library_wheels=OfLibraries(libraries, shelf.built),
        checked=min((sheet.head.checked for sheet in generated.values()), default=""),
    )


def names(folders: Places = ()) -> tuple[str, ...]:
    """Names of all frameworks, in alphabetical order."""
    return tuple(opened(folders).names("frameworks", ".toml"))


def named(distributions: Collection[str], folders: Places = ()) -> tuple[str, ...]:
    """Names of the frameworks that any of these installed distributions belongs to."""
    place = opened(folders)
    files = _framework_files(place)
    return tuple(file.name for file in files if any(item in distributions for item in file.distributions))


def owners(folders: Places = ()) -> dict[str, str]:
    """The framework that each distribution belongs to, by name; a framework's own name among them.

    Twins count as well: `tensorflow-cpu` is TensorFlow under another name.
    """
    found: dict[str, str] = {}
    for file in _framework_files(opened(folders)):
        twins = (item for group in file.twins for item in group)
        for name in (file.name, *file.distributions, *twins):
            found.setdefault(name, file.name)
    return found


def clues(folders: Places = ()) -> tuple[Clue, ...]:
    """What in installed files tells the variant of a framework, for all frameworks."""
    place = opened(folders)
    return tuple(clue for file in _framework_files(place) for clue in file.clue)


def _framework_files(place: Folders) -> list[FrameworkFile]:
    names = place.names("frameworks", ".toml")
    found = [place.sound(partial(_framework_file, name, place)) for name in names]
    return [file for file in found if file is not None]


def _framework_file(name: str, place: Folders) -> FrameworkFile:
    known = place.names("frameworks", ".toml")
    if name not in known:
        raise _unknown(name, known, place)
    relative = f"frameworks/{name}.toml"
    file = place.toml(relative, FrameworkFile)
    if file is None:
        raise DataError(f"{relative}: no folder has a sound file of that name")
    if file.name != name:
        raise DataError(f"{relative}: the name inside is not `{name}`")
    if not file.distributions:
        raise DataError(f"{relative}: `distributions` is empty")
    for other in (*file.needs, *((file.like.framework,) if file.like else ())):
        if other not in known:
            raise DataError(f"{relative}: there is no framework `{other}`")
    for distribution in (*file.distributions, *(row.name for row in file.distribution), *file.libraries):
        if canonical(distribution) != distribution:
            raise DataError(f"{relative}: `{distribution}` is not the canonical name of a distribution")
    return file


def _unknown(name: str, known: Sequence[str], place: Folders) -> UsageError:
    """With the framework that people mean by that name, or else those of similar names."""
    import difflib

    meant = [item for item in known if name in _other_names(item, place)]
    near = meant or difflib.get_close_matches(name, known, n=3)
    hint = f"Did you mean {' or '.join(f'`{item}`' for item in near)}? " if near else ""
    return UsageError(f"the catalog has no framework `{name}`", hint=f"{hint}It has {', '.join(known)}.")


def _other_names(name: str, place: Folders) -> set[str]:
    """Its title, its module, its distributions and their twins; a malformed file has none."""
    try:
        file = place.toml(f"frameworks/{name}.toml", FrameworkFile)
    except DataError:
        return set()
    if file is None:
        return set()
    twins = {item for group in file.twins for item in group}
    return {canonical(file.title), canonical(file.imports), *file.distributions, *twins}


def _generated(file: FrameworkFile, place: Folders) -> dict[str, Sheet]:
    """The generated files that a framework needs, by distribution."""
    wanted = dict.fromkeys((*(row.name for row in file.distribution), *file.libraries))
    found = {name: place.sheet(f"generated/{name}.json") for name in wanted}
    for name, inside in found.items():
        if inside is not None and inside.head.distribution != name:
            raise DataError(f"generated/{name}.json: it is about `{inside.head.distribution}`, not `{name}`")
    return {name: inside for name, inside in found.items() if inside is not None}


def _measured(file: FrameworkFile, place: Folders) -> dict[str, MeasuredFile]:
    """What was read out of wheels of its distributions."""
    known = place.names("measured", ".json")
    wanted = [row.name for row in file.distribution if row.name in known]
    found = {name: place.json(f"measured/{name}.json", MeasuredFile) for name in wanted}
    return {name: inside for name, inside in found.items() if inside is not None}


def _listings(files: Iterable[FrameworkFile], place: Folders) -> Listings:
    """What was read of the indexes that builds come from."""
    used = {row.index for file in files for row in file.build}
    found = {index: place.json(f"generated/index-{index}.json", ListingFile) for index in sorted(used)}
    return Listings({index: file for index, file in found.items() if file is not None})


def _model(file: FrameworkFile, place: Folders) -> FrameworkFile | None:
    return _framework_file(file.like.framework, place) if file.like else None


def _indexes(place: Folders, files: Iterable[FrameworkFile]) -> tuple[Index, ...]:
    """All indexes. Raises `DataError` for one that a framework's build comes from and nobody describes."""
    file = place.toml("indexes.toml", IndexFile)
    found = file.index if file else ()
    known = {item.name for item in found}
    for item in files:
        missing = sorted({row.index for row in item.build} - known)
        if missing:
            raise DataError(f"indexes.toml: there is no index `{missing[0]}`, which {item.title} comes from")
    return found
