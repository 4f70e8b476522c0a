"""What may be said of a release that is newer than what the curated rows speak of.

The registry's metadata is believed; what only a row could say is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from dlsetup.catalog.form import DEFAULT, BuildRow
from dlsetup.catalog.requirements import Asked
from dlsetup.model.record import UNKNOWN
from dlsetup.model.versions import CudaVersion

_RUNTIME = re.compile(r"(?:cuda-toolkit|nvidia-cuda-runtime)(?:-cu(\d+))?")


def believed(row: BuildRow, required: Iterable[Asked], *, listed: bool = False) -> BuildRow | None:
    """The row as far as it may be carried on; None where nothing says that there is such a build.

    Another index than the default one may have stopped with this line, unless it lists the release. The CUDA
    of a build is what its own requirements pin; a requirement of another major means that the row does not
    hold any more.
    """
    if row.index != DEFAULT and not listed:
        return None
    if row.accelerator != "cuda":
        return row
    told = _runtime(required)
    kept = replace(row, min_capability=UNKNOWN, expects=())
    if told is None:
        return kept
    if len(told.parts) > 1:
        return replace(kept, cuda=told, variant=_renamed(row.variant, told))
    old = row.cuda or CudaVersion.from_variant(row.variant)
    return kept if old is None or old.major == told.major else None


def _runtime(required: Iterable[Asked]) -> CudaVersion | None:
    """The CUDA that the requirements bring along: `13.0`, or `13` where only the major is said."""
    for item in required:
        found = _RUNTIME.fullmatch(item.name)
        exact = re.fullmatch(r"==\s*(\d+\.\d+)(?:\.\d+)*", item.specifier)
        major = found and (found[1] or re.sub(r"^[~=><]+\s*(\d+).*", r"\1", item.specifier))
        if found and exact:
            return CudaVersion(exact[1])
        if major and major.isdigit():
            return CudaVersion(major)
    return None


def _renamed(variant: str, cuda: CudaVersion) -> str:
    """`cu130` for 13.0 where variants name the minor, `cu13` where they do not."""
    return f"cu{cuda.major}" if len(variant) == len("cu13") else f"cu{cuda.major}{cuda.minor}"
