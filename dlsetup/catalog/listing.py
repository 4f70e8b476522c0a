"""What the frameworks' own indexes have: which releases, for which Pythons and platforms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from packaging.version import Version

from dlsetup.catalog.generated_form import ListedDistribution, ListedRelease, ListingFile
from dlsetup.catalog.jobs import IndexJob
from dlsetup.catalog.learning import today
from dlsetup.catalog.pages import Wheel, wheels_of
from dlsetup.catalog.parallel import in_parallel
from dlsetup.catalog.registry import Registry
from dlsetup.catalog.releases import wheel_rows
from dlsetup.catalog.transport import Transport
from dlsetup.catalog.watch import Watch
from dlsetup.model.errors import DlsetupError, StepFailed


def learn_listings(todo: Iterable[IndexJob], cache: Path, watch: Watch) -> list[ListingFile]:
    """A listing of each index that answers. The others are said, and left as they are."""
    jobs = list(todo)
    watch.begin("other indexes", len(jobs))
    transport = Transport(retries=1)
    silent = _silent({_host(job): job for job in jobs}, transport)
    for host, why in silent.items():
        left = [job.index.name for job in jobs if _host(job) == host]
        watch.say(f"left as it is: {', '.join(left)}: {why}")
    asked = [job for job in jobs if _host(job) not in silent]

    def listing(job: IndexJob) -> ListingFile | DlsetupError:
        try:
            return _listing(job, Registry(job.index.url or "", cache, transport=transport))
        except DlsetupError as exc:
            return exc

    answers = in_parallel(listing, asked, lambda job: watch.step(job.index.name))
    for job, answer in zip(asked, answers, strict=True):
        if isinstance(answer, DlsetupError):
            watch.say(f"left as it is: {job.index.name}: {answer.message}")
    return [answer for answer in answers if isinstance(answer, ListingFile)]


def _host(job: IndexJob) -> str:
    return urlsplit(job.index.url or "").netloc


def _silent(hosts: dict[str, IndexJob], transport: Transport) -> dict[str, str]:
    """Hosts behind which nobody is, and why; one question each instead of one for every page."""
    found: dict[str, str] = {}
    for host, job in hosts.items():
        try:
            transport.ask(f"{job.index.url or ''}/", {}, 1 << 26, host)
        except StepFailed as exc:
            found[host] = exc.message
        except DlsetupError:
            continue
    return found


def _listing(job: IndexJob, registry: Registry) -> ListingFile:
    found = [
        ListedDistribution(name=row.name, releases=_releases(wheels_of(page, row.since)))
        for row in job.distributions
        if (page := registry.page(row.name)) is not None
    ]
    return ListingFile(index=job.index.name, checked=today(), distributions=tuple(found))


def _releases(wheels: Iterable[Wheel]) -> tuple[ListedRelease, ...]:
    by_version: dict[Version, list[Wheel]] = defaultdict(list)
    for wheel in wheels:
        by_version[wheel.version].append(wheel)
    return tuple(
        ListedRelease(
            version=version,
            wheels=wheel_rows(by_version[version]),
            yanked=all(wheel.file.yanked is not False for wheel in by_version[version]),
        )
        for version in sorted(by_version, reverse=True)
    )
