"""How a part of the torch family is brought into line with torch."""

from __future__ import annotations

import re

from packaging.version import Version

from dlsetup.judge.commands import by_conda, install, install_builds, uninstall
from dlsetup.judge.conda_family import is_by_conda, one_channel
from dlsetup.judge.exchange import belongs, own_environment, seems_to_be_there
from dlsetup.judge.hints import pinned, resolve
from dlsetup.judge.pairs import release_for
from dlsetup.judge.scene import Installed, Scene
from dlsetup.model.finding import Remedy
from dlsetup.model.framework import Build

_NIGHTLY = re.compile(r"\.dev\d{8}")


def matching(
    scene: Scene, torch: Installed | None, name: str, release: Version | None, cuda: str = ""
) -> Remedy:
    """Put the member that was made for this torch in the place of the one that is there.

    `release`: of torch, as far as it is known; `torch` is None where only messages speak of it; `cuda`: the
    one that torch is built for, as a message says (`12.1`).
    """
    if torch is not None and (by_conda(torch.distribution) or is_by_conda(scene, name)):
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
