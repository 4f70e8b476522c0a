"""ONNX Runtime as it reports itself: the CUDA provider that is not loaded, and the CUDA that it needs."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.version import Version

from dlsetup.judge.commands import install, uninstall
from dlsetup.judge.evidence import of_distribution, of_message, of_observation
from dlsetup.judge.known_libraries import Needs, in_words, needs_of
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.judge.told_devices import without_cuda_provider
from dlsetup.judge.told_libraries import cuda_at_hand, cudnn_wheels
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.machine import Distribution, Gap
from dlsetup.model.report import Message
from dlsetup.model.versions import CudaVersion

_FAILED = ("ort-provider-library-missing", "ort-provider-not-loaded", "ort-requires")


@check("onnxruntime-gpu-cuda-version", told=True)
def other_cuda(scene: Scene) -> Iterator[Answer]:
    """onnxruntime-gpu needs another CUDA or cuDNN than it finds."""
    listed = next(iter(scene.copies("onnxruntime-gpu")), None)
    messages = _messages(scene)
    needs = needs_of(listed.name, listed.version) if listed else None
    lacking = without_cuda_provider(scene)
    at_hand = (*cuda_at_hand(scene), *_of_torch(scene))
    refused = bool(needs and at_hand) and not any(_admits(needs, version) for version, _ in at_hand)
    if not messages and not (lacking and refused):
        return
    if not at_hand:
        yield Gap(fact="CUDA that is installed", reason="the report does not say", ask="nvcc --version")
    there = " and ".join(dict.fromkeys(version for version, _ in at_hand))
    found = f"; CUDA {there} is there" if refused else ""
    name = f"onnxruntime-gpu {listed.version}" if listed else "onnxruntime-gpu"
    yield Finding(
        id="onnxruntime-gpu-cuda-version",
        severity="error" if messages or refused else "warning",
        title=f"{name} does not find the CUDA and cuDNN that it is built for",
        because=f"{_wanted(listed, needs, messages)}{found}. Without them the session falls back to the CPU.",
        evidence=(
            *map(of_message, messages[:2]),
            *([of_distribution(listed)] if listed else []),
            *([of_observation(lacking)] if lacking else []),
            *(evidence for _, evidence in at_hand[:3]),
            *map(of_distribution, cudnn_wheels(scene)[:1]),
        ),
        remedies=tuple(_remedies(scene, needs, [version for version, _ in at_hand])),
        rests_on=(*scene.sources(("onnxruntime-provider-messages",)), *([needs.cited] if needs else [])),
    )


def _messages(scene: Scene) -> tuple[Message, ...]:
    found = tuple(item for item in scene.messages(*_FAILED) if item.value("provider") != "tensorrt")
    if scene.messages("ort-import-failed"):
        found += scene.messages("tf-library-import-failed")
    return found


def _of_torch(scene: Scene) -> Iterator[tuple[str, Evidence]]:
    """The CUDA that torch brings, which serves where torch is imported first."""
    torch = scene.framework("torch")
    if torch is not None and isinstance(torch.cuda, CudaVersion):
        text = str(torch.cuda)
        yield (
            text,
            Evidence(fact="torch", value=f"built for CUDA {text}", source=torch.distribution.found_via),
        )


def _admits(needs: Needs | None, version: str) -> bool:
    return needs is not None and needs.cuda.contains(version)


def _wanted(listed: Distribution | None, needs: Needs | None, messages: tuple[Message, ...]) -> str:
    message = messages[0] if messages else None
    if needs and listed:
        cudnn = in_words(needs.cudnn)
        return f"onnxruntime-gpu {listed.version} needs CUDA {in_words(needs.cuda)} and cuDNN {cudnn}"
    if message and message.value("cuda"):
        return f"It needs CUDA {message.value('cuda')}.x and cuDNN {message.value('cudnn')}.x"
    if message and message.value("file"):
        return f"Its CUDA provider is linked to `{message.value('file')}`, which is not found"
    return "Its CUDA provider does not load"


def _remedies(scene: Scene, needs: Needs | None, at_hand: list[str]) -> Iterator[Remedy]:
    release = next((found for version in at_hand if (found := _release_for(version))), None)
    if release and not any(_admits(needs, version) for version in at_hand):
        both = [name for name in ("onnxruntime", "onnxruntime-gpu") if scene.copies(name)]
        first = "Uninstall both, then install" if len(both) > 1 else "Install"
        text = f"{first} the onnxruntime-gpu for the CUDA that is there: {release.releases}."
        commands = (*uninstall(scene, both), *install(scene, [f"onnxruntime-gpu{release.releases}"]))
        yield Remedy(text=text, commands=commands)
    if needs:
        yield Remedy(
            text=f"Or install CUDA {in_words(needs.cuda)} and cuDNN {in_words(needs.cudnn)}, and put their "
            "folders on the search path (`import torch` first does it where torch brings the same).",
            scope="host",
        )
    python = scene.interpreter.version if scene.interpreter else None
    if python is None or python >= Version("3.10"):
        yield Remedy(
            text="Or take a release that brings both as wheels (Python 3.10 or newer).",
            commands=install(scene, ["onnxruntime-gpu[cuda,cudnn]>=1.21"]),
        )


def _release_for(cuda: str) -> Needs | None:
    rows = (
        needs_of("onnxruntime-gpu", Version(text)) for text in ("1.30", "1.20", "1.18", "1.6", "1.4", "1.1")
    )
    return next((row for row in rows if row and row.cuda.contains(cuda)), None)
