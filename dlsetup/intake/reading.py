"""The parsers of `formats/`, and the one way to run them all."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import NamedTuple

from dlsetup.intake import formats
from dlsetup.intake.fact import Fact
from dlsetup.intake.page import Page
from dlsetup.model.machine import Gap

Parser = Callable[[Page], Iterable[Fact | Gap]]


class Format(NamedTuple):
    """A parser finds its own lines on a page, wherever they stand, and leaves everything else alone."""

    name: str
    marks: tuple[str, ...]
    """It is asked only about pages that hold one of these, letter for letter; none: about every page."""
    parser: Parser


def reads(name: str, *marks: str) -> Callable[[Parser], Format]:
    """Make a format of a function that yields the facts it finds on a page."""
    return lambda parser: Format(name, marks, parser)


def every_format() -> tuple[Format, ...]:
    """All formats of `intake/formats`, in the order of their modules' names."""
    names = sorted(found.name for found in pkgutil.iter_modules(formats.__path__))
    modules = [import_module(f"{formats.__name__}.{name}") for name in names]
    return tuple(item for module in modules for item in vars(module).values() if isinstance(item, Format))


def facts_of(page: Page, known: Iterable[Format]) -> Iterator[Fact | Gap]:
    """What every format finds on a page. One that fails loses its own finds and says so."""
    for item in known:
        if item.marks and not page.holds(*item.marks):
            continue
        try:
            yield from item.parser(page)
        except Exception as exc:
            reason = f"reading it as {item.name} failed: {type(exc).__name__}"
            yield Gap(fact=f"part of {page.file}", reason=reason)
