"""Which copy of a library wins."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli import options
from dlsetup.cli.groups import app
from dlsetup.cli.plain import PlainCommand, examples


@app.command(
    cls=PlainCommand,
    epilog=examples(
        "dlsetup libs",
        "dlsetup libs --env ~/envs/vision --library cudnn",
        "dlsetup libs --observe                 (compare with what the loader really does)",
        "dlsetup libs --all --json",
    ),
)
def libs(
    env: options.Env = None,
    library: Annotated[
        str | None, typer.Option(metavar="NAME", help="One library: `cudnn`, `nvjitlink`, `libnccl` …")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Every copy, every symbol, and what any other program would get.")
    ] = False,
    observe: Annotated[
        bool,
        typer.Option("--observe", help="Have the loader open the libraries in a child, and compare."),
    ] = False,
    json: options.Json = False,
    catalog: options.Catalog = None,
) -> int:
    """Say which copy of each CUDA library an environment loads, which others there are, and why they lose.

    For Linux, for this shell, from the files alone: no framework is imported. Exit code 1 where a library
    lacks what is asked of it, or installed files are not whole.
    """
    from dlsetup.commands.libs import Request, run

    return run(
        Request(
            environment=env,
            library=library,
            every=every,
            observe=observe,
            as_json=json,
            catalog=tuple(catalog or ()),
        )
    )
