"""One document on standard output for programs, out of the same records as the words."""

from __future__ import annotations

import re
import sys
from typing import Any, Literal, TextIO

from dlsetup.model import codec
from dlsetup.model.errors import DlsetupError
from dlsetup.model.finding import Diagnosis, Finding
from dlsetup.model.machine import Gap, Machine
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Conflict, Plan


class DoctorDocument(Record, frozen=True, kw_only=True):
    """`ok` is true where no finding is an error."""

    schema: Literal["dlsetup.doctor/1"] = "dlsetup.doctor/1"
    ok: bool
    findings: tuple[Finding, ...] = ()
    unknown: tuple[Gap, ...] = ()
    machine: Machine

    @classmethod
    def of(cls, machine: Machine, diagnosis: Diagnosis) -> DoctorDocument:
        return cls(ok=diagnosis.well, findings=diagnosis.findings, unknown=diagnosis.unknown, machine=machine)


class ResolveDocument(Record, frozen=True, kw_only=True):
    """Either a plan (`ok`) or a conflict."""

    schema: Literal["dlsetup.resolve/1"] = "dlsetup.resolve/1"
    ok: bool
    plan: Plan | Unknown = UNKNOWN
    conflict: Conflict | Unknown = UNKNOWN

    @classmethod
    def of(cls, answer: Plan | Conflict) -> ResolveDocument:
        if isinstance(answer, Plan):
            return cls(ok=True, plan=answer)
        return cls(ok=False, conflict=answer)


class Failure(Record, frozen=True, kw_only=True):
    """Why a command could not do its work. `code` is stable."""

    code: str
    message: str
    hint: str = ""


class ErrorDocument(Record, frozen=True, kw_only=True):
    """What any command prints with `--json` when it fails. `schema` is that of the command."""

    schema: str
    ok: Literal[False] = False
    error: Failure

    @classmethod
    def of(cls, command: str, error: DlsetupError) -> ErrorDocument:
        failure = Failure(code=error.code, message=error.message, hint=error.hint)
        return cls(schema=f"dlsetup.{command}/1", error=failure)


def document(record: Any) -> str:
    """The JSON of a record, indented. Signs that a terminal could obey are written as escapes."""
    text = codec.encode(record, indent=2).decode("utf-8")
    return text if text.isascii() and "\x7f" not in text else re.sub(r"[^\x20-\x7e\n]", _escape, text)


def write(record: Any, stream: TextIO | None = None) -> None:
    """Print one document and a line end."""
    print(document(record), file=sys.stdout if stream is None else stream)


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    if number > 0xFFFF:
        high, low = divmod(number - 0x10000, 0x400)
        return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
    return f"\\u{number:04x}"
