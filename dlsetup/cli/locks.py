"""Locks in words."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli import options
from dlsetup.cli.groups import app
from dlsetup.cli.plain import PlainCommand, examples


@app.command(
    "check-lock",
    cls=PlainCommand,
    epilog=examples(
        "dlsetup check-lock pylock.toml",
        "dlsetup check-lock pylock.toml --machine node.json",
        "dlsetup check-lock lock.txt --target 'os=linux,arch=x86_64,glibc=2.28,driver=535.54.03'",
    ),
)
def check_lock(
    file: Annotated[str, typer.Argument(metavar="FILE", help="`pylock.toml` or requirements with hashes.")],
    machine: options.MachineFile = None,
    target: options.TargetWords = None,
    container: options.Container = None,
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> int:
    """Say whether a lock serves a machine, by the rules it was chosen by. Works offline.

    Wheel tags, Python, driver, GPUs, files that two packages write, exact pins. Exit code 1 where it does
    not serve.
    """
    from dlsetup.commands.check_lock import Request, run
    from dlsetup.commands.targets import Places

    places = Places(
        machines=(machine,) if machine is not None else (),
        targets=(target,) if target is not None else (),
        container=container,
    )
    return run(Request(file=file, places=places, catalog=tuple(catalog or ()), as_json=json))
