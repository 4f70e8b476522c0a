"""The pieces of the search: choices, what each asks of the others, and what speaks against it.

A *choice* is one way to settle one *key*: a build on one Python settles `torch`, 12 settles the CUDA
family, a version settles `nvidia-cudnn-cu12`. An *ask* narrows another key. A *refusal* forbids a choice
as long as all its *clauses* hold; taking one clause away is how conflicts are cut down and ways out are
found.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import NamedTuple

from packaging.version import Version

from dlsetup.model.framework import Build
from dlsetup.model.target import Interpreter

PYTHON = "python"
CUDA = "cuda"
NO_CUDA = 0
"""The CUDA family of a set of builds that bring none."""
DEFAULT_INDEX = "default"


class Ask(NamedTuple):
    """`key` must be settled so that its `facet` is one of `values`, as long as all of `clauses` hold."""

    key: str
    facet: str
    values: frozenset[Hashable]
    clauses: frozenset[str] = frozenset()

    def admits(self, choice: Choice) -> bool:
        return choice.facets.get(self.facet) in self.values


class Refusal(NamedTuple):
    """Why a choice is forbidden while all of `clauses` hold."""

    clauses: frozenset[str]
    because: str
    sources: tuple[str, ...] = ()


class Force(NamedTuple):
    """Which clauses hold: all of them, all without a few, or none but some."""

    without: frozenset[str] = frozenset()
    only: frozenset[str] | None = None

    def holds(self, clauses: frozenset[str]) -> bool:
        """Whether all of `clauses` hold."""
        if self.only is not None and not clauses <= self.only:
            return False
        return not self.without or clauses.isdisjoint(self.without)


ALL = Force()


class Choice:
    """One way to settle a key. Compared by identity: a question makes each choice once."""

    __slots__ = ("facets", "key")

    def __init__(self, key: str, facets: Mapping[str, Hashable]) -> None:
        self.key = key
        self.facets = facets

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.key}, {dict(self.facets)})"


class BuildChoice(Choice):
    """A build of a framework, on one Python."""

    __slots__ = ("build", "interpreter")

    def __init__(self, build: Build, interpreter: Interpreter, facets: Mapping[str, Hashable]) -> None:
        super().__init__(build.framework, facets)
        self.build = build
        self.interpreter = interpreter


class PythonChoice(Choice):
    """The Python that all builds share."""

    __slots__ = ("interpreter",)

    def __init__(self, interpreter: Interpreter) -> None:
        super().__init__(PYTHON, {"python": python_name(interpreter)})
        self.interpreter = interpreter


class VersionChoice(Choice):
    """A version of a library that builds share."""

    __slots__ = ("version",)

    def __init__(self, key: str, version: Version) -> None:
        super().__init__(key, {"version": version})
        self.version = version


def python_name(interpreter: Interpreter) -> str:
    """`3.12`, or `3.13t` for the free-threaded one."""
    version = interpreter.version
    return f"{version.major}.{version.minor}{'t' * interpreter.free_threaded}"


def variant_of(build: Build) -> Hashable:
    """What tells the builds of one release apart."""
    return build.variant, build.index, build.requirements


def library_key(distribution: str) -> str:
    return f"library {distribution}"


def files_key(path: str) -> str:
    return f"files {path}"


def variant_key(family: str) -> str:
    return f"variant {family}"
