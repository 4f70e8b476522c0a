"""A machine that dlsetup saved, wherever in a text it stands: alone, in a document, in a fenced block."""

from __future__ import annotations

import json
import re
from typing import Any

from msgspec.structs import fields, replace

from dlsetup.intake import saved
from dlsetup.intake.page import Page
from dlsetup.model.codec import encode
from dlsetup.model.errors import DataError
from dlsetup.model.machine import Machine
from dlsetup.model.record import Unknown

_BEGIN = re.compile(r'\{\s{0,40}"schema"\s{0,4}:\s{0,4}"dlsetup\.(machine|doctor)/1"')
MOST = 8
"""Machines on one page that are tried; somebody may have written the mark a million times."""


def saved_machine(page: Page) -> Machine | None:
    """The first machine on the page that is whole."""
    for number, begin in enumerate(_BEGIN.finditer(page.whole)):
        if number >= MOST:
            return None
        found = _read(page.whole, begin.start(), begin[1], page.file)
        if found is not None:
            return found
    return None


def joined(machine: Machine, told: Machine) -> Machine:
    """A saved machine, with what the rest of the report says of what it leaves unknown.

    What it says is whole, as after a look: `lines` stays 0.
    """
    more: dict[str, Any] = {
        field.name: getattr(told, field.name)
        for field in fields(Machine)
        if isinstance(getattr(machine, field.name), Unknown)
    }
    return replace(machine, report=replace(told.report, lines=0), **more)


def _read(text: str, start: int, kind: str, where: str) -> Machine | None:
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
        inside = value["machine"] if kind == "doctor" else value
        return saved.parse(encode(inside), where)
    except (ValueError, RecursionError, KeyError, TypeError, DataError):
        return None
