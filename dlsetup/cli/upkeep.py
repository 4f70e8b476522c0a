"""Schemas in words."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli.groups import app
from dlsetup.cli.plain import PlainCommand, examples


@app.command(
    cls=PlainCommand, epilog=examples("dlsetup schema", "dlsetup schema doctor > doctor.schema.json")
)
def schema(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="`doctor`, `resolve`, `machine` …")
    ] = None,
) -> int:
    """Print the JSON Schema of a document; without a name, the names."""
    from dlsetup.commands.schema import run

    return run(name)
