"""A library says that it was linked against a newer C library than the loader has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.evidence import of_message
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.record import Unknown

_PACKAGE = re.compile(r"(?:site|dist)-packages[\\/](\w{2,60})")
_FRAMEWORKS = {
    "torch": "torch",
    "triton": "torch",
    "tensorflow": "tensorflow",
    "tensorflow_core": "tensorflow",
    "jaxlib": "jax",
    "paddle": "paddlepaddle",
    "onnxruntime": "onnxruntime",
    "mindspore": "mindspore",
    "oneflow": "oneflow",
    "vllm": "vllm",
    "cupy": "cupy",
}
"""The framework that a folder of site-packages belongs to."""


@check("glibc-too-old", told=True)
def newer_wanted(scene: Scene) -> Iterator[Answer]:
    """An installed library needs a newer C library than the system has."""
    messages = scene.messages("glibc-version-missing")
    if not messages:
        return
    needed = max((item.value("needed") or "" for item in messages), key=lambda text: int(text[2:] or 0))
    by = next((text for item in messages if (text := item.value("by"))), "")
    libc = scene.machine.system.libc
    version = libc.version if libc and not isinstance(libc, Unknown) else None
    present = str(version) if version is not None and not isinstance(version, Unknown) else ""
    yield Finding(
        id="glibc-too-old",
        severity="error",
        title=f"The C library of this system is older than glibc {needed}",
        because=f"{f'`{by}`' if by else 'A library'} was built for glibc {needed} or newer"
        f"{f', and {present} is here' if present else ''}. The C library belongs to the operating system and "
        "cannot be replaced inside an environment.",
        evidence=(
            *map(of_message, messages[:3]),
            *([Evidence(fact="glibc", value=present, source=scene.seen("libc.version"))] if present else []),
        ),
        remedies=tuple(_remedies(by, needed)),
        rests_on=scene.sources(("loader",)),
    )


def _remedies(by: str, needed: str) -> Iterator[Remedy]:
    text = f"Run it on a system with glibc {needed} or newer, or in a container of one."
    yield Remedy(text=text, scope="host")
    found = _PACKAGE.search(by)
    framework = _FRAMEWORKS.get(found[1]) if found else None
    package = found[1] if found else "it"
    finds = "; `dlsetup resolve` finds them" if framework else ""
    yield Remedy(
        text=f"Or take a release of {framework or package} whose wheels are made for this system{finds}."
        if found
        else "Or take releases that are made for this system, or compile them here.",
        commands=(f"dlsetup resolve {framework}",) if framework else (),
    )
