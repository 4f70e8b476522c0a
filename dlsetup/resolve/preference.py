"""Which release is better: the newest, a stable one, the smallest, or the one that is there already."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from datetime import date, timedelta

from packaging.version import Version

from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.record import Unknown
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.wish import Kept, Wish
from dlsetup.rules.wheels import fitting_wheels

SETTLED_DAYS = 30
"""A release that was out for fewer days, on the day the catalog was checked, is not stable yet."""
RECENT_DAYS = 365
"""`smallest` looks first among the releases that are at most so much older than the newest one."""
UNKNOWN_BYTES = (1, 0)


class Preference:
    """The order of releases. It rests on the catalog alone: no clock, so the same question has one answer."""

    def __init__(self, wish: Wish, catalog: Catalog) -> None:
        self.prefer = wish.prefer
        self.kept: Mapping[str, Kept] = {item.framework: item for item in wish.kept}
        self.checked = _day(catalog.checked)
        self._newest: dict[str, tuple[tuple[int, ...], date | None]] = {}

    def in_order(self, framework: Framework, builds: Iterable[Build]) -> list[Build]:
        """The builds by their release, the best first; those of one release stay in their order."""
        newest_first = sorted(builds, key=lambda item: item.version, reverse=True)
        if self.prefer == "stable":
            return sorted(newest_first, key=lambda item: self.instability(framework, item))
        if self.prefer == "keep" and framework.name in self.kept:
            return self._nearest_first(self.kept[framework.name], newest_first)
        return newest_first

    def facets(
        self, framework: Framework, build: Build, interpreter: Interpreter, target: Target
    ) -> dict[str, Hashable]:
        """What only `smallest` weighs of a build: whether it is recent, and its bytes on this Python."""
        if self.prefer != "smallest":
            return {}
        wheels = fitting_wheels(build, interpreter, target)
        known = wheels is not None and not isinstance(wheels.size_bytes, Unknown)
        weight = (0, wheels.size_bytes) if wheels is not None and known else UNKNOWN_BYTES
        return {"recent": self.is_recent(framework, build), "bytes": weight}

    def instability(self, framework: Framework, build: Build) -> int:
        """0: a release that has settled; 1: one of the newest line; 2: one that is young as well or only."""
        if self._is_young(build):
            return 2
        return int(_line(build.version) == self._newest_of(framework)[0])

    def why_not_stable(self, framework: Framework, build: Build) -> str:
        """Why a release is not stable; empty if it is."""
        if self._is_young(build):
            return f"it was out for less than {SETTLED_DAYS} days when the catalog was checked"
        line = ".".join(map(str, _line(build.version)))
        return f"{line} is the newest line" if self.instability(framework, build) else ""

    def is_recent(self, framework: Framework, build: Build) -> bool:
        """Whether a release is not much older than the newest one; an unknown date counts as recent."""
        newest, day = self._newest_of(framework)[1], _day(build.released)
        return newest is None or day is None or newest - day <= timedelta(days=RECENT_DAYS)

    def _is_young(self, build: Build) -> bool:
        day = _day(build.released)
        return day is not None and self.checked is not None and (self.checked - day).days < SETTLED_DAYS

    def _newest_of(self, framework: Framework) -> tuple[tuple[int, ...], date | None]:
        """The newest line and the day of the newest release; prereleases and withdrawn ones do not count."""
        if framework.name not in self._newest:
            sound = [item for item in framework.builds if not (item.prerelease or item.yanked)]
            line = max((_line(item.version) for item in sound), default=())
            days = [day for item in sound if (day := _day(item.released)) is not None]
            self._newest[framework.name] = (line, max(days, default=None))
        return self._newest[framework.name]

    @staticmethod
    def _nearest_first(kept: Kept, builds: list[Build]) -> list[Build]:
        """The kept variant first; then by release, the nearest in the row of releases, of two the newer."""
        row = sorted({Version(item.version.public) for item in builds})
        place = sum(version < kept.version for version in row)
        places = {version: number for number, version in enumerate(row)}
        present = kept.version in places

        def distance(build: Build) -> tuple[int, bool, bool]:
            away = places[Version(build.version.public)] - place
            older = away < 0
            # A release that is not there lies between two: the newer of them is as near as the older.
            return abs(away) + (not present and not older), older, build.variant != kept.variant

        return sorted(builds, key=distance)


def order_in_words(wish: Wish) -> tuple[str, ...]:
    """What is preferred, the weightiest first, as the output states it."""
    names = [item.framework for item in wish.wanted]
    then = f" of {', then of '.join(names)}" if names else ""
    device = "a GPU for every framework, where there is one"
    releases = {
        "newest": f"the newest release{then}",
        "stable": f"a stable release{then}: not of the newest line, and out for {SETTLED_DAYS} days or more "
        "when the catalog was checked; of these the newest",
        "smallest": f"of the releases of the last {RECENT_DAYS} days before the newest, the fewest bytes of "
        "the frameworks' own wheels, where they are known; of equals the newest",
        "keep": "the fewest changed releases, Python counted as one; of what must change the nearest "
        "release; the fewest changed variants",
    }
    return (
        "what is asked for",
        device,
        "one CUDA family",
        releases[wish.prefer],
        "the CUDA line nearest to the driver's own",
        "the Python that most of their releases support",
    )


def _line(version: Version) -> tuple[int, ...]:
    return version.release[:2]


def _day(text: str | Unknown) -> date | None:
    if isinstance(text, Unknown):
        return None
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None
