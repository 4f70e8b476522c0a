"""The target in conda's words, the explicit lock, and a shell that activates."""

from __future__ import annotations

import pytest

from dlsetup.intake.target import parse
from dlsetup.model.conda import CondaSolution, SolvedPackage, VirtualPackage
from dlsetup.model.errors import UsageError
from dlsetup.model.versions import CudaVersion
from dlsetup.plan.conda_lock import explicit_lock, lock_name
from dlsetup.plan.conda_platform import conda_platform, subdir_of
from dlsetup.plan.rattler import weight


@pytest.mark.parametrize(
    ("words", "subdir"),
    [
        ("os=linux,arch=x86_64", "linux-64"),
        ("os=linux,arch=aarch64", "linux-aarch64"),
        ("os=macos,arch=arm64", "osx-arm64"),
        ("os=macos,arch=x86_64", "osx-64"),
        ("os=windows,arch=x86_64", "win-64"),
    ],
)
def test_subdirs(words: str, subdir: str) -> None:
    assert subdir_of(parse(words)) == subdir


def test_the_target_speaks_and_not_this_machine() -> None:
    platform = conda_platform(parse("os=linux,arch=x86_64,glibc=2.31,driver=535.129.03"), CudaVersion("12.2"))
    told = {item.name: (item.version, item.build) for item in platform.virtual}
    assert told["__glibc"] == ("2.31", "0")
    assert told["__cuda"] == ("12.2", "0")
    assert told["__archspec"] == ("1", "x86_64")
    assert platform.assumed == ()
    assert dict(platform.overrides) == {
        "CONDA_SUBDIR": "linux-64",
        "CONDA_OVERRIDE_CUDA": "12.2",
        "CONDA_OVERRIDE_GLIBC": "2.31",
        "CONDA_OVERRIDE_ARCHSPEC": "x86_64",
    }


def test_a_plan_without_cuda_sees_none() -> None:
    platform = conda_platform(parse("os=linux,arch=x86_64,driver=535.129.03"), None)
    assert "__cuda" not in {item.name for item in platform.virtual}
    assert dict(platform.overrides)["CONDA_OVERRIDE_CUDA"] == ""
    assert "glibc" in platform.assumed[0]


def test_macos_and_windows() -> None:
    macos = conda_platform(parse("os=macos,arch=arm64,macos=14.5"), None)
    assert ("__osx", "14.5") in {(item.name, item.version) for item in macos.virtual}
    windows = conda_platform(parse("os=windows,arch=x86_64"), None)
    assert {"__win", "__archspec"} == {item.name for item in windows.virtual}


@pytest.mark.parametrize(
    "words", ["os=linux", "arch=x86_64", "os=linux,arch=x86_64,musl=1.2", "os=linux,arch=i686"]
)
def test_what_conda_forge_does_not_serve(words: str) -> None:
    with pytest.raises(UsageError):
        conda_platform(parse(words), None)


def test_the_explicit_lock_has_one_address_and_hash_a_line() -> None:
    one = SolvedPackage(
        name="a", version="1", build="0", url="https://x/a-1-0.conda", sha256="ab" * 32, size_bytes=3
    )
    two = SolvedPackage(
        name="b", version="1", build="0", url="https://x/b-1-0.tar.bz2", md5="cd" * 16, size_bytes=4
    )
    virtual = (VirtualPackage(name="__cuda", version="12.2"),)
    solution = CondaSolution(subdir="linux-64", packages=(one, two), virtual=virtual)
    lines = explicit_lock(solution).splitlines()
    assert lines[-3:] == ["@EXPLICIT", f"{one.url}#sha256:{'ab' * 32}", f"{two.url}#{'cd' * 16}"]
    assert "# platform: linux-64" in lines
    assert lock_name(solution.subdir) == "conda-linux-64.lock"
    assert (weight(solution).packages, weight(solution).download_bytes) == (2, 7)
