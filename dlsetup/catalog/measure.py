"""Reads out of published wheels for which GPUs they hold code, and writes `measured/*.json`.

`python -m dlsetup.catalog.measure onnxruntime-gpu==1.31.1 --into packaged`, for maintainers of the catalog.
Of a wheel only its shared objects are downloaded; nothing in it is ever imported or run. With `--into`
the rows replace those of the same release and platform, without it they are only shown.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace
from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import Version

from dlsetup.catalog.architectures import Built, Counts, built_for, told
from dlsetup.catalog.delivery import write_whole
from dlsetup.catalog.fatbin import fat_binaries
from dlsetup.catalog.folders import PACKAGED, Folders
from dlsetup.catalog.form import MeasuredFile, MeasuredRow
from dlsetup.catalog.pages import Wheel, spokesmen, wheels_of
from dlsetup.catalog.registry import Registry, index_asked
from dlsetup.catalog.shared_objects import fat_sections
from dlsetup.catalog.wheel_reader import PIECE, libraries, unpack, unzipping
from dlsetup.catalog.written import written_measured
from dlsetup.model.errors import DataError, DlsetupError, StepFailed, UsageError
from dlsetup.model.record import Record

HOW = (
    "the headers of the fat binaries in the shared objects of the published wheels (sections `.nv_fatbin` "
    "and `.nv_fatb`): the set of architectures that most pieces of code in them belong to"
)
Say = Callable[[str], None]


class Wanted(Record, frozen=True, kw_only=True):
    """What to look at in the wheels of one release."""

    distribution: str
    version: Version
    platforms: tuple[str, ...] = ()
    """Families; none: all that the release has wheels for."""
    library: str = "*"
    """Pattern of paths inside the wheel."""


def measure(wanted: Wanted, registry: Registry, say: Say) -> list[MeasuredRow]:
    """One row for each family of platforms whose wheel holds GPU code.

    Raises `UsageError` for a release or platform that the index does not have, `DataError` where the
    libraries of a wheel do not agree on their architectures, `StepFailed` and `ToolMissing`.
    """
    return [row for wheel in _wheels(wanted, registry) for row in _rows(wanted, wheel, registry, say)]


def keep(distribution: str, rows: Iterable[MeasuredRow], folder: Path) -> Path:
    """Writes the rows beside those that `folder` has, in place of those of the same release and platform."""
    relative = f"measured/{distribution}.json"
    old = Folders([folder]).json(relative, MeasuredFile)
    kept = {(row.version, row.platform): row for row in (old.rows if old else ())}
    kept |= {(row.version, row.platform): row for row in rows}
    newest_first = sorted(sorted(kept.values(), key=lambda row: row.platform), key=_version, reverse=True)
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    file = MeasuredFile(distribution=distribution, how=HOW, checked=today, rows=tuple(newest_first))
    try:
        write_whole(folder / relative, written_measured(file))
    except OSError as exc:
        raise StepFailed(f"cannot write {folder / relative}: {exc.strerror or exc}") from exc
    return folder / relative


def _version(row: MeasuredRow) -> Version:
    return row.version


def _wheels(wanted: Wanted, registry: Registry) -> list[Wheel]:
    page = registry.page(wanted.distribution)
    if page is None:
        raise UsageError(f"the package index has no `{wanted.distribution}`")
    every = [item for item in wheels_of(page, wanted.version) if item.version == wanted.version]
    by_family = {family: wheel for (_, family), wheel in spokesmen(every).items()}
    missing = [item for item in wanted.platforms if item not in by_family]
    if missing or not by_family:
        release = f"`{wanted.distribution}=={wanted.version}`"
        of = f" of {', '.join(missing)}" if missing else ""
        hint = f"It has wheels for {', '.join(sorted(by_family))}." if by_family else ""
        raise UsageError(f"the package index has no wheel{of} for {release}", hint=hint)
    return [by_family[family] for family in wanted.platforms or sorted(by_family)]


def _rows(wanted: Wanted, wheel: Wheel, registry: Registry, say: Say) -> list[MeasuredRow]:
    name = wheel.file.filename
    say(name)
    counts = _counts(wheel, wanted.library, registry, say)
    if not counts:
        say("  holds no GPU code")
        return []
    built = _agreed({member: built_for(item) for member, item in counts.items()}, name)
    row = MeasuredRow(
        version=wheel.version,
        platform=wheel.families[0],
        kernels=built.kernels,
        ptx=built.ptx,
        exact=built.exact,
        wheel=name,
        sha256=wheel.file.hashes.sha256,
        libraries=tuple(sorted(counts)),
    )
    return [replace(row, platform=family) for family in dict.fromkeys(wheel.families)]


def _counts(wheel: Wheel, pattern: str, registry: Registry, say: Say) -> dict[str, Counts]:
    """By library that holds GPU code."""
    found: dict[str, Counts] = {}
    where = wheel.file.filename
    with (
        tempfile.TemporaryDirectory(prefix="dlsetup-measure-") as folder,
        registry.opened(wheel.file, PIECE) as file,
        unzipping(file, where) as inside,
    ):
        for member in libraries(inside, pattern):
            place = Path(folder) / "library"
            unpack(inside, member, place, say)
            counts = _counted(place, f"{where}: {member.filename}")
            if counts:
                found[member.filename] = counts
                say("\n".join([f"  {member.filename}", *(f"  {line}" for line in told(counts))]))
    return found


def _counted(place: Path, where: str) -> Counts:
    counts: Counts = Counter()
    try:
        with place.open("rb") as file:
            for section in fat_sections(place):
                counts.update(fat_binaries(file, section.start, section.size))
    except DataError as exc:
        raise DataError(f"{where}: {exc.message}") from exc
    return counts


def _agreed(built: dict[str, Built], wheel: str) -> Built:
    first = next(iter(built.values()))
    if any(item != first for item in built.values()):
        raise DataError(
            f"{wheel}: its libraries are built for different GPUs",
            hint="Name the one with the framework's own code: `--library 'torch/lib/libtorch_cuda.so'`.",
        )
    return first


def _wanted(text: str, platforms: Sequence[str], library: str) -> Wanted:
    try:
        asked = Requirement(text)
        (pin,) = asked.specifier
    except (InvalidRequirement, ValueError) as exc:
        raise UsageError(
            f"`{text}` names no release", hint="Write it like `onnxruntime-gpu==1.31.1`."
        ) from exc
    if pin.operator != "==" or "*" in pin.version:
        raise UsageError(f"`{text}` names no release", hint="Write it like `onnxruntime-gpu==1.31.1`.")
    return Wanted(
        distribution=asked.name, version=Version(pin.version), platforms=tuple(platforms), library=library
    )


def main(argv: Sequence[str] | None = None) -> int:
    """The command line of `python -m dlsetup.catalog.measure`."""
    parser = argparse.ArgumentParser(prog="python -m dlsetup.catalog.measure", description=__doc__)
    parser.add_argument("releases", nargs="+", metavar="NAME==VERSION")
    parser.add_argument("--platform", action="append", default=[], help="family: `linux-x86_64`; else all")
    parser.add_argument("--library", default="*", help="pattern of paths in the wheel; else all libraries")
    parser.add_argument("--into", type=Path, help="folder; `packaged` for the package's own data")
    parser.add_argument("--index", default="", help="address of the simple API")
    asked = parser.parse_args(argv)
    try:
        _run(asked, lambda line: print(line, file=sys.stderr, flush=True))
    except DlsetupError as exc:
        print(f"error: {exc.message}", f"hint: {exc.hint}" if exc.hint else "", sep="\n", file=sys.stderr)
        return exc.exit_code
    return 0


def _run(asked: argparse.Namespace, say: Say) -> None:
    from platformdirs import user_cache_path

    cache = user_cache_path("dlsetup", appauthor=False) / "registry"
    registry = Registry(index_asked(asked.index), cache)
    into = PACKAGED if asked.into == Path("packaged") else asked.into
    for text in asked.releases:
        wanted = _wanted(text, asked.platform, asked.library)
        rows = measure(wanted, registry, say)
        for row in rows:
            print(f"{wanted.distribution} {row.version} {row.platform}: {_line(row)}")
        if into and rows:
            print(keep(wanted.distribution, rows, into))


def _line(row: MeasuredRow) -> str:
    kernels = " ".join(f"{item}{'a' if item in row.exact else ''}" for item in row.kernels)
    return f"kernels {kernels or 'none'}; PTX {' '.join(map(str, row.ptx)) or 'none'}"


if __name__ == "__main__":
    sys.exit(main())
