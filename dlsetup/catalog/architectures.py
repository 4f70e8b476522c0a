"""For which GPUs a library is built, as told by the code that its fat binaries hold; pure."""

from __future__ import annotations

from collections import Counter

from dlsetup.catalog.fatbin import Code
from dlsetup.model.errors import DataError
from dlsetup.model.record import Record
from dlsetup.model.versions import ComputeCapability

Counts = Counter[frozenset[Code]]
"""How many fat binaries of a library hold code for the same architectures."""


class Built(Record, frozen=True, kw_only=True):
    """Architectures that a library is built for, in ascending order."""

    kernels: tuple[ComputeCapability, ...]
    exact: tuple[ComputeCapability, ...]
    """Of the kernels, those that run on that very capability alone."""
    ptx: tuple[ComputeCapability, ...]


def built_for(counts: Counts) -> Built:
    """The set of architectures that most of the library's pieces of code belong to.

    Each fat binary is one translation unit. A framework compiles nearly all of its own for the same
    architectures. Some units are there for few of them (attention for `sm_90a` alone) and come in great
    numbers; few are there for more, or were compiled elsewhere and linked in. Neither may decide.
    Raises `DataError` where nothing tells.
    """
    most = max(counts, key=lambda codes: (counts[codes] * len(codes), sorted(codes)), default=frozenset())
    if not most:
        raise DataError("the fat binaries hold neither machine code nor PTX")
    kernels = {code.capability for code in most if not code.ptx}
    for_all = {code.capability for code in most if not code.ptx and not code.exact}
    return Built(
        kernels=tuple(sorted(kernels)),
        exact=tuple(sorted(kernels - for_all)),
        ptx=tuple(sorted(code.capability for code in most if code.ptx and not code.exact)),
    )


def told(counts: Counts) -> list[str]:
    """The sets and how many fat binaries have them, the most frequent first."""
    return [f"{count:6} {_words(codes)}" for codes, count in counts.most_common()]


def _words(codes: frozenset[Code]) -> str:
    return (
        " ".join(str(code) for code in sorted(codes, key=lambda code: (code.ptx, code))) or "neither of both"
    )
