"""A command that could not do its work: one message and one hint, or a report of our own fault."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from dlsetup import __version__
from dlsetup.model.errors import DlsetupError, StepFailed

INTERRUPTED = 130
PIPE_CLOSED = 141
COMMANDS = (
    "bundle",
    "check-lock",
    "choose",
    "doctor",
    "explain",
    "fix",
    "import",
    "notes",
    "resolve",
    "run",
    "schema",
    "verify",
    "tune",
)
SHORT = {"why": "catalog-why", "create-notes": "notes"}
"""Commands that speak by the document of another one: `why` is short for one of a group."""
USUAL_HINTS = {"malformed-data": "mend the file at the place that is named"}
GROUPS = {
    "create": ("env", "files", "image", "notes"),
    "catalog": ("show", "why", "status", "refresh", "check"),
    "profiles": ("list", "show", "check"),
}


class Fault(DlsetupError):
    """A bug of our own."""

    code = "fault"


def tell(error: DlsetupError, words: Sequence[str], *, as_json: bool) -> int:
    """Say an error on standard error, or as a document on standard output. Returns its exit code."""
    hint = error.hint or USUAL_HINTS.get(error.code, "")
    if not (as_json and _documented(command_name(words), error, hint)):
        from dlsetup.show.lines import Line, write

        lines = [Line(mark="✗", text=error.message, style="bad")]
        if hint:
            lines.append(Line(mark="hint:", text=hint, style="good"))
        with contextlib.suppress(OSError):
            write(lines, sys.stderr)
    return error.exit_code


def _documented(command: str, error: DlsetupError, hint: str) -> bool:
    """Print the document of a failure; False where standard output does not take it."""
    from dlsetup.show import json

    failure = json.Failure(code=error.code, message=error.message, hint=hint)
    try:
        json.write(json.ErrorDocument(schema=f"dlsetup.{command}/1", error=failure))
        sys.stdout.flush()
    except OSError:
        _into_nothing()
        return False
    return True


def tell_fault(error: BaseException, words: Sequence[str], *, as_json: bool) -> int:
    """A bug of dlsetup itself: what to paste into a report, without the name of the home folder."""
    what = _homeless(f"dlsetup has a fault of its own: {type(error).__name__}: {error}")
    code = tell(Fault(what, hint="report it with the lines on standard error"), words, as_json=as_json)
    with contextlib.suppress(OSError):
        sys.stderr.write(report(error, words))
    return code


def report(error: BaseException, words: Sequence[str]) -> str:
    """Versions, command line and traceback."""
    from dlsetup.show.lines import clean, speakable

    rows = [
        f"dlsetup {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"command: {' '.join(words)}",
        *"".join(traceback.format_exception(type(error), error, error.__traceback__)).splitlines(),
    ]
    text = "\n".join(_homeless(clean(row)) for row in rows)
    return speakable(f"\n{text}\n", sys.stderr.encoding)


def _homeless(text: str) -> str:
    try:
        home = str(Path.home())
    except RuntimeError:
        return text
    return text.replace(home, "~") if len(home) > 1 else text


def interrupted() -> int:
    """Ctrl-C."""
    sys.stderr.write("\ninterrupted\n")
    return INTERRUPTED


def pipe_closed() -> int:
    """The reader went away (`dlsetup doctor | head`): no word about it, as with every other program."""
    _into_nothing()
    return PIPE_CLOSED


def is_output_lost() -> bool:
    """Whether standard output takes nothing more, not even a line end: its disk is full, say."""
    try:
        sys.stdout.write("\n")
        sys.stdout.flush()
    except OSError:
        return True
    return False


def output_lost(error: OSError) -> int:
    """Say so in words, whatever was asked for: a document would be lost too."""
    _into_nothing()
    what = f"cannot write the answer: {error.strerror or error}"
    return tell(StepFailed(what, hint="look at where standard output goes"), (), as_json=False)


def _into_nothing() -> None:
    """What is still to be written is dropped, so that nothing complains of it at the end."""
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def wants_document(words: Sequence[str]) -> bool:
    """Whether a failure is to be told as a document. The standard output of `run` is its command's."""
    return "--json" in words and words[:1] != ["run"]


def command_name(words: Sequence[str]) -> str:
    """The command of a command line as documents name it: `doctor`, `create-env`; `error` for none."""
    first, second = [*words, "", ""][:2]
    if first in SHORT:
        return SHORT[first]
    if first in COMMANDS:
        return first
    name = f"{first}-{second}" if second in GROUPS.get(first, ()) else "error"
    return SHORT.get(name, name)
