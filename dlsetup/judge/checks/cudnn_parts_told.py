"""Parts of cuDNN in one process that come from two places, as cuDNN or a trace of the loader tells."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from dlsetup.judge.cudnn_places import Place, own_wheel, place_of, take_away
from dlsetup.judge.evidence import of_distribution, of_message, of_package
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.machine import SystemPackage

COPIES = ("python -m pip list | grep -i cudnn", "ldconfig -p | grep libcudnn", "echo $LD_LIBRARY_PATH")


@check("cudnn-parts-from-two-versions", told=True)
def parts(scene: Scene) -> Iterator[Answer]:
    """A process has parts of cuDNN loaded that come from two places or two versions."""
    messages = scene.messages("cudnn-parts-differ")
    loaded = _loaded(scene)
    folders = tuple(dict.fromkeys(str(PurePosixPath(item.value).parent) for item in loaded))
    if messages and len(folders) < 2:
        folders = _folders_on_disk(scene) or folders
    versions = {text for item in loaded if (text := item.value.partition(".so.")[2]).count(".") > 1}
    if not messages and len(folders) < 2 and len(versions) < 2:
        return
    places = _ranked([place_of(scene, folder) for folder in folders])
    others = _others(scene, places)
    yield Finding(
        id="cudnn-parts-from-two-versions",
        severity="error",
        title="The parts of cuDNN that were loaded are of two versions"
        if messages
        else "A process has loaded parts of cuDNN from two places",
        because=_because(places, others, bool(messages)),
        evidence=(
            *map(of_message, messages[:2]),
            *_shown(loaded),
            *([of_distribution(wheel)] if (wheel := own_wheel(scene)) else []),
            *(of_package(item.package) for item in others if item.package and item.package.version),
        ),
        remedies=tuple(_remedies(scene, others)),
        rests_on=scene.sources(("cudnn-status",)),
    )


def _loaded(scene: Scene) -> list[Evidence]:
    return [
        Evidence(fact=item.subject, value=item.value, source=item.source)
        for item in scene.machine.report.observations
        if item.subject == "loaded.library" and "/libcudnn" in item.value
    ]


def _shown(loaded: list[Evidence]) -> list[Evidence]:
    """One file of each folder."""
    return list({PurePosixPath(item.value).parent: item for item in loaded}.values())


def _folders_on_disk(scene: Scene) -> tuple[str, ...]:
    """Folders of files that the report lists, of which no line says that they were loaded."""
    paths = (PurePosixPath(item.path) for item in scene.libraries if item.library == "cudnn")
    return tuple(dict.fromkeys(str(path.parent) for path in paths if len(path.parts) > 1))


def _ranked(places: list[Place]) -> list[Place]:
    """The place that a program has its own cuDNN in first: a wheel, else conda, else what came first."""
    rank = {"wheel": 0, "conda": 1, "folder": 2, "variable": 3, "system": 4}
    return sorted(places, key=lambda place: rank[place.kind])


def _others(scene: Scene, places: list[Place]) -> list[Place]:
    """What is to go: every place but the program's own; without a place, the system's package."""
    if len(places) > 1:
        return places[1:]
    wheel, system = own_wheel(scene), place_of(scene, "/usr/lib/x86_64-linux-gnu")
    apart = wheel and system.package and not _is_of(system.package, str(wheel.version))
    return [system] if apart else []


def _is_of(package: SystemPackage, version: str) -> bool:
    return package.version.startswith(version)


def _because(places: list[Place], others: list[Place], said: bool) -> str:
    whole = "The libraries of cuDNN have to come from one release"
    if len(places) > 1:
        rest = " and ".join(item.words for item in others[:2])
        return f"{whole}; these come from {places[0].words} and {rest}."
    if others:
        return f"{whole}; beside the wheel there is {others[0].words}, which the loader finds as well."
    return f"{whole}, as cuDNN says itself; the loader took some from another." if said else f"{whole}."


def _remedies(scene: Scene, others: list[Place]) -> Iterator[Remedy]:
    known = [item for place in others[:2] for item in take_away(scene, place)]
    if known:
        yield from known
    elif scene.target.os == "windows":
        yield Remedy(text="List the copies on PATH; leave one.", commands=("where cudnn*.dll",))
    else:
        yield Remedy(text="List the copies that are there; leave one.", commands=COPIES)
        text = "Where LD_LIBRARY_PATH names a folder with another cuDNN, take that folder out."
        yield Remedy(text=text, commands=("unset LD_LIBRARY_PATH",))
