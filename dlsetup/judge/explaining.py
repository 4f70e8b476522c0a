"""Which explanations a text and an end ask for, each filled with what is known."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from dlsetup.model.explanation import PART, Cause, Explained, Explanation, Explanations
from dlsetup.model.machine import Os
from dlsetup.model.record import Unknown
from dlsetup.model.report import Message
from dlsetup.model.signature import Knowledge

_ORDER = {"error": 0, "warning": 1, "note": 2}


def explain(
    messages: Sequence[Message],
    ends: Sequence[str],
    known: tuple[Explanations, Knowledge],
    facts: Mapping[str, str],
    system: Os | Unknown,
) -> tuple[Explained, ...]:
    """What messages and an end mean: the end first, then in the order of the text, failures before notes.

    A signature that nobody has explained is told by what it means.
    """
    explanations, knowledge = known
    found = [_filled(item, (), facts, system) for item in _ended(explanations, ends)]
    found += _of_messages(messages, explanations, knowledge, facts, system)
    sources = {item.id: item.what for item in explanations.sources}
    once: dict[str, Explained] = {}
    for item in found:
        before = once.get(item.id)
        once[item.id] = item if before is None else replace(before, messages=item.messages)
    cited = (replace(item, rests_on=_cited(item, sources)) for item in once.values())
    return tuple(sorted(cited, key=lambda item: _ORDER[item.severity]))


def named(name: str, explanations: Explanations) -> Explanation | None:
    """The explanation of that id, or of the signature of that id."""
    found = (item for item in explanations.explanations if name == item.id or name in item.messages)
    return next((item for item in found if not item.aside), None)


def nearest(name: str, explanations: Explanations) -> str:
    """The id that somebody who wrote `name` may have meant; empty: none is near."""
    known = [item.id for item in explanations.explanations if not item.aside]
    near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.8) if len(name) <= 60 else []
    return near[0] if near else ""


def for_machine(
    row: Explanation, explanations: Explanations, facts: Mapping[str, str], system: Os | Unknown
) -> Explained:
    """An explanation that was asked for by name."""
    filled = _filled(row, (), facts, system)
    return replace(filled, rests_on=_cited(filled, {item.id: item.what for item in explanations.sources}))


def _cited(item: Explained, sources: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(sources[name] for name in item.rests_on if name in sources)


def _ended(explanations: Explanations, ends: Sequence[str]) -> Iterator[Explanation]:
    """The explanation of the most telling end."""
    for end in ends:
        found = next((item for item in explanations.explanations if end in item.ends), None)
        if found is not None:
            yield found
            return


def _of_messages(
    messages: Sequence[Message],
    explanations: Explanations,
    knowledge: Knowledge,
    facts: Mapping[str, str],
    system: Os | Unknown,
) -> Iterator[Explained]:
    rows: dict[str, tuple[Explanation, list[Message]]] = {}
    for message in messages:
        row = explanations.of_signature(message.signature) or _unexplained(message, knowledge)
        if row is not None and not row.aside:
            rows.setdefault(row.id, (row, []))[1].append(message)
    told = {item.source for row, items in rows.values() if not row.general for item in items}
    for row, items in rows.values():
        if not (row.general and all(item.source in told for item in items)):
            yield _filled(row, items, facts, system)


def _unexplained(message: Message, knowledge: Knowledge) -> Explanation | None:
    """What a signature of a site says for itself."""
    found = next((item for item in knowledge.signatures if item.id == message.signature), None)
    if found is None:
        return None
    return Explanation(id=found.id, title=found.means, messages=(found.id,), meaning=found.means, rests_on=())


def _filled(
    row: Explanation, messages: Sequence[Message], facts: Mapping[str, str], system: Os | Unknown
) -> Explained:
    parts = {**facts, **{name: value for item in reversed(messages) for name, value in item.values}}
    causes = (
        _cause(item, parts)
        for item in row.cause
        if isinstance(system, Unknown) or not item.systems or system in item.systems
    )
    return Explained(
        id=row.id,
        title=row.title,
        severity=row.severity,
        messages=tuple(messages),
        meaning=row.meaning,
        here=_known(fill(text, parts) for text in row.here),
        causes=tuple(item for item in causes if item is not None),
        rests_on=row.rests_on,
    )


def _cause(item: Cause, parts: Mapping[str, str]) -> Cause | None:
    """The cause with all that is known filled in; None where it speaks of what nobody knows."""
    cause, do = fill(item.cause, parts), fill(item.do, parts)
    if cause is None or do is None:
        return None
    quoted = {name: shlex.quote(value) for name, value in parts.items()}
    return replace(
        item,
        cause=cause,
        here=fill(item.here, parts) or "",
        look=fill(item.look, parts) or "",
        look_commands=_known(fill(text, quoted) for text in item.look_commands),
        do=do,
        do_commands=_known(fill(text, quoted) for text in item.do_commands),
    )


def fill(text: str, parts: Mapping[str, str]) -> str | None:
    """The text with every part filled in; None where one is not known."""
    if any(name not in parts for name in PART.findall(text)):
        return None
    return PART.sub(lambda found: parts[found[1]], text)


def _known(texts: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(text for text in texts if text)
