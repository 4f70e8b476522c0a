"""What a refresh must not lose unasked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from packaging.version import Version

from dlsetup.catalog.form import GeneratedFile, Release, WheelRow
from dlsetup.catalog.generated_form import (
    ListedDistribution,
    ListedRelease,
    ListingFile,
    OverlapRow,
    OverlapsFile,
)
from dlsetup.catalog.guards import lost, lost_listed, lost_overlaps

LINUX = "manylinux_2_28_x86_64"
CHECKED = "2026-01-02"


def release(version: str, *platforms: str) -> Release:
    wheels = tuple(WheelRow(pythons="cp312", platform=item, size_bytes=1) for item in platforms)
    return Release(version=Version(version), wheels=wheels)


versions = st.lists(st.integers(0, 30), max_size=6, unique=True).map(
    lambda found: sorted(found, reverse=True)
)
tags = st.sets(st.sampled_from([LINUX, "win_amd64", "macosx_11_0_arm64"]), min_size=1)


@st.composite
def files(draw: st.DrawFn) -> GeneratedFile:
    made = [release(f"1.{item}", *sorted(draw(tags))) for item in draw(versions)]
    return GeneratedFile(distribution="deep", checked=CHECKED, releases=tuple(made))


@given(files())
def test_nothing_is_lost_where_nothing_changed(file: GeneratedFile) -> None:
    assert lost(file, file) == []


@given(files(), files())
def test_growing_loses_nothing_and_shrinking_does(one: GeneratedFile, other: GeneratedFile) -> None:
    both = {item.version: item for item in (*one.releases, *other.releases)}
    union = replace(
        one,
        releases=tuple(
            replace(item, wheels=tuple({row for file in (one, other) for row in wheels(file, version)}))
            for version, item in sorted(both.items(), reverse=True)
        ),
    )
    assert lost(one, union) == lost(other, union) == []
    assert bool(lost(union, one)) == any(
        set(wheels(union, item.version)) - set(wheels(one, item.version)) for item in union.releases
    )


def wheels(file: GeneratedFile, version: Version) -> tuple[WheelRow, ...]:
    return tuple(row for item in file.releases if item.version == version for row in item.wheels)


def test_listings_lose_releases_and_platforms() -> None:
    def listing(**found: tuple[str, ...]) -> ListingFile:
        made = [
            ListedRelease(version=Version(version.replace("v", "")), wheels=release("1", *platforms).wheels)
            for version, platforms in found.items()
        ]
        return ListingFile(
            index="own",
            checked=CHECKED,
            distributions=(ListedDistribution(name="deep", releases=tuple(made)),),
        )

    old = listing(v2=(LINUX, "win_amd64"), v1=(LINUX,))
    assert lost_listed(old, old) == []
    assert lost_listed(old, listing(v2=(LINUX,))) == ["deep 2 for win_amd64", "deep 1"]
    assert lost_listed(old, replace(old, distributions=())) == ["deep 2", "deep 1"]


def test_overlaps_lose_pairs() -> None:
    def overlaps(*groups: tuple[str, ...]) -> OverlapsFile:
        rows = [OverlapRow(distributions=group, path="x", code=1, other=0, platforms=()) for group in groups]
        return OverlapsFile(checked=CHECKED, libraries=tuple(rows))

    assert lost_overlaps(overlaps(("a", "b")), overlaps(("a", "b", "c"))) == []
    assert lost_overlaps(overlaps(("a", "b", "c")), overlaps(("b", "c"))) == ["a and b", "a and c"]
