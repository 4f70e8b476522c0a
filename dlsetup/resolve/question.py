"""A wish, a target and a catalog as keys to settle, choices for each, and what each choice asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence

from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish
from dlsetup.resolve.companions import Companions, brought_along
from dlsetup.resolve.devices import devices_of
from dlsetup.resolve.nearby import nearby
from dlsetup.resolve.pieces import (
    CUDA,
    NO_CUDA,
    PYTHON,
    Ask,
    BuildChoice,
    Choice,
    Force,
    Group,
    PythonChoice,
    Refusal,
    VersionChoice,
    library_key,
    variant_key,
    variant_of,
)
from dlsetup.resolve.preference import Preference
from dlsetup.resolve.pythons import pythons_of
from dlsetup.resolve.ranks import python_rank, supported_by, variant_rank
from dlsetup.resolve.refusals import (
    against_library,
    against_python,
    against_wheels,
    by_device,
    by_hardware,
    by_platform,
    by_wish,
)
from dlsetup.resolve.remembered import Remembered
from dlsetup.resolve.sources import asks_for_cpu, bounds_of, by_packages, by_source
from dlsetup.rules.driver import ceiling_of
from dlsetup.rules.gpus import with_capabilities

FAMILY_RULE = "rule family"
VARIANT_RULE = "rule variant"
_FAMILY = frozenset({FAMILY_RULE})
_VARIANT = frozenset({VARIANT_RULE})


class Question:
    """Everything the search may ask, worked out once and only where it is needed."""

    def __init__(self, wish: Wish, target: Target, catalog: Catalog) -> None:
        self.wish = wish
        self.catalog = catalog
        self.target = target
        self.known = with_capabilities(target, catalog.hardware)
        self.devices = devices_of(wish, target)
        self.ceiling = ceiling_of(target, catalog.hardware)
        self.preference = Preference(wish, catalog)
        self.bounds = bounds_of(wish)
        self.wanted = {item.framework: item for item in wish.wanted}
        self.frameworks = _in_play(tuple(self.wanted), catalog)
        there = {*self.wanted, *brought_along(self.frameworks, self.wanted.values())}
        self.companions = Companions(self.frameworks, self.known, catalog, there)
        self.blame: Counter[str] = Counter()
        """How often each key was part of a dead end: the search meets those first."""
        self._choices: dict[str, Sequence[Choice]] = {}
        self._groups: dict[str, list[Group]] = {}
        self._asks: dict[Choice, tuple[Ask, ...]] = {}
        self._against: dict[Choice, Remembered[Refusal]] = {}
        self._against_builds: dict[int, Remembered[Refusal]] = {}
        self._only_cpu = {
            name: all(build.accelerator == "cpu" for build in item.builds)
            for name, item in self.frameworks.items()
        }

    def choices(self, key: str) -> Sequence[Choice]:
        """Every choice for a key, the best first."""
        if key not in self._choices:
            self._choices[key] = tuple(self._make(key))
        return self._choices[key]

    def groups(self, key: str) -> list[Group]:
        """The choices for a key, those on one Python and of one CUDA family together."""
        if key not in self._groups:
            found: dict[tuple[Hashable, ...], Group] = {}
            for choice in self.choices(key):
                facets = {name: choice.facets[name] for name in ("python", "family") if name in choice.facets}
                found.setdefault(tuple(facets.values()), Group(facets, [])).choices.append(choice)
            self._groups[key] = list(found.values())
        return self._groups[key]

    def asks(self, choice: Choice) -> tuple[Ask, ...]:
        """What a choice asks of other keys."""
        if choice not in self._asks:
            self._asks[choice] = tuple(self._ask(choice))
        return self._asks[choice]

    def likeness(self, choice: Choice) -> Hashable:
        """What others can see of a choice, beside what it asks of them."""
        if not isinstance(choice, BuildChoice):
            return choice
        version = choice.build.version if choice.key in self.companions.named else None
        variant = choice.facets["variant"] if choice.key in self.companions.local else None
        return version, variant

    def refusals(self, choice: Choice) -> Iterator[Refusal]:
        """What forbids a choice by itself, the cheapest questions first."""
        if isinstance(choice, BuildChoice):
            yield from self._against_build(choice.build)
        if choice not in self._against:
            self._against[choice] = Remembered(self._refuse(choice))
        yield from self._against[choice]

    def admitted(self, choice: Choice, force: Force) -> bool:
        """Whether nothing that is in force forbids a choice."""
        return not any(force.holds(refusal.clauses) for refusal in self.refusals(choice))

    def roots(self, force: Force) -> Iterator[Ask]:
        """What must be settled: every framework of the wish, one CUDA family, one Python."""
        yield Ask(CUDA, "family", frozenset(choice.facets["family"] for choice in self.choices(CUDA)))
        yield Ask(PYTHON, "python", frozenset(choice.facets["python"] for choice in self.choices(PYTHON)))
        for name in self.wanted:
            if force.holds(frozenset({f"wish {name}"})):
                versions = frozenset(build.version for build in self.frameworks[name].builds)
                yield Ask(name, "version", versions)

    def clauses(self) -> set[str]:
        """Every clause that anything looked at so far rests on; after a failed search, all that matter."""
        against = (*self._against.values(), *self._against_builds.values())
        met: Iterable[frozenset[str]] = (
            *(refusal.clauses for refusals in against for refusal in refusals.known),
            *(ask.clauses for asks in self._asks.values() for ask in asks),
        )
        return {f"wish {name}" for name in self.wanted}.union(*met)

    def _make(self, key: str) -> Iterator[Choice]:
        if key == PYTHON:
            yield from self._pythons()
        elif key == CUDA:
            majors = {
                build.cuda.major for item in self.frameworks.values() for build in item.builds if build.cuda
            }
            yield from (Choice(CUDA, {"family": major}) for major in (*sorted(majors, reverse=True), NO_CUDA))
        elif key in self.frameworks:
            yield from self._builds(self.frameworks[key])
        elif key.startswith(variant_key("")):
            yield from self._variants(key)
        else:
            yield from self.companions.choices(key)

    def _pythons(self) -> Iterator[Choice]:
        wanted = [self.frameworks[name] for name in self.wanted]
        found = pythons_of(self.wish, self.target)
        ranked = sorted(found, key=lambda item: python_rank(item, supported_by(item, wanted)))
        yield from map(PythonChoice, ranked)

    def _builds(self, framework: Framework) -> Iterator[Choice]:
        near = nearby(framework.builds, self.known)
        builds = sorted(near, key=lambda item: variant_rank(item, self.devices, self.ceiling))
        for build in self.preference.in_order(framework, builds):
            facets: dict[str, Hashable] = {
                "version": build.version,
                "family": build.cuda.major if build.cuda else NO_CUDA,
                "variant": variant_of(build),
                "preferred": self.devices.prefers(build),
            }
            for python in self.choices(PYTHON):
                if isinstance(python, PythonChoice):
                    more = self.preference.facets(framework, build, python.interpreter, self.known)
                    yield BuildChoice(build, python.interpreter, {**facets, **more, **python.facets})

    def _variants(self, key: str) -> Iterator[Choice]:
        found = {
            (build.variant, build.index)
            for item in self.frameworks.values()
            if variant_key(item.family) == key
            for build in item.builds
        }
        yield from (Choice(key, {"variant": pair}) for pair in sorted(found))

    def _ask(self, choice: Choice) -> Iterator[Ask]:
        if choice.key in (PYTHON, CUDA):
            yield from self._ask_frameworks(choice)
        if not isinstance(choice, BuildChoice):
            return
        build, framework = choice.build, self.frameworks[choice.key]
        yield Ask(PYTHON, "python", frozenset({choice.facets["python"]}))
        if build.cuda is not None:
            yield Ask(CUDA, "family", frozenset({build.cuda.major}), _FAMILY)
        if framework.family and build.variant != "any":
            pair = frozenset({(build.variant, build.index)})
            yield Ask(variant_key(framework.family), "variant", pair, _VARIANT)
        yield from self.companions.asks(build, choice.interpreter)

    def _ask_frameworks(self, choice: Choice) -> Iterator[Ask]:
        """The same relation seen from the other side, so that settling it early narrows the frameworks."""
        for name in self.wanted:
            wished = frozenset({f"wish {name}"})
            if choice.key == PYTHON:
                yield Ask(name, "python", frozenset({choice.facets["python"]}), wished)
            else:
                families = frozenset({choice.facets["family"], NO_CUDA})
                yield Ask(name, "family", families, _FAMILY | wished)

    def _refuse(self, choice: Choice) -> Iterator[Refusal]:
        if isinstance(choice, BuildChoice):
            yield from against_wheels(choice.build, choice.interpreter, self.known)
            yield from self.companions.against(choice.build, choice.interpreter)
            yield from by_packages(self, choice.build, choice.interpreter)
        elif isinstance(choice, PythonChoice):
            yield from against_python(choice.interpreter, self.wish, self.known)
        elif isinstance(choice, VersionChoice):
            name = choice.key.removeprefix(library_key(""))
            yield from against_library(name, choice.version, self.known, self.catalog.hardware)

    def _against_build(self, build: Build) -> Remembered[Refusal]:
        """On whichever Python: kept by the build, because each Python asks it anew."""
        if id(build) not in self._against_builds:
            self._against_builds[id(build)] = Remembered(self._refuse_build(build))
        return self._against_builds[id(build)]

    def _refuse_build(self, build: Build) -> Iterator[Refusal]:
        wanted = self.wanted.get(build.framework)
        yield from by_wish(build, wanted, self.wish)
        yield from by_source(build, wanted, self.frameworks[build.framework])
        yield from by_platform(build, self.known)
        if not asks_for_cpu(wanted, build):
            yield from by_device(build, self.devices, only_cpu=self._only_cpu[build.framework])
        yield from by_hardware(build, self.known, self.catalog.hardware)


def _in_play(wanted: tuple[str, ...], catalog: Catalog) -> dict[str, Framework]:
    """The frameworks of the wish, and those of the catalog that they require, in this order."""
    found: dict[str, Framework] = {}
    waiting = list(wanted)
    while waiting:
        framework = catalog.framework(waiting.pop(0))
        if framework is not None and framework.name not in found:
            found[framework.name] = framework
            waiting += sorted(Companions.names(framework) & {item.name for item in catalog.frameworks})
    return found
