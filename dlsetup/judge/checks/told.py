"""Faults that a message states in full: what is wrong and what mends it are rows of the catalog."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.commands import of_catalog, quoted
from dlsetup.judge.evidence import of_message
from dlsetup.judge.hints import resolve
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.record import Unknown
from dlsetup.model.report import Message
from dlsetup.model.signature import ToldFault, ToldRemedy

QUESTION = "dlsetup resolve "


@check(told=True)
def told(scene: Scene) -> Iterator[Answer]:
    """A program says itself what is wrong."""
    said: set[str] = set()
    for fault in scene.catalog.knowledge.faults:
        messages = scene.messages(*fault.messages)
        new = fault.severity == "note" or fault.id not in said
        if messages and new and not scene.messages(*fault.unless):
            said.add(fault.id)
            yield _finding(scene, fault, messages)


def _finding(scene: Scene, fault: ToldFault, messages: tuple[Message, ...]) -> Finding:
    values = {key: value for message in messages[::-1] for key, value in message.values}
    return Finding(
        id=fault.id,
        severity=fault.severity,
        title=_filled(fault.title, values),
        because=_filled(fault.because, values),
        evidence=tuple(map(of_message, messages[:3])),
        remedies=tuple(_remedy(scene, row, values) for row in fault.remedy if _concerns(scene, row, values)),
        rests_on=scene.sources((fault.source,)),
    )


def _concerns(scene: Scene, row: ToldRemedy, values: dict[str, str]) -> bool:
    """Whether it is for this system, and the messages hold every value that its words name."""
    here = not row.systems or isinstance(scene.target.os, Unknown) or scene.target.os in row.systems
    return here and all(name in values for name in re.findall(r"\{(\w+)\}", row.text))


def _remedy(scene: Scene, row: ToldRemedy, values: dict[str, str]) -> Remedy:
    """A command in which a value is missing, or cannot be quoted, is left out."""
    commands = tuple(text for command in row.commands for text in _written(scene, command, values))
    return Remedy(text=_filled(row.text, values), commands=commands, scope=row.scope)


def _written(scene: Scene, command: str, values: dict[str, str]) -> tuple[str, ...]:
    """A command with its values; a question to dlsetup says what is known of the machine."""
    if command.startswith(QUESTION):
        return resolve(scene, command.removeprefix(QUESTION).split())
    text = quoted(scene, of_catalog(scene, command), values)
    return (text,) if text else ()


def _filled(text: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text
