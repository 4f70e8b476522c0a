"""CPU builds on machines whose GPU they leave idle."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.better import is_refused, likely_build, working_build
from dlsetup.judge.commands import conda
from dlsetup.judge.evidence import of_distribution, of_framework, of_gpus, of_observation
from dlsetup.judge.exchange import other_build
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Installed, Scene
from dlsetup.judge.told_devices import uses_gpu
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.framework import Accelerator, Build
from dlsetup.model.machine import Gap, Vendor
from dlsetup.model.record import Unknown
from dlsetup.model.versions import CudaVersion
from dlsetup.rules.gpus import DEVICES

OTHERS: tuple[tuple[Vendor, Accelerator, str], ...] = (
    ("amd", "rocm", "rocminfo"),
    ("intel", "xpu", "xpu-smi discovery"),
)
"""Vendors whose GPUs only some builds serve, and the command that tells which GPU it is."""


@check("cpu-only-<framework>")
def cpu_only(scene: Scene) -> Iterator[Answer]:
    """A CPU build is installed where there is a GPU and a build that may serve it."""
    gpus = scene.reachable_nvidia
    if not gpus or scene.on_tegra is not False:
        return
    for installed in scene.leading:
        if not _is_cpu(scene, installed) or is_refused(scene, installed):
            continue
        name = installed.framework.name
        yield Finding(
            id=f"cpu-only-{name}",
            severity="warning" if _another_uses_it(scene, installed) else "error",
            title=f"{installed.distribution.name} {installed.distribution.version} is a CPU build",
            because=f"It holds no GPU code, so the {_words(scene)} here stays idle.",
            evidence=(of_framework(installed), *of_gpus(scene, gpus)),
            remedies=_to_gpu_build(scene, installed),
            rests_on=scene.sources(installed.build.sources if isinstance(installed.build, Build) else ()),
        )


@check("jetson-needs-nvidia-wheel")
def jetson(scene: Scene) -> Iterator[Answer]:
    """A CPU build of torch on a Jetson, whose GPU builds come from NVIDIA."""
    torch = scene.framework("torch")
    seen = scene.observed("torch.version.cuda")
    idle = seen is not None and seen.value == "None"
    if scene.on_tegra is not True or torch is None or not (idle or _is_cpu(scene, torch)):
        return
    board = scene.observed("tegra.release")
    yield Finding(
        id="jetson-needs-nvidia-wheel",
        severity="error",
        title=f"{torch.title} does not use the GPU of this Jetson",
        because="The wheel for aarch64 is a CPU-only build and holds no GPU code; builds for JetPack come "
        f"from NVIDIA.{_jetpack(scene, board.value) if board else ''}",
        evidence=(
            of_framework(torch),
            *of_gpus(scene, scene.gpus("nvidia")),
            *((of_observation(seen),) if seen else ()),
            *((of_observation(board),) if board else ()),
        ),
        rests_on=scene.sources(("jetpack-archive",)),
        remedies=(
            Remedy(
                text="Install the wheel that NVIDIA makes for the JetPack release of this board, listed at "
                "https://docs.nvidia.com/deeplearning/frameworks/install-pytorch-jetson-platform/."
            ),
        ),
    )


def _jetpack(scene: Scene, release: str) -> str:
    """What comes with a release of Jetson Linux; nothing where it is not known."""
    row = next((row for row in scene.catalog.hardware.jetpacks if row.holds_for(release)), None)
    return (
        f" L4T {release} is JetPack {row.name}, with Python {row.python} and CUDA {row.cuda}." if row else ""
    )


@check()
def gpu_of_another_vendor(scene: Scene) -> Iterator[Answer]:
    """An AMD or Intel GPU is left idle, and nobody can tell whether another build would serve it."""
    if scene.gpus("nvidia") or scene.target.os != "linux":
        return
    for vendor, accelerator, ask in OTHERS:
        for installed in scene.leading if scene.gpus(vendor) else ():
            if _may_change(scene, installed, accelerator):
                gpu, name = DEVICES[vendor], installed.framework.name
                reason = (
                    f"{installed.title} does not use it, and no row tells whether another build serves it"
                )
                yield Gap(fact=f"{gpu} under {name}", reason=reason, ask=ask)


@check("dependency-forces-cpu")
def forced_to_cpu(scene: Scene) -> Iterator[Answer]:
    """A conda package holds the environment to CPU builds."""
    found = scene.copies("cpuonly")
    if found and scene.reachable_nvidia:
        yield Finding(
            id="dependency-forces-cpu",
            severity="warning",
            title="The package `cpuonly` holds this environment to CPU builds",
            because="As long as it is installed, conda chooses CPU builds of PyTorch.",
            evidence=tuple(of_distribution(item) for item in found),
            remedies=(
                Remedy(
                    text="Remove it, then install the GPU build.",
                    commands=conda(scene, "remove", ["cpuonly"]),
                ),
            ),
        )


def _another_uses_it(scene: Scene, installed: Installed) -> bool:
    """Whether another framework here is a CUDA build: then a CPU build beside it may be meant."""
    return any(isinstance(item.cuda, CudaVersion) for item in scene.leading if item is not installed)


def _is_cpu(scene: Scene, installed: Installed) -> bool:
    """Whether it is certainly a CPU build. TensorFlow's GPU build without its libraries is another matter."""
    parts = [item for name in installed.framework.distributions for item in scene.copies(name)]
    if installed.distribution.version.local is None and uses_gpu(scene, installed.framework.name):
        return False
    if any(not isinstance(item.variant, Unknown) and item.variant != "cpu" for item in parts):
        return False
    if any(item.name.endswith("-gpu") for item in parts):
        return False
    if installed.framework.name == "tensorflow" and installed.distribution.name == "tensorflow":
        return installed.distribution.variant == "cpu"
    return installed.variant == "cpu"


def _may_change(scene: Scene, installed: Installed, accelerator: Accelerator) -> bool:
    """Whether the installed build is for another kind of GPU, or none, and this framework has one for it."""
    if isinstance(installed.variant, Unknown) or is_refused(scene, installed, accelerator):
        return False
    return installed.variant == "cpu" or installed.variant.startswith("cu")


def _to_gpu_build(scene: Scene, installed: Installed) -> tuple[Remedy, ...]:
    better = working_build(scene, installed) or likely_build(scene, installed)
    if better is not None:
        return (other_build(scene, installed, better),)
    text = f"Install a GPU build of {installed.framework.name} that serves this driver and this GPU."
    return (Remedy(text=text),)


def _words(scene: Scene) -> str:
    return "NVIDIA GPU" if len(scene.reachable_nvidia) == 1 else f"{len(scene.reachable_nvidia)} NVIDIA GPUs"
