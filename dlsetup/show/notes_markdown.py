"""A note as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.model.note import Note, NoteStep
from dlsetup.show.lines import clean
from dlsetup.show.notes import PLACES, STATES, numbered, summary
from dlsetup.show.report import fenced

_PARTS = re.compile(r"(`[^`]+`|https://[\w./:~%?=&-]*[\w/])")
_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|!~&])")


def note_markdown(note: Note) -> str:
    """The whole note, ready for a wiki or an issue. What a machine says of itself stays plain text."""
    blocks = [f"# {_text(note.title)}", f"**For** {_text(note.about)}"]
    for number, step in numbered(note.steps):
        blocks += _step(number, step)
    if note.harmless:
        blocks.append("## Messages that look like faults and are none")
        blocks += [f"- {code(item.says)}: {_text(item.because)}" for item in note.harmless]
    return "\n\n".join([*blocks, f"**In sum:** {_text(summary(note).text)}"]) + "\n"


def code(text: str) -> str:
    """A code span that nothing inside can end."""
    bare = clean(text).strip() or " "
    longest = max((len(run) for run in re.findall(r"`+", bare)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if bare[0] == "`" or bare[-1] == "`" else ""
    return f"{fence}{pad}{bare}{pad}{fence}"


def _step(number: int, step: NoteStep) -> Iterator[str]:
    mark = {"right": "✓", "blocked": "✗"}.get(step.state, f"{number}.")
    place = PLACES[step.place] if step.state not in ("right", "blocked") else ""
    yield f"## {mark} {_text(step.title)}{STATES[step.state]}{place}"
    if step.why:
        yield f"**Why:** {_text(step.why)}"
    if step.only_if:
        yield f"**Only if** {_text(step.only_if)}."
    if step.evidence:
        yield "\n".join(_seen(step))
    if step.commands:
        yield _block(step.commands, "powershell" if step.place == "windows" else "sh")
    if step.file:
        yield f"In {code(step.file)}:\n\n{_block(step.lines, 'ini')}"
    if step.state != "ask" and (step.check or step.sign):
        after = f", after {step.after}" if step.after else ""
        yield f"**It shows:** {_text(step.sign or 'no error')}{after}."
        yield from [_block(step.check, "sh")] if step.check else []
    if step.undo or step.undo_words:
        yield f"**To take it back:** {_text(step.undo_words)}".rstrip()
        yield from [_block(step.undo, "sh")] if step.undo else []
    if step.sources:
        yield "\n".join(f"- Source: {_text(source)}" for source in step.sources)


def _seen(step: NoteStep) -> Iterator[str]:
    for item in dict.fromkeys(step.evidence):
        source = f" (from {_text(item.source)})" if item.source else ""
        yield f"- Seen: {_text(item.fact)}: {code(item.value)}{source}"


def _block(lines: tuple[str, ...], kind: str) -> str:
    return fenced("\n".join(map(clean, lines)), kind)


def _text(text: str) -> str:
    """Words with code spans and addresses as they are meant, and every other sign as itself."""
    parts = _PARTS.split(clean(text))
    return "".join(
        _meant(part) if place % 2 else _SIGNS.sub(r"\\\1", part) for place, part in enumerate(parts)
    )


def _meant(part: str) -> str:
    """A code span, or an address."""
    return f"<{part}>" if part.startswith("https://") else part
