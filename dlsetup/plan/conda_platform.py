"""A target in conda's words: its subdir and the virtual packages that a solver is told of it.

They come from the target, never from the machine that solves: a login node without a driver
builds for a node with one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from packaging.version import Version

from dlsetup.model.conda import VirtualPackage
from dlsetup.model.errors import UsageError
from dlsetup.model.record import Record, Unknown
from dlsetup.model.target import Target
from dlsetup.model.versions import CudaVersion

_SUBDIRS = {
    ("linux", "x86_64"): "linux-64",
    ("linux", "aarch64"): "linux-aarch64",
    ("linux", "ppc64le"): "linux-ppc64le",
    ("macos", "x86_64"): "osx-64",
    ("macos", "arm64"): "osx-arm64",
    ("windows", "x86_64"): "win-64",
    ("windows", "amd64"): "win-64",
    ("windows", "arm64"): "win-arm64",
}
_ARCHSPEC = {"64": "x86_64", "aarch64": "aarch64", "ppc64le": "ppc64le", "arm64": "m1"}
"""The least processor of a subdir: what is newer runs its code too."""
_OLDEST_GLIBC = "2.17"
_OLDEST_MACOS = {"osx-64": "10.13", "osx-arm64": "11.0"}


class CondaPlatform(Record, frozen=True, kw_only=True):
    """Where a solution has to run, as a solver has to be told."""

    subdir: str
    virtual: tuple[VirtualPackage, ...]
    assumed: tuple[str, ...] = ()
    """What the target does not say, and the oldest that was taken for it."""

    @property
    def overrides(self) -> tuple[tuple[str, str], ...]:
        """Variables that tell a conda tool the same. CUDA is named where there is none, too."""
        told = {item.name: item.version for item in self.virtual}
        variables = [("CONDA_SUBDIR", self.subdir), ("CONDA_OVERRIDE_CUDA", told.get("__cuda", ""))]
        for name in ("__glibc", "__osx"):
            if name in told:
                variables.append((f"CONDA_OVERRIDE_{name[2:].upper()}", told[name]))
        processor = next((item.build for item in self.virtual if item.name == "__archspec"), "")
        return (*variables, ("CONDA_OVERRIDE_ARCHSPEC", processor)) if processor else tuple(variables)


SUBDIRS = tuple(dict.fromkeys(_SUBDIRS.values()))
"""Every platform that conda-forge serves here."""


def shared(platforms: Sequence[CondaPlatform]) -> CondaPlatform:
    """What all of these have, which are of one subdir: the oldest of everything that is told."""
    found: dict[str, VirtualPackage] = {}
    for item in chain.from_iterable(each.virtual for each in platforms):
        known = found.get(item.name)
        if known is None or Version(item.version) < Version(known.version):
            found[item.name] = item
    every = [{item.name for item in each.virtual} for each in platforms]
    assumed = dict.fromkeys(chain.from_iterable(each.assumed for each in platforms))
    virtual = tuple(item for name, item in found.items() if all(name in names for names in every))
    return CondaPlatform(subdir=platforms[0].subdir, virtual=virtual, assumed=tuple(assumed))


def subdir_of(target: Target) -> str:
    """`linux-64`. Raises `UsageError` where the target does not say its system and its processor."""
    if isinstance(target.os, Unknown) or isinstance(target.arch, Unknown):
        raise UsageError(
            f"{target.name} does not say its system and its processor, which conda has to know.",
            hint="add them to the target: `os=linux,arch=x86_64`.",
        )
    arch = {"amd64": "x86_64", "arm64": "aarch64"}.get(target.arch.lower(), target.arch.lower())
    if target.os == "macos" or (target.os == "windows" and arch == "aarch64"):
        arch = {"aarch64": "arm64"}.get(arch, arch)
    found = _SUBDIRS.get((target.os, arch))
    if found is None:
        raise UsageError(
            f"conda-forge has no packages for {target.os} on {target.arch}.", hint="leave `--with conda` out."
        )
    return found


def conda_platform(target: Target, cuda: CudaVersion | None) -> CondaPlatform:
    """What a solver is told. `cuda`: the newest CUDA that the driver there runs; None: no CUDA is wanted.

    Raises `UsageError` for a target that conda-forge does not serve.
    """
    subdir = subdir_of(target)
    system, _, processor = subdir.partition("-")
    virtual = [VirtualPackage(name="__archspec", version="1", build=_ARCHSPEC[processor])]
    assumed: list[str] = []
    if system == "win":
        virtual.append(VirtualPackage(name="__win", version="0"))
    else:
        virtual.append(VirtualPackage(name="__unix", version="0"))
    if system == "linux":
        virtual += _linux(target, assumed)
    elif system == "osx":
        virtual.append(VirtualPackage(name="__osx", version=_macos(target, subdir, assumed)))
    if cuda is not None:
        virtual.append(VirtualPackage(name="__cuda", version=f"{cuda.major}.{cuda.minor}"))
    return CondaPlatform(subdir=subdir, virtual=tuple(virtual), assumed=tuple(assumed))


def _linux(target: Target, assumed: list[str]) -> list[VirtualPackage]:
    libc = target.libc
    if libc is None or (not isinstance(libc, Unknown) and libc.name != "glibc"):
        raise UsageError(
            f"conda-forge's packages for Linux need glibc, which {target.name} does not have.",
            hint="leave `--with conda` out.",
        )
    if isinstance(libc, Unknown) or isinstance(libc.version, Unknown):
        assumed.append(f"{target.name} does not say its glibc: {_OLDEST_GLIBC} is assumed")
        version = _OLDEST_GLIBC
    else:
        version = str(libc.version)
    return [
        VirtualPackage(name="__linux", version="0"),
        VirtualPackage(name="__glibc", version=version),
    ]


def _macos(target: Target, subdir: str, assumed: list[str]) -> str:
    if not isinstance(target.release, Unknown):
        return str(target.release)
    oldest = _OLDEST_MACOS[subdir]
    assumed.append(f"{target.name} does not say its macOS: {oldest} is assumed")
    return oldest
