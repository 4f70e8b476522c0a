"""CPU builds where a report shows that a GPU was meant to be used."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.catalog.conda import channel_toolkits
from dlsetup.judge.better import likely_build, working_build
from dlsetup.judge.commands import conda
from dlsetup.judge.evidence import of_distribution, of_framework, of_message, of_observation
from dlsetup.judge.exchange import other_build, unknown_device
from dlsetup.judge.hints import pinned, resolve
from dlsetup.judge.installers import asked_of, named_version, of_asked
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Installed, Scene
from dlsetup.judge.told_devices import torch_uses_gpu
from dlsetup.judge.wanted import COMPLAINTS, CUDA_PACKAGES, gpu_is_meant
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.report import Asked


@check("cpu-only-torch", told=True)
def cpu_torch(scene: Scene) -> Iterator[Answer]:
    """A report shows a CPU build of torch, and that a GPU was meant."""
    if (
        not scene.machine.partial
        or torch_uses_gpu(scene)
        or scene.on_tegra is True
        or scene.target.os == "macos"
    ):
        return
    signs, meant = tuple(_cpu_signs(scene)), gpu_is_meant(scene)
    if not signs or not meant:
        return
    torch = scene.framework("torch")
    title = (
        f"{torch.title} is a CPU build" if torch and _is_cpu(torch) else "The torch that runs is a CPU build"
    )
    yield Finding(
        id="cpu-only-torch",
        severity="error",
        title=title,
        because="It holds no code for GPUs, so no GPU is used, whatever the driver and CUDA of the machine "
        "are.",
        evidence=(*signs[:3], *meant[:3]),
        remedies=tuple(_gpu_build(scene, torch)),
        rests_on=scene.sources(("torch-lazy-init",)),
    )
    yield from unknown_device(scene)


def _is_cpu(torch: Installed) -> bool:
    return torch.variant == "cpu"


def _cpu_signs(scene: Scene) -> Iterator[Evidence]:
    """What shows that torch is a CPU build. One for other GPUs was not compiled with CUDA either."""
    torch = scene.framework("torch")
    if _for_other_gpus(scene):
        return
    if torch is not None and _is_cpu(torch):
        yield of_framework(torch)
    yield from (of_message(item) for item in scene.messages(*COMPLAINTS)[:2])
    for subject, pattern in (("torch.version.cuda", r"None"), ("torch.__version__", r".*\+cpu")):
        seen = scene.observed(subject)
        if seen is not None and re.fullmatch(pattern, seen.value):
            yield of_observation(seen)


def _for_other_gpus(scene: Scene) -> bool:
    hip, xpu = scene.observed("torch.version.hip"), scene.observed("torch.xpu.is_available")
    torch = scene.framework("torch")
    other = torch is not None and isinstance(torch.variant, str) and torch.variant.startswith(("rocm", "xpu"))
    used = xpu is not None and xpu.value == "True"
    return other or used or (hip is not None and hip.value != "None")


def _gpu_build(scene: Scene, torch: Installed | None) -> Iterator[Remedy]:
    better = (working_build(scene, torch) or likely_build(scene, torch)) if torch else None
    if torch is not None and better is not None:
        yield other_build(scene, torch, better)
    else:
        text = (
            "Install a CUDA build of torch from the index that goes with the driver; `dlsetup resolve` "
            "names it. No CUDA toolkit and no other driver is needed for that."
        )
        yield Remedy(text=text, commands=resolve(scene, [pinned(scene, "torch")], "--accelerator", "cuda"))


@check("dependency-forces-cpu", told=True)
def forced(scene: Scene) -> Iterator[Answer]:
    """A package holds conda to CPU builds where CUDA was asked for."""
    held = [item for item in scene.distributions if item.name == "cpuonly"]
    held += [item for item in scene.distributions if item.name == "pytorch-mutex" and item.variant == "cpu"]
    if not held or not gpu_is_meant(scene):
        return
    extra = [
        item for item in scene.distributions if item.name in ("torchdata", "torchtext", "fastai", "botorch")
    ]
    why = f" {extra[0].name} may have drawn it in." if extra else ""
    yield Finding(
        id="dependency-forces-cpu",
        severity="warning",
        title=f"`{held[0].name}` holds this environment to CPU builds",
        because="As long as it is installed, conda chooses the CPU variant of PyTorch, whatever else is "
        f"asked for.{why}",
        evidence=tuple(map(of_distribution, (*held, *extra[:2]))),
        remedies=(
            Remedy(
                text="Leave out the package that draws it in (install that one with pip, without its "
                "dependencies), or ask for a build by name: `pytorch=*=*cuda*`.",
                commands=_freed(scene, held[0].name),
            ),
        ),
    )


def _freed(scene: Scene, name: str) -> tuple[str, ...]:
    """What lets conda choose again. To remove `pytorch-mutex` would remove PyTorch: another build of it
    brings another one."""
    if name == "pytorch-mutex":
        return conda(scene, "install", ["pytorch=*=*cuda*"])
    return conda(scene, "remove", [name])


@check("cudatoolkit-present-but-unused", told=True)
def unused_toolkit(scene: Scene) -> Iterator[Answer]:
    """conda's CUDA is there beside a CPU build of torch."""
    torch = scene.framework("torch")
    there = [item for item in scene.distributions if item.name in CUDA_PACKAGES]
    if torch is None or not there or not _is_cpu(torch):
        return
    yield Finding(
        id="cudatoolkit-present-but-unused",
        severity="warning",
        title=f"{there[0].name} {there[0].version} is installed and {torch.title} does not use it",
        because="The toolkit of conda serves builds that were made with CUDA; a CPU build never loads it.",
        evidence=(*map(of_distribution, there), of_framework(torch)),
        remedies=tuple(_gpu_build(scene, torch)),
    )


@check("no-build-for-requested-cudatoolkit", told=True)
def no_such_build(scene: Scene) -> Iterator[Answer]:
    """The channel has no build of that torch for the cudatoolkit that was asked for."""
    for torch, toolkit in _pairs(scene):
        version, wanted = named_version(torch.specifier), named_version(toolkit.specifier)
        row = next((row for row in channel_toolkits() if version and row.holds_for(version)), None)
        if (
            row is None
            or wanted is None
            or any(wanted.release[:2] == item.release[:2] for item in row.toolkits)
        ):
            continue
        had = ", ".join(map(str, row.toolkits))
        yield Finding(
            id="no-build-for-requested-cudatoolkit",
            severity="error",
            title=f"The channel has no PyTorch {version} for cudatoolkit {wanted}",
            because=f"There are builds of {version} for CUDA {had}; conda takes a CPU build, or fails.",
            evidence=(of_asked(torch), of_asked(toolkit)),
            remedies=(
                Remedy(
                    text="Ask for one of those.",
                    commands=(f"conda install pytorch={version} cudatoolkit={row.toolkits[-1]} -c pytorch",),
                ),
            ),
            rests_on=(f"{row.source} (checked {row.checked})",),
        )
        return


def _pairs(scene: Scene) -> Iterator[tuple[Asked, Asked]]:
    """torch and the toolkit as conda was asked for them; the installed release where none was named."""
    asked = asked_of(scene, "conda")
    toolkits = [item for item in asked if item.name in ("cudatoolkit", "pytorch-cuda")]
    torches = [item for item in asked if item.name == "torch" and item.specifier]
    torch = scene.framework("torch")
    if not torches and torch is not None and torch.distribution.installer == "conda":
        release = torch.distribution.version.public
        torches = [
            Asked(
                name="torch", specifier=f"={release}", installer="conda", source=torch.distribution.found_via
            )
        ]
    if not toolkits:
        toolkits = [
            Asked(
                name=item.name, specifier=f"={item.version.public}", installer="conda", source=item.found_via
            )
            for item in scene.distributions
            if item.name == "cudatoolkit"
        ]
    if torch is not None and not _is_cpu(torch):
        return
    yield from ((one, two) for one in torches[:3] for two in toolkits[:3])
