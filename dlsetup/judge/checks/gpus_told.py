"""Programs that say themselves that they hold no code for a GPU."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.better import working_build
from dlsetup.judge.evidence import of_framework, of_gpus, of_message, of_observation
from dlsetup.judge.exchange import other_build
from dlsetup.judge.hints import resolve
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Installed, Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.framework import Build
from dlsetup.model.hardware import CudaToolkit
from dlsetup.model.machine import Gap, Gpu
from dlsetup.model.record import Unknown
from dlsetup.model.versions import ComputeCapability
from dlsetup.rules.gpus import capability_of, title_of
from dlsetup.rules.kernels import cubin_runs_on, kernels_run_on

REFUSALS = ("torch-gpu-not-served", "torch-gpu-too-old")
NO_IMAGE = "no-kernel-image"
ARCHITECTURES = "torch.cuda.get_arch_list"
ASK = 'python -c "import torch; print(torch.__version__, torch.cuda.get_arch_list())"'


@check("gpu-arch-not-in-wheel", told=True)
def without_code(scene: Scene) -> Iterator[Answer]:
    """torch or CUDA says that the build has no code for the GPU, or torch's list of architectures does."""
    gpus = [gpu for gpu in scene.gpus("nvidia") if not _served(scene, gpu)]
    messages = scene.messages(*REFUSALS, NO_IMAGE)
    refused = bool(scene.messages(*REFUSALS))
    if not messages and not (gpus and scene.observed(ARCHITECTURES)):
        return
    if not refused and (scene.gpus("amd") or (scene.gpus("nvidia") and not gpus)):
        return
    yield _finding(scene, gpus)
    if scene.observed(ARCHITECTURES) is None and not refused:
        yield Gap(fact="architectures of the build", reason="they decide which GPUs it serves", ask=ASK)


def _finding(scene: Scene, gpus: list[Gpu]) -> Finding:
    hardware = scene.catalog.hardware
    names = " and ".join(dict.fromkeys(_title(scene, gpu) for gpu in gpus)) or "this GPU"
    torch = scene.framework("torch")
    what = torch.title if torch else "The installed build"
    listed = scene.observed(ARCHITECTURES)
    held = f"It holds code for {listed.value}" if listed else "CUDA finds no code in it for this GPU"
    codes = (capability_of(gpu, hardware) for gpu in gpus)
    newest = max((code for code in codes if isinstance(code, ComputeCapability)), default=None)
    needs = f", and the GPU needs {newest.sm}" if newest else ""
    return Finding(
        id="gpu-arch-not-in-wheel",
        severity="error",
        title=f"{what} holds no code for {names}",
        because=f"{held}{needs}. The driver and CUDA itself are well: `is_available()` says True and "
        "the first kernel fails.",
        evidence=(
            *of_gpus(scene, gpus),
            *map(of_message, scene.messages(*REFUSALS, NO_IMAGE)[:2]),
            *((of_observation(listed),) if listed else ()),
            *((of_framework(torch),) if torch else ()),
        ),
        remedies=tuple(_remedies(scene, torch, newest)),
        rests_on=scene.sources(("torch-cuda-init", "cuda-errors")),
    )


def _title(scene: Scene, gpu: Gpu) -> str:
    return title_of(gpu, scene.catalog.hardware)


def _served(scene: Scene, gpu: Gpu) -> bool:
    """Whether the architectures that torch lists, or else the catalog's build, hold code for it."""
    capability = capability_of(gpu, scene.catalog.hardware)
    listed = scene.observed(ARCHITECTURES)
    if isinstance(capability, Unknown):
        return False
    if listed is not None:
        return _holds(listed.value, capability)
    builds = [item.build for item in scene.leading if isinstance(item.build, Build)]
    cuda = [build for build in builds if build.accelerator == "cuda"]
    target, hardware = scene.target, scene.catalog.hardware
    return bool(cuda) and all(kernels_run_on(build, gpu, target, hardware).ok for build in cuda)


def _holds(listed: str, capability: ComputeCapability) -> bool:
    codes = [(word.startswith("compute"), ComputeCapability.from_arch(word)) for word in _words(listed)]
    return any(code <= capability if ptx else cubin_runs_on(code, capability, None) for ptx, code in codes)


def _words(listed: str) -> list[str]:
    return re.findall(r"(?:sm|compute)_\d{2,3}[af]?", listed)


def _remedies(scene: Scene, torch: Installed | None, code: ComputeCapability | None) -> Iterator[Remedy]:
    better = working_build(scene, torch) if torch else None
    if torch and better:
        yield other_build(scene, torch, better)
    elif code is not None and code >= ComputeCapability("8.0"):
        text = f"Install a build of a newer CUDA, which holds {_since(scene, code)}, in the same environment."
        yield Remedy(text=text, commands=resolve(scene, ["torch"]))
    elif code is not None:
        text = f"Install an older release, or a build of an older CUDA, that still holds {code.sm}."
        yield Remedy(text=text, commands=resolve(scene, ["torch"]))
    else:
        yield Remedy(text="See which GPU it is, then take a build that holds code for it.", commands=(ASK,))
    if code is not None and code < ComputeCapability("8.0"):
        text = f"Or build from source with `TORCH_CUDA_ARCH_LIST={code}`."
        yield Remedy(text=text, scope="project")


def _since(scene: Scene, code: ComputeCapability) -> str:
    """`sm_86 (CUDA 11.1 or newer)`: from which CUDA on its compiler makes code for it."""
    rows = [row for row in scene.catalog.hardware.toolkits if _knows(row, code)]
    first = min((row.version.line for row in rows), default=None)
    return f"{code.sm} (CUDA {first} or newer)" if first else code.sm


def _knows(row: CudaToolkit, code: ComputeCapability) -> bool:
    if not isinstance(row.capabilities, Unknown):
        return code in row.capabilities
    return not isinstance(row.max_capability, Unknown) and code <= row.max_capability
