"""Ways to make steps that several notes share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from dlsetup.judge.commands import install, line, uninstall
from dlsetup.judge.linux_families import family_of
from dlsetup.judge.registry import Check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.note import NoteStep, NotOfKind, Place

RESTART = NoteStep(
    id="restart",
    title="Restart the machine",
    state="needed",
    why="The kernel takes up modules and settings when it starts.",
    commands=("sudo reboot",),
    check=("nvidia-smi",),
    sign="a table with each GPU and the release of the driver",
    after="a restart",
    restarts=True,
)


def right(name: str, title: str, evidence: Iterable[Evidence], **more: Any) -> NoteStep:
    """Something that is as it should be."""
    return NoteStep(id=name, title=title, state="right", evidence=tuple(evidence), **more)


def needed(name: str, title: str, why: str, commands: Iterable[str] = (), **more: Any) -> NoteStep:
    """Something that has to be done."""
    return NoteStep(id=name, title=title, state="needed", why=why, commands=tuple(commands), **more)


def ask(name: str, title: str, why: str, commands: Iterable[str], **more: Any) -> NoteStep:
    """A fact that has to be looked up; `why` says what follows from it."""
    return NoteStep(id=name, title=title, state="ask", why=why, commands=tuple(commands), **more)


def optional(name: str, title: str, why: str, commands: Iterable[str] = (), **more: Any) -> NoteStep:
    """Something that is done where somebody wants it, or where `only_if` holds."""
    return NoteStep(id=name, title=title, state="optional", why=why, commands=tuple(commands), **more)


def blocked(name: str, title: str, why: str, **more: Any) -> NoteStep:
    """Something that stands against it, and that no command changes."""
    return NoteStep(id=name, title=title, state="blocked", why=why, **more)


def refuse(kind: str, because: str, *instead: str) -> NotOfKind:
    """Why a note is not for a machine, and the commands to ask instead."""
    return NotOfKind(kind=kind, because=because, ask=instead)


def found_by(check: Check, scene: Scene) -> Iterator[Finding]:
    """What a check of the doctor finds, gaps left out."""
    return (item for item in check.question(scene) if isinstance(item, Finding))


def mending(finding: Finding, **more: Any) -> NoteStep:
    """The first remedy of a finding as a step: the same words, the same commands."""
    remedy = finding.remedies[0]
    ends = ("sudo reboot", "wsl.exe --shutdown")
    restarts = any(command.startswith(ends) for command in remedy.commands)
    parts = {
        "id": finding.id,
        "title": remedy.text.rstrip("."),
        "state": "needed",
        "place": _place(remedy),
        "why": f"{finding.title}. {finding.because}",
        "evidence": finding.evidence,
        "commands": remedy.commands,
        "restarts": restarts,
        "after": "a restart" if restarts else "",
        "sources": finding.rests_on,
        **more,
    }
    return NoteStep(**parts)


def of_remedy(remedy: Remedy, name: str, make: Callable[..., NoteStep] = needed, **more: Any) -> NoteStep:
    """A remedy of the judge as a step."""
    parts = {"place": _place(remedy), "why": "", **more}
    return make(name, remedy.text.rstrip("."), parts.pop("why"), remedy.commands, **parts)


def _place(remedy: Remedy) -> Place:
    if remedy.scope == "windows":
        return "windows"
    if remedy.scope == "container-host":
        return "host"
    exports = bool(remedy.commands) and all(text.startswith("export ") for text in remedy.commands)
    return "shell" if exports else "here" if remedy.commands else "screen"


def into_environment(
    scene: Scene, requirements: Sequence[str], *, index: str | None = None
) -> tuple[str, ...]:
    """The command that installs requirements; into whichever environment is active, where none is known."""
    if scene.environment is not None or scene.machine.partial:
        return install(scene, requirements, index=index)
    source = () if index is None else ("--index-url", index)
    return line(scene, ["python", "-m", "pip", "install", *source, *requirements])


def out_of_environment(scene: Scene, name: str) -> tuple[str, ...]:
    """The command that removes what `into_environment` put there."""
    if scene.environment is not None:
        return uninstall(scene, [name])
    return line(scene, ["python", "-m", "pip", "uninstall", name])


def update(scene: Scene) -> tuple[str, ...]:
    """What makes the lists of packages new, where that is a command of its own."""
    return ("sudo apt update",) if family_of(scene) in ("ubuntu", "debian") else ()
