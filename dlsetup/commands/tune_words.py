"""The words of `tune`, and what they mean."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from dlsetup.commands.destination import check_destination
from dlsetup.commands.typed import number_within, words_in
from dlsetup.model.errors import UsageError
from dlsetup.model.record import Record

SECONDS = 120.0
LEAST, LONGEST = 5.0, 7200.0
MOST = 1 << 24
"""Samples in a step of the optimiser that anybody means."""
MODULES = ("torch", "lightning", "jax", "keras", "tensorflow", "numpy")


class Request(Record, frozen=True, kw_only=True):
    """As they were typed."""

    environment: str | None = None
    framework: str | None = None
    only: tuple[str, ...] = ()
    batch: str | None = None
    data: str | None = None
    model: str | None = None
    seconds: str | None = None
    script: str | None = None
    """A file; `-`: standard output; None: no script."""
    dry_run: bool = False
    as_json: bool = False
    verbose: bool = False
    catalog: tuple[str, ...] = ()


class Words(NamedTuple):
    """What was asked for."""

    only: tuple[str, ...]
    batch: int | None
    data: str
    """A folder; empty: samples are made up."""
    model: str
    """`/path/file.py:function`; empty: the stand-in."""
    seconds: float


def words_of(request: Request) -> Words:
    """Raises `UsageError` for what cannot be meant."""
    if request.script == "-" and request.as_json:
        raise UsageError("`--json` has the script in its document", hint="name a file: `--script train.py`")
    check_destination(None if request.script == "-" else request.script, "--script")
    if request.script and Path(request.script).stem in MODULES:
        reason = f"a script called `{Path(request.script).name}` would hide the module of that name"
        raise UsageError(reason, hint="call it `--script train.py`")
    only = words_in(request.only)
    if request.only and not only:
        raise UsageError("`--only` names nothing", hint="`--only batch,amp`")
    return Words(
        only,
        _whole(request.batch),
        _folder(request.data),
        _function(request.model),
        _seconds(request.seconds),
    )


def _whole(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= MOST and len(text) < 9):
        raise UsageError(f"`{text}` is no batch", hint="`--batch 256`: samples in a step of the optimiser")
    return int(text)


def _folder(text: str | None) -> str:
    if text is None:
        return ""
    if not text or not os.path.isdir(text):
        raise UsageError(
            f"the folder `{text}` is not there", hint="`--data FOLDER` holds files, one a sample"
        )
    return os.path.abspath(text)


def _function(text: str | None) -> str:
    if text is None:
        return ""
    path, _, function = text.rpartition(":")
    if not function.isidentifier() or not os.path.isfile(path):
        raise UsageError(
            f"`{text}` names no function of a file",
            hint="`--model train.py:network`: it returns a network and a function that makes a batch",
        )
    return f"{os.path.abspath(path)}:{function}"


def _seconds(text: str | None) -> float:
    if text is None:
        return SECONDS
    seconds = number_within(text, LEAST, LONGEST)
    if seconds is None:
        raise UsageError(f"`{text}` is no time to measure in", hint="`--seconds 120`: 5 to 7200 seconds")
    return seconds
