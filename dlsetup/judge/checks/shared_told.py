"""Frameworks in one environment whose CUDA libraries exclude each other, as messages and versions show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from dlsetup.judge.commands import install, uninstall
from dlsetup.judge.cudnn_remedies import agreeing_releases, kept_apart
from dlsetup.judge.evidence import of_distribution, of_message
from dlsetup.judge.installers import version_of
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.judge.told_libraries import listed_as
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.machine import Distribution
from dlsetup.model.report import Message

_FRAMEWORKS = (
    "torch",
    "paddlepaddle",
    "tensorflow",
    "jax",
    "onnxruntime-gpu",
    "vllm",
    "mxnet-cu112",
    "oneflow",
)
_UNSUFFIXED = ("nvidia-cuda-runtime", "nvidia-cublas", "nvidia-cuda-nvrtc", "nvidia-cufft", "cuda-toolkit")


@check("two-frameworks-share-cudnn", told=True)
def pip_conflict(scene: Scene) -> Iterator[Answer]:
    """pip says that a framework asks for another version of a CUDA library than another one brought."""
    messages = scene.messages("pip-conflict-on-cuda-library")
    for message in sorted(messages, key=lambda item: "cudnn" not in _said(item, "name")):
        owner = _said(message, "owner").lower().replace("_", "-")
        present = version_of(_said(message, "present"))
        others = [item for item in _there(scene) if item.name != owner and not owner.startswith("nvidia-")]
        if present is None or not others:
            continue
        names = f"{owner} and {others[0].name}"
        library, specifier = _said(message, "name"), _said(message, "specifier").strip()
        asking = f"{owner} {message.value('release') or ''}".strip()
        yield Finding(
            id="two-frameworks-share-cudnn",
            severity="error" if "cudnn" in library or _breaks(specifier, present) else "warning",
            title=f"{names} need different versions of {library}",
            because=f"{asking} asks for {library}{specifier}, and "
            f"{present} is installed, which {others[0].name} {others[0].version} brings: one "
            "environment holds only one version of a package.",
            evidence=(of_message(message), of_distribution(others[0])),
            remedies=tuple(_apart(scene, (owner, others[0].name))),
            rests_on=scene.sources(("pip-check-lines",)),
        )
        return


def _said(message: Message, part: str) -> str:
    """A part of the line, as pip or uv says it."""
    return message.value(part) or message.value(f"uv{part}") or ""


def _breaks(specifier: str, present: Version) -> bool:
    """Whether the installed one is older than asked for, or of another major."""
    try:
        bounds = [
            item.version.removesuffix(".*") for item in SpecifierSet(specifier) if item.operator[0] in "=>~"
        ]
    except InvalidSpecifier:
        return False
    floors = [version for text in bounds if (version := version_of(text))]
    return any(present < floor or present.major != floor.major for floor in floors)


@check("two-frameworks-share-cudnn", told=True)
def two_folders_of_dlls(scene: Scene) -> Iterator[Answer]:
    """On Windows a DLL of cuDNN does not load where two frameworks bring one each."""
    messages = scene.messages("cudnn-dll-not-loaded")
    there = list(_there(scene))
    if not messages or len(there) < 2:
        return
    path = (messages[0].value("path") or "").replace("\\", "/")
    folder = "/".join(part for part in PurePosixPath(path).parts[-4:-1] if part != "..")
    names = " and ".join(item.name for item in there[:2])
    wheel = next((item for item in scene.distributions if item.name.startswith("nvidia-cudnn-cu")), None)
    yield Finding(
        id="two-frameworks-share-cudnn",
        severity="error",
        title=f"{names} load two versions of cuDNN's DLLs into one process",
        because=f"torch brings its cuDNN in `torch\\lib`, and `{messages[0].value('file')}` is loaded from "
        f"`{folder}`: DLLs of one name and two versions do not fit each other.",
        evidence=(
            of_message(messages[0]),
            *map(of_distribution, there[:2]),
            *([of_distribution(wheel)] if wheel else []),
        ),
        remedies=(
            *_aligned(scene, wheel),
            *_apart(scene, [item.name for item in there[:2]]),
        ),
        rests_on=scene.sources(("cudnn-loader",)),
    )


def _aligned(scene: Scene, wheel: Distribution | None) -> Iterator[Remedy]:
    """The wheel in the version of torch's own DLLs; of the same version it only stands in their way."""
    own = _of_torch(scene)
    if wheel is None or (own and own.major != wheel.version.major):
        return
    if own == wheel.version:
        text = f"Remove {wheel.name}, which holds the same {own} once more: both then use the DLLs of torch."
        yield Remedy(text=text, commands=uninstall(scene, [wheel.name]))
    elif own:
        text = f"Install {wheel.name} in the version that torch brings, {own}."
        yield Remedy(text=text, commands=install(scene, [f"{wheel.name}=={own}"]))
    else:
        yield Remedy(
            text=f"Install {wheel.name} in the version that torch brings, which this prints:",
            commands=('python -c "import torch; print(torch.backends.cudnn.version())"',),
        )


def _of_torch(scene: Scene) -> Version | None:
    """The cuDNN of the installed build of torch, as its sister for Linux asks for it."""
    torch = scene.framework("torch")
    if torch is None:
        return None
    asked = (
        text for build in torch.same_release if build.variant == torch.variant for text in build.requires
    )
    pins = (re.match(r"nvidia-cudnn-cu\d+==([\d.]+)", text.replace(" ", "")) for text in asked)
    return next((version_of(pin[1]) for pin in pins if pin), None)


def _apart(scene: Scene, names: Sequence[str]) -> Iterator[Remedy]:
    yield kept_apart(scene, names)
    yield agreeing_releases(scene, names)


def _there(scene: Scene) -> Iterator[Distribution]:
    """Frameworks that are listed and are no CPU builds."""
    found = (listed_as(scene, name) for name in _FRAMEWORKS)
    return (item for item in found if item is not None and item.variant != "cpu")
