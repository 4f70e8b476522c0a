"""The conda channel of PyTorch, asked for what came after its end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.evidence import of_message
from dlsetup.judge.hints import resolve
from dlsetup.judge.installers import asked_of, named_version, of_asked
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.report import Asked, Message

LAST = {
    "pytorch": (2, 5),
    "torch": (2, 5),
    "torchaudio": (2, 5),
    "torchvision": (0, 20),
    "pytorch-cuda": (12, 4),
}
"""The newest line of each package on the channel `pytorch`; by its conda name and by pip's."""


@check("pytorch-conda-channel-ended", told=True)
def channel_ended(scene: Scene) -> Iterator[Answer]:
    """The channel of PyTorch was asked for what came after its end."""
    said = [item for item in scene.messages("pytorch-channel-lacks") if _after_end(*_lacking(item))]
    alone = _is_the_only_channel(scene)
    asked = [
        item
        for item in asked_of(scene, "conda")
        if (item.index == "pytorch" or alone) and _after_end(item.name, _lowest(item))
    ]
    if said or asked:
        yield Finding(
            id="pytorch-conda-channel-ended",
            severity="error",
            title="The conda channel of PyTorch ended with 2.5.1",
            because="The channel `pytorch` never had PyTorch 2.6 or newer, nor pytorch-cuda after 12.4.",
            evidence=(*map(of_message, said[:2]), *map(of_asked, asked[:2])),
            remedies=tuple(_ways_out(scene)),
            rests_on=scene.sources(("pytorch-channel-end",)),
        )


def _ways_out(scene: Scene) -> Iterator[Remedy]:
    forge = ("conda install -c conda-forge pytorch-gpu",)
    yield Remedy(text="Take `pytorch-gpu` from conda-forge.", commands=forge)
    text = "Or install the wheels of PyTorch with pip into the environment."
    yield Remedy(text=text, commands=resolve(scene, ["torch"]))
    yield Remedy(text="Or stay with pytorch=2.5.1 of the channel.")


def _is_the_only_channel(scene: Scene) -> bool:
    """Whether a file names the channel of PyTorch, and not conda-forge, which has newer releases."""
    channels = scene.observed("conda.channels")
    return (
        channels is not None and "pytorch" in channels.value.split() and "conda-forge" not in channels.value
    )


def _lacking(message: Message) -> tuple[str, str]:
    name = message.value("package") or message.value("other") or ""
    return name, message.value("version") or message.value("wanted") or ""


def _lowest(item: Asked) -> str:
    version = None if item.specifier.startswith("<") else named_version(item.specifier)
    return str(version or "")


def _after_end(name: str, version: str) -> bool:
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    return len(numbers) == 2 and name in LAST and numbers > LAST[name]
