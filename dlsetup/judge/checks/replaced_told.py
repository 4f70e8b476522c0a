"""Builds of torch that a later install replaced."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dlsetup.judge.commands import line
from dlsetup.judge.evidence import of_framework
from dlsetup.judge.installers import (
    CUDA_INDEX,
    LOCAL,
    OF_INDEX,
    comes_after,
    installs,
    of_asked,
    of_command,
)
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.judge.wanted import COMPLAINTS
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.report import Asked, Command


@check("dependency-replaced-torch", "xpu-wheel-replaced-by-cpu", told=True)
def replaced(scene: Scene) -> Iterator[Answer]:
    """A later install put another build in the place of the one that was chosen."""
    chosen, now = _chosen(scene), _present(scene)
    if chosen is None or now is None:
        return
    first, variant = chosen
    later = _later(scene, first)
    told = (
        later
        or scene.messages("torch-uninstalled", "torch-was-before")
        or (variant == "xpu" and _shown_after(scene, first))
    )
    if now == variant or not told:
        return
    evidence = (of_asked(first), *(of_command(item, "then") for item in later[:2]), *_seen(scene))
    if variant == "xpu":
        yield Finding(
            id="dependency-replaced-torch",
            severity="warning",
            title="A later install replaced torch",
            because="It resolved torch anew, from the default index.",
            evidence=evidence,
        )
    yield _gone(scene, first, variant, now, evidence)


def _gone(scene: Scene, first: Asked, variant: str, now: str, evidence: Sequence[Evidence]) -> Finding:
    by = "the default one" if now == "default" else f"a {now} build"
    text = f"Install torch from the {variant} index again, last, and hold it with a constraint in later ones."
    return Finding(
        id="xpu-wheel-replaced-by-cpu" if variant == "xpu" else "dependency-replaced-torch",
        severity="error",
        title=f"The {variant} build of torch was replaced by {by}",
        because="A later install resolved torch anew, from the default index, and took the build that is "
        "there.",
        evidence=tuple(evidence),
        remedies=(Remedy(text=text, commands=_again(scene, first, variant)),),
    )


def _again(scene: Scene, first: Asked, variant: str) -> tuple[str, ...]:
    """The command in the words of the installer that the report shows."""
    plain = re.fullmatch(r"[=<>~!.,+\w]*", first.specifier)
    wish = f"torch{first.specifier if plain else ''}"
    index = f"https://download.pytorch.org/whl/{variant}"
    if any(item.words[0] == "uv" for item in scene.machine.report.commands):
        return line(scene, ["uv", "pip", "install", "--reinstall-package", "torch", wish, "--index", index])
    pip = ["python", "-m", "pip", "install", "--force-reinstall"]
    return line(scene, [*pip, wish, "--index-url", index])


def _shown_after(scene: Scene, first: Asked) -> bool:
    """Whether torch itself was asked for its version further down."""
    seen = scene.observed("torch.__version__")
    return seen is not None and comes_after(seen.source, first.source)


def _later(scene: Scene, first: Asked) -> list[Command]:
    """What was installed after it, from another index than one of CUDA builds."""
    return [
        item
        for item in installs(scene)
        if comes_after(item.source, first.source) and not CUDA_INDEX.search(" ".join(item.words))
    ]


def _chosen(scene: Scene) -> tuple[Asked, str] | None:
    """The first time that torch was asked for with a build of its own, which is no CPU build."""
    for item in scene.machine.report.asked:
        found = OF_INDEX.search(item.index) or LOCAL.search(item.specifier)
        if item.name == "torch" and found and found[1] != "cpu":
            return item, found[1]
    return next(_taken_away(scene), None) or next(_told_of(scene), None)


def _told_of(scene: Scene) -> Iterator[tuple[Asked, str]]:
    """A build that somebody says was there before, where the one that is there now does not use a GPU."""
    available = scene.observed("torch.cuda.is_available")
    fails = bool(scene.messages(*COMPLAINTS)) or (available is not None and available.value == "False")
    for message in scene.messages("torch-was-before") if fails else ():
        version = message.value("was") or message.value("were") or ""
        found = LOCAL.search(version)
        if found and _present(scene) in ("cpu", "default"):
            yield Asked(name="torch", specifier=f"=={version}", source=message.source), found[1]


def _taken_away(scene: Scene) -> Iterator[tuple[Asked, str]]:
    """Builds that an installer says it removed, and which nobody asked it to exchange."""
    for message in scene.messages("torch-uninstalled"):
        version = next((value for _, value in message.values), "")
        found = LOCAL.search(version)
        now = _present(scene)
        wished = any(
            now in (*LOCAL.findall(item.specifier), *OF_INDEX.findall(item.index))
            for item in scene.machine.report.asked
        )
        if found and found[1] != "cpu" and (now == "cpu" or not found[1].startswith("cu")) and not wished:
            yield Asked(name="torch", specifier=f"=={version}", source=message.source), found[1]


def _present(scene: Scene) -> str | None:
    """What torch is built for now; None: nothing tells."""
    seen = scene.observed("torch.__version__")
    local = LOCAL.search(seen.value) if seen else None
    if local:
        return local[1]
    torch = scene.framework("torch")
    if torch is None:
        return None
    if isinstance(torch.variant, str):
        return torch.variant
    return "default" if torch.distribution.version.local is None else None


def _seen(scene: Scene) -> Iterator[Evidence]:
    torch = scene.framework("torch")
    if torch is not None:
        yield of_framework(torch)
