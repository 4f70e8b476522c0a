"""Reading the registry's words: wheel names, platform tags, requirements and their extras."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.tags import Tag
from packaging.utils import canonicalize_name
from packaging.version import Version

from dlsetup.catalog.form import GeneratedFile, LibraryRow, Release, RequiresRow, TagsRow, WheelRow
from dlsetup.catalog.guards import lost
from dlsetup.catalog.pages import File, Page, sdists_of, spokesmen, wheels_of
from dlsetup.catalog.releases import built, releases, requires, versions
from dlsetup.catalog.requirements import canonical, parts_of, requires_on, under
from dlsetup.catalog.written import written
from dlsetup.model.codec import decode
from dlsetup.model.errors import DataError


def page(*filenames: str, yanked: bool | str = False) -> Page:
    files = tuple(File(filename=name, url="x", yanked=yanked) for name in filenames)
    return Page(name="deep", files=files)


def test_wheels_are_read_from_their_names() -> None:
    found = wheels_of(
        page(
            "deep-1.0-cp313-cp313t-manylinux_2_28_x86_64.whl",
            "deep-1.0-cp36-cp36m-manylinux1_x86_64.whl",
            "deep-1.0-cp39-abi3-win_amd64.whl",
            "deep-1.0-py2.py3-none-any.whl",
            "deep-1.0.tar.gz",
            "deep-one-py3-none-any.whl",
            "deep.whl",
        ),
        since=Version("0"),
    )
    assert [(wheel.pythons, wheel.platforms) for wheel in found] == [
        (("cp313-cp313t",), ("manylinux_2_28_x86_64",)),
        (("cp36",), ("manylinux_2_5_x86_64",)),
        (("cp39-abi3",), ("win_amd64",)),
        (("py2", "py3"), ("any",)),
    ]


@given(st.sampled_from(["cp310", "cp312", "py3"]), st.sampled_from(["win_amd64", "macosx_11_0_arm64", "any"]))
def test_a_wheel_serves_what_its_tag_says(python: str, platform: str) -> None:
    abi = python if python.startswith("cp") else "none"
    (wheel,) = wheels_of(page(f"deep-1.0-{python}-{abi}-{platform}.whl"), since=Version("0"))
    assert Tag(python, abi, platform) == Tag(wheel.pythons[0], abi, wheel.platforms[0])


def test_prereleases_are_kept_only_while_they_are_the_newest() -> None:
    names = [f"deep-{version}-py3-none-any.whl" for version in ("1.0", "1.1rc1", "1.1", "1.2a1", "0.9")]
    assert [str(wheel.version) for wheel in wheels_of(page(*names), since=Version("1.0"))] == [
        "1.0",
        "1.1",
        "1.2a1",
    ]


def test_versions_and_yanked_ones() -> None:
    wheels = [
        *wheels_of(page("deep-1.0-py3-none-any.whl", "deep-1.10-py3-none-any.whl"), since=Version("0")),
        *wheels_of(page("deep-1.2-py3-none-any.whl", yanked="broken"), since=Version("0")),
    ]
    assert versions(wheels) == (Version("1.10"), Version("1.0"))
    assert versions(wheels, yanked=True) == (Version("1.2"),)


def test_the_newest_ordinary_python_speaks_for_a_platform() -> None:
    names = [
        f"deep-1.0-{tag}-manylinux_2_28_x86_64.whl"
        for tag in ("cp39-cp39", "cp314-cp314t", "cp313-cp313", "cp310-cp310")
    ]
    (chosen,) = spokesmen(wheels_of(page(*names), since=Version("0"))).values()
    assert chosen.pythons == ("cp313",)


def metadata(*requirements: str) -> str:
    return "Metadata-Version: 2.1\nName: deep\n" + "".join(f"Requires-Dist: {r}\n" for r in requirements)


@pytest.mark.parametrize(
    ("line", "base", "extras"),
    [
        ("numpy>=2", ("numpy>=2",), {}),
        ("numpy (>=2)", ("numpy>=2",), {}),
        ("x; extra == 'gpu'", (), {"gpu": ("x",)}),
        ("x==1; extra == 'with_cuda'", (), {"with-cuda": ("x==1",)}),
        (
            "x; sys_platform == 'linux' and extra == 'gpu'",
            (),
            {"gpu": ('x; sys_platform == "linux"',)},
        ),
        (
            "x; (sys_platform == 'linux' or os_name == 'nt') and extra == 'gpu'",
            (),
            {"gpu": ('x; (sys_platform == "linux" or os_name == "nt")',)},
        ),
        ("x; extra == 'dev'", (), {}),
        ("extra-things>=1; sys_platform == 'linux'", ('extra-things>=1; sys_platform == "linux"',), {}),
    ],
)
def test_requirements_by_extra(line: str, base: tuple[str, ...], extras: dict[str, tuple[str, ...]]) -> None:
    assert requires(metadata(line), ("gpu", "with-cuda"), "deep") == RequiresRow(base=base, extras=extras)


@pytest.mark.parametrize(
    "line",
    [
        "x; sys_platform == 'linux' or extra == 'gpu'",
        "x; os_name == 'nt' or sys_platform == 'linux' and extra == 'gpu'",
        "x; extra == 'a' or extra == 'b'",
        "x; extra != 'gpu'",
        "torch (>=1.9.*)",
        "@@",
    ],
)
def test_what_cannot_be_told_is_refused(line: str) -> None:
    with pytest.raises(DataError, match="deep"):
        requires(metadata(line), ("gpu",), "deep")


NAMES = st.from_regex(r"[a-zA-Z][a-zA-Z0-9._-]{0,12}[a-zA-Z0-9]", fullmatch=True)

EXTRAS = st.lists(NAMES, max_size=3, unique_by=canonicalize_name)

SPECIFIERS = st.lists(
    st.sampled_from(["<2.0", ">=1.2.3", "==1.*", "!=1.1", "~=3.8.0"]), max_size=2, unique=True
)

MARKERS = st.sampled_from(["", 'sys_platform == "linux"', '(os_name == "nt" or python_version < "3.9")'])


@given(NAMES, EXTRAS, SPECIFIERS, MARKERS)
def test_parts_of_a_requirement_agree_with_the_standard_reader(
    name: str, extras: list[str], specifiers: list[str], marker: str
) -> None:
    text = name + (f"[{','.join(extras)}]" if extras else "") + ",".join(specifiers)
    standard = Requirement(f"{text}; {marker}" if marker else text)
    parts = parts_of(str(standard))
    assert parts.name == canonicalize_name(standard.name)
    assert set(parts.extras) == {canonicalize_name(extra) for extra in standard.extras}
    assert parts.specifier == str(standard.specifier)
    assert parts.marker == str(standard.marker or "")


@given(NAMES)
def test_names_have_one_spelling(name: str) -> None:
    assert canonical(name) == canonicalize_name(name)


@pytest.mark.parametrize("own", ["", "; a == 'b'", "; sys_platform == 'linux' or os_name == 'nt'"])
def test_a_marker_is_joined_to_the_own_one(own: str) -> None:
    own = own.replace("a ==", "os_name ==")
    (joined,) = under('python_version < "3.9"', [f"x>=1{own}"])
    marker = Requirement(joined).marker
    alone = Requirement(f"x>=1{own}").marker
    assert marker is not None
    for python, system, name in (("3.8", "linux", "posix"), ("3.8", "win32", "nt"), ("3.12", "linux", "b")):
        where = {"python_version": python, "sys_platform": system, "os_name": name}
        expected = python == "3.8" and (alone is None or alone.evaluate(where))
        assert marker.evaluate(where) == expected


def test_requirements_of_a_platform() -> None:
    release = Release(
        version=Version("1"),
        requires=(
            RequiresRow(platforms=("linux-x86_64",), base=("a",), extras={"gpu": ("b", "a")}),
            RequiresRow(platforms=("windows-amd64",), base=("c",)),
        ),
    )
    assert requires_on(release, "linux-x86_64", ["gpu", "no"]) == ["a", "b"]
    assert requires_on(release, "windows-amd64", []) == ["c"]
    assert requires_on(release, "macos-arm64", []) == []


TEXT = st.text(st.characters(codec="utf-8"), max_size=12)

VERSIONS = st.from_regex(r"[0-9]{1,3}(\.[0-9]{1,3}){0,2}(rc1|\.post1)?", fullmatch=True).map(Version)

RELEASES = st.builds(
    Release,
    version=VERSIONS,
    python=st.sampled_from([SpecifierSet(), SpecifierSet(">=3.9"), SpecifierSet(">=3.10,!=3.14.1")]),
    yanked=st.booleans(),
    wheels=st.lists(
        st.builds(WheelRow, pythons=TEXT, platform=TEXT, size_bytes=st.integers(0, 2**40)), max_size=3
    ).map(tuple),
    requires=st.lists(
        st.builds(
            RequiresRow,
            platforms=st.lists(TEXT, max_size=2).map(tuple),
            base=st.lists(TEXT, max_size=3).map(tuple),
            extras=st.dictionaries(TEXT, st.lists(TEXT, max_size=2).map(tuple), max_size=2),
        ),
        max_size=2,
    ).map(tuple),
)


@given(
    st.lists(RELEASES, max_size=3, unique_by=lambda item: item.version).map(tuple),
    st.lists(VERSIONS, max_size=30).map(tuple),
    st.lists(
        st.builds(
            LibraryRow,
            since=VERSIONS,
            sdist=st.booleans(),
            wheels=st.lists(st.builds(TagsRow, pythons=TEXT, platform=TEXT), max_size=3).map(tuple),
        ),
        max_size=3,
    ).map(tuple),
)
def test_what_is_written_is_read_again(
    made: tuple[Release, ...], known: tuple[Version, ...], rows: tuple[LibraryRow, ...]
) -> None:
    file = GeneratedFile(distribution="deep", checked="2026-01-02", releases=made, versions=known, built=rows)
    assert decode(written(file), GeneratedFile, where="text") == file
    assert lost(file, file) == []


def test_a_release_without_a_wheel_counts_where_its_source_is_wanted() -> None:
    both = page(
        "deep-1.0-py3-none-any.whl", "deep-1.0.tar.gz", "deep-1.1.tar.gz", "deep-1.2rc1.zip", "deep.txt"
    )
    sdists = sdists_of(both, since=Version("1.0"))
    made, faults = releases(
        wheels_of(both, since=Version("1.0")), {"deep-1.0-py3-none-any.whl": ""}, (), sdists
    )
    assert not faults
    assert [(str(item.version), item.sdist, bool(item.wheels)) for item in made] == [
        ("1.2rc1", True, False),
        ("1.1", True, False),
        ("1.0", True, True),
    ]
    file = GeneratedFile(distribution="deep", checked="2026-01-02", releases=made)
    assert decode(written(file), GeneratedFile, where="here") == file


def test_a_source_that_asks_for_a_python_nobody_can_read_is_a_fault() -> None:
    odd = Page(name="deep", files=(File(filename="deep-1.0.tar.gz", url="x", requires_python="three"),))
    made, faults = releases([], {}, (), sdists_of(odd, since=Version("0")))
    assert not made
    assert "three" in faults[0]


def test_a_release_without_a_wheel_overtakes_prereleases_with_one() -> None:
    both = page("deep-1.0b1-py3-none-any.whl", "deep-1.0.tar.gz", "deep-2.0b1-py3-none-any.whl")
    since = Version("0")
    texts = {file.filename: "" for file in both.files}
    made, _ = releases(wheels_of(both, since), texts, (), sdists_of(both, since))
    assert [str(item.version) for item in made] == ["2.0b1", "1.0"]


def test_a_library_has_a_row_wherever_its_wheels_change() -> None:
    seen = page(
        "deep-1.0-py3-none-manylinux2014_x86_64.whl",
        "deep-1.0.tar.gz",
        "deep-1.1-py3-none-manylinux2014_x86_64.whl",
        "deep-1.2-py3-none-manylinux2014_x86_64.whl",
        "deep-1.3-py3-none-manylinux_2_27_x86_64.whl",
        "deep-1.4rc1-py3-none-any.whl",
    )
    rows = built(wheels_of(seen, since=Version("0")), sdists_of(seen, since=Version("0")))
    older = (TagsRow(pythons="py3", platform="manylinux_2_17_x86_64"),)
    assert rows == (
        LibraryRow(since=Version("1.3"), wheels=(TagsRow(pythons="py3", platform="manylinux_2_27_x86_64"),)),
        LibraryRow(since=Version("1.1"), wheels=older),
        LibraryRow(since=Version("1.0"), wheels=older, sdist=True),
    )
