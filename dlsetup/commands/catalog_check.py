"""`dlsetup catalog check`: all that is wrong with the files of a catalog, at once."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from typing import Literal

from dlsetup.catalog.check import problems
from dlsetup.catalog.folders import PACKAGED, user_folder
from dlsetup.commands.question import folders
from dlsetup.model.record import Record
from dlsetup.show import json
from dlsetup.show.lines import Line, write
from dlsetup.show.words import counted


class CheckDocument(Record, frozen=True, kw_only=True):
    """What is wrong, with the file at the beginning of each line."""

    schema: Literal["dlsetup.catalog-check/1"] = "dlsetup.catalog-check/1"
    ok: bool
    folders: tuple[str, ...]
    """The folders that were looked at."""
    problems: tuple[str, ...] = ()


def run(given: Sequence[str], *, as_json: bool = False) -> int:
    """Print every problem. 1 where there is one."""
    own = user_folder()
    looked_at = folders(tuple(given)) or (PACKAGED, *([own] if own and own.is_dir() else []))
    today = datetime.datetime.now(datetime.timezone.utc).date()
    found = tuple(text for folder in looked_at for text in problems(folder, today))
    document = CheckDocument(ok=not found, folders=tuple(map(str, looked_at)), problems=found)
    if as_json:
        json.write(document)
    else:
        write(_lines(document))
    return 0 if document.ok else 1


def _lines(document: CheckDocument) -> Iterator[Line]:
    for text in document.problems:
        yield Line(mark="✗", text=text, style="bad")
    where = ", ".join(document.folders)
    if document.ok:
        yield Line(mark="✓", text=f"nothing is wrong with {where}", style="good")
    else:
        yield Line(text=f"{counted(len(document.problems), 'problem')} in {where}", style="title")
