"""Which older compilers a system offers beside its own, and what they are called there.

The oldest of Debian 12 and 13, Fedora and Ubuntu 22.04 and 24.04 were read in the package pages of the
distributions on 2026-12-02; nobody has looked up the others. Where a row is wrong the installer says that
there is no such package, and nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.commands import line
from dlsetup.judge.linux_families import Family, family_of, install_packages, major_of, release_of
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Remedy
from dlsetup.model.record import Record, Unknown

_OFFERED: dict[tuple[Family, str], range] = {
    ("ubuntu", "18.04"): range(5, 9),
    ("ubuntu", "20.04"): range(7, 11),
    ("ubuntu", "22.04"): range(9, 13),
    ("ubuntu", "24.04"): range(9, 15),
    ("debian", "11"): range(9, 11),
    ("debian", "12"): range(11, 13),
    ("debian", "13"): range(12, 15),
    ("fedora", "40"): range(13, 15),
    ("fedora", "41"): range(13, 15),
    ("fedora", "42"): range(14, 16),
    ("fedora", "43"): range(14, 16),
    ("fedora", "44"): range(14, 16),
}
"""Every major of gcc that a release has packages of; of Fedora its own and the one before."""
_SINCE: dict[Family, int] = {"fedora": 14, "suse": 7, "arch": 13}
"""The oldest gcc of which packages are kept beside the newest."""
_TOOLSETS = {8: range(9, 15), 9: range(12, 16)}
"""`gcc-toolset-N` of a release of the family of Red Hat."""
_OWN = {8: 8, 9: 11, 10: 14}
"""The gcc that such a release is built with."""


class Compiler(Record, frozen=True, kw_only=True):
    """A gcc that can be had, and where its programs lie then."""

    major: int
    install: tuple[str, ...] = ()
    """Empty where it is there already."""
    gcc: str
    gxx: str


def older_compiler(scene: Scene, newest: int) -> Compiler | None:
    """The newest gcc up to that major which the system offers; None where it is not known to offer any."""
    family = family_of(scene)
    if family in ("rhel", "amazon"):
        return _of_enterprise(scene, newest) if family == "rhel" else None
    if family is None:
        return None
    offered = _OFFERED.get((family, _release(scene, family)))
    if offered is None and newest < _SINCE.get(family, 0):
        return None
    major = newest if offered is None else max((item for item in offered if item <= newest), default=None)
    return None if major is None else _packaged(scene, major)


def _release(scene: Scene, family: Family) -> str:
    release = release_of(scene)
    return release if family == "ubuntu" else release.partition(".")[0]


def _packaged(scene: Scene, major: int) -> Compiler:
    names: dict[Family, tuple[str, ...]] = {
        "ubuntu": (f"gcc-{major}", f"g++-{major}"),
        "debian": (f"gcc-{major}", f"g++-{major}"),
        "fedora": (f"gcc{major}", f"gcc{major}-c++"),
        "suse": (f"gcc{major}", f"gcc{major}-c++"),
        "arch": (f"gcc{major}",),
    }
    return Compiler(
        major=major,
        install=install_packages(scene, names),
        gcc=f"/usr/bin/gcc-{major}",
        gxx=f"/usr/bin/g++-{major}",
    )


def _of_enterprise(scene: Scene, newest: int) -> Compiler | None:
    """The toolset of that major, or the gcc of the system itself, which is older than its toolsets."""
    release = major_of(scene) or 0
    major = max((item for item in _TOOLSETS.get(release, ()) if item <= newest), default=None)
    if major is not None:
        folder = f"/opt/rh/gcc-toolset-{major}/root/usr/bin"
        install = install_packages(scene, {"rhel": (f"gcc-toolset-{major}",)})
        return Compiler(major=major, install=install, gcc=f"{folder}/gcc", gxx=f"{folder}/g++")
    if release in _OWN and _OWN[release] <= newest:
        install = install_packages(scene, {"rhel": ("gcc-c++",)})
        return Compiler(major=_OWN[release], install=install, gcc="/usr/bin/gcc", gxx="/usr/bin/g++")
    return None


def in_conda(scene: Scene) -> bool:
    """Whether the environment is one of conda, whose compilers come from its channels."""
    maker = scene.observed("gcc.maker")
    environment = scene.environment
    return (
        (maker is not None and "conda" in maker.value.lower())
        or (environment is not None and environment.kind == "conda")
        or isinstance(scene.machine.variable("CONDA_PREFIX"), str)
    )


def use_older(scene: Scene, newest: int) -> Iterator[Remedy]:
    """Install a gcc up to that major and let nvcc take it: of conda where that is in use, or has it alone."""
    older = older_compiler(scene, newest)
    if older is not None and not in_conda(scene):
        exports = (
            f"export CC={older.gcc} CXX={older.gxx} CUDAHOSTCXX={older.gxx}",
            f"export NVCC_PREPEND_FLAGS='-ccbin {older.gxx}'",
        )
        text = (
            f"Install gcc {older.major} and g++ {older.major} beside the present ones and let nvcc use them."
        )
        yield Remedy(text=text, commands=(*older.install, *exports), scope="host")
        return
    family = family_of(scene)
    known = in_conda(scene) or family is not None
    where = "" if in_conda(scene) or not known else ": no package of this system is known that is so old"
    if known:
        yield _of_conda(scene, newest, where)
        return
    names = f"gcc-{newest} CXX=g++-{newest} CUDAHOSTCXX=g++-{newest}"
    yield Remedy(
        text=f"Install gcc {newest} and g++ {newest} with the system's packages (on Ubuntu and Debian "
        f"`gcc-{newest}` and `g++-{newest}`) and let nvcc use them.",
        commands=(f"export CC={names}", f"export NVCC_PREPEND_FLAGS='-ccbin g++-{newest}'"),
        scope="host",
    )


def _of_conda(scene: Scene, newest: int, where: str) -> Remedy:
    arch = scene.target.arch
    platform = "linux-aarch64" if not isinstance(arch, Unknown) and arch == "aarch64" else "linux-64"
    packages = [f"gcc_{platform}={newest}", f"gxx_{platform}={newest}"]
    return Remedy(
        text=f"Install gcc {newest} of conda-forge{where}; activate the environment anew, which sets CC and "
        "CXX to it, and let nvcc use it.",
        commands=(
            *line(scene, ["conda", "install", "-c", "conda-forge", *packages]),
            'export CUDAHOSTCXX="$CXX" NVCC_PREPEND_FLAGS="-ccbin $CXX"',
        ),
    )
