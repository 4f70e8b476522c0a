"""What of the torch family belongs together, and how a part is brought into line with torch."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from packaging.version import Version

from dlsetup.judge.commands import by_conda, conda, install, install_builds, uninstall
from dlsetup.judge.demands import required_name
from dlsetup.judge.exchange import belongs, own_environment, seems_to_be_there
from dlsetup.judge.hints import pinned, resolve
from dlsetup.judge.known_pairs import old_release_for
from dlsetup.judge.scene import Installed, Scene
from dlsetup.judge.sentences import listed
from dlsetup.model.finding import Remedy
from dlsetup.model.framework import Build
from dlsetup.model.machine import Distribution
from dlsetup.model.record import Unknown
from dlsetup.model.versions import CudaVersion
from dlsetup.rules.libraries import applying

MEMBERS = ("torchvision", "torchaudio")
LAST_OF_CHANNEL = Version("2.5.1")
"""The newest torch on the conda channel `pytorch`."""
FIRST_WITH_PYTORCH_CUDA = Version("1.13")
"""From here on that channel asks for CUDA by `pytorch-cuda`, before by `cudatoolkit`."""
_CHANNEL = re.compile(r"\b(conda-forge|pytorch|defaults|pkgs/main)\b")
_NIGHTLY = re.compile(r"\.dev\d{8}")


def release_for(scene: Scene, name: str, torch: Version) -> Version | None:
    """The newest release of a member of the family that was made for this torch; None: nothing tells."""
    framework = scene.catalog.framework(name)
    builds = framework.builds if framework else ()
    made = {build.version for build in builds if not build.yanked and _asks_for(build, torch)}
    return max(made, default=None) or old_release_for(name, torch)


def _asks_for(build: Build, torch: Version) -> bool:
    asked = (applying(text, None) for text in build.requires if required_name(text) == "torch")
    return any(item and str(item.specifier) and item.specifier.contains(torch.public) for item in asked)


def matching(
    scene: Scene, torch: Installed | None, name: str, release: Version | None, cuda: str = ""
) -> Remedy:
    """Put the member that was made for this torch in the place of the one that is there.

    `release`: of torch, as far as it is known; `torch` is None where only messages speak of it; `cuda`: the
    one that torch is built for, as a message says (`12.1`).
    """
    if torch is not None and (by_conda(torch.distribution) or _is_by_conda(scene, name)):
        return one_channel(scene, torch, name)
    wanted = release_for(scene, name, release) if release else None
    build = _of_the_same_index(scene, torch, name)
    if build is not None:
        return _by_build(scene, torch, name, build)
    variant = _variant(torch, release, cuda)
    if release is not None and wanted is not None:
        return _by_release(scene, name, variant, release, wanted)
    if release is not None and torch is not None and _NIGHTLY.search(release.public):
        return _nightly(scene, torch, name)
    if address := _address(scene, variant):
        words = ["--force-reinstall", "torch", name]
        text = f"Install torch and {name} together, both from the index of {variant}."
        return Remedy(text=text, commands=install(scene, words, index=address))
    here = f"torch {release}" if release else "the installed torch"
    text = f"Install the {name} that was released with {here}, from the same index."
    return Remedy(text=text, commands=resolve(scene, [pinned(scene, "torch"), name]))


def _variant(torch: Installed | None, release: Version | None, cuda: str) -> str:
    """What torch is built for, as it is known of the installed one, asked for, or said; else empty."""
    if torch is not None and isinstance(torch.variant, str):
        return torch.variant
    if release is not None and release.local:
        return release.local
    return f"cu{cuda.replace('.', '')}" if cuda else ""


def _address(scene: Scene, variant: str) -> str | None:
    """The index of one variant of torch; None: there is none of that name."""
    found = (item.url for item in scene.catalog.indexes if item.name == f"pytorch-{variant}")
    return next(found, None)


def _is_by_conda(scene: Scene, name: str) -> bool:
    return any(by_conda(item) for item in scene.copies(name))


def _of_the_same_index(scene: Scene, torch: Installed | None, name: str) -> Build | None:
    framework = scene.catalog.framework(name)
    if torch is None or framework is None or not isinstance(torch.build, Build):
        return None
    return next((item for item in framework.builds if belongs(item, torch.build)), None)


def _by_build(scene: Scene, torch: Installed | None, name: str, build: Build) -> Remedy:
    here = torch.distribution.version.public if torch else ""
    member = scene.framework(name)
    commands = install_builds(scene, [build])
    if not commands and torch is not None:
        return own_environment(*([torch, member] if member else [torch]))
    first = uninstall(scene, [name]) if member and seems_to_be_there(member, build) else ()
    text = f"Install {name} {build.version.public}, which belongs to torch {here}."
    return Remedy(text=text, commands=(*first, *commands))


def _by_release(scene: Scene, name: str, variant: str, release: Version, wanted: Version) -> Remedy:
    """The release is known and the index is not, or not of the catalog."""
    address = _address(scene, variant)
    local = f"+{variant}" if address and not wanted.local else ""
    text = f"Install {name} {wanted.public}, which belongs to torch {release.public}"
    text += "." if address else ", from the index that torch came from."
    commands = install(scene, [f"{name}=={wanted.public}{local}"], index=address)
    return Remedy(text=text, commands=commands)


def _nightly(scene: Scene, torch: Installed, name: str) -> Remedy:
    variant = torch.variant if isinstance(torch.variant, str) else "cpu"
    address = f"https://download.pytorch.org/whl/nightly/{variant}"
    text = f"Install the {name} of the same night, together with torch, from the index of nightly builds."
    return Remedy(text=text, commands=install(scene, ["--pre", "torch", name], index=address))


def one_channel(scene: Scene, torch: Installed, *names: str) -> Remedy:
    """Take torch and what is there of its family, and `names`, from one conda channel."""
    members = [name for name in MEMBERS if name in names or scene.copies(name)]
    release = torch.distribution.version
    of_pip = [name for name in members if scene.copies(name) and not _is_by_conda(scene, name)]
    channels, specs = _of_channel(scene, torch, members)
    specs = [
        _spec("pytorch", release),
        *(_spec(name, release_for(scene, name, release)) for name in members),
        *specs,
    ]
    words = [word for channel in channels for word in ("--channel", channel)]
    text = f"Take {listed(['torch', *members])} from one channel: {channels[0]}."
    return Remedy(text=text, commands=(*uninstall(scene, of_pip), *conda(scene, "install", [*words, *specs])))


def _spec(name: str, release: Version | None) -> str:
    return f"{name}={release.public}" if release else name


def _of_channel(scene: Scene, torch: Installed, members: Sequence[str]) -> tuple[list[str], list[str]]:
    """The channels to ask, and what asks there for the same CUDA."""
    parts = [torch.distribution, *(item for name in members for item in scene.copies(name))]
    channels = {channel_of(item) for item in parts if by_conda(item)}
    if channels == {"conda-forge"} or torch.distribution.version > LAST_OF_CHANNEL:
        return ["conda-forge"], []
    if torch.variant == "cpu" and scene.target.os != "macos":
        return ["pytorch"], ["cpuonly"]
    cuda = torch.cuda
    if not isinstance(cuda, CudaVersion):
        return ["pytorch"], []
    if torch.distribution.version >= FIRST_WITH_PYTORCH_CUDA:
        return ["pytorch", "nvidia"], [f"pytorch-cuda={cuda.line}"]
    return ["pytorch", "conda-forge"], [f"cudatoolkit={cuda.line}"]


def channel_of(distribution: Distribution) -> str:
    """The channel in the origin of a conda package, if it is one of the usual."""
    found = None if isinstance(distribution.origin, Unknown) else _CHANNEL.search(distribution.origin)
    return found[1].replace("pkgs/main", "defaults") if found else ""


def channels_of_parts(scene: Scene) -> Iterator[tuple[str, Distribution]]:
    """Each part of the family that conda installed, with its channel, where that is known."""
    parts = [item.distribution for item in scene.installed if item.framework.family == "torch"]
    yield from ((channel_of(item), item) for item in parts if by_conda(item) and channel_of(item))
