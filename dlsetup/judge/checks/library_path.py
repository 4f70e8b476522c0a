"""LD_LIBRARY_PATH: unset is health, and a folder with another copy of a library is not."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import PurePosixPath

from packaging.version import Version

from dlsetup.judge.commands import by_conda
from dlsetup.judge.demands import demands
from dlsetup.judge.evidence import of_library, of_variable
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Installed, Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.framework import Build
from dlsetup.model.machine import Gap, Libc, Library
from dlsetup.model.record import Unknown

NAME = "LD_LIBRARY_PATH"


@check("ld-library-path-shadows-wheel-libs")
def library_path_shadows(scene: Scene) -> Iterator[Answer]:
    """A folder of LD_LIBRARY_PATH holds another version of a library that wheels bring."""
    pairs = [pair for pair in _pairs(scene) if not _own_is_first(scene, *pair)]
    for shadow, own in pairs:
        if isinstance(shadow.version, Unknown) or isinstance(own.version, Unknown):
            reason = f"it lies in a folder of {NAME}, in front of the copy that {own.owner.name} brings"
            yield Gap(
                fact=f"version of {shadow.path}", reason=reason, ask=f"ls -l {shlex.quote(folder_of(shadow))}"
            )
    differing = [(shadow, own) for shadow, own in pairs if _differ(shadow, own)]
    if not differing:
        return
    trims = _trims(scene)
    kept = [pair for pair in differing if folder_of(pair[0]) not in trims]
    if not kept:
        yield _trimmed(scene, [shadow for shadow, _ in differing])
        return
    differing = kept
    older = [pair for pair in differing if _is_older(*pair)]
    shadow, own = (older or differing)[0]
    yield Finding(
        id="ld-library-path-shadows-wheel-libs",
        severity="error" if older else "warning",
        title=f"{NAME} puts another {shadow.soname} in front of the one that {own.owner.name} brings",
        because=f"The copy in `{folder_of(shadow)}` is {shadow.version}, and the wheel's is {own.version}."
        f"{_told_winner(scene, shadow)}",
        evidence=(of_variable(scene, NAME), *(of_library(copy) for pair in differing for copy in pair)),
        remedies=(
            Remedy(
                text="Take the variable away for this environment: wheels find their libraries without it. "
                "Then look for the line that sets it.",
                commands=(f"unset {NAME}", f"grep -n {NAME} ~/.bashrc ~/.profile ~/.zshrc /etc/environment"),
                scope="host",
            ),
        ),
        rests_on=scene.sources(_sources(scene, shadow)),
    )


def _trims(scene: Scene) -> frozenset[str]:
    """Folders that the activation of the environment takes out, without a stroke at the end."""
    known = scene.environment.trims if scene.environment else ()
    return frozenset() if isinstance(known, Unknown) else frozenset(item.rstrip("/") for item in known)


def _trimmed(scene: Scene, shadows: list[Library]) -> Finding:
    """The environment takes the folders out when it is activated; this shell may not have been anew."""
    return Finding(
        id="ld-library-path-shadows-wheel-libs",
        severity="note",
        title=f"{NAME} names folders that this environment takes out when it is activated",
        because=f"Programs that are started from this shell without that still look into "
        f"`{folder_of(shadows[0])}` first.",
        evidence=(of_variable(scene, NAME), *map(of_library, shadows)),
        remedies=(Remedy(text="Activate the environment (anew)."),),
    )


def rival_folders(scene: Scene) -> tuple[str, ...]:
    """Folders of the variable with another version of a library that wheels of the environment bring."""
    return tuple(dict.fromkeys(folder_of(shadow) for shadow, own in _pairs(scene) if _differ(shadow, own)))


def _pairs(scene: Scene) -> Iterator[tuple[Library, Library]]:
    """A copy in a folder of the variable, and the wheel's copy of the same file name behind it."""
    environment = scene.environment
    value = scene.machine.variable(NAME)
    if environment is None or not isinstance(value, str) or scene.target.os != "linux":
        return
    folders = {str(PurePosixPath(folder)) for folder in value.split(":") if folder}
    inside = [item for item in scene.libraries if item.environment == environment.path]
    wheels = {(item.library, item.soname): item for item in inside if item.owner.kind == "wheel"}
    for item in scene.libraries:
        own = wheels.get((item.library, item.soname))
        if own is not None and item.environment != environment.path and folder_of(item) in folders:
            yield item, own


def _own_is_first(scene: Scene, shadow: Library, own: Library) -> bool:
    """Whether every program here that asks for the wheel's copy is known to get it all the same.

    That holds of published builds of frameworks alone: somebody else's may be linked otherwise.
    """
    libc, arch = scene.target.libc, scene.target.arch
    if scene.catalog.loading.parts_by_variable(shadow.soname) or not isinstance(arch, str):
        return False
    if not isinstance(libc, Libc) or libc.name != "glibc":
        return False
    frameworks = {item.distribution.name: item for item in scene.installed}
    asking = {item.owner.name for item in demands(scene, rf"{re.escape(own.owner.name)}|cuda-toolkit")}
    programs = {name for name in asking if not name.startswith(("nvidia-", "cuda-"))}
    programs |= {item.distribution.name for item in scene.leading if item.distribution.variant != "cpu"}
    return bool(programs) and all(
        name in asking and name in frameworks and _is_known_to_win(scene, frameworks[name], arch, own)
        for name in programs
    )


def _is_known_to_win(scene: Scene, installed: Installed, arch: str, own: Library) -> bool:
    published = isinstance(installed.build, Build) and not by_conda(installed.distribution)
    version = installed.distribution.version
    row = scene.catalog.loading.own_first(installed.framework.name, version, arch, own.library)
    return published and row is not None


def _told_winner(scene: Scene, shadow: Library) -> str:
    """Which copy wins, where it is known that the variable decides."""
    if scene.catalog.loading.parts_by_variable(shadow.soname) is None:
        return ""
    return (
        f" Whichever `{shadow.soname}` is loaded, it looks for its parts in {NAME} before its own folder, "
        f"so parts in `{folder_of(shadow)}` win over the wheel's."
    )


def _sources(scene: Scene, shadow: Library) -> tuple[str, ...]:
    row = scene.catalog.loading.parts_by_variable(shadow.soname)
    return (row.source,) if row else ()


def folder_of(library: Library) -> str:
    """The folder that it lies in."""
    return str(PurePosixPath(library.path).parent)


def _differ(one: Library, two: Library) -> bool:
    """Whether two versions differ in the parts that both of them tell: 9.5.1 and 9.5.1.17 do not."""
    if isinstance(one.version, Unknown) or isinstance(two.version, Unknown):
        return False
    first, second = one.version.release, two.version.release
    common = min(len(first), len(second))
    return first[:common] != second[:common]


def _is_older(shadow: Library, own: Library) -> bool:
    return (
        isinstance(shadow.version, Version)
        and isinstance(own.version, Version)
        and shadow.version < own.version
    )
