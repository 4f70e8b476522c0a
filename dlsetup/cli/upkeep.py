"""How the catalog stands, profiles and schemas in words."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli import options
from dlsetup.cli.groups import app, catalog, profiles
from dlsetup.cli.plain import PlainCommand, examples


@catalog.command(
    "status",
    cls=PlainCommand,
    epilog=examples(
        "dlsetup catalog status",
        "dlsetup catalog status torch jax --online",
        "dlsetup catalog status --json",
    ),
)
def catalog_status(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", help="Frameworks or distributions; none: all.")
    ] = None,
    online: Annotated[
        bool, typer.Option("--online", help="Ask the package index which releases are newer.")
    ] = False,
    index: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Ask this index, not the one uv or pip is configured with."),
    ] = None,
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> int:
    """Say how old each file is, where it comes from, and what it does not know."""
    from dlsetup.commands.catalog_status import Request, run

    return run(
        Request(
            names=tuple(names or ()),
            online=online,
            index=index,
            catalog=tuple(catalog or ()),
            as_json=json,
        )
    )


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
