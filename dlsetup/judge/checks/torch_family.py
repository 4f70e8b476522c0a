"""torch, torchvision and torchaudio: compiled against one release and one variant of torch."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.better import companions, own_environment
from dlsetup.judge.commands import by_conda, conda, install_builds
from dlsetup.judge.demands import Demand, demands, demands_in
from dlsetup.judge.evidence import of_framework
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Installed, Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.framework import Build
from dlsetup.model.machine import Distribution
from dlsetup.model.record import Unknown

CHANNEL = re.compile(r"\b(conda-forge|pytorch|defaults|pkgs/main)\b")
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
    parts = [item.distribution for item in scene.installed if item.framework.family == "torch"]
    channels = {_channel(item): item for item in parts if by_conda(item) and _channel(item)}
    if len(channels) < 2:
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
        remedies=(_one_channel(scene, "torchvision", "torchaudio"),),
    )


def _mismatch(scene: Scene, name: str) -> Iterator[Finding]:
    torch, member = scene.framework("torch"), scene.framework(name)
    if torch is None or member is None:
        return
    because = _wrong_release(scene, torch, member) or _wrong_variant(scene, torch, member)
    if because:
        yield Finding(
            id=f"{name}-torch-mismatch",
            severity="error",
            title=f"{member.title} does not belong to {torch.title}",
            because=because,
            evidence=(of_framework(torch), of_framework(member)),
            remedies=(_matching(scene, torch, member),),
            rests_on=scene.sources(member.build.sources if isinstance(member.build, Build) else ()),
        )


def _wrong_release(scene: Scene, torch: Installed, member: Installed) -> str:
    """Why the releases do not pair; empty where they do, or nothing tells."""
    asked = _asked_of_torch(scene, member)
    wrong = asked and not any(demand.admits(torch.distribution.version) for demand in asked)
    return f"{asked[0].text}, and torch {torch.distribution.version} is installed." if wrong else ""


def _asked_of_torch(scene: Scene, member: Installed) -> list[Demand]:
    """What the member asks of torch by its own metadata, or else by any build of its release."""
    own = [item for item in demands(scene, "torch") if item.owner.name == member.distribution.name]
    texts = [text for build in member.same_release for text in build.requires]
    return own or list(demands_in(scene, member.distribution, texts, "torch"))


def _wrong_variant(scene: Scene, torch: Installed, member: Installed) -> str:
    """Why the variants do not pair, by the installed files' own word. On a Mac there is one variant only."""
    one, two = torch.distribution.variant, member.distribution.variant
    if scene.target.os == "macos" or isinstance(one, Unknown) or isinstance(two, Unknown) or one == two:
        return ""
    if not (VARIANT.fullmatch(one) and VARIANT.fullmatch(two)):
        return ""
    return f"torch is built for {one} and {member.distribution.name} for {two}."


def _matching(scene: Scene, torch: Installed, member: Installed) -> Remedy:
    name, release = member.framework.name, torch.distribution.version.public
    if by_conda(member.distribution):
        return _one_channel(scene, name)
    builds = []
    if isinstance(torch.build, Build):
        builds = [item for item in companions(scene, torch, torch.build) if item.framework == name]
    if not builds:
        return Remedy(text=f"Install the {name} that was released with torch {release}.")
    commands = install_builds(scene, builds)
    if not commands:
        return own_environment(torch, member)
    text = f"Install {name} {builds[0].version.public}, which belongs to torch {release}."
    return Remedy(text=text, commands=commands)


def _one_channel(scene: Scene, *names: str) -> Remedy:
    torch = scene.framework("torch")
    minor = ".".join(str(part) for part in torch.distribution.version.release[:2]) if torch else ""
    members = [name for name in names if scene.framework(name)]
    words = ["--channel", "conda-forge", "--override-channels", f"pytorch={minor}", *members]
    return Remedy(text="Take all parts of PyTorch from one channel.", commands=conda(scene, "install", words))


def _channel(distribution: Distribution) -> str:
    """The channel in the origin of a conda package, if it is one of the usual."""
    found = None if isinstance(distribution.origin, Unknown) else CHANNEL.search(distribution.origin)
    return found[1].replace("pkgs/main", "defaults") if found else ""
