"""Where a copy of cuDNN comes from, and how it is taken away: each place has a way of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Literal

from dlsetup.judge.commands import line
from dlsetup.judge.linux_families import family_of, packaging_of, remove_packages, uses_apt
from dlsetup.judge.scene import Scene
from dlsetup.judge.shadows import NAME
from dlsetup.judge.told_libraries import cudnn_wheels
from dlsetup.model.finding import Remedy
from dlsetup.model.machine import Distribution, SystemPackage
from dlsetup.model.record import Record

_PACKAGE = re.compile(r"libcudnn\d{1,2}(?:-cuda-\d{1,2})?|cudnn\d{0,2}(?:-cuda-\d{1,2})?")
_SYSTEM = ("/lib", "/usr/lib", "/lib64", "/usr/lib64")


class Place(Record, frozen=True, kw_only=True):
    """A folder in which parts of cuDNN lie."""

    kind: Literal["wheel", "conda", "system", "variable", "folder"]
    """`variable`: LD_LIBRARY_PATH leads there; `folder`: somebody copied it there."""
    folder: str = ""
    package: SystemPackage | None = None

    @property
    def words(self) -> str:
        if self.package:
            return f"the package {self.package.name} {self.package.version}"
        names = {"wheel": "the wheel", "conda": "conda", "system": "the system"}
        return f"{names[self.kind]} (`{self.folder}`)" if self.kind in names else f"`{self.folder}`"


def place_of(scene: Scene, folder: str) -> Place:
    """What a folder is, by its path and by LD_LIBRARY_PATH."""
    parts = PurePosixPath(folder).parts
    value = scene.machine.variable(NAME)
    named = isinstance(value, str) and folder in [item.rstrip("/") for item in value.split(":")]
    if "site-packages" in parts or "dist-packages" in parts:
        return Place(kind="wheel", folder=folder)
    if named:
        return Place(kind="variable", folder=folder)
    if "envs" in parts or any(re.search(r"conda|mamba|miniforge", part) for part in parts):
        return Place(kind="conda", folder=folder)
    if folder in _SYSTEM or re.fullmatch(r"(?:/usr)?/lib/(?:x86_64|aarch64)-linux-gnu", folder):
        return Place(kind="system", folder=folder, package=package_of(scene, folder))
    return Place(kind="folder", folder=folder)


def package_of(scene: Scene, folder: str) -> SystemPackage | None:
    """The system's package of cuDNN: the one that owns a file there, else the only one that is listed."""
    owned = [
        item.owner.name
        for item in scene.libraries
        if item.library == "cudnn" and item.owner.kind == "system" and item.path.startswith(f"{folder}/")
    ]
    known = [item for item in scene.packages if _PACKAGE.fullmatch(item.name)]
    for item in known:
        if item.name in owned:
            return item
    name = next((name for name in owned if name), "")
    return SystemPackage(name=name, version="") if name else known[0] if len(known) == 1 else None


def own_wheel(scene: Scene) -> Distribution | None:
    """cuDNN as a wheel of the environment."""
    return next((item for item in cudnn_wheels(scene) if item.name != "cudnn"), None)


def take_away(scene: Scene, place: Place) -> Iterator[Remedy]:
    """How that copy no longer gets into a process that has another one."""
    if place.kind == "system":
        yield from _uninstall(scene, place)
    elif place.kind == "variable":
        text = (
            f"Take `{place.folder}` out of {NAME}; what is installed beside the program is found without it."
        )
        yield Remedy(text=text, commands=(f"unset {NAME}",))
    elif place.kind == "conda":
        text = "Remove the cuDNN of conda from this environment, or use the program without the wheels."
        yield Remedy(text=text, commands=line(scene, ["conda", "remove", "--force", "cudnn"]))
    elif place.kind == "folder":
        yield Remedy(
            text=f"Take `{place.folder}` out of the search path (LD_LIBRARY_PATH, `/etc/ld.so.conf.d`), or "
            "remove the cuDNN that was copied there.",
            commands=line(scene, ["ls", "-l", place.folder]),
            scope="host",
        )


def _uninstall(scene: Scene, place: Place) -> Iterator[Remedy]:
    wheel = own_wheel(scene)
    name = place.package.name if place.package else "cudnn" if family_of(scene) == "arch" else ""
    if not name:
        text = "Uninstall the cuDNN of the system; its package is the one that owns the file."
        owner = ["dpkg", "-S"] if uses_apt(scene) else ["rpm", "-qf"]
        known = packaging_of(scene) is not None
        file = f"{place.folder}/libcudnn.so.9"
        yield Remedy(text=text, commands=line(scene, [*owner, file]) if known else (), scope="host")
        return
    text = f"Uninstall the system's package {name}: a program that brings its own cuDNN does not need it."
    yield Remedy(text=text, commands=remove_packages(scene, (name,)), scope="host")
    if wheel and uses_apt(scene):
        same = line(scene, ["sudo", "apt", "install", f"{name}={wheel.version}*"])
        text = f"Or bring the package to the version of the wheel, {wheel.version}."
        yield Remedy(text=text, commands=same, scope="host")
