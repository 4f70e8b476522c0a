"""Learns releases, wheels and requirements from the package index and writes `generated/*.json`.

`python -m dlsetup.catalog.refresh [NAME...]`; the same as `dlsetup catalog refresh`. Files are replaced
whole, after everything has been learned: an interrupted refresh leaves the old ones.
"""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec.structs import replace

from dlsetup.catalog.folders import PACKAGED, Folders, user_folder
from dlsetup.catalog.form import GeneratedFile
from dlsetup.catalog.jobs import Job, jobs
from dlsetup.catalog.registry import Registry, configured_index, write_whole
from dlsetup.catalog.releases import Page, Wheel, releases, sdists_of, spokesmen, versions, wheels_of
from dlsetup.catalog.written import lost, written
from dlsetup.model.errors import DlsetupError, StepFailed, UsageError
from dlsetup.model.record import Record

CONNECTIONS = 8


class Refreshed(Record, frozen=True, kw_only=True):
    """What a refresh did to one file."""

    distribution: str
    path: str
    releases: int
    """Releases, or versions of a library."""
    changed: bool
    """Whether more than the date is new."""


def refresh(
    names: Iterable[str] = (),
    *,
    into: Path | None = None,
    index: str = "",
    allow_loss: bool = False,
    folders: Sequence[Path] = (),
    say: Callable[[str], None] = lambda _line: None,
) -> list[Refreshed]:
    """Refreshes the frameworks or distributions of these names, or all that the catalog uses.

    `into`: a catalog folder, or None for the user's own. `index`: the address of a simple API, or
    nothing for the one that uv or pip is configured with. `folders`: overlays whose frameworks count too.
    Raises `UsageError` for a name that the catalog does not know, and `StepFailed` where the index does not
    answer, or has lost releases that the old file knows (unless `allow_loss`).
    """
    from platformdirs import user_cache_path

    own = user_folder()
    folder = into or own
    if folder is None or own is None:
        raise UsageError("this user has no home folder to keep a catalog in", hint="set HOME to a folder")
    cache = user_cache_path("dlsetup", appauthor=False) / "registry"
    registry = Registry(index or configured_index(), cache, connections=CONNECTIONS)
    made: list[GeneratedFile] = []
    todo = jobs(names, Folders([*folders, *([into] if into else [])]))
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        for number, job in enumerate(todo, 1):
            say(f"[{number}/{len(todo)}] {job.row.name}")
            page = registry.page(job.row.name)
            if page is None:
                say(f"left as it is: the index has no `{job.row.name}`")
            else:
                made.append(_learn(job, page, registry, pool, say))
    if not allow_loss:
        _refuse_loss(made, folder)
    return [_write(file, folder) for file in made]


def _learn(
    job: Job, page: Page, registry: Registry, pool: ThreadPoolExecutor, say: Callable[[str], None]
) -> GeneratedFile:
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    wheels = wheels_of(page, job.row.since)
    empty = GeneratedFile(distribution=job.row.name, checked=today)
    if job.library:
        return replace(empty, versions=versions(wheels), yanked=versions(wheels, yanked=True))
    sdists = sdists_of(page, job.row.since) if job.row.sources else ()
    made, faults = releases(wheels, _metadata(wheels, registry, pool), job.row.extras, sdists)
    for fault in faults:
        say(f"left out: {fault}")
    return replace(empty, releases=made)


def _metadata(wheels: Sequence[Wheel], registry: Registry, pool: ThreadPoolExecutor) -> dict[str, str]:
    files = {wheel.file.filename: wheel.file for wheel in spokesmen(wheels).values()}
    answers = pool.map(registry.metadata, files.values())
    return dict(zip(files, answers, strict=True))


def _refuse_loss(made: Iterable[GeneratedFile], folder: Path) -> None:
    folders = Folders([folder])
    for file in made:
        old = folders.json(f"generated/{file.distribution}.json", GeneratedFile)
        gone = lost(old, file) if old else []
        if gone:
            raise StepFailed(
                f"the index no longer has {', '.join(gone[:5])} of `{file.distribution}`",
                hint="If that is right, refresh again with `--allow-loss`. Nothing was changed.",
            )


def _write(file: GeneratedFile, folder: Path) -> Refreshed:
    path = folder / "generated" / f"{file.distribution}.json"
    before = Folders([folder]).json(f"generated/{file.distribution}.json", GeneratedFile)
    try:
        write_whole(path, written(file))
    except OSError as exc:
        raise StepFailed(f"cannot write {path}: {exc.strerror or exc}") from exc
    return Refreshed(
        distribution=file.distribution,
        path=str(path),
        releases=len(file.releases) or len(file.versions),
        changed=before is None or replace(before, checked=file.checked) != file,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """The command line of `python -m dlsetup.catalog.refresh`."""
    parser = argparse.ArgumentParser(prog="python -m dlsetup.catalog.refresh", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="frameworks, distributions; else all")
    parser.add_argument("--into", type=Path, help="folder; `packaged` for the package's own data")
    parser.add_argument("--index", default="", help="address of the simple API")
    parser.add_argument("--allow-loss", action="store_true", help="accept that releases are gone")
    asked = parser.parse_args(argv)
    into = PACKAGED if asked.into == Path("packaged") else asked.into
    try:
        done = refresh(
            asked.names,
            into=into,
            index=asked.index,
            allow_loss=asked.allow_loss,
            say=lambda line: print(line, file=sys.stderr),
        )
    except DlsetupError as exc:
        print(f"error: {exc.message}", f"hint: {exc.hint}" if exc.hint else "", sep="\n", file=sys.stderr)
        return exc.exit_code
    for item in done:
        print(f"{item.distribution}: {item.releases} ({'changed' if item.changed else 'as before'})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
