"""The plan that keeps as much as it can of what is installed.

The resolver decides what fits; here it is only asked again and again, with a catalog from which
everything is left out that would change more than is allowed in that round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations

from msgspec.structs import replace
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.record import Record, Unknown
from dlsetup.model.resolution import Clause, Conflict, Pick, Plan
from dlsetup.model.target import Target
from dlsetup.model.wish import Wanted, Wish
from dlsetup.resolve import fitting_plan, resolve
from dlsetup.resolve.devices import devices_of

MOST_TOGETHER = 6
"""Frameworks among which every set of changed variants is tried; of more, one, then all."""


class Present(Record, frozen=True, kw_only=True):
    """A framework as it is installed, in a release that the catalog knows."""

    framework: str
    version: Version
    """Without a local part."""
    build: Build | Unknown
    """One of those it may be: they differ in their platforms. Unknown: they differ in more, or none is it."""


Allowed = Mapping[str, tuple[Build, ...]]
"""Builds that may be chosen, for every framework that is present."""


def least_change(present: Sequence[Present], wish: Wish, target: Target, catalog: Catalog) -> Plan | Conflict:
    """The plan with the fewest changed versions, and among those the fewest changed variants.

    `wish` says for which device; what is wanted is filled in. Where nothing fits: the conflict of
    keeping every version.
    """
    search = _Search(present, wish, target, catalog)
    plan = search.plan()
    return search.conflict() if plan is None else _with_reasons(plan, search.present)


class _Search:
    def __init__(self, present: Sequence[Present], wish: Wish, target: Target, catalog: Catalog) -> None:
        self.present = {item.framework: item for item in present}
        self.wish = wish
        self.target = target
        self.catalog = catalog
        self.builds = {item.name: tuple(self._useful(item)) for item in self._frameworks()}

    def plan(self) -> Plan | None:
        kept = {name: item.version for name, item in self.present.items()}
        return self._of_versions(kept) or self._with_other_versions(kept)

    def conflict(self) -> Conflict:
        pinned = {name: f"=={item.version}" for name, item in self.present.items()}
        for bounds in (pinned, dict.fromkeys(pinned, "")):
            answer = resolve(self._wish(bounds), self.target, self.catalog)
            if isinstance(answer, Conflict):
                return answer
        names = " and ".join(self.present)
        text = f"no builds of {names} keep every device that they serve now"
        return Conflict(target=self.target, core=(Clause(kind="wish", text=text),))

    def _with_other_versions(self, kept: dict[str, Version]) -> Plan | None:
        """Lets go the versions of one framework, then of a family or a pair, then of all."""
        for leaving in self._sets_to_let_go():
            lead = leaving[0]
            staying = {name: version for name, version in kept.items() if name not in leaving}
            if not self._answer(self._allowed(staying), staying):
                continue
            for version in self._nearest_first(lead):
                plan = self._of_versions({**staying, lead: version})
                if plan is not None:
                    return plan
        return None

    def _of_versions(self, versions: Mapping[str, Version]) -> Plan | None:
        """The plan with these versions and the fewest changed variants."""
        free = self._answer(self._allowed(versions), versions)
        if free is None:
            return None
        exact = [name for name in versions if self._exact(name, versions[name])]
        for changing in _smallest_first(exact):
            keeping = {name for name in exact if name not in changing}
            plan = self._answer(self._allowed(versions, keeping), versions) if keeping else free
            if plan is not None:
                return plan
        return free

    def _answer(self, allowed: Allowed, versions: Mapping[str, Version]) -> Plan | None:
        if any(not builds for builds in allowed.values()):
            return None
        frameworks = tuple(
            replace(item, builds=allowed[item.name]) if item.name in allowed else item
            for item in self.catalog.frameworks
        )
        bounds = {name: f"=={versions[name]}" if name in versions else "" for name in self.present}
        return fitting_plan(self._wish(bounds), self.target, replace(self.catalog, frameworks=frameworks))

    def _allowed(self, versions: Mapping[str, Version], exactly: Iterable[str] = ()) -> Allowed:
        """Builds of these versions, and of `exactly` those the very build that is installed."""
        allowed = {
            name: tuple(build for build in builds if versions.get(name) in (None, _public(build)))
            for name, builds in self.builds.items()
        }
        return allowed | {name: self._exact(name, versions[name]) for name in exactly}

    def _exact(self, name: str, version: Version) -> tuple[Build, ...]:
        """The installed build on every platform, if it is of that version and may stay."""
        own = self.present[name].build
        if not isinstance(own, Build) or _public(own) != version:
            return ()
        same = (own.version, own.variant, own.index, own.requirements)
        return tuple(
            item
            for item in self.builds[name]
            if (item.version, item.variant, item.index, item.requirements) == same
        )

    def _sets_to_let_go(self) -> Iterator[tuple[str, ...]]:
        """The first of a set leads: the others rest on it. Alone, those that rest on others go first."""
        names = sorted(self.present, key=self._rests_on)
        families = {item.name: item.family for item in self._frameworks()}
        yield from ((name,) for name in reversed(names))
        for family in sorted(set(families.values()) - {""}):
            members = tuple(name for name in names if families[name] == family)
            if len(members) > 1:
                yield members
        yield from combinations(names, 2)
        if len(names) > 2:
            yield tuple(names)

    def _rests_on(self, name: str) -> int:
        """How many of the other frameworks it asks for."""
        texts = [text for build in self.builds[name][:1] for text in build.requires]
        others = [item for item in self._frameworks() if item.name != name]
        return sum(any(_asks_for(text, item) for text in texts) for item in others)

    def _nearest_first(self, name: str) -> list[Version]:
        """Every other release, the nearest in the row of releases first, of two the newer."""
        sound = [build for build in self.builds[name] if not (build.prerelease or build.yanked)]
        row = sorted({_public(build) for build in sound})
        own = self.present[name].version
        place = sum(version < own for version in row)
        others = [version for version in row if version != own]
        return sorted(others, key=lambda version: (abs(row.index(version) - place), version < own))

    def _useful(self, framework: Framework) -> Iterator[Build]:
        """Builds for the device; where CPU builds are allowed, none that takes a framework off a device."""
        build = self.present[framework.name].build
        devices = devices_of(self.wish, self.target)
        on_device = isinstance(build, Build) and build.accelerator != "cpu"
        only_cpu = all(item.accelerator == "cpu" for item in framework.builds)
        for item in framework.builds:
            leaves = on_device and item.accelerator == "cpu" and not only_cpu
            if devices.admits(item, only_cpu=only_cpu) and not (self.wish.allow_cpu and leaves):
                yield item

    def _frameworks(self) -> list[Framework]:
        return [item for item in self.catalog.frameworks if item.name in self.present]

    def _wish(self, bounds: Mapping[str, str]) -> Wish:
        wanted = tuple(
            Wanted(framework=name, specifier=SpecifierSet(bound), text=f"{name}{bound}")
            for name, bound in bounds.items()
        )
        return replace(self.wish, wanted=wanted)


def _with_reasons(plan: Plan, present: Mapping[str, Present]) -> Plan:
    """The plan with what was kept and what was not: the newest release is not what was looked for."""
    return replace(plan, picks=tuple(_with_reason(pick, present.get(pick.framework)) for pick in plan.picks))


def _with_reason(pick: Pick, own: Present | None) -> Pick:
    if own is None:
        because = "what is installed asks for it"
    elif Version(pick.version.public) != own.version:
        because = f"the nearest release that fits the rest, as {pick.variant} build"
    elif isinstance(own.build, Build) and (own.build.variant, own.build.index) == (pick.variant, pick.index):
        because = "it may stay"
    else:
        because = f"the {pick.variant} build of the same release"
    return replace(pick, because=because)


def _smallest_first(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Every set of names, the smaller ones first; of many names only none, one and all."""
    sizes: Iterable[int] = range(len(names) + 1)
    if len(names) > MOST_TOGETHER:
        sizes = (0, 1, len(names))
    return chain.from_iterable(combinations(names, size) for size in sizes)


def _public(build: Build) -> Version:
    return Version(build.version.public)


def _asks_for(requirement: str, framework: Framework) -> bool:
    name = framework.name
    return requirement.startswith(name) and not requirement[len(name) : len(name) + 1].isalnum()
