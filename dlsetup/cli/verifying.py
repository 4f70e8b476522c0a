"""What an environment can really do."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli import options
from dlsetup.cli.groups import app
from dlsetup.cli.plain import PlainCommand, examples


@app.command(
    cls=PlainCommand,
    epilog=examples(
        "dlsetup verify                              (all that the active environment can be asked for)",
        "dlsetup verify --env ~/envs/vision --only torch",
        "dlsetup verify --only amp,distributed -v    (these two, of every framework that has them)",
        "dlsetup verify --profile vision --junit report.xml",
        "dlsetup verify --list",
    ),
)
def verify(
    env: options.Env = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD",
            help="A framework, a capability, or both: `torch`, `amp`, `torch-amp`. Repeatable.",
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="Only what this profile wants to be able to do."),
    ] = None,
    deadline: Annotated[
        str | None, typer.Option(metavar="SECONDS", help="For each program, instead of its own.")
    ] = None,
    junit: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a report for a CI server as well.")
    ] = None,
    list_only: Annotated[
        bool, typer.Option("--list", help="Show what would be tried, and try nothing.")
    ] = False,
    json: options.Json = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="What each program saw, and what is not installed.")
    ] = False,
    catalog: options.Catalog = None,
) -> int:
    """Prove what the frameworks of an environment can do here: small programs, one a capability.

    Each runs in a child of the environment with a deadline, and leaves nothing behind. What is not
    installed is no failure, nor is what cannot be tried here (`?`). Exit code 1 where a program failed.
    """
    from dlsetup.commands.verify import Request, run

    return run(
        Request(
            environment=env,
            only=tuple(only or ()),
            profile=profile,
            deadline=deadline,
            junit=junit,
            list_only=list_only,
            as_json=json,
            verbose=verbose,
            catalog=tuple(catalog or ()),
        )
    )
