"""Small documents about the catalog, made by hand."""

from __future__ import annotations

from typing import Any

from packaging.version import Version

from dlsetup.model.framework import Ended
from dlsetup.model.record import UNKNOWN
from dlsetup.model.versions import ComputeCapability, CudaVersion
from dlsetup.show.catalog_document import BuildRow, Matrix, ReleaseRow


def capabilities(text: str) -> tuple[ComputeCapability, ...]:
    return tuple(map(ComputeCapability, text.split()))


def build_row(variant: str, answer: str, **parts: Any) -> BuildRow:
    cuda = CudaVersion.from_variant(variant)
    parts.setdefault("accelerator", "cuda" if cuda else "cpu")
    parts.setdefault("pythons", ("3.10", "3.11", "3.12", "3.12t"))
    parts.setdefault("platforms", ("linux-x86_64",))
    return BuildRow(
        variant=variant,
        cuda=cuda,
        index="default",
        requirements=(f"deep=={variant}",),
        answer=answer,  # type: ignore[arg-type]
        **parts,
    )


def release_row(version: str, *builds: BuildRow, **parts: Any) -> ReleaseRow:
    return ReleaseRow(version=Version(version), released="2026-01-31", builds=builds, **parts)


def matrix(*releases: ReleaseRow, **parts: Any) -> Matrix:
    parts.setdefault("asked", len(releases))
    parts.setdefault("known_to", Version("2.1"))
    variants = dict.fromkeys(build.variant for release in releases for build in release.builds)
    return Matrix(
        name="deep",
        title="Deep",
        target="the target",
        target_words="os=linux",
        checked="2026-12-02",
        variants=tuple(sorted(variants, key=lambda item: (item == "cpu", item))),
        releases=releases,
        **parts,
    )


CODE = {
    "kernels": capabilities("8.0 9.0"),
    "ptx": capabilities("9.0"),
    "serves": capabilities("8.0 8.6 8.9 9.0"),
}
OLD = "CUDA 13 needs NVIDIA driver 580 or newer on Linux"
ELSEWHERE = "has no wheel for Linux x86_64"
SMALL = matrix(
    release_row(
        "2.2",
        build_row("cu130", "no", rule="driver", because=OLD, pythons=("3.12", "3.13"), **CODE),
        build_row("cu130", "no", rule="wheel", because=ELSEWHERE, platforms=("windows-amd64",), **CODE),
        build_row("cpu", "yes", pythons=("3.12", "3.13")),
        beyond=True,
    ),
    release_row(
        "2.1",
        build_row("cu130", "no", rule="driver", because=OLD, **CODE),
        build_row("cu126", "yes", **CODE),
        build_row("cu126", "no", rule="wheel", because=ELSEWHERE, platforms=("windows-amd64",), **CODE),
        build_row("cu118", "unknown", rule="kernels", because="no row tells", kernels=UNKNOWN),
        build_row("cpu", "yes"),
        build_row("cpu", "no", rule="wheel", because=ELSEWHERE, platforms=("macos-arm64",)),
    ),
    release_row("2.0", build_row("cpu", "yes", pythons=("3.9", "3.10")), yanked=True),
)
ENDED = Ended(last=Version("2.2"), when="2026-01-31", instead="deeper", source="s")
