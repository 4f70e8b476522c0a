"""What is wrong with a catalog's files: all of it at once, for who writes them."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from dlsetup.catalog.choosing import ChoosingFile, choosing_rows
from dlsetup.catalog.choosing import faults_of as choosing_faults
from dlsetup.catalog.explanations import ExplanationFile
from dlsetup.catalog.folders import Folders, read_json, read_toml
from dlsetup.catalog.form import (
    BuildRow,
    CodeRow,
    FrameworkFile,
    GeneratedFile,
    IndexFile,
    MeasuredFile,
    Range,
)
from dlsetup.catalog.generated_form import ListingFile, OverlapsFile
from dlsetup.catalog.guards import disagreements
from dlsetup.catalog.hardware import hardware
from dlsetup.catalog.hardware_form import HardwareFile
from dlsetup.catalog.image_form import ImageFile
from dlsetup.catalog.load import names
from dlsetup.catalog.loading import LoadingFile
from dlsetup.catalog.loading import faults_of as loading_faults
from dlsetup.catalog.messages import MessageFile
from dlsetup.catalog.notes import NoteFile
from dlsetup.catalog.profiles import profile_names
from dlsetup.catalog.refresh import distributions_of, known_files
from dlsetup.catalog.spoken import Spoken
from dlsetup.model.errors import DataError
from dlsetup.model.explanation import Explanation
from dlsetup.model.hardware import CudaToolkit, Hardware
from dlsetup.model.record import Unknown
from dlsetup.model.source import Source
from dlsetup.model.versions import ComputeCapability, CudaVersion

FORMS: dict[str, type] = {
    "frameworks/*.toml": FrameworkFile,
    "hardware/*.toml": HardwareFile,
    "images/*.toml": ImageFile,
    "messages/*.toml": MessageFile,
    "explanations/*.toml": ExplanationFile,
    "loading/*.toml": LoadingFile,
    "notes/*.toml": NoteFile,
    "choosing/*.toml": ChoosingFile,
    "indexes.toml": IndexFile,
    "generated/overlaps.json": OverlapsFile,
    "generated/index-*.json": ListingFile,
    "generated/*.json": GeneratedFile,
    "measured/*.json": MeasuredFile,
}
"""What lies where in a catalog's folder, and the record that it is read as; the first that fits counts."""


def problems(folder: Path, today: datetime.date) -> Iterator[str]:
    """Everything that is wrong with the files of one catalog folder, each thing with its file.

    The form first; then, of files whose form is right, what they mean: sources that nobody names or cites,
    dates of the future, ranges that hold for nothing, code that no toolkit makes, rows that the registry
    contradicts. The files of `messages` and `explanations` are judged as one whole.
    """
    world = _world(folder)
    sound: list[FrameworkFile] = []
    spoken = Spoken()
    for path, form in files_of(folder).items():
        try:
            record = read_toml(path, form) if path.suffix == ".toml" else read_json(path, form)
        except DataError as exc:
            yield exc.message
            continue
        if record is None:
            yield f"{path}: a link to a file that is not there"
        sound += [record] if isinstance(record, FrameworkFile) else []
        if isinstance(record, (MessageFile, ExplanationFile)):
            spoken = spoken.more(record)
        else:
            yield from (f"{path}: {text}" for text in _meaning(record, today, world))
    yield from (f"{folder / 'messages'}: {text}" for text in _meaning(spoken, today, world))
    yield from (f"{folder / 'choosing'}: {text}" for text in _choosing(folder))
    yield from spoken.faults(folder)
    yield from _against_the_registry(sound, Folders((folder,), faults=[]))


def _choosing(folder: Path) -> Iterator[str]:
    """Whether the rows of a folder go together with each other and with the rest of the catalog."""
    if any(folder.glob("choosing/*.toml")):
        place = Folders((folder,))
        try:
            found = choosing_rows(place)
        except DataError:
            return  # said already, with its file
        yield from choosing_faults(found, names(place))
        profiles = profile_names((folder,))
        named = [*(item.profile for item in found.tasks), *(item.profile for item in found.domains)]
        missing = (name for name in dict.fromkeys(named) if name and name not in profiles)
        yield from (f"there is no profile `{name}`" for name in missing)


def _against_the_registry(files: list[FrameworkFile], place: Folders) -> Iterator[str]:
    """Where the rows of a framework contradict what was learned of its releases, or measured in them."""
    names = {name for file in files for name in distributions_of(file)}
    generated = known_files(names, "generated", GeneratedFile, place)
    measured = known_files(names, "measured", MeasuredFile, place)
    yield from map(str, disagreements(files, generated, measured))


def files_of(folder: Path) -> dict[Path, type]:
    """Every file of the folder with its form."""
    found: dict[Path, type] = {}
    for pattern, form in FORMS.items():
        for path in sorted(folder.glob(pattern)):
            found.setdefault(path, form)
    return found


def _world(folder: Path) -> Hardware:
    """The hardware that the frameworks of the folder are for; a malformed file is said elsewhere."""
    try:
        return hardware(Folders((folder,)))
    except DataError:
        return hardware(Folders())


def _meaning(record: object, today: datetime.date, world: Hardware) -> Iterator[str]:
    named = [item for item in _inside(record) if isinstance(item, Source)]
    cited = {text for item in _inside(record) for text in _cited_by(item)}
    known = {item.id for item in named}
    yield from (f"no `[[source]]` has the id `{item}`" for item in sorted(cited - known))
    yield from (f"the source `{item}` is cited by no row" for item in sorted(known - cited))
    dates = [item.checked for item in named] + [getattr(record, "checked", "")]
    yield from (text for date in dates if date and (text := _not_past(date, today)))
    for item in _inside(record):
        if isinstance(item, Range) and item.before is not None and item.before <= item.since:
            yield f"a row holds for no release: since {item.since}, before {item.before}"
    if isinstance(record, FrameworkFile):
        yield from _builds(record, world)
    if isinstance(record, LoadingFile):
        yield from loading_faults(record)


def _cited_by(item: msgspec.Struct) -> Iterator[str]:
    """Ids of sources that a record names: of its own, and of a part of it."""
    for name in ("source", "series_source"):
        text = getattr(item, name, None)
        if isinstance(text, str) and (text or name == "source"):
            yield text
    if isinstance(item, Explanation):
        yield from item.rests_on


def _inside(record: object) -> Iterator[msgspec.Struct]:
    """The record and every record in it."""
    if isinstance(record, msgspec.Struct):
        yield record
        for name in record.__struct_fields__:
            yield from _inside(getattr(record, name))
    elif isinstance(record, tuple):
        for item in record:
            yield from _inside(item)


def _not_past(date: str, today: datetime.date) -> str:
    try:
        seen = datetime.date.fromisoformat(date)
    except ValueError:
        return f"`{date}` is no ISO date"
    return f"{date} lies in the future" if seen > today else ""


def _builds(file: FrameworkFile, world: Hardware) -> Iterator[str]:
    if file.known_to is None and any(row.before is None and row.accelerator != "cpu" for row in file.build):
        yield "builds for accelerators without end need `known_to`, the newest release that was looked at"
    cuda: dict[str, CudaVersion] = {}
    for row in file.build:
        yield from _build(row, file)
        version = row.cuda or CudaVersion.from_variant(row.variant)
        if version is not None:
            cuda[row.variant] = max(version, cuda.get(row.variant, version))
    for code in file.code:
        toolkit = _toolkit(cuda.get(code.variant), world)
        if toolkit is not None:
            yield from _code(code, toolkit)


def _build(row: BuildRow, file: FrameworkFile) -> Iterator[str]:
    distributions = {item.name for item in file.distribution}
    for name in (*filter(None, (row.distribution,)), *row.parts, *row.expand):
        if name not in distributions:
            yield f"a build is made of `{name}`, of which there is no `[[distribution]]`"
    tells = row.cuda or CudaVersion.from_variant(row.variant) or row.from_source
    if row.accelerator == "cuda" and not tells:
        yield f"the variant `{row.variant}` does not say its CUDA, and neither does `cuda`"


def _code(row: CodeRow, toolkit: CudaToolkit) -> Iterator[str]:
    for capability in (*_listed(row.kernels), *_listed(row.ptx)):
        least, most = toolkit.min_capability, toolkit.max_capability
        low = not isinstance(least, Unknown) and capability < least
        if low or (not isinstance(most, Unknown) and capability > most):
            yield f"{row.variant}: CUDA {toolkit.version.line} makes no code for {capability.sm}"


def _toolkit(cuda: CudaVersion | None, world: Hardware) -> CudaToolkit | None:
    return next((item for item in world.toolkits if cuda and item.version.line == cuda.line), None)


def _listed(part: Any) -> tuple[ComputeCapability, ...]:
    return () if isinstance(part, Unknown) else part
