"""What a package index says of distributions: their releases, and the files that they overwrite."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace
from packaging.version import Version

from dlsetup.catalog.file_lists import FAMILIES, FileList, file_lists
from dlsetup.catalog.form import GeneratedFile
from dlsetup.catalog.generated_form import OverlapRow, OverlapsFile
from dlsetup.catalog.jobs import Job, Owners
from dlsetup.catalog.overlaps import overlaps
from dlsetup.catalog.pages import Page, Wheel, sdists_of, spokesmen, wheels_of
from dlsetup.catalog.parallel import in_parallel
from dlsetup.catalog.ranges import Member
from dlsetup.catalog.registry import Registry
from dlsetup.catalog.releases import built, releases, versions
from dlsetup.catalog.watch import Watch

Pages = Mapping[str, Page]


def today() -> str:
    """The ISO date, the same all over the world."""
    return datetime.datetime.now(datetime.timezone.utc).date().isoformat()


def read_pages(names: Iterable[str], registry: Registry, watch: Watch) -> dict[str, Page]:
    """The pages of these distributions, but for those that the index does not have."""
    wanted = sorted(set(names))
    watch.begin("pages", len(wanted))
    found = zip(wanted, in_parallel(registry.page, wanted, watch.step), strict=True)
    return {name: page for name, page in found if page is not None}


def learn(jobs: Sequence[Job], pages: Pages, registry: Registry, watch: Watch) -> list[GeneratedFile]:
    """A file for each distribution that the index has; the others are said and left as they are."""
    for job in jobs:
        if job.row.name not in pages:
            watch.say(f"left as it is: the index has no `{job.row.name}`")
    todo = [job for job in jobs if job.row.name in pages]
    wheels = {job.row.name: wheels_of(pages[job.row.name], job.row.since) for job in todo}
    texts = _metadata([wheels[job.row.name] for job in todo if not job.library], registry, watch)
    return [_file(job, wheels[job.row.name], pages[job.row.name], texts, watch) for job in todo]


def learn_overlaps(sharing: Owners, pages: Pages, registry: Registry, watch: Watch) -> OverlapsFile:
    """Which of these distributions overwrite each other's files.

    A group of twins stands for itself: what lies in `cv2` of one is no matter of other groups.
    """
    every = sorted(sharing.names & pages.keys())
    watch.begin("file lists", len(every))

    def lists(name: str) -> dict[str, tuple[FileList, ...]]:
        wheels = wheels_of(pages[name], Version("0"))
        return {family: file_lists(wheels, family, read) for family in FAMILIES}

    def read(wheel: Wheel) -> tuple[Member, ...]:
        return registry.members(wheel.file)

    found = dict(zip(every, in_parallel(lists, every, watch.step), strict=True))

    def among(names: Iterable[str]) -> tuple[OverlapRow, ...]:
        return overlaps({name: found[name] for name in names if name in found})

    twins = tuple(row for group in sharing.twins for row in among(group))
    return OverlapsFile(checked=today(), libraries=among(sharing.libraries), twins=twins)


def _metadata(groups: Iterable[Sequence[Wheel]], registry: Registry, watch: Watch) -> dict[str, str]:
    """By file name, for the wheels that speak for the others of their distribution."""
    speakers = [wheel.file for group in groups for wheel in spokesmen(group).values()]
    files = {file.filename: file for file in speakers}
    watch.begin("metadata", len(files))
    answers = in_parallel(registry.metadata, files.values(), lambda file: watch.step(file.filename))
    return dict(zip(files, answers, strict=True))


def _file(
    job: Job, wheels: Sequence[Wheel], page: Page, texts: Mapping[str, str], watch: Watch
) -> GeneratedFile:
    empty = GeneratedFile(distribution=job.row.name, checked=today())
    if job.required:
        empty = replace(empty, built=built(wheels, sdists_of(page, job.row.since)))
    if job.library:
        return replace(empty, versions=versions(wheels), yanked=versions(wheels, yanked=True))
    sdists = sdists_of(page, job.row.since) if job.row.sources else ()
    made, faults = releases(wheels, texts, job.row.extras, sdists)
    for fault in faults:
        watch.say(f"left out: {fault}")
    return replace(empty, releases=made)
