"""Pins that exclude each other, and installers that found no way."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from dlsetup.judge.evidence import of_message
from dlsetup.judge.hints import framework_behind, resolve
from dlsetup.judge.installers import asked_of, of_asked, version_of
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.report import Asked
from dlsetup.rules.installed import framework_of


@check("unsatisfiable-pins", told=True)
def pins_exclude(scene: Scene) -> Iterator[Answer]:
    """Exact pins of frameworks that do not pair, or an installer that found no way."""
    said = () if _lacks_a_file(scene) else scene.messages("pins-conflict")
    pair = next(_apart(scene), None)
    if not said and pair is None:
        return
    because = "The installer looked at every release and found none that serves all of them."
    text = (
        "Ask for releases that belong together; `dlsetup resolve` finds them, or names the smallest reason "
    )
    yield Finding(
        id="unsatisfiable-pins",
        severity="error",
        title="What is asked for cannot be installed together",
        because=because if pair is None else pair[2],
        evidence=(*map(of_asked, () if pair is None else pair[:2]), *map(of_message, said[:2])),
        remedies=(Remedy(text=f"{text}against them.", commands=_question(scene, pair)),),
    )


def _question(scene: Scene, pair: tuple[Asked, Asked, str] | None) -> tuple[str, ...]:
    """What is asked for, without the pins that exclude each other: of a pair the first one holds."""
    if pair is not None:
        first, other = (framework_behind(scene, item.name) for item in pair[:2])
        held = [f"{first}{pair[0].specifier}"] if first else []
        return resolve(scene, [*held, *([other] if other else [])]) if held else ()
    named = (framework_behind(scene, item.name) for item in asked_of(scene, "pip"))
    names = sorted({name for name in named if name})
    return resolve(scene, names) if names else ()


def _lacks_a_file(scene: Scene) -> bool:
    """Whether uv gives up only because there is no file for this Python, which is another matter."""
    lacking = [item for item in scene.messages("pip-no-version") if not item.value("name")]
    return bool(lacking) and not scene.messages("releases-incompatible")


def _apart(scene: Scene) -> Iterator[tuple[Asked, Asked, str]]:
    """Pins of two packages of which one's own metadata excludes the other, and why in words."""
    pinned = {item.name: item for item in asked_of(scene, "pip") if _pin(item) is not None}
    for name, item in pinned.items():
        framework, version = framework_of(name, scene.catalog), _pin(item)
        if framework is None or version is None:
            continue
        texts = {text for build in framework.of(version) for text in build.requires}
        for other, pin in pinned.items():
            wanted = _pin(pin)
            asks = [text for text in sorted(texts) if re.match(rf"{re.escape(other)}\b(?!-)", text)]
            if other != name and asks and wanted and not any(_admits(text, wanted) for text in asks):
                yield item, pin, f"{name} {version} asks for {asks[0]}, and {other}=={wanted} is pinned."


def _pin(item: Asked) -> Version | None:
    """The version that is asked for and no other."""
    exact = item.specifier.startswith("==")
    return version_of(item.specifier.removeprefix("==").split(",")[0].strip()) if exact else None


def _admits(requirement: str, version: Version) -> bool:
    """Whether a requirement accepts a version; one that cannot be read does."""
    found = re.search(r"[<>=!~].*", requirement.split(";")[0])
    try:
        return found is None or SpecifierSet(found[0].strip("() ")).contains(version.public, prereleases=True)
    except InvalidSpecifier:
        return True
