"""LD_LIBRARY_PATH in a report: a message shows that another copy than the wheel's was loaded."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.cudnn_places import own_wheel
from dlsetup.judge.cudnn_remedies import OF_WHEELS, hidden_by_path
from dlsetup.judge.evidence import of_distribution, of_message, of_variable
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.judge.shadows import NAME, foreign_folders
from dlsetup.judge.told_libraries import cudnn_apart
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.machine import Distribution
from dlsetup.model.report import Message


@check("ld-library-path-shadows-wheel-libs", told=True)
def shadowed(scene: Scene) -> Iterator[Answer]:
    """A library of a wheel meets an older copy that LD_LIBRARY_PATH puts first."""
    folders = foreign_folders(scene)
    if scene.target.os == "windows":
        return
    found = next(_symptoms(scene) if folders else _admitted(scene), None)
    if found is None:
        return
    message, what, wheel = found
    serves = f" The wheel's own, {wheel.name} {wheel.version}, would fit." if wheel else ""
    where = " and ".join(f"`{item}`" for item in folders[:3]) or "its folders"
    numbers = next((f" ({item.loaded}; {item.built} is needed)" for item in cudnn_apart(scene)), "")
    yield Finding(
        id="ld-library-path-shadows-wheel-libs",
        severity="error",
        title=f"{NAME} puts another {what} in front of the one that the wheels bring",
        because=f"The loader looks into {where} first, and the "
        f"copy that was loaded{numbers} does not serve.{serves}",
        evidence=(
            of_message(message),
            of_variable(scene, NAME),
            *([of_distribution(wheel)] if wheel else []),
        ),
        remedies=(
            Remedy(
                text="Take the variable away for this environment: wheels find their libraries without it. "
                "If another program needs it, put the folders of the wheels (`site-packages/nvidia/*/lib`) "
                f"first; a copy of {what} that conda brought may be removed as well.",
                commands=(f"unset {NAME}", f"grep -n {NAME} ~/.bashrc ~/.profile ~/.zshrc /etc/environment"),
                scope="host",
            ),
        ),
        rests_on=scene.sources(("cudnn-version-checks", "undefined-cuda-symbol")),
    )


def _symptoms(scene: Scene) -> Iterator[tuple[Message, str, Distribution | None]]:
    """Messages that only another copy explains, what it is a copy of, and the wheel that would serve."""
    for apart in cudnn_apart(scene):
        if hidden_by_path(scene, apart):
            yield apart.message, "cuDNN", own_wheel(scene)
    for message in scene.messages("jax-library-older"):
        yield message, message.value("library") or "library", None
    for message in scene.messages("undefined-cuda-symbol"):
        library = (message.value("wanted") or message.value("symbol_of") or "library").lower()
        wheel = _wheel(scene, library)
        if wheel or OF_WHEELS.search(message.text):
            yield message, f"lib{message.value('wanted') or message.value('symbol_of')}", wheel


def _admitted(scene: Scene) -> Iterator[tuple[Message, str, Distribution | None]]:
    """PyTorch's own word that the variable leads to another cuDNN; the report does not show its value."""
    for message in scene.messages("cudnn-older-than-built-torch"):
        if message.value("path"):
            yield message, "cuDNN", None


def _wheel(scene: Scene, library: str) -> Distribution | None:
    name = re.sub(r"lt$", "", library)
    return next(
        (
            item
            for item in scene.distributions
            if re.fullmatch(rf"nvidia-{re.escape(name)}(-cu\d+)?", item.name)
        ),
        None,
    )
