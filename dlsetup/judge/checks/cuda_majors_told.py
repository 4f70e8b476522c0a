"""CUDA libraries of one major beside programs of another, as versions and messages of a report show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dlsetup.judge.commands import install_builds
from dlsetup.judge.evidence import of_distribution, of_message, of_observation
from dlsetup.judge.hints import resolve
from dlsetup.judge.installers import version_of
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.framework import Build
from dlsetup.model.machine import Distribution
from dlsetup.model.report import Message
from dlsetup.model.versions import CudaVersion

_UNSUFFIXED = ("nvidia-cuda-runtime", "nvidia-cublas", "nvidia-cuda-nvrtc", "nvidia-cufft", "cuda-toolkit")
_ELSEWHERE = (
    "tf-library-missing",
    "tf-import-of-native-part",
    "ort-provider-library-missing",
    "ort-import-failed",
)
"""Messages whose programs are judged by their own tables."""


@check("mixed-cuda-majors", told=True)
def torch_of_another_major(scene: Scene) -> Iterator[Answer]:
    """torch is of one CUDA major, and the CUDA libraries beside it are all of another."""
    torch = scene.framework("torch")
    told = scene.observed("torch.version.cuda")
    seen = version_of(told.value) if told else None
    cuda = torch.cuda if torch else None
    major = seen.major if seen else cuda.major if isinstance(cuda, CudaVersion) else None
    if (
        torch is None
        or major is None
        or any(item.name.endswith(f"-cu{major}") for item in scene.distributions)
    ):
        return
    others = [item for name in _UNSUFFIXED for item in scene.copies(name) if item.version.major > 12]
    others = [item for item in others if item.version.major != major]
    if not others:
        return
    yield Finding(
        id="mixed-cuda-majors",
        severity="error",
        title=f"torch {torch.distribution.version.public} is built for CUDA {major}, beside libraries of "
        f"CUDA {others[0].version.major}",
        because=f"{others[0].name} {others[0].version} serves builds for its own CUDA alone; "
        f"this torch asks for libraries of CUDA {major}, which are not listed.",
        evidence=(
            of_distribution(torch.distribution),
            *([of_observation(told)] if told else []),
            *map(of_distribution, others[:3]),
        ),
        remedies=tuple(_same_major(scene, others)),
    )


def _same_major(scene: Scene, others: Sequence[Distribution]) -> Iterator[Remedy]:
    torch = scene.framework("torch")
    major = others[0].version.major
    builds = torch.same_release if torch else ()
    build = next(
        (item for item in builds if item.cuda and item.cuda.major == major and _fits(scene, item)), None
    )
    text = f"Install the CUDA {major} build of the same torch last, after whatever replaced it."
    yield Remedy(text=text, commands=install_builds(scene, [build]) if build else ())


def _fits(scene: Scene, build: Build) -> bool:
    return build.index != "default"


@check("mixed-cuda-majors", told=True)
def library_of_another_major(scene: Scene) -> Iterator[Answer]:
    """Something asks for a library of one CUDA major where everything that is listed is of another."""
    messages = scene.messages("cuda-library-missing")
    if not messages or scene.messages(*_ELSEWHERE):
        return
    wanted = int(messages[0].value("major") or 0)
    majors = _majors(scene)
    if not majors or wanted in majors:
        return
    there = sorted(majors)[0]
    owner = majors[there]
    asking = _asking(scene, messages[0])
    yield Finding(
        id="mixed-cuda-majors",
        severity="error",
        title=f"{asking} is built for CUDA {wanted}, beside parts for CUDA {there}",
        because=f"`{messages[0].value('file')}` belongs to CUDA {wanted}; {owner.name} {owner.version} is of "
        f"CUDA {there}, whose libraries have other names.",
        evidence=(of_message(messages[0]), of_distribution(owner)),
        remedies=(
            Remedy(text=f"Take the build of {asking} for CUDA {there}, in the release that is there."),
            Remedy(
                text=f"Or bring torch and everything beside it to CUDA {wanted}, if the driver serves it.",
                commands=resolve(scene, ["torch"], "--cuda", str(wanted)),
            ),
        ),
        rests_on=scene.sources(("cuda-file-names",)),
    )


def _majors(scene: Scene) -> dict[int, Distribution]:
    """CUDA majors of torch and of the wheels that are listed."""
    found: dict[int, Distribution] = {}
    torch = scene.framework("torch")
    if torch is not None and isinstance(torch.cuda, CudaVersion):
        found[torch.cuda.major] = torch.distribution
    for item in scene.distributions:
        if suffix := re.fullmatch(r"nvidia-[a-z-]+-cu(\d\d)", item.name):
            found.setdefault(int(suffix[1]), item)
        elif item.name in _UNSUFFIXED:
            found.setdefault(item.version.major, item)
    return found


def _asking(scene: Scene, message: Message) -> str:
    """Who asks: the one listed distribution besides torch that is a compiled part, or nobody by name."""
    known = (
        "vllm",
        "flash-attn",
        "xformers",
        "torchaudio",
        "torchvision",
        "bitsandbytes",
        "tensorrt-llm",
        "sgl-kernel",
    )
    found = next((item for name in known for item in scene.copies(name)), None)
    return f"{found.name} {found.version}" if found else "a compiled part"
