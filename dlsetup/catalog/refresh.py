"""Learns from package indexes what the catalog's generated files hold, and writes them.

`python -m dlsetup.catalog.refresh [NAME...]`; the same as `dlsetup catalog refresh`. Everything is learned
before anything is written, and all files are written or none: an interrupted refresh leaves the old ones.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from dlsetup.catalog.delivery import deliver
from dlsetup.catalog.folders import PACKAGED, Folders, user_folder
from dlsetup.catalog.form import FrameworkFile, GeneratedFile, MeasuredFile
from dlsetup.catalog.generated_form import OverlapsFile
from dlsetup.catalog.guards import disagreements
from dlsetup.catalog.jobs import Owners, framework_files, index_jobs, jobs, owners
from dlsetup.catalog.learning import Pages, learn, learn_overlaps, read_pages
from dlsetup.catalog.listing import learn_listings
from dlsetup.catalog.new_file import OVERLAPS, NewFile
from dlsetup.catalog.registry import Registry, index_asked
from dlsetup.catalog.watch import Watch
from dlsetup.model.errors import DataError, DlsetupError, StepFailed, UsageError
from dlsetup.model.record import Record

TOLD = 3
"""How many differences the error names; the watch is told all."""
K = TypeVar("K")


class Errand(Record, frozen=True, kw_only=True):
    """What to refresh, and where."""

    names: tuple[str, ...] = ()
    """Frameworks, distributions, `overlaps`; none: all that the catalog uses."""
    into: Path | None = None
    """A catalog folder; None: the user's own."""
    index: str = ""
    """The address of a simple API; empty: the one that uv or pip is configured with."""
    folders: tuple[Path, ...] = ()
    """Overlays whose frameworks count too."""
    allow_loss: bool = False
    allow_disagreement: bool = False


class Refreshed(Record, frozen=True, kw_only=True):
    """What a refresh did to one file."""

    name: str
    """A distribution, `index-NAME`, or `overlaps`."""
    path: str
    rows: int
    """Releases, versions of a library, or groups of distributions."""
    changed: bool
    """Whether more than the date is new."""


def refresh(errand: Errand, watch: Watch | None = None) -> list[Refreshed]:
    """Refreshes what the errand names.

    Raises `UsageError` for a name that the catalog does not know, and `StepFailed` where the index does not
    answer, has lost what the old files know (unless `allow_loss`), or says something else than a curated
    row does (unless `allow_disagreement`). Nothing has changed then.
    """
    own = user_folder()
    folder = errand.into or own
    if folder is None or own is None:
        raise UsageError("this user has no home folder to keep a catalog in", hint="set HOME to a folder")
    place = Folders([*errand.folders, *([errand.into] if errand.into else [])], user=own)
    follow = watch or Watch()
    files = _learn(errand, place, Folders([folder]), follow)
    if not errand.allow_loss:
        gone = [line for file in files for line in file.lost()]
        _refuse("the index no longer has what the catalog knows", gone, "--allow-loss", follow)
    if not errand.allow_disagreement:
        against = _against(files, place)
        _refuse("the index disagrees with what is written", against, "--allow-disagreement", follow)
    deliver({file.path: file.text for file in files}, folder)
    return [
        Refreshed(name=file.name, path=str(folder / file.path), rows=file.rows, changed=file.changed)
        for file in files
    ]


def cache_folder() -> Path:
    """Where pages, metadata and file lists are kept that an index gave."""
    from platformdirs import user_cache_path

    return user_cache_path("dlsetup", appauthor=False) / "registry"


def _learn(errand: Errand, place: Folders, old: Folders, watch: Watch) -> list[NewFile]:
    named = tuple(name for name in errand.names if name != OVERLAPS)
    todo = jobs(named, place) if named or not errand.names else []
    others = index_jobs(named, place) if named or not errand.names else []
    sharing = owners(place) if not errand.names or OVERLAPS in errand.names else None
    registry = Registry(index_asked(errand.index), cache_folder())
    wanted = {*(job.row.name for job in todo), *(sharing.names if sharing else ())}
    pages = read_pages(wanted, registry, watch)
    return [
        *(NewFile.of(file, old) for file in learn(todo, pages, registry, watch)),
        *(NewFile.of(file, old) for file in learn_listings(others, cache_folder(), watch)),
        *(NewFile.of(file, old) for file in _overlaps(sharing, pages, registry, watch)),
    ]


def _overlaps(sharing: Owners | None, pages: Pages, registry: Registry, watch: Watch) -> list[OverlapsFile]:
    """None where the index gives no parts of files, which is no reason to learn nothing else."""
    try:
        return [learn_overlaps(sharing, pages, registry, watch)] if sharing else []
    except (StepFailed, DataError) as exc:
        watch.say(f"left as it is: {OVERLAPS}: {exc.message}")
        return []


def _against(files: Iterable[NewFile], place: Folders) -> list[str]:
    """Where what was learned just now speaks against curated rows."""
    new = {file.name: file.new for file in files if isinstance(file.new, GeneratedFile)}
    touched = [file for file in framework_files(place).values() if new.keys() & distributions_of(file)]
    names = {name for file in touched for name in distributions_of(file)}
    generated = known_files(names, "generated", GeneratedFile, place) | new
    measured = known_files(names, "measured", MeasuredFile, place)
    every = disagreements(touched, generated, measured)
    return [str(item) for item in every if item.distribution in new]


def known_files(names: Iterable[str], kind: str, form: type[K], place: Folders) -> dict[str, K]:
    """The files of one kind that there are, by name."""
    found = {name: place.json(f"{kind}/{name}.json", form) for name in names}
    return {name: file for name, file in found.items() if file is not None}


def distributions_of(file: FrameworkFile) -> set[str]:
    """Everything whose releases its rows speak of."""
    likes = {file.like.framework} if file.like else set()
    return {*file.libraries, *(row.name for row in file.distribution), *likes}


def _refuse(what: str, lines: Sequence[str], option: str, watch: Watch) -> None:
    """Says what there is to say, and raises `StepFailed`."""
    for line in lines:
        watch.say(line)
    if lines:
        more = f"; and {len(lines) - TOLD} more" if len(lines) > TOLD else ""
        raise StepFailed(
            f"{what}: {'; '.join(lines[:TOLD])}{more}",
            hint=f"If that is right, refresh again with `{option}`. Nothing was changed.",
        )


class _Lines(Watch):
    """Tells everything on standard error, a line each."""

    def begin(self, what: str, total: int) -> None:
        print(f"{what}: {total}", file=sys.stderr)

    def say(self, text: str) -> None:
        print(text, file=sys.stderr)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line of `python -m dlsetup.catalog.refresh`."""
    parser = argparse.ArgumentParser(prog="python -m dlsetup.catalog.refresh", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="frameworks, distributions, overlaps; else all"
    )
    parser.add_argument("--into", type=Path, help="folder; `packaged` for the package's own data")
    parser.add_argument("--index", default="", help="address of the simple API")
    parser.add_argument("--allow-loss", action="store_true", help="accept that releases are gone")
    parser.add_argument(
        "--allow-disagreement", action="store_true", help="accept that curated rows are wrong"
    )
    asked = parser.parse_args(argv)
    errand = Errand(
        names=tuple(asked.names),
        into=PACKAGED if asked.into == Path("packaged") else asked.into,
        index=asked.index,
        allow_loss=asked.allow_loss,
        allow_disagreement=asked.allow_disagreement,
    )
    try:
        done = refresh(errand, _Lines())
    except DlsetupError as exc:
        print(f"error: {exc.message}", f"hint: {exc.hint}" if exc.hint else "", sep="\n", file=sys.stderr)
        return exc.exit_code
    for item in done:
        print(f"{item.name}: {item.rows} ({'changed' if item.changed else 'as before'})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
