"""Reads `messages/*.toml`: curated, read only where a report is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from dlsetup.catalog.load import Places, opened
from dlsetup.model.errors import DataError
from dlsetup.model.record import Record
from dlsetup.model.signature import Knowledge, Signature, ToldFault
from dlsetup.model.source import Source


class Ground(Record, frozen=True, kw_only=True):
    """What a finding of a check rests on where no message does."""

    finding: str
    source: str


class MessageFile(Record, frozen=True, kw_only=True):
    """`messages/*.toml`."""

    source: tuple[Source, ...] = ()
    message: tuple[Signature, ...] = ()
    fault: tuple[ToldFault, ...] = ()
    ground: tuple[Ground, ...] = ()


def knowledge(folders: Places = ()) -> Knowledge:
    """What all files know of messages. Raises `DataError` for what cannot be used."""
    place = opened(folders)
    found = (place.toml(f"messages/{name}.toml", MessageFile) for name in place.names("messages", ".toml"))
    files = [file for file in found if file is not None]
    known = Knowledge(
        signatures=tuple(row for file in files for row in file.message),
        faults=tuple(row for file in files for row in file.fault),
        sources=tuple(row for file in files for row in file.source),
    )
    fault = next(faults_of(known), None)
    if fault is not None:
        raise DataError(f"messages: {fault}")
    return known


def faults_of(known: Knowledge) -> Iterator[str]:
    """What makes rows useless: an id that stands twice or leads nowhere, a pattern that cannot be used."""
    ids = Counter(row.id for row in known.signatures)
    yield from (f"the signature `{name}` stands twice" for name, count in ids.items() if count > 1)
    for row in known.signatures:
        if not row.marks or not all(len(mark) > 2 for mark in row.marks):
            yield f"the signature `{row.id}` has no mark of three letters or more"
        try:
            re.compile(row.pattern)
        except re.error as exc:
            yield f"the pattern of `{row.id}`: {exc}"
    for fault in known.faults:
        missing = sorted({*fault.messages, *fault.unless} - set(ids))
        yield from (f"`{fault.id}` names the signature `{name}`, which is not there" for name in missing)
