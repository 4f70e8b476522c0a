"""The door: a command line comes in, an exit code goes out."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
from collections.abc import Sequence
from typing import Any, NoReturn

import typer

from dlsetup.cli import (
    bundle,
    catalog,
    choosing,
    daily,
    diagnosis,
    explaining,
    files,
    image,
    importing,
    libs,
    locks,
    notes,
    past,
    profiles,
    tuning,
    upkeep,
    verifying,
)
from dlsetup.cli.groups import app
from dlsetup.model.errors import DlsetupError, UsageError

# Typer carries its own copy of click in some releases: the base of its public class is right in all.
ParserRefusal: Any = typer.BadParameter.__bases__[0]

LEAVES = (
    diagnosis,
    explaining,
    libs,
    verifying,
    tuning,
    choosing,
    daily,
    image,
    past,
    locks,
    catalog,
    profiles,
    upkeep,
    notes,
    bundle,
    importing,
    files,
)
"""Modules that hang their commands into the tree when they are imported."""


def main() -> None:
    """The program `dlsetup`."""
    # A run is short and small: looking for garbage, at the end above all, takes a tenth of its time.
    gc.freeze()
    gc.disable()
    _open_what_is_closed()
    _leave(call(sys.argv[1:]))


def _leave(code: int) -> NoReturn:
    """End the program. Threads that still wait (for an index, a driver) crash a Python that is taken down."""
    if threading.active_count() > 1:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
    sys.exit(code)


def _open_what_is_closed() -> None:
    """Started without standard output or error (`>&-`), what is written there goes nowhere."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def call(words: Sequence[str]) -> int:
    """Carry out a command line. Every failure ends in one message, one hint and the exit code it has."""
    from dlsetup.show import failure

    as_json = failure.wants_document(words)
    try:
        code = typer.main.get_command(app).main(list(words) or ["--help"], "dlsetup", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        return failure.pipe_closed()
    except SystemExit as exc:
        # Typer takes a closed pipe for the end and would have it look like a finding.
        if isinstance(exc.__context__, BrokenPipeError):
            return failure.pipe_closed()
        raise
    except (KeyboardInterrupt, typer.Abort):
        return failure.interrupted()
    except ParserRefusal as exc:
        hint = f"`{exc.ctx.command_path if exc.ctx else 'dlsetup'} --help` shows how it is used."
        return failure.tell(UsageError(exc.format_message(), hint=hint), words, as_json=as_json)
    except DlsetupError as exc:
        return failure.tell(exc, words, as_json=as_json)
    except Exception as exc:
        if isinstance(exc, OSError) and failure.is_output_lost():
            return failure.output_lost(exc)
        return failure.tell_fault(exc, words, as_json=as_json)
    return code if isinstance(code, int) else 0
