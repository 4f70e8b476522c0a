"""Reads `explanations/*.toml`: curated, read only where somebody asks what a message means."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from dlsetup.catalog.load import Places, opened
from dlsetup.catalog.messages import MessageFile
from dlsetup.model.errors import DataError
from dlsetup.model.explanation import PART, Cause, Explanation, Explanations
from dlsetup.model.facts import is_fact
from dlsetup.model.record import Record
from dlsetup.model.signature import Signature
from dlsetup.model.source import Source

ENDS = ("oom-killed", "shm-full")
"""What is seen of the end of a program beside the name of a signal."""
SIGNAL = re.compile(r"SIG[A-Z]{2,8}")


class ExplanationFile(Record, frozen=True, kw_only=True):
    """`explanations/NAME.toml`."""

    source: tuple[Source, ...] = ()
    explanation: tuple[Explanation, ...] = ()


def explanations(folders: Places = ()) -> Explanations:
    """What all files know. What given folders explain, nobody else does. Raises `DataError`."""
    place = opened(folders)
    own = place.given("explanations", ".toml")
    named = (*own, *(name for name in place.names("explanations", ".toml") if name not in own))
    files = [place.toml(f"explanations/{name}.toml", ExplanationFile) for name in named]
    spoken = [place.toml(f"messages/{name}.toml", MessageFile) for name in place.names("messages", ".toml")]
    rows = [row for file in files if file for row in file.explanation]
    signatures = {row.id: row for file in spoken if file for row in file.message}
    for row in rows:
        if (fault := next(_faults(row, signatures), None)) is not None:
            raise DataError(f"explanations: `{row.id}`: {fault}")
    sources = (row for file in (*files, *spoken) if file for row in file.source)
    return Explanations(explanations=tuple(_once(rows)), sources=tuple(sources))


def _once(rows: Iterable[Explanation]) -> Iterator[Explanation]:
    """Each explanation and each signature where it comes first."""
    ids: set[str] = set()
    explained: set[str] = set()
    for row in rows:
        left = tuple(name for name in row.messages if name not in explained)
        if row.id not in ids and (left or row.ends):
            ids.add(row.id)
            explained.update(left)
            yield replace(row, messages=left)


def faults_of(rows: Iterable[Explanation], signatures: Iterable[Signature]) -> Iterator[str]:
    """What makes explanations useless: ids that lead nowhere or stand twice, parts that nothing fills."""
    known = {row.id: row for row in signatures}
    rows = tuple(rows)
    ids = Counter(row.id for row in rows)
    yield from (f"`{name}` stands twice" for name, count in ids.items() if count > 1)
    explained = Counter(name for row in rows for name in row.messages)
    yield from (
        f"the signature `{name}` is explained twice" for name, count in explained.items() if count > 1
    )
    for row in rows:
        yield from (f"`{row.id}`: {text}" for text in _faults(row, known))


def _faults(row: Explanation, known: Mapping[str, Signature]) -> Iterator[str]:
    missing = sorted({*row.messages} - set(known))
    yield from (f"there is no signature `{name}`" for name in missing)
    if not row.messages and not row.ends:
        yield "it explains neither a message nor an end"
    yield from (f"no program ends with `{name}`" for name in row.ends if not _is_end(name))
    if not row.cause and row.severity != "note":
        yield "it names no cause"
    if PART.search(row.title + row.meaning):
        yield "its title and its meaning hold for every machine: parts belong into `here` and the causes"
    groups = {name for item in row.messages if item in known for name in _groups(known[item])}
    for part in sorted(set(parts_of(row))):
        if not (is_fact(part) if "." in part else part in groups):
            yield f"nothing fills `{{{part}}}`"


def _is_end(name: str) -> bool:
    return name in ENDS or SIGNAL.fullmatch(name) is not None


def _groups(signature: Signature) -> Iterable[str]:
    try:
        return re.compile(signature.pattern).groupindex
    except re.error:
        return ()


def parts_of(row: Explanation) -> Iterator[str]:
    """All that has to be filled in."""
    for text in (*row.here, *(text for item in row.cause for text in _texts(item))):
        yield from PART.findall(text)


def _texts(item: Cause) -> tuple[str, ...]:
    return (item.cause, item.here, item.look, item.do, *item.look_commands, *item.do_commands)
