"""The image that another one is built on: as little as the builds need, and nothing that wheels bring."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.model.errors import UsageError
from dlsetup.model.image import Image
from dlsetup.model.record import Record, Unknown
from dlsetup.model.target import Target
from dlsetup.model.versions import CudaVersion, LibcVersion
from dlsetup.plan.contents import Contents
from dlsetup.rules.driver import same_line

PYTHON = "python"
"""The repository of images with Python and no more."""
REPOSITORY = "nvidia/cuda"
OF_CUDA = ("cuda", "cudnn", "nvcc", "nccl")
"""What images of CUDA have."""
COMPILERS = ("gcc", "g++", "cmake", "ninja")
"""What the first stage installs where something is compiled."""
SYSTEMS = ("ubuntu 24.04", "ubuntu 22.04", "ubuntu 20.04")
"""Of the images of CUDA, the newest first: apt installs what else is needed."""


class Base(Record, frozen=True, kw_only=True):
    """What the stages of an image begin with."""

    image: str
    """Of the last stage: `python:3.12-slim-bookworm`."""
    builder: str
    """Of the stage in which packages are installed."""
    python: Literal["image", "uv"] = "image"
    """Who brings Python."""
    libc: LibcVersion | Unknown
    """Of glibc."""
    because: str
    sources: tuple[str, ...] = ()


def base_for(contents: Contents, images: Sequence[Image]) -> Base:
    """The base that suits the builds. Raises `UsageError` where no image is known that does."""
    asked = [Requirement(text) for text in contents.expects]
    strange = [str(item) for item in asked if item.name not in (*OF_CUDA, *COMPILERS)]
    if strange:
        raise UsageError(
            f"no base image is known that has {', '.join(strange)}",
            hint="name one that has it: `--base IMAGE`",
        )
    wanted = {item.name: item.specifier for item in asked if item.name in OF_CUDA}
    return _of_cuda(contents, wanted, images) if wanted else _of_python(contents, images)


def named_base(
    image: str, contents: Contents, libc: LibcVersion | Unknown, python: Version | Unknown
) -> Base:
    """The base that somebody names. A Python of another version than the plan's is of no use."""
    own = python == contents.python
    return Base(
        image=image,
        builder=image,
        python="image" if own else "uv",
        libc=libc,
        because="it is the base that was asked for"
        + ("" if own else f"; uv brings Python {contents.python}, of which it is not known that it is there"),
    )


def _of_python(contents: Contents, images: Iterable[Image]) -> Base:
    found = [item for item in images if item.repository == PYTHON and item.python == str(contents.python)]
    if not found:
        raise UsageError(
            f"no image with Python {contents.python} is known",
            hint="ask for another Python, or name an image: `--base IMAGE`",
        )
    row = found[0]
    bring = "the wheels bring CUDA along" if contents.cuda else "nothing else is needed"
    image = f"{row.repository}:{row.tags[0]}"
    return Base(
        image=image,
        builder=image,
        libc=row.glibc,
        because=f"Python {contents.python} and no more: {bring}",
        sources=(row.source,),
    )


def _of_cuda(contents: Contents, wanted: dict[str, SpecifierSet], images: Iterable[Image]) -> Base:
    kind = "cudnn" if "cudnn" in wanted else ""
    fitting = [
        item
        for item in images
        if item.repository == REPOSITORY
        and item.standing != "removed"
        and item.system in SYSTEMS
        and _has(item, wanted, kind)
        and _of_major(item, contents.cuda)
        and starts(item, contents.target)
    ]
    if not fitting:
        raise UsageError(
            f"no image of {REPOSITORY} is known that has {', '.join(contents.expects)} and starts there",
            hint="name a base: `--base IMAGE`",
        )
    row = min(fitting, key=lambda item: _distance(item, contents))
    compiled = "; something is compiled, so the first stage has the compiler" if "nvcc" in wanted else ""
    linked = "nccl" in wanted or any(item.expects for item in contents.builds if not item.from_source)
    return Base(
        image=f"{row.repository}:{_tag(row, kind, 'runtime' if linked else 'base')}",
        builder=f"{row.repository}:{_tag(row, kind, 'devel' if 'nvcc' in wanted else 'runtime')}",
        python="uv",
        libc=row.glibc,
        because=f"{', '.join(contents.expects)} must be there, and the wheels do not bring it{compiled}",
        sources=(row.source,),
    )


def _has(row: Image, wanted: dict[str, SpecifierSet], kind: str) -> bool:
    """Whether the image has CUDA, and cuDNN, as they are wanted."""
    if row.cuda is None or isinstance(row.cuda, Unknown):
        return False
    if not wanted.get("cuda", SpecifierSet()).contains(str(row.cuda)):
        return False
    if not kind:
        return bool(_tag(row, kind, "devel" if "nvcc" in wanted else "runtime"))
    cudnn = str(row.cudnn).partition(".")[0]
    majors = [one for one in wanted["cudnn"] if one.operator in (">=", "==", "~=")]
    same = all(one.version.partition(".")[0] == cudnn for one in majors)
    return same and bool(_tag(row, kind, "runtime"))


def _of_major(row: Image, cuda: CudaVersion | None) -> bool:
    return cuda is None or (isinstance(row.cuda, CudaVersion) and row.cuda.major == cuda.major)


def _tag(row: Image, kind: str, flavour: str) -> str:
    """The tag of that flavour; empty if there is none. cuDNN is never in `base`."""
    for tag in row.tags:
        parts = tag.split("-")
        with_cudnn = any(part.startswith("cudnn") for part in parts)
        if with_cudnn == bool(kind) and (flavour if not kind or flavour != "base" else "runtime") in parts:
            return tag
    return ""


def starts(row: Image, target: Target) -> bool:
    """Whether a driver that is known lets the container start: it must know the CUDA of the image."""
    if isinstance(row.cuda, Unknown) or row.cuda is None:
        return False
    ceiling = target.cuda_ceiling
    return isinstance(ceiling, Unknown) or row.cuda.line <= ceiling


def _distance(row: Image, contents: Contents) -> tuple[bool, bool, tuple[int, ...], int]:
    """The line that the builds were made with first, then what is still mended, then the newest."""
    assert isinstance(row.cuda, CudaVersion)
    other = contents.cuda is None or not same_line(row.cuda, contents.cuda)
    newest = tuple(-part for part in row.cuda.parts)
    return other, row.standing != "supported", newest, SYSTEMS.index(str(row.system))
