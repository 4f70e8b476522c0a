"""Wheel tags of Python, ABI and platform, by the standards."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.model.framework import Build, Wheels
from dlsetup.model.machine import Libc
from dlsetup.model.record import UNKNOWN
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.versions import LibcVersion, OsRelease
from dlsetup.rules.wheels import (
    accepts_python,
    fitting_wheels,
    has_platform,
    has_wheel,
    platform_fits,
    platform_of,
    platform_target,
    python_fits,
)


def glibc(version: str) -> Libc:
    return Libc(name="glibc", version=LibcVersion(version))


LINUX = Target(os="linux", arch="x86_64", libc=glibc("2.31"))
ALPINE = Target(os="linux", arch="x86_64", libc=Libc(name="musl", version=LibcVersion("1.2")))
MAC = Target(os="macos", arch="aarch64", release=OsRelease("14.5"), libc=None)
INTEL_MAC = Target(os="macos", arch="x86_64", release=OsRelease("12.7"), libc=None)
WINDOWS = Target(os="windows", arch="x86_64", libc=None)


def python(version: str, *, threaded: bool = False) -> Interpreter:
    return Interpreter(version=Version(version), free_threaded=threaded)


@pytest.mark.parametrize(
    ("platform", "target", "expected"),
    [
        ("any", Target(), "yes"),
        ("manylinux_2_28_x86_64", LINUX, "yes"),
        ("manylinux_2_34_x86_64", LINUX, "no"),
        ("manylinux_2_99999999999_x86_64", LINUX, "no"),
        ("macosx_99999999999_0_arm64", LINUX, "no"),
        ("manylinux_2_28_aarch64", LINUX, "no"),
        ("manylinux2014_x86_64", LINUX, "yes"),
        ("manylinux2014_x86_64", msgspec.structs.replace(LINUX, libc=glibc("2.12")), "no"),
        ("manylinux1_x86_64", msgspec.structs.replace(LINUX, libc=glibc("2.12")), "yes"),
        ("manylinux2010_x86_64.manylinux_2_12_x86_64", LINUX, "yes"),
        ("manylinux_2_28_x86_64", ALPINE, "no"),
        ("musllinux_1_2_x86_64", ALPINE, "yes"),
        ("musllinux_1_3_x86_64", ALPINE, "no"),
        ("musllinux_1_2_x86_64", LINUX, "no"),
        ("linux_x86_64", ALPINE, "yes"),
        ("manylinux_2_28_x86_64", msgspec.structs.replace(LINUX, libc=UNKNOWN), "unknown"),
        ("manylinux_2_28_x86_64", msgspec.structs.replace(LINUX, libc=Libc(name="glibc")), "unknown"),
        ("manylinux_2_28_aarch64", msgspec.structs.replace(LINUX, libc=UNKNOWN), "no"),
        ("manylinux_2_28_x86_64", Target(), "unknown"),
        ("macosx_14_0_arm64", MAC, "yes"),
        ("macosx_15_0_arm64", MAC, "no"),
        ("macosx_11_0_universal2", MAC, "yes"),
        ("macosx_11_0_x86_64", MAC, "no"),
        ("macosx_10_14_x86_64", INTEL_MAC, "yes"),
        ("macosx_10_9_intel", INTEL_MAC, "yes"),
        ("macosx_14_0_arm64", msgspec.structs.replace(MAC, release=UNKNOWN), "unknown"),
        ("win_amd64", WINDOWS, "yes"),
        ("win_arm64", WINDOWS, "no"),
        ("win32", WINDOWS, "no"),
        ("win_amd64", LINUX, "no"),
        ("emscripten_3_1_wasm32", LINUX, "no"),
    ],
)
def test_platform_tags(platform: str, target: Target, expected: str) -> None:
    assert platform_fits(platform, target).answer == expected


@pytest.mark.parametrize(
    ("tag", "interpreter", "fits"),
    [
        ("cp312", python("3.12"), True),
        ("cp312", python("3.12.4"), True),
        ("cp312", python("3.11"), False),
        ("cp312", python("3.12", threaded=True), False),
        ("cp313-cp313t", python("3.13", threaded=True), True),
        ("cp313-cp313t", python("3.13"), False),
        ("cp313-cp313", python("3.13"), True),
        ("cp39-abi3", python("3.12"), True),
        ("cp39-abi3", python("3.8"), False),
        ("cp39-abi3", python("3.13", threaded=True), False),
        ("cp37-cp37m", python("3.7"), True),
        ("py3", python("3.14"), True),
        ("py3-none", python("3.14", threaded=True), True),
        ("py2.py3", python("3.9"), True),
        ("py310", python("3.9"), False),
        ("cp312-none", python("3.12", threaded=True), True),
        ("pp310", python("3.10"), False),
        ("-", python("3.10"), False),
    ],
)
def test_python_tags(tag: str, interpreter: Interpreter, fits: bool) -> None:
    assert python_fits(Wheels(pythons=(tag,), platform="any"), interpreter) is fits


def build(*wheels: Wheels, bound: str = "") -> Build:
    return Build(
        framework="torch",
        version=Version("2.14.1"),
        variant="cu130",
        accelerator="cuda",
        wheels=wheels,
        requires_python=SpecifierSet(bound),
        index="default",
        requirements=("torch==2.14.1",),
    )


def test_refusal_says_whether_python_or_platform_fails() -> None:
    made = build(Wheels(pythons=("cp312",), platform="manylinux_2_28_x86_64", size_bytes=7))
    assert has_wheel(made, python("3.12"), LINUX).ok
    assert (
        has_wheel(made, python("3.14"), LINUX).because == "torch 2.14.1 (cu130) has no wheel for Python 3.14"
    )
    old = msgspec.structs.replace(LINUX, libc=glibc("2.17"))
    refusal = has_wheel(made, python("3.12"), old)
    assert refusal.because == "torch 2.14.1 (cu130) has no wheel for Linux x86_64 with glibc 2.17"
    assert has_wheel(made, python("3.12"), Target(os="linux")).answer == "unknown"
    found = fitting_wheels(made, python("3.12"), LINUX)
    assert found is not None
    assert found.size_bytes == 7
    assert fitting_wheels(made, python("3.12"), Target()) is None
    assert has_platform(made, WINDOWS).refused


@pytest.mark.parametrize(
    ("bound", "version", "fits"),
    [
        (">=3.10", "3.10", True),
        (">=3.11", "3.10.14", False),
        (">=3.9,<3.13", "3.13", False),
        (">=3.9,!=3.9.7", "3.9", True),
        (">=3.10.2", "3.10", True),
        (">=3.8", "3.15.0b1", True),
        ("", "3.7", True),
    ],
)
def test_python_bound(bound: str, version: str, fits: bool) -> None:
    assert accepts_python(build(bound=bound), python(version)).ok is fits


@given(st.text(max_size=40), st.sampled_from([LINUX, ALPINE, MAC, WINDOWS, Target()]))
def test_no_tag_crashes(text: str, target: Target) -> None:
    assert platform_fits(text, target).answer in ("yes", "no", "unknown")
    assert python_fits(Wheels(pythons=(text,), platform="any"), python("3.12")) in (True, False)


@given(st.integers(5, 50), st.integers(5, 50), st.integers(5, 50))
def test_newer_libc_never_loses_a_wheel(wanted: int, one: int, other: int) -> None:
    older, newer = sorted((one, other))
    tag = f"manylinux_2_{wanted}_x86_64"
    before, after = (
        platform_fits(tag, msgspec.structs.replace(LINUX, libc=glibc(f"2.{minor}"))).ok
        for minor in (older, newer)
    )
    assert after or not before


@pytest.mark.parametrize(
    ("tag", "target"),
    [
        ("manylinux_2_28_aarch64", Target(os="linux", arch="aarch64")),
        ("macosx_14_0_arm64", Target(os="macos", arch="aarch64")),
        ("win_amd64", Target(os="windows", arch="x86_64")),
        ("win32", Target(os="windows", arch="i686")),
        ("any", Target()),
    ],
)
def test_platform_of_a_tag(tag: str, target: Target) -> None:
    assert platform_target(tag) == target


def test_platform_in_words() -> None:
    assert platform_of(LINUX) == "Linux x86_64 with glibc 2.31"
    assert platform_of(MAC) == "macOS 14.5 aarch64"
    assert platform_of(Target()) == "an unknown system"
