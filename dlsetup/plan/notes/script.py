"""A note as a POSIX shell script that asks before each step."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from dlsetup.model.note import Note, NoteStep

_HEAD = """\
#!/bin/sh
# Asks before each step, and ends at the first command that fails.
# What is said holds signs that a shell would act on, and must not:
# shellcheck disable=SC2016
set -eu

say() {
    printf '%s\\n' "$@"
}

agreed() {
    printf '%s [y/N] ' "$1"
    answer=
    IFS= read -r answer || say ''
    case $answer in
        [yY] | [yY][eE][sS]) return 0 ;;
    esac
    say 'Left out.'
    return 1
}"""
_PLACES = {
    "shell": "In the shell in which programs run, and in its start-up file:",
    "windows": "On the Windows side, in PowerShell:",
    "host": "On the host of the container:",
    "screen": "By hand:",
}


def note_script(note: Note) -> str:
    """POSIX sh. Only steps for this very machine are run; what belongs elsewhere is said."""
    blocks = [_HEAD, _say(note.title, note.about)]
    number = 0
    for step in note.steps:
        number += step.state not in ("right", "blocked")
        blocks.append("\n".join(_block(step, number, note.kind)))
    blocks += [_say(f"Harmless: {item.says}", f"    {item.because}") for item in note.harmless]
    return "\n\n".join([*blocks, _say("", "That was the last step.")]) + "\n"


def _block(step: NoteStep, number: int, kind: str) -> Iterator[str]:
    if step.state in ("right", "blocked"):
        seen = (f"    {item.fact}: {item.value}" for item in step.evidence)
        mark = "ok:" if step.state == "right" else "no:"
        yield _say("", f"{mark} {step.title}", *([f"    {step.why}"] if step.why else []), *seen)
        return
    yield _say("", f"{number}. {step.title}", *_told(step))
    if step.place != "here" or not step.commands:
        yield from _elsewhere(step)
    elif step.state == "ask":
        yield from _if_agreed(
            "Look now?", (f"{text} || say 'It ends with an error.'" for text in step.commands)
        )
    else:
        yield from _if_agreed("Do this?", _doing(step, kind))


def _told(step: NoteStep) -> Iterator[str]:
    """What is said before the question."""
    if step.why:
        yield f"    {step.why}"
    if step.only_if:
        yield f"    Only if {step.only_if}."
    yield from (f"    $ {text}" for text in step.commands)
    if step.file:
        yield f"    In {step.file}:"
        yield from (f"        {text}" for text in step.lines)


def _doing(step: NoteStep, kind: str) -> Iterator[str]:
    if step.restarts:
        yield _say(f"After the restart `dlsetup notes {kind}` shows what is left.")
    yield from step.commands
    if step.restarts:
        yield "exit 0"
        return
    if step.check and step.after:
        yield _say(f"It shows after {step.after}:", *_signs(step))
    elif step.check:
        yield _say("It has worked if this shows it:", *_signs(step))
        yield from _if_agreed("See now?", step.check)
    if step.undo or step.undo_words:
        yield _say("To take it back:", *_undo(step))


def _elsewhere(step: NoteStep) -> Iterator[str]:
    """A step that this shell cannot do."""
    yield _say(f"    {_PLACES.get(step.place, 'By hand:')} this script does not do it.", *_signs(step))
    yield from _if_agreed("Is it done?", [":"])


def _signs(step: NoteStep) -> tuple[str, ...]:
    sign = (f"    -> {step.sign}",) if step.sign else ()
    return (*(f"    $ {text}" for text in step.check), *sign)


def _undo(step: NoteStep) -> tuple[str, ...]:
    words = (f"    {step.undo_words}",) if step.undo_words else ()
    return (*(f"    $ {text}" for text in step.undo), *words)


def _if_agreed(question: str, commands: Iterable[str]) -> Iterator[str]:
    """Commands stand in the body of an `if`, where `set -e` holds; in its condition it would not."""
    yield f"if agreed {shlex.quote(question)}; then"
    yield from (f"    {row}" for text in commands for row in text.split("\n"))
    yield "fi"


def _say(*lines: str) -> str:
    return "say " + " \\\n    ".join(shlex.quote(_plain(text)) for text in lines)


def _plain(text: str) -> str:
    """One line that a terminal only shows."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
