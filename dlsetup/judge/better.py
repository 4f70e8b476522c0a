"""Builds of an installed framework that would work here, for remedies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from dlsetup.catalog.conda import conda_packages
from dlsetup.judge.commands import by_conda, conda, install_builds, uninstall
from dlsetup.judge.demands import required_name
from dlsetup.judge.scene import Installed, Scene
from dlsetup.model.finding import Remedy
from dlsetup.model.framework import Accelerator, Build
from dlsetup.model.record import Unknown
from dlsetup.model.target import Interpreter
from dlsetup.model.verdict import Verdict
from dlsetup.model.versions import CudaVersion
from dlsetup.rules.combine import all_of
from dlsetup.rules.driver import driver_serves
from dlsetup.rules.kernels import serves_every_gpu
from dlsetup.rules.libraries import libraries_of, overlap_of
from dlsetup.rules.wheels import accepts_python, has_platform, has_wheel


def working_build(
    scene: Scene, installed: Installed, accelerator: Accelerator = "cuda", *, major: int | None = None
) -> Build | None:
    """The build that serves this driver, every GPU and this Python: of the installed release if there is
    one, else the newest; of one CUDA major if told. None: no build of the catalog certainly does."""
    builds = (item for item in _offered(installed, accelerator) if major is None or _major(item) == major)
    return next((build for build in builds if _runs(scene, build)), None)


def likely_build(scene: Scene, installed: Installed) -> Build | None:
    """A build that nothing known refuses, where no row tells which GPUs it serves."""
    builds = (build for build in _offered(installed, "cuda") if build.cuda)
    return next((build for build in builds if not _refused(scene, build)), None)


def serving_build(scene: Scene, installed: Installed) -> Build | None:
    """A build that holds code for every GPU, where the driver is not known: of the first release that has
    one, that of the oldest CUDA, which asks least of the driver."""
    offered = (build for build in _offered(installed, "cuda") if build.cuda and not _refused(scene, build))
    serving = [build for build in offered if _has_code(scene, build)]
    first = (build for build in serving if build.version.public == serving[0].version.public)
    return min(first, key=lambda build: build.cuda or CudaVersion("0"), default=None)


def is_refused(scene: Scene, installed: Installed, accelerator: Accelerator = "cuda") -> bool:
    """Whether every build of the framework for this kind of GPU is known not to run here."""
    builds = [build for build in installed.framework.builds if build.accelerator == accelerator]
    return all(_refused(scene, build) for build in builds)


def other_build(scene: Scene, installed: Installed, build: Build) -> Remedy:
    """How to put `build` in the place of the installed one, with the rest of its family."""
    family = [build, *companions(scene, installed, build)]
    names = " and ".join(f"{item.framework} {item.version.public}" for item in family)
    text = f"Install the {build.variant} build of {names}."
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
    """The GPU build of the same release from conda-forge, into a conda environment."""
    name = installed.framework.name
    minor = ".".join(str(part) for part in installed.distribution.version.release[:2])
    rows = (row.cuda for row in conda_packages() if row.distribution == name)
    specs = [spec.format(minor=minor) for spec in next(rows, ())]
    text = f"Install the GPU build of {name} from conda-forge."
    return Remedy(
        text=text, commands=conda(scene, "install", ["--channel", "conda-forge", *specs]) if specs else ()
    )


def companions(scene: Scene, installed: Installed, build: Build) -> Iterator[Build]:
    """Builds of the installed members of the family that belong to `build`."""
    interpreter = scene.interpreter
    family = installed.framework.family
    for other in scene.installed:
        if interpreter is None or not family or other.framework.family != family or other is installed:
            continue
        fitting = (item for item in other.framework.builds if _belongs(scene, item, build, interpreter))
        yield from islice(fitting, 1)


def _belongs(scene: Scene, companion: Build, build: Build, interpreter: Interpreter) -> bool:
    """Whether a build of the family has the same variant and index and asks for this release."""
    if (companion.index, companion.variant) != (build.index, build.variant):
        return False
    asked = libraries_of(companion, interpreter, scene.target).get(build.framework)
    return asked is not None and asked.contains(build.version.public, prereleases=True)


def in_the_way(scene: Scene, family: Sequence[Build]) -> Iterator[str]:
    """Twins, parts of the present build, and what an installer would take for the wanted build."""
    wanted = {required_name(text) for build in family for text in build.requirements}
    for build in family:
        item = scene.framework(build.framework)
        twins = {name for group in item.framework.twins for name in group} if item else set()
        yield from (name for name in sorted(twins - wanted) if scene.copies(name))
        if item and build.index == "default" and item.distribution.version.local:
            yield item.distribution.name
        if item and isinstance(item.build, Build):
            yield from sorted(name for name in _parts(item.build) - _parts(build) if scene.copies(name))


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


def _offered(installed: Installed, accelerator: Accelerator) -> Iterator[Build]:
    """Builds to choose from: those of the installed release, then the newest; none that was withdrawn."""
    own = installed.distribution.version.public
    for build in sorted(installed.framework.builds, key=lambda item: item.version.public != own):
        offered = build.version.public == own or not (build.yanked or build.prerelease)
        if offered and build.accelerator == accelerator:
            yield build


def _major(build: Build) -> int | None:
    return build.cuda.major if build.cuda else None


def _refused(scene: Scene, build: Build) -> bool:
    return _wheel(scene, build).refused or _device(scene, build).refused


def _runs(scene: Scene, build: Build) -> bool:
    return not _wheel(scene, build).refused and all(_device(scene, row).ok for row in _rows(scene, build))


def _has_code(scene: Scene, build: Build) -> bool:
    hardware = scene.catalog.hardware
    return all(serves_every_gpu(row, scene.mended, hardware).ok for row in _rows(scene, build))


def _rows(scene: Scene, build: Build) -> Iterator[Build]:
    """The build, with its rows for other systems where nothing tells which system it is: one command
    installs any of them."""
    yield build
    if isinstance(scene.target.os, Unknown):
        known = not isinstance(scene.target.arch, Unknown)
        target = scene.target if known else replace(scene.target, arch="x86_64")
        own = (build.framework, build.version, build.index, build.variant)
        item = scene.framework(build.framework)
        rows = item.framework.builds if item else ()
        alike = (row for row in rows if (row.framework, row.version, row.index, row.variant) == own)
        yield from (row for row in alike if row is not build and not has_platform(row, target).refused)


def _wheel(scene: Scene, build: Build) -> Verdict:
    """Whether the build installs into this environment."""
    interpreter = scene.interpreter
    if interpreter is None:
        return has_platform(build, scene.target)
    verdicts = (accepts_python(build, interpreter), has_wheel(build, interpreter, scene.target))
    return all_of(verdicts, rule="wheel")


def _device(scene: Scene, build: Build) -> Verdict:
    """Whether the build runs on the GPUs under the driver."""
    hardware = scene.catalog.hardware
    kernels = serves_every_gpu(build, scene.mended, hardware)
    if build.cuda is None:
        return kernels
    return all_of((driver_serves(scene.mended, build.cuda, hardware), kernels), rule="device")
