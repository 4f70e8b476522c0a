"""Explanations in words and as a document: what it means, why it comes, what to look at, what to do."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Literal

from dlsetup.model.explanation import Answer, Cause, Explained
from dlsetup.model.finding import Finding
from dlsetup.model.machine import Gap
from dlsetup.model.record import Record
from dlsetup.show.doctor import MARKS, finding_lines
from dlsetup.show.lines import Line, command
from dlsetup.show.words import counted

MOST = 3
"""Explanations that are told in full; further ones by their names."""
LONGEST = 160
"""Letters of a message that are shown."""


class Listed(Record, frozen=True, kw_only=True):
    """Something that can be explained."""

    id: str
    title: str
    messages: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()


class ExplainDocument(Record, frozen=True, kw_only=True):
    """`ok` where something of the text is known."""

    schema: Literal["dlsetup.explain/1"] = "dlsetup.explain/1"
    ok: bool
    explained: tuple[Explained, ...] = ()
    about: str = ""
    """Why the facts are those of the text and not those of this machine; empty: they are this machine's."""
    findings: tuple[Finding, ...] = ()
    unknown: tuple[Gap, ...] = ()
    known: tuple[Listed, ...] = ()
    """With `--list`: all that can be explained."""

    @classmethod
    def of(cls, answer: Answer) -> ExplainDocument:
        return cls(
            ok=bool(answer.explained),
            explained=answer.explained,
            about=answer.about,
            findings=answer.findings,
            unknown=answer.unknown,
        )


def answer_lines(
    answer: Answer, *, verbose: bool = False, again: Sequence[str] = (), near: str = ""
) -> Iterator[Line]:
    """The whole answer. `again`: the files that it was read from; `near`: the name that may be meant."""
    if answer.about:
        text = f"The text is not of this machine: {answer.about}. What follows is about the one it tells of."
        yield Line(mark="·", text=text, style="note")
        yield Line()
    if not answer.explained:
        yield from _unknown(again, near)
    yield from explained_lines(answer.explained, verbose=verbose)
    yield from verdict_lines(answer.findings, verbose=verbose)


def explained_lines(explained: Sequence[Explained], *, verbose: bool = False) -> Iterator[Line]:
    """The first of them in full, the others by name."""
    shown = explained if verbose else explained[:MOST]
    for place, item in enumerate(shown):
        if place:
            yield Line()
        yield from _explained(item, verbose)
    rest = explained[len(shown) :]
    if rest:
        yield Line()
        yield Line(text=f"{counted(len(rest), 'other message')} (`-v` explains them):", style="faint")
    for item in rest:
        yield Line(mark="·", text=f"{item.title}  [{item.id}]", indent=2, style="faint")


def verdict_lines(findings: Sequence[Finding], *, verbose: bool = False) -> Iterator[Line]:
    """What the doctor finds wrong; its notes only with `verbose`."""
    wrong = [item for item in findings if verbose or item.severity != "note"]
    if not wrong:
        return
    yield Line()
    yield Line(text="The doctor, of this machine and this text together", style="title")
    for item in wrong:
        yield from finding_lines(item, verbose=verbose)


def list_lines(rows: Sequence[Listed]) -> Iterator[Line]:
    width = max((len(item.id) for item in rows), default=0)
    for item in rows:
        yield Line(mark=item.id.ljust(width), text=item.title)
    yield Line()
    yield Line(mark="hint:", text="`dlsetup explain NAME` explains one of them", style="good")


def _unknown(again: Sequence[str], near: str) -> Iterator[Line]:
    yield Line(mark="?", text="Nothing in this text is known to the catalog.", style="warning")
    text = (
        "It was looked through for the messages of frameworks, drivers, loaders, installers, containers and "
        "kernels that `dlsetup explain --list` names."
    )
    yield Line(text=text, indent=2)
    if near:
        yield Line(mark="hint:", text=f"did you mean `dlsetup explain {near}`?", style="good")
        return
    files = " ".join(f"--from {shlex.quote(name)}" for name in again) or "--from FILE"
    hint = (
        f"give more of the output, from its first error on; `dlsetup doctor {files}` reads everything "
        "else in it"
    )
    yield Line(mark="hint:", text=hint, style="good")


def _explained(item: Explained, verbose: bool) -> Iterator[Line]:
    mark, style = MARKS[item.severity]
    yield Line(mark=mark, text=f"{item.title}  [{item.id}]", style=style)
    for message in item.messages if verbose else item.messages[:1]:
        text = message.text if len(message.text) <= LONGEST else f"{message.text[:LONGEST]}…"
        place = "" if message.source.startswith("text:") else f" ({message.source})"
        yield Line(mark="said   ", text=f"{text}{place}", indent=2, style="faint")
    yield Line(mark="means  ", text=item.meaning, indent=2)
    for text in item.here:
        yield Line(mark="here   ", text=text, indent=2, style="note")
    for number, cause in enumerate(item.causes, start=1):
        yield from _cause(number, cause)
    for source in item.rests_on if verbose else ():
        yield Line(mark="source ", text=source, indent=2, style="faint")


def _cause(number: int, cause: Cause) -> Iterator[Line]:
    yield Line(mark=f"{number}.", text=cause.cause, indent=2, style="title")
    if cause.here:
        yield Line(mark="here", text=cause.here, indent=5, style="note")
    if cause.look:
        yield Line(mark="look", text=cause.look, indent=5, style="faint")
    yield from (command(text, indent=10) for text in cause.look_commands)
    yield Line(mark="do  ", text=cause.do, indent=5, style="good")
    yield from (command(text, indent=10) for text in cause.do_commands)
