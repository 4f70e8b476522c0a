"""The tree of commands without its leaves."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup import __version__
from dlsetup.cli.plain import PlainGroup, examples

app = typer.Typer(
    cls=PlainGroup,
    help="Gets a deep-learning environment right, on any machine, and says why.",
    epilog=examples(
        "dlsetup doctor                        what is wrong here, and what mends it",
        "dlsetup choose                        which framework for what, on this machine",
        "dlsetup resolve torch jax             builds that work together on this machine",
        "dlsetup create env demo torch         a checked environment in ./demo",
        "dlsetup fix                           what can be mended in the environment; `fix all` mends it",
    ),
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
create = typer.Typer(
    cls=PlainGroup,
    rich_markup_mode=None,
    help="Create something new that works on this machine.",
    epilog=examples("dlsetup create env demo torch", "dlsetup create env lab --profile research --dry-run"),
)
catalog = typer.Typer(
    cls=PlainGroup,
    rich_markup_mode=None,
    help="Look after the catalog of what exists.",
    epilog=examples(
        "dlsetup catalog show torch", "dlsetup catalog why torch 2.15.0", "dlsetup catalog status"
    ),
)
profiles = typer.Typer(
    cls=PlainGroup,
    rich_markup_mode=None,
    help="Named starting points.",
    epilog=examples(
        "dlsetup profiles list", "dlsetup profiles show vision", "dlsetup profiles check teaching --cpu"
    ),
)
app.add_typer(create, name="create")
app.add_typer(catalog, name="catalog")
app.add_typer(profiles, name="profiles")


def _print_version(asked: bool) -> None:
    if asked:
        print(f"dlsetup {__version__}")
        raise typer.Exit


@app.callback()
def dlsetup(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    pass
