"""Which wheels overwrite each other's files: read as little as tells it, say no more than it tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fickle_index import Registry
from hand_made import Follower, Shelf
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version
from tiny.wheels import TinyWheel

from dlsetup.catalog.file_lists import FileList, file_lists
from dlsetup.catalog.folders import Folders
from dlsetup.catalog.hardware import hardware
from dlsetup.catalog.load import load
from dlsetup.catalog.overlaps import overlaps
from dlsetup.catalog.pages import File, Page, Wheel, wheels_of
from dlsetup.catalog.ranges import Member
from dlsetup.model.framework import Catalog

LINUX = "linux-x86_64"
WINDOWS = "windows-amd64"


def listed(**versions: list[str]) -> list[FileList]:
    """`v1_0=["a/b.so"]`; what follows a `#` stands for the content."""
    found = []
    for name, paths in versions.items():
        parts = [path.partition("#") for path in paths]
        members = tuple(Member(path=path, size=1, crc=len(text)) for path, _, text in parts)
        found.append(FileList(version=Version(name.strip("v").replace("_", ".")), members=members))
    return found


def test_code_at_the_same_path() -> None:
    old = listed(v11=["nvidia/solver/lib/libsolver.so.11", "nvidia/solver/include/solver.h"])
    new = listed(v12=["nvidia/solver/lib/libsolver.so.11#new", "nvidia/solver/include/solver.h"])
    (row,) = overlaps({"solver-cu11": {LINUX: old}, "solver-cu12": {LINUX: new}, "other": {LINUX: []}})
    assert row.distributions == ("solver-cu11", "solver-cu12")
    assert (row.path, row.code, row.other, row.platforms) == ("nvidia/solver", 1, 1, (LINUX,))
    assert row.versions == {}


def test_what_does_not_matter() -> None:
    common = ["nvidia/__init__.py", "LICENSE.txt", "nvidia/x/LICENSE", "one-1.0.dist-info/RECORD"]
    assert overlaps({"one": {LINUX: listed(v1=common)}, "other": {LINUX: listed(v1=common)}}) == ()
    (row,) = overlaps(
        {"one": {LINUX: listed(v1=["x/__init__.py"])}, "other": {LINUX: listed(v1=["x/__init__.py#differs"])}}
    )
    assert (row.path, row.code) == ("x", 1)


def test_the_same_path_on_two_systems_is_no_overlap() -> None:
    paths = listed(v1=["x/y.so"])
    assert overlaps({"one": {LINUX: paths}, "other": {WINDOWS: paths}}) == ()


def test_versions_that_moved_elsewhere() -> None:
    one = listed(v0_6=["sparse/lib/x.so"], v0_7=["nvidia/sparse/lib/x.so"], v0_8=["nvidia/sparse/lib/x.so"])
    other = listed(v0_8=["nvidia/sparse/lib/x.so"], v0_9=["nvidia/cu13/lib/x.so"])
    (row,) = overlaps({"cu12": {LINUX: one}, "cu13": {LINUX: other}})
    assert {name: str(found) for name, found in row.versions.items()} == {"cu12": ">=0.7", "cu13": "<0.9"}


def test_groups_hold_only_those_that_all_overlap() -> None:
    chain = {"a": ["x/1.so"], "b": ["x/1.so", "x/2.so"], "c": ["x/2.so"]}
    rows = overlaps({name: {LINUX: listed(v1=paths)} for name, paths in chain.items()})
    assert [row.distributions for row in rows] == [("a", "b"), ("b", "c")]
    rows = overlaps({name: {LINUX: listed(v1=["x/1.so"])} for name in chain})
    assert [row.distributions for row in rows] == [("a", "b", "c")]


def test_headers_do_not_make_a_clash_of_code() -> None:
    owners = {"a": ["x/1.so", "x/1.h"], "b": ["x/1.so", "x/1.h"], "c": ["x/1.h"]}
    rows = overlaps({name: {LINUX: listed(v1=paths)} for name, paths in owners.items()})
    assert [(row.distributions, row.code) for row in rows] == [
        (("a", "b"), 1),
        (("a", "c"), 0),
        (("b", "c"), 0),
    ]


names = st.sampled_from(["a", "b", "c", "d"])
owned = st.dictionaries(
    names, st.sets(st.sampled_from(["x/1.so", "x/2.so", "y/3.h"]), min_size=1), max_size=4
)


@given(owned)
def test_two_are_in_one_group_exactly_if_they_share_a_path(owners: dict[str, set[str]]) -> None:
    rows = overlaps({name: {LINUX: listed(v1=sorted(paths))} for name, paths in owners.items()})
    for one in owners:
        for other in set(owners) - {one}:
            together = any({one, other} <= set(row.distributions) for row in rows)
            assert together == bool(owners[one] & owners[other])


def page(*versions: str) -> list[Wheel]:
    files = tuple(File(filename=f"x-{item}-py3-none-manylinux1_x86_64.whl", url="") for item in versions)
    return wheels_of(Page(name="x", files=files), Version("0"))


def test_of_many_releases_only_those_are_read_that_tell_something() -> None:
    asked: list[str] = []

    def read(wheel: Wheel) -> tuple[Member, ...]:
        asked.append(str(wheel.version))
        moved = wheel.version >= Version("12.37")
        return (Member(path="nvidia/x/lib/x.so" if moved else "x/lib/x.so", size=1, crc=1),)

    versions = [f"11.{number}" for number in range(64)] + [f"12.{number}" for number in range(64)]
    found = file_lists(page(*versions), LINUX, read)
    assert {"11.0", "11.63", "12.0", "12.63", "12.36", "12.37"} <= set(asked)
    assert len(asked) < 14
    assert [item.version for item in found] == sorted(Version(item) for item in asked)


def test_a_platform_without_wheels_has_no_lists() -> None:
    assert file_lists(page("1.0"), WINDOWS, lambda _wheel: ()) == ()


@pytest.fixture
def libraries(shelf: Shelf, registry: Registry) -> list[TinyWheel]:
    """Two majors of one library, and a framework that pins both."""
    shelf.framework(
        "deep", 'libraries = ["nvidia-x-cu11", "nvidia-x-cu12"]\ntwins = [["deep", "deep-gpu"]]\n'
    )
    registry.wheels += [
        TinyWheel(
            "nvidia-x-cu11", "11.1", "py3-none-manylinux1_x86_64", files={"nvidia/x/lib/x.so.1": "old"}
        ),
        TinyWheel(
            "nvidia-x-cu12", "12.1", "py3-none-manylinux1_x86_64", files={"nvidia/x/lib/x.so.1": "new"}
        ),
        TinyWheel("nvidia-x-cu12", "12.2", "py3-none-win_amd64", files={"nvidia/x/bin/x.dll": "new"}),
        TinyWheel("deep", "2.0", files={"deep/__init__.py": "1"}),
        TinyWheel("deep-gpu", "2.0", files={"deep/__init__.py": "2"}),
    ]
    return registry.wheels


def test_a_refresh_reads_file_lists_and_the_catalog_has_them(
    run: Callable[..., Any], libraries: list[TinyWheel], registry: Registry, shelf: Shelf
) -> None:
    (done,) = run("overlaps", allow_loss=True)
    assert (done.name, done.rows, done.changed) == ("overlaps", 2, True)
    assert not [path for path, _ in registry.asked if path.endswith(".metadata")]
    assert {status for path, status in registry.asked if path.startswith("/files/")} == {206}
    (row,) = hardware(Folders([shelf.folder])).overlaps
    assert (row.distributions, row.path) == (("nvidia-x-cu11", "nvidia-x-cu12"), "nvidia/x/lib")
    sources = {source.id for source in load([], [shelf.folder]).hardware.sources}
    assert row.source in sources
    assert not run("overlaps", allow_loss=True)[0].changed


def test_an_index_that_gives_no_parts_of_files_leaves_the_overlaps_as_they_are(
    run: Callable[..., Any], libraries: list[TinyWheel], registry: Registry, shelf: Shelf
) -> None:
    registry.whole = True
    follower = Follower()
    done = run("overlaps", "deep", watch=follower)
    assert [item.name for item in done] == ["nvidia-x-cu11", "nvidia-x-cu12"]
    assert any(text.startswith("left as it is: overlaps: ") for text in follower.said)
    assert not (shelf.folder / "generated" / "overlaps.json").exists()


def test_a_file_list_is_asked_for_once(
    run: Callable[..., Any], libraries: list[TinyWheel], registry: Registry
) -> None:
    run("overlaps", allow_loss=True)
    registry.asked.clear()
    run("overlaps", allow_loss=True)
    assert not [path for path, _ in registry.asked if path.startswith("/files/")]


def test_a_library_that_moved_overwrites_nothing(shipped: Catalog) -> None:
    names = ("nvidia-cusparselt-cu12", "nvidia-cusparselt-cu13")
    (row,) = [row for row in shipped.hardware.overlaps if row.distributions == names]
    said = [row.writes(names[0], Version(version)) for version in ("0.6.3", "0.7.1", "0.8.1")]
    assert said == [False, True, True]
    said = [row.writes(names[1], Version(version)) for version in ("0.8.0", "0.8.1.post1", "0.9.0", "0.10.0")]
    assert said == [True, True, False, False]
    assert not row.writes("nvidia-nccl-cu12", Version("2.0"))


def test_the_shipped_rows(shipped: Catalog) -> None:
    rows = {row.distributions: row.path for row in shipped.hardware.overlaps}
    assert rows["nvidia-cudnn-cu11", "nvidia-cudnn-cu12", "nvidia-cudnn-cu13"] == "nvidia/cudnn"
    assert rows["nvidia-nccl-cu11", "nvidia-nccl-cu12", "nvidia-nccl-cu13"] == "nvidia/nccl"
    assert rows["nvidia-cusolver-cu11", "nvidia-cusolver-cu12"] == "nvidia/cusolver"
    assert not any("nvidia-cublas-cu12" in group for group in rows), "headers hurt nobody"
    known = {source.id for source in shipped.hardware.sources}
    assert {row.source for row in shipped.hardware.overlaps} <= known
