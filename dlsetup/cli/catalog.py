"""The catalog in words: what it holds, why it says so, how it stays up to date."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli import options
from dlsetup.cli.groups import catalog
from dlsetup.cli.plain import PlainCommand, examples


@catalog.command(
    "refresh",
    cls=PlainCommand,
    epilog=examples(
        "dlsetup catalog refresh",
        "dlsetup catalog refresh torch jax",
        "dlsetup catalog refresh --into site-catalog",
    ),
)
def catalog_refresh(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", help="Frameworks or distributions; none: all.")
    ] = None,
    into: Annotated[str | None, typer.Option(metavar="DIR", help="Write into this catalog folder.")] = None,
    index: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Ask this index, not the one uv or pip is configured with."),
    ] = None,
    allow_loss: Annotated[
        bool, typer.Option("--allow-loss", help="Accept that releases are gone from the index.")
    ] = False,
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> int:
    """Learn from the package index what has been released since."""
    from dlsetup.commands.catalog_refresh import Request, run

    return run(
        Request(
            names=tuple(names or ()),
            into=into,
            index=index,
            allow_loss=allow_loss,
            catalog=tuple(catalog or ()),
            as_json=json,
        )
    )
