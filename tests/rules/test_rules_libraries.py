"""Pins of two builds agree or provably do not; files are written by one of them."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.model.framework import Build, Catalog, LibraryWheels, Wheels
from dlsetup.model.hardware import Hardware, LibraryLine, Overlap
from dlsetup.model.machine import Gpu, Libc
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.versions import ComputeCapability, LibcVersion
from dlsetup.rules.libraries import (
    files_apart,
    libraries_of,
    library_serves,
    lines_of,
    not_installable,
    pins_agree,
    versions_exist,
    versions_of,
)

LINUX = Target(os="linux", arch="x86_64")
PYTHON = Interpreter(version=Version("3.12"))
CATALOG = Catalog(
    libraries={"nvidia-cudnn-cu12": tuple(map(Version, ("9.3.0.75", "9.10.2.21", "9.24.0.43")))}
)

bounds = st.builds(
    lambda operator, major, minor: SpecifierSet(f"{operator}{major}.{minor}"),
    st.sampled_from(["==", ">=", "<=", "<", ">", "!="]),
    st.integers(0, 3),
    st.integers(0, 3),
)
universe = tuple(Version(f"{major}.{minor}") for major in range(5) for minor in range(5))


def build(framework: str, *requires: str) -> Build:
    return Build(
        framework=framework,
        version=Version("1.0"),
        variant="cu12",
        accelerator="cuda",
        wheels=(),
        requires_python=SpecifierSet(),
        index="default",
        requirements=(f"{framework}==1.0",),
        requires=requires,
    )


def test_markers_apply_to_the_platform_and_python() -> None:
    made = build(
        "torch",
        'nvidia-cudnn-cu12==9.10.2.21; platform_system == "Linux" and platform_machine == "x86_64"',
        'triton==3.7.1; sys_platform == "linux" and python_version < "3.12"',
        "Typing_Extensions>=4.10",
        "typing-extensions<5",
        "not a requirement !!",
    )
    asked = libraries_of(made, PYTHON, LINUX)
    assert asked == {
        "nvidia-cudnn-cu12": SpecifierSet("==9.10.2.21"),
        "typing-extensions": SpecifierSet(">=4.10,<5"),
    }
    assert set(libraries_of(made, PYTHON, Target(os="windows", arch="x86_64"))) == {"typing-extensions"}
    assert set(libraries_of(made, PYTHON, Target())) == {"typing-extensions"}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("nvidia-cudnn-cu12==9.10.2.21", "nvidia-cudnn-cu12>=9.3,<10", "yes"),
        ("nvidia-cudnn-cu12==9.10.2.21", "nvidia-cudnn-cu12==9.3.0.75", "no"),
        ("nvidia-cudnn-cu12>=9.4", "nvidia-cudnn-cu12<9.9", "no"),
        ("numpy>=2", "numpy<2", "no"),
        ("numpy>=1.26", "numpy<2.2", "unknown"),
        ("cuda-toolkit[cublas]==13.0.3", "cuda-toolkit[cudart]==13.2.2", "no"),
        ("numpy", "protobuf", "yes"),
    ],
)
def test_pins(one: str, other: str, expected: str) -> None:
    verdict = pins_agree(build("torch", one), build("jax", other), PYTHON, LINUX, CATALOG)
    assert verdict.answer == expected


def wheels(since: str, *platforms: str, pythons: str = "py3", source: bool = False) -> LibraryWheels:
    made = tuple(Wheels(pythons=tuple(pythons.split()), platform=platform) for platform in platforms)
    return LibraryWheels(since=Version(since), wheels=made, source=source)


BUILT = msgspec.structs.replace(
    CATALOG,
    library_wheels={
        "nvidia-cudnn-cu12": (
            wheels("9.20", "manylinux_2_27_x86_64", "win_amd64"),
            wheels("9.10", "manylinux_2_17_x86_64", "manylinux_2_17_aarch64"),
            wheels("9.0", "manylinux_2_17_x86_64", pythons="cp310", source=True),
        )
    },
)


@pytest.mark.parametrize(
    ("target", "missing"),
    [
        (Target(os="linux", arch="x86_64", libc=Libc(name="glibc", version=LibcVersion("2.35"))), []),
        (
            Target(os="linux", arch="x86_64", libc=Libc(name="glibc", version=LibcVersion("2.17"))),
            ["9.24.0.43"],
        ),
        (
            Target(os="linux", arch="aarch64", libc=Libc(name="glibc", version=LibcVersion("2.39"))),
            ["9.24.0.43"],
        ),
        (Target(os="windows", arch="x86_64"), ["9.10.2.21"]),
        (Target(os="linux", arch="x86_64"), []),
        (Target(), []),
    ],
)
def test_a_version_needs_a_wheel_for_the_target_or_a_source(target: Target, missing: list[str]) -> None:
    found = not_installable("nvidia-cudnn-cu12", PYTHON, target, BUILT)
    assert found == set(map(Version, missing))


def test_a_library_without_a_wheel_for_the_python_is_left_out_unless_it_can_be_compiled() -> None:
    bare = msgspec.structs.replace(
        BUILT, library_wheels={"nvidia-cudnn-cu12": (wheels("9", "any", pythons="cp310"),)}
    )
    assert len(not_installable("nvidia-cudnn-cu12", PYTHON, LINUX, bare)) == 3
    assert not_installable("nvidia-cudnn-cu12", PYTHON, LINUX, CATALOG) == frozenset()


def test_refusal_quotes_both() -> None:
    one, other = build("torch", "numpy>=2"), build("tensorflow", "numpy<2")
    verdict = pins_agree(one, other, PYTHON, LINUX, CATALOG)
    assert verdict.because == "torch 1.0 asks for numpy>=2 and tensorflow 1.0 for numpy<2"


@given(st.lists(bounds, min_size=1, max_size=3))
def test_disjointness_is_never_claimed_of_what_some_version_satisfies(asked: list[SpecifierSet]) -> None:
    blind = versions_exist(asked, None)
    seen = versions_exist(asked, universe)
    assert seen in ("yes", "no")
    if blind == "no":
        assert seen == "no"
    if blind == "yes":
        assert seen == "yes"


def anything(*names: str) -> dict[str, SpecifierSet]:
    return {name: SpecifierSet() for name in names}


def test_files_of_two_majors_overwrite_each_other(hardware: Hardware) -> None:
    world = Catalog(hardware=hardware)
    refusal = files_apart(anything("nvidia-cudnn-cu12", "numpy"), anything("nvidia-cudnn-cu13"), world)
    assert refusal.because == "nvidia-cudnn-cu12 and nvidia-cudnn-cu13 both write nvidia/cudnn"
    assert refusal.sources == ("wheel-listing",)
    assert files_apart(anything("nvidia-cudnn-cu12"), anything("nvidia-cudnn-cu12"), world).ok
    assert files_apart(anything("nvidia-cudnn-cu12"), anything("nvidia-nccl-cu13"), world).ok


def test_a_version_that_lies_elsewhere_overwrites_nothing() -> None:
    row = Overlap(
        distributions=("one", "two"),
        path="nvidia/one",
        versions=(("two", SpecifierSet("<13.1")),),
        source="wheel-listing",
    )
    world = Catalog(hardware=Hardware(overlaps=(row,)), libraries={"two": (Version("13.1"), Version("13.0"))})
    for asked, apart in (("==13.1", True), ("==13.0", False), (">=13", False), (">13.0", True)):
        verdict = files_apart(anything("one"), {"two": SpecifierSet(asked)}, world)
        assert verdict.ok is apart, asked


def test_library_line_asks_for_a_gpu(hardware: Hardware) -> None:
    volta = Target(gpus=(Gpu(vendor="nvidia", compute_capability=ComputeCapability("7.0")),))
    name = "nvidia-cudnn-cu12"
    assert library_serves(name, Version("9.10.2.21"), volta, hardware).ok
    refusal = library_serves(name, Version("9.24.0.43"), volta, hardware)
    assert refusal.refused
    assert "sm_75" in refusal.because
    assert library_serves(name, Version("9.24.0.43"), Target(), hardware).ok
    assert versions_of(name, CATALOG) == CATALOG.libraries["nvidia-cudnn-cu12"]
    assert versions_of("numpy", CATALOG) is None


def test_a_line_that_names_no_oldest_gpu_refuses_none(hardware: Hardware) -> None:
    nccl = LibraryLine(
        library="NCCL", distribution="nvidia-nccl-cu12", versions=SpecifierSet(">=2"), source="wheels"
    )
    known = msgspec.structs.replace(hardware, libraries=(*hardware.libraries, nccl))
    old = Target(gpus=(Gpu(vendor="nvidia", compute_capability=ComputeCapability("3.5")),))
    assert library_serves("nvidia-nccl-cu12", Version("2.27"), old, known).ok
    assert lines_of("nvidia-nccl-cu12", known) == []
