"""Builds of an installed framework that would work here, for remedies."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from dlsetup.judge.scene import Installed, Scene
from dlsetup.model.framework import Accelerator, Build
from dlsetup.model.record import Unknown
from dlsetup.model.verdict import Verdict
from dlsetup.model.versions import ComputeCapability, CudaVersion
from dlsetup.rules.combine import all_of
from dlsetup.rules.driver import driver_serves
from dlsetup.rules.gpus import capability_of, one_of_each
from dlsetup.rules.kernels import serves_every_gpu, toolkit_makes_code
from dlsetup.rules.wheels import accepts_python, has_platform, has_wheel


def working_build(
    scene: Scene, installed: Installed, accelerator: Accelerator = "cuda", *, major: int | None = None
) -> Build | None:
    """The build that serves this driver, every GPU and this Python: of the installed release if there is
    one, else the newest; of one CUDA major if told. None: no build of the catalog certainly does."""
    builds = (
        item for item in _offered(scene, installed, accelerator) if major is None or _major(item) == major
    )
    return next((build for build in builds if _runs(scene, build)), None)


def likely_build(scene: Scene, installed: Installed) -> Build | None:
    """A build that nothing known refuses, where no row tells which GPUs it serves. Where nothing is known of
    the driver either, it is the CUDA that the authors chose for that release by default."""
    builds = (build for build in _offered(scene, installed, "cuda") if build.cuda)
    likely = [build for build in builds if not _refused(scene, build)]
    if not likely or not driver_is_unknown(scene):
        return next(iter(likely), None)
    release = installed.framework.of(likely[0].version)
    usual = {build.variant for build in release if build.cuda and build.index == "default"}
    same = [build for build in likely if build.version.public == likely[0].version.public]
    return next((build for build in same if build.variant in usual), same[0])


def serving_build(scene: Scene, installed: Installed) -> Build | None:
    """A build that holds code for every GPU, where the driver is not known: of the first release that has
    one, that of the oldest CUDA, which asks least of the driver."""
    offered = (
        build for build in _offered(scene, installed, "cuda") if build.cuda and not _refused(scene, build)
    )
    serving = [build for build in offered if _has_code(scene, build)]
    first = (build for build in serving if build.version.public == serving[0].version.public)
    return min(first, key=lambda build: build.cuda or CudaVersion("0"), default=None)


def is_refused(scene: Scene, installed: Installed, accelerator: Accelerator = "cuda") -> bool:
    """Whether every build of the framework for this kind of GPU is known not to run here."""
    builds = [build for build in installed.framework.builds if build.accelerator == accelerator]
    return all(_refused(scene, build) for build in builds)


def driver_is_unknown(scene: Scene) -> bool:
    """Whether nothing tells which CUDA the driver runs."""
    return isinstance(scene.mended.driver, Unknown) and isinstance(scene.mended.cuda_ceiling, Unknown)


def _offered(scene: Scene, installed: Installed, accelerator: Accelerator) -> Iterator[Build]:
    """Builds to choose from: those of the installed release, then the newest; none that was withdrawn."""
    own = installed.distribution.version.public
    for build in sorted(installed.framework.builds, key=lambda item: item.version.public != own):
        offered = build.version.public == own or not (build.yanked or build.prerelease)
        if (
            offered
            and build.accelerator == accelerator
            and not _is_another_elsewhere(scene, installed, build)
        ):
            yield build


def _is_another_elsewhere(scene: Scene, installed: Installed, build: Build) -> bool:
    """Whether the same words get a build without this accelerator, on a system that this may be: what the
    default index has as torch is a CPU build for Windows."""
    if not (isinstance(scene.target.os, Unknown) or isinstance(scene.target.arch, Unknown)):
        return False
    asked = (build.index, build.requirements)
    alike = (row for row in installed.framework.of(build.version) if (row.index, row.requirements) == asked)
    others = (row for row in alike if row.accelerator != build.accelerator)
    return any(not has_platform(row, scene.target).refused for row in others)


def _major(build: Build) -> int | None:
    return build.cuda.major if build.cuda else None


def _refused(scene: Scene, build: Build) -> bool:
    return _wheel(scene, build).refused or _device(scene, build).refused


def _runs(scene: Scene, build: Build) -> bool:
    if _wheel(scene, build).refused or not _is_known_to_toolkit(scene, build):
        return False
    return all(_device(scene, row).ok for row in _rows(scene, build))


def _is_known_to_toolkit(scene: Scene, build: Build) -> bool:
    """Whether the CUDA of the build knows every GPU: of one that is newer its libraries hold no code, even
    where the driver compiles the build's own PTX."""
    codes = scene.once("capabilities", _capabilities)
    return all(toolkit_makes_code(build, code, scene.catalog.hardware) for code in codes)


def _capabilities(scene: Scene) -> set[ComputeCapability]:
    """Of the NVIDIA GPUs, as far as they can be known."""
    codes = {capability_of(gpu, scene.catalog.hardware) for gpu in one_of_each(scene.gpus("nvidia"))}
    return {code for code in codes if isinstance(code, ComputeCapability)}


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
