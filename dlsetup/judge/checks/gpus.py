"""The GPUs: are there any, are they visible, does the installed code run on them?"""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.better import serving_build, working_build
from dlsetup.judge.commands import ASK_TORCH
from dlsetup.judge.container_tools import words_of
from dlsetup.judge.evidence import of_container, of_framework, of_gpus, of_message, of_variable
from dlsetup.judge.exchange import other_build
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Installed, Scene
from dlsetup.judge.visible import VISIBLE, first_number, hides_all, visible_gpus
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.framework import Build
from dlsetup.model.machine import Driver, Gap, Gpu
from dlsetup.model.record import Unknown
from dlsetup.model.verdict import Verdict
from dlsetup.model.versions import DriverRelease
from dlsetup.rules.gpus import capability_of, title_of
from dlsetup.rules.kernels import kernels_run_on

ASK_CAPABILITY = "nvidia-smi --query-gpu=name,compute_cap --format=csv"


@check("no-gpu")
def no_gpu(scene: Scene) -> Iterator[Answer]:
    """There is no GPU: a plain fact."""
    if scene.machine.gpus == () and not scene.in_container and scene.machine.system.wsl is None:
        yield Finding(
            id="no-gpu",
            severity="note",
            title="This machine has no GPU for deep learning",
            because="No NVIDIA, AMD, Intel, Apple, Ascend or TPU device was found: CPU builds are right.",
        )


@check("container-without-gpu")
def container_without_gpu(scene: Scene) -> Iterator[Answer]:
    """The host has the NVIDIA driver loaded, and the container was started without its libraries."""
    driver = scene.machine.driver
    if not scene.in_container or not isinstance(driver, Driver):
        return
    if isinstance(driver.module, DriverRelease) and driver.userland is None:
        yield Finding(
            id="container-without-gpu",
            severity="note",
            title="This container was started without GPUs",
            because="The host has the NVIDIA module loaded, and none of the driver's libraries is in here.",
            evidence=(*of_container(scene), *of_gpus(scene, scene.gpus("nvidia"))),
            remedies=(
                Remedy(
                    text=f"To use the host's GPUs, start the container with {words_of(scene).gpus}.",
                    scope="container-host",
                ),
            ),
        )


@check("cuda-visible-devices-hides-gpus")
def hidden(scene: Scene) -> Iterator[Answer]:
    """CUDA_VISIBLE_DEVICES leaves no GPU to be seen."""
    value = scene.machine.variable(VISIBLE)
    gpus = scene.gpus("nvidia")
    told = scene.messages("cuda-no-gpus-available", "cuda-no-device")
    if not isinstance(value, str) or not (_surely(value) if told and not gpus else hides_all(value, gpus)):
        return
    if not gpus and not told:
        return
    yield Finding(
        id="cuda-visible-devices-hides-gpus",
        severity="warning" if first_number(value) == -1 and not told else "error",
        title=f"{VISIBLE} hides every NVIDIA GPU",
        because=f"`{VISIBLE}={value}` {_hides(value, gpus)}: programs started from here see none.",
        evidence=(of_variable(scene, VISIBLE), *of_gpus(scene, gpus), *map(of_message, told[:1])),
        remedies=(
            Remedy(
                text="Unset the variable, and take it out of the file that sets it.",
                commands=_unset(scene),
            ),
        ),
    )


def _hides(value: str, gpus: tuple[Gpu, ...]) -> str:
    number = first_number(value)
    if number is None:
        return "names no GPU"
    if number == -1:
        return "asks for no GPU"
    if not gpus:
        return f"names GPU {number}, counted from 0, and CUDA finds none of that number"
    return f"names GPU {number}, and this machine has {len(gpus)}, numbered from 0"


def _surely(value: str) -> bool:
    """Whether a list that leaves nothing visible does so by itself, of GPUs that nobody counted."""
    number = first_number(value)
    return hides_all(value, ()) and (number is None or number != 0)


@check("gpu-arch-not-in-wheel")
def no_code_for_gpu(scene: Scene) -> Iterator[Answer]:
    """An installed build holds no code that a GPU can run."""
    order = scene.machine.variable("CUDA_DEVICE_ORDER")
    visible = visible_gpus(scene.machine.variable(VISIBLE), order, scene.reachable_nvidia)
    for installed in scene.leading:
        verdicts = list(_verdicts(scene, installed))
        refused = [(gpu, verdict) for gpu, verdict in verdicts if verdict.refused]
        if isinstance(visible, Unknown) and 0 < len(refused) < len(verdicts):
            reason = f"{installed.title} serves only some of the GPUs, and {VISIBLE} chooses among them"
            yield Gap(fact="visible GPUs", reason=reason, ask="nvidia-smi --list-gpus")
            continue
        used = [pair for pair in refused if isinstance(visible, Unknown) or pair[0] in visible]
        if used:
            yield _no_code(scene, installed, used)
        yield from _unsure(scene, installed, verdicts)


def _verdicts(scene: Scene, installed: Installed) -> Iterator[tuple[Gpu, Verdict]]:
    """Whether each GPU runs the installed CUDA build."""
    build = installed.build
    if isinstance(build, Build) and build.accelerator == "cuda":
        for gpu in scene.reachable_nvidia:
            yield gpu, kernels_run_on(build, gpu, scene.target, scene.catalog.hardware)


def _no_code(scene: Scene, installed: Installed, refused: list[tuple[Gpu, Verdict]]) -> Finding:
    gpus = [gpu for gpu, _ in refused]
    names = " and ".join(dict.fromkeys(title_of(gpu, scene.catalog.hardware) for gpu in gpus))
    unknown = scene.driver is None and isinstance(scene.target.cuda_ceiling, Unknown)
    better = working_build(scene, installed) or (serving_build(scene, installed) if unknown else None)
    remedies = [other_build(scene, installed, better)] if better else []
    remedies += _leave_out(scene, gpus)
    if not remedies:
        text = "No known build serves this GPU" + ("" if unknown else " under this driver")
        text += ": use another GPU, or build from source."
        remedies = [Remedy(text=text)]
    return Finding(
        id="gpu-arch-not-in-wheel",
        severity="error",
        title=f"{installed.title} does not run on {names}",
        because=f"{refused[0][1].because}; the GPU here is {names}.",
        evidence=(*of_gpus(scene, gpus), of_framework(installed)),
        remedies=tuple(remedies),
        rests_on=scene.sources(source for _, verdict in refused for source in verdict.sources),
    )


def _leave_out(scene: Scene, refused: list[Gpu]) -> list[Remedy]:
    """Use only the GPUs that are served, where there are some."""
    gpus = scene.gpus("nvidia")
    kept = [str(number) for number, gpu in enumerate(gpus) if gpu not in refused]
    if not kept or scene.target.os == "windows":
        return []
    command = f"export CUDA_DEVICE_ORDER=PCI_BUS_ID {VISIBLE}={','.join(kept)}"
    return [Remedy(text="Or use only the GPUs that this build serves.", commands=(command,), scope="project")]


def _unsure(scene: Scene, installed: Installed, verdicts: list[tuple[Gpu, Verdict]]) -> Iterator[Gap]:
    for gpu, verdict in verdicts:
        if verdict.answer == "unknown" and scene.driver is not None and not scene.nvml_refuses:
            name = title_of(gpu, scene.catalog.hardware)
            if isinstance(capability_of(gpu, scene.catalog.hardware), Unknown):
                reason = f"whether {installed.title} runs on {name} depends on it"
                yield Gap(fact="compute capability", reason=reason, ask=ASK_CAPABILITY)
            else:
                ask = ASK_TORCH if installed.framework.name == "torch" else ""
                fact = f"{installed.distribution.name} on this GPU"
                yield Gap(fact=fact, reason=verdict.because, ask=ask)


def _unset(scene: Scene) -> tuple[str, ...]:
    if scene.target.os == "windows":
        return (f"Remove-Item Env:{VISIBLE}",)
    return (f"unset {VISIBLE}",)
