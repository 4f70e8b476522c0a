"""What stops a refresh: losses, and rows that what was learned speaks against."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hand_made import Follower
from msgspec.structs import replace
from packaging.version import Version

from dlsetup.catalog.folders import Folders
from dlsetup.catalog.form import (
    BuildRow,
    CodeRow,
    DistributionRow,
    FrameworkFile,
    GeneratedFile,
    Like,
    MeasuredFile,
    MeasuredRow,
    PairRow,
    PinRow,
    Release,
    RequiresRow,
    WheelRow,
)
from dlsetup.catalog.guards import disagreements
from dlsetup.catalog.jobs import framework_files
from dlsetup.catalog.refresh import distributions_of, known_files
from dlsetup.model.errors import StepFailed
from dlsetup.model.framework import Ended
from dlsetup.model.versions import ComputeCapability

LINUX = "manylinux_2_28_x86_64"
CHECKED = "2026-01-02"
CUDA = BuildRow(variant="cu126", accelerator="cuda", platforms=("linux-x86_64",), extras=("gpu",), source="s")
DEEP = FrameworkFile(
    name="deep",
    title="Deep",
    distributions=("deep",),
    imports="deep",
    distribution=(DistributionRow(name="deep", extras=("gpu",)),),
    known_to=Version("2.0"),
    build=(CUDA,),
)


def release(
    version: str, *platforms: str, extras: tuple[str, ...] = ("gpu",), sdist: bool = False
) -> Release:
    wheels = tuple(WheelRow(pythons="cp312", platform=item, size_bytes=1) for item in platforms or (LINUX,))
    requires = (RequiresRow(extras=dict.fromkeys(extras, ("thin",))),)
    return Release(version=Version(version), wheels=() if sdist else wheels, requires=requires, sdist=sdist)


def learned(
    *releases: Release, name: str = "deep", versions: tuple[str, ...] = ()
) -> dict[str, GeneratedFile]:
    known = tuple(Version(item) for item in versions)
    return {name: GeneratedFile(distribution=name, checked=CHECKED, releases=releases, versions=known)}


BOTH = learned(release("2.0"), release("1.0"))


def against(file: FrameworkFile, generated: dict[str, GeneratedFile], measured: Any = None) -> list[str]:
    return [str(item) for item in disagreements([file], generated, measured or {})]


def test_rows_that_hold_are_not_spoken_of() -> None:
    assert against(DEEP, BOTH) == []


def test_of_what_nobody_learned_nothing_is_said() -> None:
    assert against(DEEP, {}) == []


def test_what_is_shipped_agrees_with_itself() -> None:
    place = Folders()
    files = list(framework_files(place).values())
    names = {name for file in files for name in distributions_of(file)}
    generated = known_files(names, "generated", GeneratedFile, place)
    measured = known_files(names, "measured", MeasuredFile, place)
    assert generated
    assert [str(item) for item in disagreements(files, generated, measured)] == []


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            replace(CUDA, since=Version("2.1")),
            "no release fits the build `cu126` (since 2.1) for linux-x86_64",
        ),
        (replace(CUDA, before=Version("1.0")), "no release fits the build `cu126` (before 1.0)"),
        (replace(CUDA, platforms=("windows-amd64",)), "no release fits the build `cu126` for windows-amd64"),
        (replace(CUDA, from_source=True), "no release fits"),
    ],
)
def test_a_build_that_no_release_fits(row: BuildRow, said: str) -> None:
    (text,) = against(replace(DEEP, build=(row,)), BOTH)
    assert text.startswith("deep: ")
    assert said in text


def test_a_build_from_source_needs_a_source() -> None:
    file = replace(DEEP, build=(replace(CUDA, from_source=True, extras=()),))
    assert against(file, learned(release("2.0", sdist=True))) == []


def test_an_extra_that_vanished() -> None:
    (text,) = against(DEEP, learned(release("2.0", extras=("cuda",)), release("1.0")))
    assert text == "deep: 2.0 has no extra `gpu`, which the build `cu126` asks for"
    assert against(DEEP, learned(release("2.0"), release("1.0", extras=()))) == []


def test_a_prerelease_decides_nothing_of_extras() -> None:
    assert against(DEEP, learned(release("2.1rc1", extras=()), release("2.0"))) == []


def test_pairs_have_to_be_there() -> None:
    pair = PairRow(release=Version("2.0"), counterpart=Version("7.0"))
    file = replace(DEEP, build=(), like=Like(framework="base", pair=(pair,), source="s"))
    base = learned(release("7.0"), name="base")
    assert against(file, BOTH | base) == []
    assert against(file, BOTH | learned(release("7.1"), release("6.0"), name="base")) == [
        "deep: there is no base 7.0, which is paired"
    ]
    known = learned(release("2.1"), release("1.0")) | base
    assert "deep: there is no deep 2.0, which is paired" in against(file, known)


@pytest.mark.parametrize("pin", ["thin==1.5", "thin==1.5+cu126", 'thin==1.5; platform_system == "Linux"'])
def test_pins_have_to_be_there(pin: str) -> None:
    row = PinRow(
        variant="cu126", platforms=("linux-x86_64",), requires=(pin, "thin>=9", "thin==1.*"), source="s"
    )
    file = replace(DEEP, pins=(row,))
    assert against(file, BOTH | learned(name="thin", versions=("1.6", "1.5"))) == []
    assert against(file, BOTH | learned(name="thin", versions=("1.6", "1.4"))) == [
        "deep: there is no thin 1.5, which is pinned"
    ]
    assert against(file, BOTH) == []


def test_nothing_is_said_of_versions_older_than_what_was_learned() -> None:
    row = PinRow(variant="cu126", platforms=("linux-x86_64",), requires=("thin==1.5",), source="s")
    assert against(replace(DEEP, pins=(row,)), BOTH | learned(name="thin", versions=("1.7", "1.6"))) == []


def test_requirements_of_a_build_have_to_be_there() -> None:
    file = replace(DEEP, build=(replace(CUDA, requires=("thin==3",)),))
    assert against(file, BOTH | learned(name="thin", versions=("2",))) == [
        "deep: there is no thin 3, which is pinned"
    ]


def test_an_end_that_was_none() -> None:
    end = Ended(last=Version("2.0"), when="2024-01-01", instead="wide", source="s")
    file = replace(DEEP, ended=end)
    assert against(file, BOTH) == []
    (text,) = against(file, learned(release("2.1"), release("2.0")))
    assert text == "deep: it ended with 2.0, but there is 2.1"
    assert against(file, learned(release("2.1rc1"), release("2.0"))) == []


def test_the_newest_release_that_was_looked_at_has_to_be_there() -> None:
    file = replace(DEEP, known_to=Version("3.0"))
    assert against(file, BOTH) == ["deep: it is known to 3.0, which there is not"]


def measured(*kernels: str, version: str = "2.0", ptx: tuple[str, ...] = ()) -> dict[str, MeasuredFile]:
    row = MeasuredRow(
        version=Version(version),
        platform="linux-x86_64",
        kernels=tuple(map(ComputeCapability, kernels)),
        ptx=tuple(map(ComputeCapability, ptx)),
        wheel="deep.whl",
        sha256="0" * 64,
    )
    return {"deep": MeasuredFile(distribution="deep", how="read", checked=CHECKED, rows=(row,))}


def test_written_architectures_against_measured_ones() -> None:
    code = CodeRow(
        variant="cu126",
        platforms=("linux-x86_64",),
        kernels=(ComputeCapability("8.0"), ComputeCapability("9.0")),
        since=Version("2.0"),
        source="s",
    )
    file = replace(DEEP, code=(code,))
    assert against(file, BOTH, measured("9.0", "8.0", ptx=("9.0",))) == []
    (text,) = against(file, BOTH, measured("8.0"))
    assert text == "deep: deep.whl has kernels 8.0, where the row of `cu126` says 8.0 9.0"
    assert against(file, BOTH, measured("8.0", version="1.0")) == []
    assert (
        against(replace(DEEP, build=(replace(CUDA, index="own"),), code=(code,)), BOTH, measured("8.0")) == []
    )


def test_what_speaks_of_other_distributions_does_not_stop_a_refresh(
    run: Callable[..., Any], shelf: Any
) -> None:
    path = shelf.folder / "frameworks" / "deep.toml"
    path.write_text('known_to = "7.0"\n' + path.read_text())
    run("deep", allow_disagreement=True)
    assert [item.name for item in run("thin")] == ["thin"]


def test_a_refresh_that_contradicts_a_row_stops_and_says_all(run: Callable[..., Any], shelf: Any) -> None:
    path = shelf.folder / "frameworks" / "deep.toml"
    path.write_text(
        'known_to = "7.0"\nended = { last = "0.5", when = "2020-01-01", instead = "x", source = "deep" }\n'
        + path.read_text()
    )
    follower = Follower()
    with pytest.raises(
        StepFailed, match=r"disagrees with what is written: deep: it is known to 7\.0"
    ) as caught:
        run("deep", watch=follower)
    assert "--allow-disagreement" in caught.value.hint
    assert "deep: it ended with 0.5, but there is 1.0" in follower.said
    assert not (shelf.folder / "generated").exists()
    assert run("deep", allow_disagreement=True)
    assert (shelf.folder / "generated" / "deep.json").is_file()
