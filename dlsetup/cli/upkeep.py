"""Profiles and schemas in words."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli import options
from dlsetup.cli.groups import app, profiles
from dlsetup.cli.plain import PlainCommand, examples


@profiles.command(
    "list", cls=PlainCommand, epilog=examples("dlsetup profiles list", "dlsetup profiles list --json")
)
def profiles_list(catalog: options.Catalog = None, json: options.Json = False) -> int:
    """List the profiles and what each one holds."""
    from dlsetup.commands.profiles_list import run

    return run(tuple(catalog or ()), as_json=json)


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
