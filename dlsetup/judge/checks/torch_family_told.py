"""torchvision or torchaudio whose own code does not load: which part of the family is the odd one."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.version import Version

from dlsetup.judge.checks.torch_family import wrong_variant
from dlsetup.judge.conda_family import channels_of_parts
from dlsetup.judge.evidence import of_framework, of_message
from dlsetup.judge.family import matching
from dlsetup.judge.hints import release_here
from dlsetup.judge.installers import version_of
from dlsetup.judge.pairs import release_for
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Installed, Scene
from dlsetup.model.finding import Finding
from dlsetup.model.report import Message

_SAID = {"torchvision": "torchvision-ops-missing", "torchaudio": "torchaudio-does-not-load"}
_SOURCE = {"torchvision": "torchvision-extension", "torchaudio": "torchaudio-extension"}


@check("torchvision-torch-mismatch", told=True)
def torchvision_does_not_load(scene: Scene) -> Iterator[Answer]:
    """torchvision's operators are missing."""
    yield from _does_not_load(scene, "torchvision")


@check("torchaudio-torch-mismatch", told=True)
def torchaudio_does_not_load(scene: Scene) -> Iterator[Answer]:
    """torchaudio's library does not load."""
    yield from _does_not_load(scene, "torchaudio")


def _does_not_load(scene: Scene, name: str) -> Iterator[Finding]:
    messages = scene.messages(_SAID[name])
    if not messages:
        return
    torch, member = scene.framework("torch"), scene.framework(name)
    release = _release(scene, torch)
    title, because = _why(scene, name, messages, release)
    said = _of_two(messages)
    yield Finding(
        id=f"{name}-torch-mismatch",
        severity="error",
        title=title,
        because=because,
        evidence=(
            *map(of_message, messages[:3]),
            *(of_framework(item) for item in (torch, member) if item is not None),
        ),
        remedies=(matching(scene, torch, name, release, (said.value("mine") or "") if said else ""),),
        rests_on=scene.sources((_SOURCE[name],)),
    )


def _of_two(messages: tuple[Message, ...]) -> Message | None:
    """The message that names the CUDA of both."""
    return next((item for item in messages if item.value("mine") and item.value("theirs")), None)


def _release(scene: Scene, torch: Installed | None) -> Version | None:
    """The release of torch: as it is installed, as it says itself, or as it is asked for."""
    seen = scene.observed("torch.__version__")
    told = version_of(seen.value) if seen and torch is None else None
    return told or release_here(scene, "torch")


def _why(scene: Scene, name: str, messages: tuple[Message, ...], release: Version | None) -> tuple[str, str]:
    """Title and reason, by the most that is known: variants, then channels, then releases."""
    said = _of_two(messages)
    if said is not None:
        title = f"torch is built for CUDA {said.value('mine')} and {name} for CUDA {said.value('theirs')}"
        return title, f"{name} says so itself: both have to come from one index, or one channel."
    torch, member = scene.framework("torch"), scene.framework(name)
    if torch is not None and member is not None:
        if reason := wrong_variant(scene, member, torch.variant, member.variant):
            return f"{torch.title} and {member.title} are two variants", reason
        channels = sorted({channel for channel, _ in channels_of_parts(scene)})
        if len(channels) > 1:
            title = f"{torch.title} and {member.title} come from the channels {' and '.join(channels)}"
            return (
                title,
                "The releases belong together; each channel compiles with its own compiler and C++ ABI.",
            )
    what = member.title if member else name
    here = f"torch {release.public}" if release else "this torch"
    pair = release_for(scene, name, release) if release else None
    because = f"Its compiled part did not load: each {name} is made for one release and one build of torch"
    because += f"; {name} {pair.public} was made for {here}." if pair else "."
    return f"{what} does not load with {here}", because
