"""What `resolve` says of drawn builds: by pins alone, by pins that metadata state, by all of its rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

import tomli
from draws import Combination
from msgspec.structs import replace
from packaging.specifiers import SpecifierSet

from dlsetup.catalog.folders import PACKAGED
from dlsetup.catalog.load import load
from dlsetup.model.framework import Build, Catalog
from dlsetup.model.wish import Wanted, Wish
from dlsetup.resolve.companions import FILES_RULE
from dlsetup.resolve.core import smallest_core
from dlsetup.resolve.explain import clauses_of
from dlsetup.resolve.pieces import BuildChoice, Force
from dlsetup.resolve.question import FAMILY_RULE, VARIANT_RULE, Question
from dlsetup.resolve.refusals import DRIVER_RULE, GPU_RULE, KERNELS_RULE, LIBRARY_RULE
from dlsetup.resolve.search import clash, formula_of, settle

BEYOND_PINS = frozenset(
    {FILES_RULE, FAMILY_RULE, VARIANT_RULE, DRIVER_RULE, GPU_RULE, KERNELS_RULE, LIBRARY_RULE}
)
"""Rules of which uv knows nothing."""


class Verdict(NamedTuple):
    pins: bool
    """Whether versions, Pythons and wheels go together."""
    by_metadata: bool
    """The same, without the requirements that the catalog adds because metadata forget them."""
    against: tuple[str, ...] = ()
    """What stands against it: by pins, else by whichever rule."""
    ready: tuple[str, ...] = ()
    """How an installer is asked for all that was settled by pins alone."""
    requires: tuple[str, ...] = ()
    """What that requires itself."""


def verdict(drawn: Combination) -> Verdict:
    """Of exactly these builds; what they bring along may be any build of the configured index."""
    question = _question(drawn, _catalog(drawn))
    settled = settle(question, Force(without=BEYOND_PINS))
    if settled is None:
        bare = _question(drawn, _with_metadata_alone(_catalog(drawn)))
        by_metadata = settle(bare, Force(without=BEYOND_PINS)) is not None
        return Verdict(False, by_metadata, _texts(question, _core_of_pins(question)))
    picks = [item for item in settled.values() if isinstance(item, BuildChoice)]
    ready = tuple(text for item in picks for text in item.build.requirements)
    specifiers = (question.companions.specifiers(item.build, item.interpreter) for item in picks)
    requires = (f"{name}{specifier}" for found in specifiers for name, specifier in found.items())
    against = () if settle(question) is not None else _texts(question, smallest_core(question))
    return Verdict(True, True, against, ready, tuple(dict.fromkeys(requires)))


def _question(drawn: Combination, catalog: Catalog) -> Question:
    wanted = tuple(_wanted(build) for build in drawn.builds)
    wish = Wish(wanted=wanted, python=SpecifierSet(f"=={drawn.python}.*"))
    return Question(wish, drawn.target, catalog)


def _wanted(build: Build) -> Wanted:
    bound = f"=={build.version}"
    return Wanted(framework=build.framework, specifier=SpecifierSet(bound), text=f"{build.framework}{bound}")


def _catalog(drawn: Combination) -> Catalog:
    own = {build.framework: (build,) for build in drawn.builds}
    known = load(list(own))
    frameworks = (
        replace(item, builds=own.get(item.name) or tuple(b for b in item.builds if b.index == "default"))
        for item in known.frameworks
    )
    return replace(known, frameworks=tuple(frameworks))


def _with_metadata_alone(catalog: Catalog) -> Catalog:
    frameworks = (
        replace(item, builds=tuple(_bare(item.builds, _added(item.name)))) for item in catalog.frameworks
    )
    return replace(catalog, frameworks=tuple(frameworks))


def _bare(builds: Iterable[Build], added: tuple[frozenset[str], str]) -> Iterator[Build]:
    """Without what the catalog adds: its own texts and those of the framework that it is built like, the pin
    on that one, and that one of several is needed.
    """
    texts, like = added
    for build in builds:
        kept = (
            text
            for text in build.requires
            if text not in texts and not (like and text.startswith(f"{like}=="))
        )
        yield replace(build, requires=tuple(kept), one_of=())


@cache
def _added(framework: str) -> tuple[frozenset[str], str]:
    file = tomli.loads((PACKAGED / "frameworks" / f"{framework}.toml").read_text(encoding="utf-8"))
    like = file.get("like", {})
    rows = [*file.get("build", []), *like.get("pair", [])]
    if like:
        model = (PACKAGED / "frameworks" / f"{like['framework']}.toml").read_text(encoding="utf-8")
        rows += tomli.loads(model).get("build", [])
    return frozenset(text for row in rows for text in row.get("requires", [])), like.get("framework", "")


def _core_of_pins(question: Question) -> frozenset[str]:
    """Clauses of pins and wheels that cannot hold together, each of them needed."""
    every = formula_of(question, Force(only=frozenset(question.wishes()))).selectors
    known = frozenset(every) - BEYOND_PINS
    core = clash(question, Force(only=known)) or known
    for clause in sorted(core):
        if settle(question, Force(only=core - {clause})) is None:
            core -= {clause}
    return core


def _texts(question: Question, core: frozenset[str]) -> tuple[str, ...]:
    return tuple(item.text for item in clauses_of(question, core))
