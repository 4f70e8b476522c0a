"""One document on standard output for programs, out of the same records as the words."""

from __future__ import annotations

import re
import sys
from typing import Any, Literal, TextIO

from dlsetup.model import codec
from dlsetup.model.finding import Diagnosis, Finding
from dlsetup.model.listing import Reading
from dlsetup.model.locked import LockNote
from dlsetup.model.machine import Gap, Machine
from dlsetup.model.outcome import Creation
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Conflict, Plan, Together
from dlsetup.model.steps import Procedure


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


class WrittenLock(Record, frozen=True, kw_only=True):
    """A lock that was written."""

    path: str
    form: Literal["pylock", "requirements"]
    packages: int
    learned: tuple[str, ...] = ()
    """Where uv knew more than the catalog, and what was taken instead."""


class ResolveDocument(Record, frozen=True, kw_only=True):
    """Either a plan (`ok`), the plans of several targets (`ok`), or a conflict."""

    schema: Literal["dlsetup.resolve/1"] = "dlsetup.resolve/1"
    ok: bool
    plan: Plan | Unknown = UNKNOWN
    together: Together | Unknown = UNKNOWN
    """Of several targets."""
    lock: WrittenLock | Unknown = UNKNOWN
    conflict: Conflict | Unknown = UNKNOWN
    files: tuple[Reading, ...] | Unknown = UNKNOWN
    """What was taken from each file that was named, and what was left."""

    @classmethod
    def of(cls, answer: Plan | Together | Conflict, lock: WrittenLock | Unknown = UNKNOWN) -> ResolveDocument:
        if isinstance(answer, Plan):
            return cls(ok=True, plan=answer, lock=lock)
        if isinstance(answer, Together):
            return cls(ok=True, together=answer, lock=lock)
        return cls(ok=False, conflict=answer)


class CheckLockDocument(Record, frozen=True, kw_only=True):
    """Whether a lock serves a target: `ok` where no finding is an error."""

    schema: Literal["dlsetup.check-lock/1"] = "dlsetup.check-lock/1"
    ok: bool
    path: str
    packages: int
    target: str
    """Name of the target it was held against."""
    made_for: LockNote | Unknown = UNKNOWN
    """What dlsetup wrote into it; left out for a lock of another tool."""
    findings: tuple[Finding, ...] = ()
    unknown: tuple[Gap, ...] = ()


class CreateDocument(Record, frozen=True, kw_only=True):
    """What was built (`ok`), the steps of a dry run (`ok`), or the conflict that forbids it."""

    schema: Literal["dlsetup.create-env/1"] = "dlsetup.create-env/1"
    ok: bool
    environment: Creation | Unknown = UNKNOWN
    plan: Plan | Unknown = UNKNOWN
    procedure: Procedure | Unknown = UNKNOWN
    """Of a dry run: what would be done."""
    script: str | Unknown = UNKNOWN
    """Of a dry run: the same as a shell script."""
    conflict: Conflict | Unknown = UNKNOWN
    lock: CheckLockDocument | Unknown = UNKNOWN
    """A lock or bundle that was given and does not serve this machine or the target."""
    files: tuple[Reading, ...] | Unknown = UNKNOWN
    """What was taken from each file that was named, and what was left."""


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


def document(record: Any) -> str:
    """The JSON of a record, indented and in ASCII: no sign that a terminal could obey is left raw."""
    try:
        text = codec.encode(record, indent=2).decode("utf-8")
    except UnicodeEncodeError:
        text = codec.encode(_sayable(codec.plain(record)), indent=2).decode("utf-8")
    return text if text.isascii() and "\x7f" not in text else re.sub(r"[^\x20-\x7e\n]", _escape, text)


def write(record: Any, stream: TextIO | None = None) -> None:
    """Print one document and a line end."""
    print(document(record), file=sys.stdout if stream is None else stream)


def write_row(record: Any, stream: TextIO | None = None) -> None:
    """Print one record on one line, at once: a stream of them is read while it is written."""
    text = codec.encode(record).decode("utf-8", "replace")
    text = text if text.isascii() and "\x7f" not in text else re.sub(r"[^\x20-\x7e]", _escape, text)
    print(text, file=sys.stdout if stream is None else stream, flush=True)


def _sayable(value: Any) -> Any:
    """File names need not be text: their bytes that are none become `?`."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_sayable(key): _sayable(item) for key, item in value.items()}
    return [_sayable(item) for item in value] if isinstance(value, (list, tuple)) else value


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    if number > 0xFFFF:
        high, low = divmod(number - 0x10000, 0x400)
        return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
    return f"\\u{number:04x}"
