"""TensorFlow: the CUDA libraries it does not bring along, and the systems it has no GPU build for."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.commands import install
from dlsetup.judge.evidence import of_framework, of_gpus, of_variable
from dlsetup.judge.exchange import own_environment
from dlsetup.judge.known import blind_to_wheels
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Installed, Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.framework import Build
from dlsetup.model.record import Unknown
from dlsetup.model.versions import CudaVersion
from dlsetup.rules.wheels import has_platform


@check("tensorflow-without-cuda-wheels")
def without_cuda_wheels(scene: Scene) -> Iterator[Answer]:
    """TensorFlow is built for CUDA, and no CUDA libraries for it are installed."""
    tensorflow = scene.framework("tensorflow")
    if tensorflow is None or not scene.reachable_nvidia or scene.target.os != "linux":
        return
    build = _with_cuda(scene, tensorflow)
    if build is None or build.cuda is None or _has_libraries(scene, build.cuda):
        return
    yield Finding(
        id="tensorflow-without-cuda-wheels",
        severity="error",
        title=f"TensorFlow {tensorflow.distribution.version} finds no CUDA libraries",
        because=f"It is built for CUDA {build.cuda}, whose libraries are not installed beside it.",
        evidence=(of_framework(tensorflow), *of_gpus(scene, scene.reachable_nvidia)),
        remedies=(_with_extra(scene, tensorflow, build),),
        rests_on=scene.sources(build.sources),
    )


@check("tensorflow-cannot-find-wheel-libs")
def blind(scene: Scene) -> Iterator[Answer]:
    """This release of TensorFlow does not look where its own extra installs the CUDA libraries."""
    tensorflow = scene.framework("tensorflow")
    if tensorflow is None or not scene.reachable_nvidia or scene.target.os != "linux":
        return
    if scene.messages("tf-cannot-dlopen"):
        return
    version = tensorflow.distribution.version
    bound = next((row for row in blind_to_wheels() if row.holds_for("tensorflow", version)), None)
    if bound is None or not _has_wheels(scene) or _is_shown_the_way(scene):
        return
    yield Finding(
        id="tensorflow-cannot-find-wheel-libs",
        severity="error",
        title=f"TensorFlow {version} does not find the CUDA libraries that are installed for it",
        because="They lie in `site-packages/nvidia`, where this release does not look.",
        evidence=(of_framework(tensorflow), of_variable(scene, "LD_LIBRARY_PATH")),
        remedies=(
            Remedy(
                text="Take the next release, which looks there.",
                commands=install(scene, ["tensorflow[and-cuda]>=2.17,<2.18"]),
            ),
        ),
        rests_on=(bound.cited,),
    )


@check("tensorflow-no-gpu-on-native-windows")
def native_windows(scene: Scene) -> Iterator[Answer]:
    """TensorFlow on Windows itself, for which there is no CUDA build of this release."""
    tensorflow = scene.framework("tensorflow")
    if tensorflow is None or scene.target.os != "windows" or not scene.gpus("nvidia"):
        return
    cuda = [build for build in tensorflow.same_release if build.accelerator == "cuda"]
    if not tensorflow.same_release or any(not has_platform(build, scene.target).refused for build in cuda):
        return
    yield Finding(
        id="tensorflow-no-gpu-on-native-windows",
        severity="error",
        title=f"TensorFlow {tensorflow.distribution.version} has no GPU build for Windows itself",
        because="Since 2.11 TensorFlow has CUDA builds for Linux alone; GPU and driver are not the cause.",
        evidence=(of_framework(tensorflow), *of_gpus(scene, scene.gpus("nvidia"))),
        remedies=(
            Remedy(
                text="Use it inside WSL2, where the Windows driver serves Linux programs.",
                commands=("wsl --install",),
                scope="windows",
            ),
            Remedy(
                text="Then, inside WSL2:",
                commands=("dlsetup create env tensorflow-gpu tensorflow",),
                scope="windows",
            ),
            Remedy(
                text="Or stay with 2.10 (Python 3.10 at most, CUDA 11.2, cuDNN 8.1), or change the framework."
            ),
        ),
        rests_on=scene.sources(source for build in tensorflow.same_release for source in build.sources),
    )


def _with_cuda(scene: Scene, tensorflow: Installed) -> Build | None:
    """The CUDA build in the same file as the installed one; None where the file holds no CUDA code."""
    own = tensorflow.distribution
    other_file = own.name != "tensorflow" or own.variant == "cpu" or own.installer == "conda"
    if other_file or isinstance(tensorflow.build, Unknown) or tensorflow.build is None:
        return None
    builds = (build for build in tensorflow.same_release if build.accelerator == "cuda")
    return next((build for build in builds if has_platform(build, scene.target).ok), None)


def _has_libraries(scene: Scene, cuda: CudaVersion) -> bool:
    """Whether CUDA libraries lie in wheels, or cudart of that major and cuDNN lie elsewhere."""
    if _has_wheels(scene):
        return True
    if isinstance(scene.machine.libraries, Unknown):
        return True
    path = scene.environment.path if scene.environment else None
    found = [item for item in scene.libraries if item.environment in (None, path)]
    runtime = any(
        item.library == "cudart" and item.soname.split(".so.")[-1].startswith(str(cuda.major))
        for item in found
    )
    return runtime and any(item.library == "cudnn" for item in found)


def _has_wheels(scene: Scene) -> bool:
    """Whether cuDNN is there as a wheel; it is what every GPU program of TensorFlow needs."""
    return any(item.name.startswith("nvidia-cudnn-cu") for item in scene.distributions)


def _is_shown_the_way(scene: Scene) -> bool:
    value = scene.machine.variable("LD_LIBRARY_PATH")
    return isinstance(value, Unknown) or "site-packages/nvidia" in (value or "")


def _with_extra(scene: Scene, tensorflow: Installed, build: Build) -> Remedy:
    commands = install(scene, build.requirements)
    if not commands:
        return own_environment(tensorflow)
    return Remedy(text="Install the same release with its CUDA libraries.", commands=commands)
