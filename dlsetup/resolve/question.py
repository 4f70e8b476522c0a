"""A wish, a target and a catalog as keys to settle, choices for each, and what each choice asks."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish
from dlsetup.resolve.companions import Companions
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
from dlsetup.resolve.requirements import brought_along, names_asked
from dlsetup.resolve.sources import asks_for_cpu, bounds_of, by_packages, by_source
from dlsetup.rules.driver import ceiling_of
from dlsetup.rules.gpus import with_capabilities

if TYPE_CHECKING:
    from dlsetup.resolve.formula import Formula

FAMILY_RULE = "rule family"
VARIANT_RULE = "rule variant"
_FAMILY = frozenset({FAMILY_RULE})
_VARIANT = frozenset({VARIANT_RULE})
Forbidding = dict[Hashable, tuple[frozenset[str], ...]]


class Question:
    """Everything the search may ask, worked out once and only where it is needed."""

    def __init__(self, wish: Wish, target: Target, catalog: Catalog, beside: Question | None = None) -> None:
        """`beside`: a question of the same catalog, whose knowledge is used as far as it holds here too."""
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
        alike = beside is not None and beside.companions.serve(self.frameworks, self.known, there)
        self.companions: Companions = (
            beside.companions if beside and alike else Companions(self.frameworks, self.known, catalog, there)
        )
        self.formulas: list[Formula] = []
        """What the search has made of the question so far."""
        self._choices: dict[str, Sequence[Choice]] = {}
        self._asks: dict[Choice, tuple[Ask, ...]] = {}
        self._alike: Forbidding = beside._alike if beside and alike else {}
        """What forbids builds that look the same to a rule, whatever the GPUs and their driver."""
        self._driven: Forbidding = beside._driven if beside and beside.known == self.known else {}
        """What the GPUs and their driver forbid."""
        self._looks: dict[int, Hashable] = beside._looks if beside else {}
        self._only_cpu = {
            name: all(build.accelerator == "cpu" for build in item.builds)
            for name, item in self.frameworks.items()
        }

    def choices(self, key: str) -> Sequence[Choice]:
        """Every choice for a key, the best first."""
        if key not in self._choices:
            self._choices[key] = tuple(self._make(key))
        return self._choices[key]

    def asks(self, choice: Choice) -> tuple[Ask, ...]:
        """What a choice asks of other keys."""
        if choice not in self._asks:
            self._asks[choice] = tuple(self._ask(choice))
        return self._asks[choice]

    def refusals(self, choice: Choice) -> Iterator[Refusal]:
        """What forbids a choice by itself, the cheapest questions first."""
        return chain(
            self._refuse_build(choice.build) if isinstance(choice, BuildChoice) else (), self._refuse(choice)
        )

    def forbids_anywhere(self, choice: Choice) -> Iterator[frozenset[str]]:
        """The clauses of these refusals, of a build of those on whichever Python.

        They are found without words, and only once for builds that a rule cannot tell apart.
        """
        if not isinstance(choice, BuildChoice):
            yield from (refusal.clauses for refusal in self._refuse(choice))
            return
        build = choice.build
        yield from (refusal.clauses for refusal in self._by_wish(build))
        yield from _once(self._alike, ("platform", self._look(build)), by_platform(build, self.known))
        looks = (build.accelerator, build.cuda, build.kernels, build.exact, build.ptx, build.gfx)
        hardware = by_hardware(build, self.known, self.catalog.hardware)
        yield from _once(self._driven, (*looks, build.min_capability), hardware)

    def forbids_here(self, choice: Choice) -> Iterator[frozenset[str]]:
        """The same of a build on its Python alone."""
        if isinstance(choice, BuildChoice):
            build, python = choice.build, choice.interpreter
            place = (choice.facets["python"], self._look(build))
            yield from _once(self._alike, place, against_wheels(build, python, self.known))
            said = ("asks", *self.companions.said(build, python))
            yield from _once(self._alike, said, self.companions.against(build, python))
            yield from (refusal.clauses for refusal in by_packages(self, build, python))

    def _look(self, build: Build) -> Hashable:
        """What rules about wheels see of a build."""
        if id(build) not in self._looks:
            tags = tuple((item.pythons, item.platform) for item in build.wheels)
            self._looks[id(build)] = (tags, build.requires_python)
        return self._looks[id(build)]

    def admitted(self, choice: Choice, force: Force) -> bool:
        """Whether nothing that is in force forbids a choice."""
        return not any(force.holds(refusal.clauses) for refusal in self.refusals(choice))

    def roots(self) -> Iterator[Ask]:
        """What must be settled: one CUDA family, one Python, and every framework as long as it is wished."""
        yield Ask(CUDA, "family", frozenset(choice.facets["family"] for choice in self.choices(CUDA)))
        yield Ask(PYTHON, "python", frozenset(choice.facets["python"] for choice in self.choices(PYTHON)))
        for name in self.wanted:
            versions = frozenset(build.version for build in self.frameworks[name].builds)
            yield Ask(name, "version", versions, frozenset({f"wish {name}"}))

    def wishes(self) -> dict[str, str]:
        """The frameworks that are wished, each by the clause that says so."""
        return {f"wish {name}": name for name in self.wanted}

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
        if not isinstance(choice, BuildChoice):
            return
        build, framework = choice.build, self.frameworks[choice.key]
        if build.cuda is not None:
            yield Ask(CUDA, "family", frozenset({build.cuda.major}), _FAMILY)
        if framework.family and build.variant != "any":
            pair = frozenset({(build.variant, build.index)})
            yield Ask(variant_key(framework.family), "variant", pair, _VARIANT)
        yield from self.companions.asks(build, choice.interpreter)

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

    def _refuse_build(self, build: Build) -> Iterator[Refusal]:
        yield from self._by_wish(build)
        yield from by_platform(build, self.known)
        yield from by_hardware(build, self.known, self.catalog.hardware)

    def _by_wish(self, build: Build) -> Iterator[Refusal]:
        """What is asked for, and which device that means."""
        wanted = self.wanted.get(build.framework)
        yield from by_wish(build, wanted, self.wish)
        yield from by_source(build, wanted, self.frameworks[build.framework])
        if not asks_for_cpu(wanted, build):
            yield from by_device(build, self.devices, only_cpu=self._only_cpu[build.framework])


def _once(known: Forbidding, look: Hashable, refusals: Iterator[Refusal]) -> tuple[frozenset[str], ...]:
    if look not in known:
        known[look] = tuple(refusal.clauses for refusal in refusals)
    return known[look]


def _in_play(wanted: tuple[str, ...], catalog: Catalog) -> dict[str, Framework]:
    """The frameworks of the wish, and those of the catalog that they require, in this order."""
    found: dict[str, Framework] = {}
    waiting = list(wanted)
    while waiting:
        framework = catalog.framework(waiting.pop(0))
        if framework is not None and framework.name not in found:
            found[framework.name] = framework
            waiting += sorted(names_asked(framework) & {item.name for item in catalog.frameworks})
    return found
