"""Reads `messages/*.toml`: curated, read only where a report is."""

from __future__ import annotations

import re

from dlsetup.catalog.load import Places, opened
from dlsetup.model.errors import DataError
from dlsetup.model.record import Record
from dlsetup.model.signature import Knowledge, Signature, ToldFault
from dlsetup.model.source import Source


class MessageFile(Record, frozen=True, kw_only=True):
    """`messages/*.toml`."""

    source: tuple[Source, ...] = ()
    message: tuple[Signature, ...] = ()
    fault: tuple[ToldFault, ...] = ()


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
    _hold(known)
    return known


def _hold(known: Knowledge) -> None:
    """Raises `DataError` for an id that stands twice or leads nowhere."""
    ids = [row.id for row in known.signatures]
    sources = {row.id for row in known.sources}
    for row in known.signatures:
        if ids.count(row.id) > 1:
            raise DataError(f"messages: the signature `{row.id}` stands twice")
        if not row.marks or not all(len(mark) > 2 for mark in row.marks):
            raise DataError(f"messages: the signature `{row.id}` has no mark of three letters or more")
    for owner, names in ((row.id, (*row.messages, *row.unless)) for row in known.faults):
        missing = sorted(set(names) - set(ids))
        if missing:
            raise DataError(f"messages: `{owner}` names the signature `{missing[0]}`, which is not there")
    cited = [(row.id, row.source) for row in known.signatures]
    cited += [(row.id, row.source) for row in known.faults]
    for name, source in cited:
        if source not in sources:
            raise DataError(f"messages: `{name}` names the source `{source}`, which is not there")


def compiled(signature: Signature) -> re.Pattern[str]:
    """Its pattern. Raises `DataError` for one that cannot be used."""
    try:
        return re.compile(signature.pattern)
    except re.error as exc:
        raise DataError(f"messages: the pattern of `{signature.id}`: {exc}") from exc
