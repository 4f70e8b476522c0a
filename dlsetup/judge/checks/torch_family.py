"""torch, torchvision and torchaudio: compiled against one release and one variant of torch."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.conda_family import channels_of_parts, one_channel
from dlsetup.judge.demands import Demand, demands, demands_in
from dlsetup.judge.evidence import of_framework
from dlsetup.judge.family import matching
from dlsetup.judge.pairs import SOURCE, old_torch_for
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Installed, Scene
from dlsetup.model.finding import Evidence, Finding
from dlsetup.model.framework import Build
from dlsetup.model.record import Unknown

VARIANT = re.compile(r"cpu|cu\d+|rocm[\d.]+|xpu")


@check("torchvision-torch-mismatch")
def torchvision_mismatch(scene: Scene) -> Iterator[Answer]:
    """torchvision belongs to another release or variant of torch."""
    yield from _mismatch(scene, "torchvision")


@check("torchaudio-torch-mismatch")
def torchaudio_mismatch(scene: Scene) -> Iterator[Answer]:
    """torchaudio belongs to another release or variant of torch."""
    yield from _mismatch(scene, "torchaudio")


@check("conda-channels-mixed")
def channels_mixed(scene: Scene) -> Iterator[Answer]:
    """Parts of PyTorch come from different conda channels, whose builds do not fit together."""
    channels = dict(channels_of_parts(scene))
    torch = scene.framework("torch")
    if len(channels) < 2 or torch is None:
        return
    yield Finding(
        id="conda-channels-mixed",
        severity="warning",
        title=f"Parts of PyTorch come from the channels {' and '.join(sorted(channels))}",
        because="Each channel compiles them with its own compiler and settings: take all from one.",
        evidence=tuple(
            Evidence(fact=item.name, value=str(item.version), source=str(item.origin))
            for item in channels.values()
        ),
        remedies=(one_channel(scene, torch),),
    )


def _mismatch(scene: Scene, name: str) -> Iterator[Finding]:
    torch, member = scene.framework("torch"), scene.framework(name)
    if torch is None or member is None:
        return
    because, title = wrong_release(scene, torch, member), f"{member.title} does not belong to {torch.title}"
    if not because:
        one, two = torch.distribution.variant, member.distribution.variant
        because, title = wrong_variant(scene, member, one, two), apart(torch, member)
    if because:
        sources = scene.sources(member.build.sources if isinstance(member.build, Build) else ())
        old = old_torch_for(name, member.distribution.version)
        yield Finding(
            id=f"{name}-torch-mismatch",
            severity="error",
            title=title,
            because=because,
            evidence=(of_framework(torch), of_framework(member)),
            remedies=(matching(scene, torch, name, torch.distribution.version),),
            rests_on=sources or ((SOURCE,) if old else ()),
        )


def wrong_release(scene: Scene, torch: Installed, member: Installed) -> str:
    """Why the releases do not pair; empty where they do, or nothing tells."""
    here, there = torch.distribution.version, member.distribution.version
    asked = _asked_of_torch(scene, member)
    if asked:
        wrong = not any(demand.admits(here) for demand in asked)
        return f"{asked[0].text}, and torch {here} is installed." if wrong else ""
    made_for = old_torch_for(member.framework.name, there)
    copies = (old_torch_for(item.name, item.version) for item in scene.copies(member.distribution.name))
    if made_for is None or any(one and one.public == here.public for one in copies):
        return ""
    return f"{member.framework.name} {there} was made for torch {made_for}, and torch {here} is installed."


def _asked_of_torch(scene: Scene, member: Installed) -> list[Demand]:
    """What the member asks of torch by its own metadata, or else by any build of its release."""
    own = [item for item in demands(scene, "torch") if item.owner.name == member.distribution.name]
    texts = [text for build in member.same_release for text in build.requires]
    return own or list(demands_in(scene, member.distribution, texts, "torch"))


def wrong_variant(scene: Scene, member: Installed, one: str | Unknown, two: str | Unknown) -> str:
    """Why the variants of torch (`one`) and of a member (`two`) do not pair. On a Mac there is one only."""
    if scene.target.os == "macos" or isinstance(one, Unknown) or isinstance(two, Unknown) or one == two:
        return ""
    if not (VARIANT.fullmatch(one) and VARIANT.fullmatch(two)):
        return ""
    name = member.distribution.name
    return f"torch is built for {one} and {name} for {two}: both have to come from one index."


def apart(torch: Installed, member: Installed) -> str:
    """That two parts of the family are of two variants, in one line."""
    variants = {torch.variant, member.variant}
    what = "different variants" if "cpu" in variants else "different CUDA versions"
    return f"{torch.title} and {member.title} are builds for {what}"
