"""Versions of libraries that cannot be installed on the target, and on which facts that rests."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import NamedTuple

import msgspec

from dlsetup.model.framework import Catalog
from dlsetup.model.record import UNKNOWN
from dlsetup.model.target import Interpreter, Target
from dlsetup.resolve.pieces import python_name
from dlsetup.resolve.refusals import WHEEL_RULE
from dlsetup.rules.libraries import not_installable


class Missing(NamedTuple):
    """`versions` of a library have no wheel here, as long as all of `clauses` hold."""

    clauses: frozenset[str]
    versions: frozenset[Hashable]


class LibraryWheels:
    """Asks once for each library and Python."""

    def __init__(self, target: Target, catalog: Catalog) -> None:
        self._catalog = catalog
        older = msgspec.structs.replace(target, libc=UNKNOWN, release=UNKNOWN)
        rule = frozenset({WHEEL_RULE})
        self._grounds = (
            (rule, Target()),
            (rule | {"fact platform"}, older),
            (rule | {"fact libc"}, target),
        )
        """From what holds on every platform to what the C library or the release of macOS adds."""
        self._missing: dict[tuple[str, str], list[Missing]] = {}

    def missing(self, name: str, interpreter: Interpreter) -> list[Missing]:
        """The versions that cannot be installed, each once, with the fewest clauses that say so."""
        key = (name, python_name(interpreter))
        if key not in self._missing:
            known: frozenset[Hashable] = frozenset()
            found = self._missing[key] = []
            for clauses, target in self._grounds:
                refused = not_installable(name, interpreter, target, self._catalog) - known
                if refused:
                    found.append(Missing(clauses, frozenset(refused)))
                    known |= refused
        return self._missing[key]

    def kept_out(self, name: str, asked: Collection[Hashable], interpreter: Interpreter) -> frozenset[str]:
        """On what it rests that none of the versions asked for can be installed; empty where one can."""
        left, told = set(asked), frozenset[str]()
        for clauses, versions in self.missing(name, interpreter):
            told |= clauses if left & versions else frozenset()
            left -= versions
        return frozenset() if left else told
