"""Is there an image of that tag, and which one comes nearest to one that is gone?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from dlsetup.catalog.containers import reference
from dlsetup.model.image import Image, ImageKnowledge, Naming
from dlsetup.model.record import Record
from dlsetup.model.versions import CudaVersion
from dlsetup.rules.driver import same_line

_TAG = re.compile(
    r"(?P<cuda>\d{1,2}(?:\.\d{1,2}){1,2})(?:-(?P<with>cudnn\d?|tensorrt))?(?:-(?P<kind>base|runtime|devel))?"
    r"(?:-(?P<late>cudnn\d?))?(?:-(?P<system>[a-z]+[\d.]*))?"
)


class Missing(Record, frozen=True, kw_only=True):
    """A tag that is not there."""

    because: str
    certain: bool
    """Whether nobody can have made it since the lists of tags were read."""
    source: str


def missing_tag(image: str, known: ImageKnowledge) -> Missing | None:
    """Why there is no such image; None where there is one, or nobody here can tell."""
    if "@" in image or "$" in image:
        return None
    repository, tag = reference(image)
    rows = [row for row in known.images if row.repository == repository and row.cuda]
    found = [row for row in rows if tag in row.tags]
    if found:
        gone = next((row for row in found if row.standing == "removed"), None)
        return _deleted(gone) if gone else None
    naming = next((row for row in known.namings if row.repository == repository), None)
    if naming is None:
        return None
    if not re.fullmatch(naming.pattern, tag):
        return _missing(_plain(naming), naming.source)
    return _of_release(tag, rows)


def _plain(naming: Naming) -> str:
    return f"of {naming.repository} {naming.says}"


def _of_release(tag: str, rows: Sequence[Image]) -> Missing | None:
    """Of a tag that is well made, by what is known of its release."""
    found = _TAG.match(tag)
    if found is None or not found["system"]:
        return None
    cuda = CudaVersion(found["cuda"])
    same = [row for row in rows if row.cuda == cuda]
    if not same:
        return _never(cuda, rows)
    if any(row.partial for row in same):
        return None
    if same[0].standing == "removed":
        return _deleted(same[0])
    tags = [name for row in same for name in row.tags if name.endswith(f"-{found['system']}")]
    if tags:
        kinds = ", ".join(
            sorted(name.removeprefix(f"{cuda}-").removesuffix(f"-{found['system']}") for name in tags)
        )
        return _missing(f"of CUDA {cuda} on {found['system']} there are {kinds}", same[0].source)
    because = f"no image of CUDA {cuda} on {found['system']} is listed"
    return Missing(because=because, certain=False, source=same[0].source)


def _never(cuda: CudaVersion, rows: Sequence[Image]) -> Missing | None:
    """Of a release that no row has: one before a newer patch of its line, or of a line between known ones."""
    releases = sorted({row.cuda for row in rows if isinstance(row.cuda, CudaVersion)})
    patches = [one for one in releases if same_line(one, cuda)]
    if patches and cuda < patches[-1]:
        return _missing(
            f"NVIDIA deletes the tags of a release after its next patch, here {patches[-1]}", rows[0].source
        )
    older = any(one < cuda for one in releases)
    if not patches and older and any(one > cuda for one in releases):
        return _missing(f"there is no image of CUDA {cuda.major}.{cuda.minor}", rows[0].source)
    return None


def _deleted(row: Image) -> Missing:
    return _missing(f"NVIDIA has deleted the tags of CUDA {row.cuda}", row.source)


def _missing(because: str, source: str) -> Missing:
    return Missing(because=because, certain=True, source=source)


def nearest_tags(image: str, known: ImageKnowledge) -> list[str]:
    """Tags that exist, the nearest first: of the same flavour, then of the same line and system."""
    repository, tag = reference(image)
    parts = _TAG.match(tag)
    flavour = (parts["kind"] if parts else None) or next((kind for kind in _KINDS if kind in tag), "runtime")
    extra = ((parts["with"] or parts["late"] or "") if parts else "").rstrip("0123456789")
    cuda = CudaVersion(parts["cuda"]) if parts else None
    system = (parts["system"] or "") if parts else ""
    offered: list[tuple[tuple[int, ...], str]] = []
    for row in known.images:
        if row.repository != repository or row.standing == "removed" or not isinstance(row.cuda, CudaVersion):
            continue
        for name in row.tags:
            its = _TAG.fullmatch(name)
            if its and its["kind"] == flavour and (its["with"] or "").rstrip("0123456789") == extra:
                offered.append((_distance(row, its["system"] or "", cuda, system), name))
    return [f"{image.rpartition(repository)[0]}{repository}:{name}" for _, name in sorted(offered)]


_KINDS: tuple[Literal["devel", "runtime", "base"], ...] = ("devel", "runtime", "base")


def _distance(row: Image, its: str, cuda: CudaVersion | None, system: str) -> tuple[int, ...]:
    """How far an image is: another line, system, major; the lines between; what is mended, and newest."""
    assert isinstance(row.cuda, CudaVersion)
    strange = _strangeness(its, system or "ubuntu")
    newest = (row.standing != "supported", -_number(row.cuda), -int(re.sub(r"\D", "", its) or 0))
    if cuda is None:
        return row.partial, strange, *newest
    between = abs(_number(row.cuda) // 100 - _number(cuda) // 100)
    return between != 0, strange, row.cuda.major != cuda.major, between, *newest


def _strangeness(its: str, system: str) -> int:
    if its == system:
        return 0
    return 1 if its.rstrip("0123456789.") == system.rstrip("0123456789.") else 2


def _number(cuda: CudaVersion) -> int:
    """12.4.1 as 120401."""
    major, minor, patch = (*cuda.parts, 0, 0)[:3]
    return major * 10_000 + minor * 100 + patch
