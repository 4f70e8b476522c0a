"""Wishes for the shape of a build (extra, name, index) and for further packages: in words, and let go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from dlsetup.model.wish import Wanted, Wish
from dlsetup.resolve.sources import device_extras, known_extras

if TYPE_CHECKING:
    from dlsetup.resolve.question import Question

SHAPES = ("extra", "name", "index")
"""Kinds of clauses: that a framework is asked for with an extra, by a name, from an index."""


def shape_words(question: Question, kind: str, name: str) -> str:
    """A clause of one of the SHAPES, or about a further package, as a sentence."""
    if kind == "package":
        texts = list(dict.fromkeys(question.bounds[name]))
        return f"{' and '.join(texts)} {'is' if len(texts) == 1 else 'are'} asked for"
    wanted = question.wanted[name]
    if kind == "index":
        urls = {index.name: index.url or "the configured index" for index in question.catalog.indexes}
        return f"{name} is asked for from {' or '.join(urls.get(item, item) for item in wanted.indexes)}"
    if kind == "name":
        return f"{wanted.distribution} is asked for by this name"
    framework = question.frameworks[name]
    extras = device_extras(wanted, framework)
    known = {*known_extras(framework), "cpu"}
    text = f"{name}[{','.join(sorted(extras))}] is asked for"
    if extras <= known:
        return text
    return f"{text}, and the catalog knows the extras {', '.join(sorted(known))}"


def reshaped(wish: Wish, core: frozenset[str]) -> Iterator[tuple[str, Wish]]:
    """The wish without one of the shapes that stand in the way, each with what that means."""
    for item in wish.wanted:
        name = item.framework
        if f"extra {name}" in core:
            yield f"take {name} without its extra", _with(wish, replace(item, extras=()))
        if f"name {name}" in core:
            yield f"take {name} under another name", _with(wish, replace(item, distribution=""))
        if f"index {name}" in core:
            yield f"take {name} from another index", _freed_of_indexes(wish)
    for clause in sorted(core):
        kind, _, package = clause.partition(" ")
        if kind == "package":
            yield f"take another {package}", _freed_of_package(wish, package)


def asked(item: Wanted) -> Wanted:
    """The same with the words that ask for it."""
    extras = f"[{','.join(item.extras)}]" if item.extras else ""
    plain = f"{item.distribution or item.framework}{extras}{item.specifier}"
    return replace(item, text="" if plain == item.framework else plain, filed=False)


def both(one: Wanted, other: Wanted) -> Wanted:
    """What two wishes for one framework ask for together."""
    indexes = tuple(name for name in one.indexes if not other.indexes or name in other.indexes)
    joined = Wanted(
        framework=one.framework,
        specifier=one.specifier & other.specifier,
        extras=tuple(dict.fromkeys((*one.extras, *other.extras))),
        distribution=one.distribution or other.distribution,
        indexes=indexes if one.indexes else other.indexes,
    )
    return asked(joined)


def _with(wish: Wish, changed: Wanted) -> Wish:
    wanted = (asked(changed) if item.framework == changed.framework else item for item in wish.wanted)
    return replace(wish, wanted=tuple(wanted))


def _freed_of_indexes(wish: Wish) -> Wish:
    """Of all indexes: builds of one family come from one."""
    return replace(wish, wanted=tuple(replace(item, indexes=(), filed=False) for item in wish.wanted))


def _freed_of_package(wish: Wish, package: str) -> Wish:
    def without(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(text for text in texts if _name(text) != package)

    return replace(wish, packages=without(wish.packages), constraints=without(wish.constraints), origin=())


def _name(text: str) -> str:
    try:
        return canonicalize_name(Requirement(text).name)
    except InvalidRequirement:
        return ""
