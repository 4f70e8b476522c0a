"""A procedure as a shell script that does the same."""

from __future__ import annotations

import shlex

from dlsetup.model.steps import Procedure, Remove, Run, Step, Write


def shell_script(procedure: Procedure) -> str:
    """POSIX sh: stops at the first step that fails. Names are quoted, files are written as they are."""
    blocks = [_block(step) for step in procedure.steps]
    return "\n\n".join(["#!/bin/sh\nset -eu", *blocks]) + "\n"


def _block(step: Step) -> str:
    if isinstance(step, Run):
        added = "".join(f"{name}={shlex.quote(value)} " for name, value in step.env)
        return f"{_comment(step.why)}\n{added}{shlex.join(step.argv)}"
    if isinstance(step, Write):
        return f"{_comment(step.why)}\n{_write(step.path, step.text)}"
    if isinstance(step, Remove):
        return f"{_comment(step.why)}\nrm -rf -- {shlex.quote(step.path)}"
    return "\n".join(_comment(line) for line in (step.text, *step.commands))


def _write(path: str, text: str) -> str:
    end = "END"
    while f"\n{end}\n" in f"\n{text}\n":
        end += "_"
    body = text if text.endswith("\n") or not text else f"{text}\n"
    folder = f'mkdir -p -- "$(dirname -- {shlex.quote(path)})"'
    return f"{folder}\ncat > {shlex.quote(path)} <<'{end}'\n{body}{end}"


def _comment(text: str) -> str:
    return "# " + " ".join(text.split())
