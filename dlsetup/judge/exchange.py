"""Another build in the place of an installed one, with all of its family: the remedy and its commands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from dlsetup.catalog.conda import conda_packages
from dlsetup.judge.better import driver_is_unknown
from dlsetup.judge.commands import by_conda, conda, install_builds, uninstall
from dlsetup.judge.conda_family import gpu_by_conda
from dlsetup.judge.demands import required_name
from dlsetup.judge.scene import Installed, Scene
from dlsetup.judge.sentences import listed
from dlsetup.model.finding import Remedy
from dlsetup.model.framework import Build
from dlsetup.model.machine import Gap
from dlsetup.model.record import Unknown
from dlsetup.model.versions import CudaVersion
from dlsetup.rules.driver import driver_floor
from dlsetup.rules.libraries import applying, overlap_of

ASK_DEVICE = "nvidia-smi --query-gpu=name,driver_version --format=csv"


def other_build(scene: Scene, installed: Installed, build: Build) -> Remedy:
    """How to put `build` in the place of the installed one, with the rest of its family."""
    family = [build, *companions(scene, installed, build)]
    names = listed([f"{item.framework} {item.version.public}" for item in family])
    text = f"Install the {build.variant} build of {names}{_if_served(scene, build)}."
    if by_conda(installed.distribution):
        return _from_conda(scene, installed)
    left = _left_behind(scene, build)
    commands = install_builds(scene, family)
    if not commands:
        return own_environment(installed)
    first = dict.fromkeys((*in_the_way(scene, family), *left))
    return Remedy(text=text, commands=(*uninstall(scene, list(first)), *commands))


def own_environment(*installed: Installed) -> Remedy:
    """Make an environment beside this one, which must not or cannot be changed."""
    names = [item.framework.name for item in installed]
    command = f"dlsetup create env {names[0]}-gpu {' '.join(names)}"
    return Remedy(text="Make an environment of its own.", commands=(command,))


def _from_conda(scene: Scene, installed: Installed) -> Remedy:
    """The GPU build of the same release by conda, with what is there of its family."""
    name = installed.framework.name
    own = gpu_by_conda(scene, installed) if name == "torch" else None
    if own is not None:
        return own
    minor = ".".join(str(part) for part in installed.distribution.version.release[:2])
    rows = {row.distribution: row.cuda for row in conda_packages()}
    specs = [spec.format(minor=minor) for spec in rows.get(name, ())]
    family = [item.framework.name for item in relatives(scene, installed)]
    words = ["--channel", "conda-forge", *specs, *family]
    text = f"Install the GPU build of {listed([name, *family])} from conda-forge."
    return Remedy(text=text, commands=conda(scene, "install", words) if specs else ())


def relatives(scene: Scene, installed: Installed) -> list[Installed]:
    """The other installed members of its family: torchvision beside torch."""
    family = installed.framework.family
    others = (item for item in scene.installed if item is not installed)
    return [item for item in others if family and item.framework.family == family]


def unknown_device(scene: Scene) -> Iterator[Gap]:
    """What would have to be known of GPU and driver to name the one build that runs here."""
    if driver_is_unknown(scene) or isinstance(scene.target.gpus, Unknown):
        reason = "they decide which CUDA build runs here"
        yield Gap(fact="GPU and release of the NVIDIA driver", reason=reason, ask=ASK_DEVICE)


def _if_served(scene: Scene, build: Build) -> str:
    """The conditions of which nobody can tell whether they hold: the driver's age, and the GPU's."""
    conditions = []
    if build.cuda is None:
        return ""
    if driver_is_unknown(scene) and (words := _floor_words(scene, build.cuda)):
        conditions.append(f"NVIDIA driver {words} or newer")
    kernels = () if isinstance(build.kernels, Unknown) else build.kernels
    if isinstance(scene.target.gpus, Unknown) and kernels:
        conditions.append(f"a GPU from {min(kernels).sm} to {max(kernels).sm}")
    return f", which needs {listed(conditions)}" if conditions else ""


def _floor_words(scene: Scene, cuda: CudaVersion) -> str:
    """The oldest driver that runs `cuda` on this system; on both, where it is not known which one it is."""
    hardware = scene.catalog.hardware
    linux = driver_floor(cuda, hardware, windows=False)
    windows = driver_floor(cuda, hardware, windows=True)
    if linux is None or windows is None or linux[0] == windows[0]:
        return str(linux[0]) if linux else ""
    if isinstance(scene.target.os, Unknown):
        return f"{linux[0]} (Windows: {windows[0]})"
    return str(windows[0] if scene.target.os == "windows" or scene.in_wsl else linux[0])


def companions(scene: Scene, installed: Installed, build: Build) -> Iterator[Build]:
    """Builds of the installed members of the family that belong to `build`."""
    for other in relatives(scene, installed):
        yield from islice((item for item in other.framework.builds if belongs(item, build)), 1)


def belongs(companion: Build, build: Build) -> bool:
    """Whether a build of the family has the same variant and index and asks for this release."""
    if (companion.index, companion.variant) != (build.index, build.variant):
        return False
    asked = (applying(text, None) for text in companion.requires if required_name(text) == build.framework)
    return any(item and item.specifier.contains(build.version.public, prereleases=True) for item in asked)


def in_the_way(scene: Scene, family: Sequence[Build]) -> Iterator[str]:
    """Twins, parts of the present build, and what an installer would take for the wanted build."""
    wanted = {required_name(text) for build in family for text in build.requirements}
    for build in family:
        item = scene.framework(build.framework)
        twins = {name for group in item.framework.twins for name in group} if item else set()
        yield from (name for name in sorted(twins - wanted) if scene.copies(name))
        if item and seems_to_be_there(item, build):
            yield item.distribution.name
        if item and isinstance(item.build, Build):
            yield from sorted(name for name in _parts(item.build) - _parts(build) if scene.copies(name))


def seems_to_be_there(item: Installed, build: Build) -> bool:
    """Whether an installer would take what is there for the wanted build, whose version has no local part."""
    here = item.distribution.version
    return build.index == "default" and (here.local is not None or here.public == build.version.public)


def _parts(build: Build) -> set[str]:
    """What it asks for that is a part of the framework itself: `jax-cuda12-plugin`."""
    names = (required_name(text) for text in build.requires)
    return {name for name in names if name.startswith(f"{build.framework}-")}


def _left_behind(scene: Scene, build: Build) -> list[str]:
    """Installed wheels of another CUDA major whose files those of `build` would overwrite."""
    if build.cuda is None:
        return []
    own = f"-cu{build.cuda.major}"
    siblings = (item.name for item in scene.distributions if overlap_of(item.name, scene.catalog.hardware))
    return sorted({name for name in siblings if re.search(r"-cu\d+$", name) and not name.endswith(own)})
