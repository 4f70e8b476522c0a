"""For which GPUs a library is built, as told by the code that its fat binaries hold; pure."""

from __future__ import annotations

from collections import Counter

from dlsetup.catalog.fatbin import Code
from dlsetup.model.errors import DataError
from dlsetup.model.record import Record
from dlsetup.model.versions import ComputeCapability

SHARE = 10
"""One in so many."""

Counts = Counter[frozenset[Code]]
"""How many fat binaries of a library hold code for the same architectures."""


class Built(Record, frozen=True, kw_only=True):
    """Architectures that a library is built for, in ascending order."""

    kernels: tuple[ComputeCapability, ...]
    exact: tuple[ComputeCapability, ...]
    """Of the kernels, those that run on that very capability alone."""
    ptx: tuple[ComputeCapability, ...]


def built_for(counts: Counts) -> Built:
    """The widest set of architectures that at least a tenth of the fat binaries share.

    Each fat binary is one translation unit. A framework compiles most of its own for all its
    architectures; some only for new ones (attention for `sm_90a`), and a library that was linked in may
    have been compiled for others. Raises `DataError` where no set is shared by so many.
    """
    every = sum(counts.values())
    common = [codes for codes, count in counts.items() if codes and count * SHARE >= every]
    if not common:
        raise DataError("its fat binaries share no set of architectures")
    return _built(max(common, key=lambda codes: (_width(codes), counts[codes], sorted(codes))))


def _width(codes: frozenset[Code]) -> int:
    return len({code.capability for code in codes if not code.ptx})


def _built(codes: frozenset[Code]) -> Built:
    """PTX for one very capability serves no newer GPU; machine code for all that fit outranks such code."""
    kernels = {code.capability for code in codes if not code.ptx}
    common = {code.capability for code in codes if not code.ptx and not code.exact}
    return Built(
        kernels=tuple(sorted(kernels)),
        exact=tuple(sorted(kernels - common)),
        ptx=tuple(sorted(code.capability for code in codes if code.ptx and not code.exact)),
    )


def told(counts: Counts) -> list[str]:
    """The sets and how many fat binaries have them, the most frequent first."""
    return [f"{count:6} {_words(codes)}" for codes, count in counts.most_common()]


def _words(codes: frozenset[Code]) -> str:
    return " ".join(str(code) for code in sorted(codes, key=lambda code: (code.ptx, code))) or "nothing known"
