"""What was done to environments, in words: `history` and `undo`."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli import options
from dlsetup.cli.groups import app
from dlsetup.cli.plain import PlainCommand, examples

Changed = Annotated[str | None, typer.Option("--env", metavar="PATH|NAME", help="Only this environment.")]


@app.command(
    cls=PlainCommand,
    epilog=examples(
        "dlsetup undo                          the latest repair of the environment in use",
        "dlsetup undo a3f91c                   that change; an undo is a change as well",
        "dlsetup undo --env ~/envs/vision --dry-run",
        "dlsetup undo --verify-hashes          read the big files too, before",
    ),
)
def undo(
    change: Annotated[
        str | None,
        typer.Argument(metavar="ID", help="The change to take back, as `dlsetup history` names it."),
    ] = None,
    env: Changed = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also if files of the one or the other have changed since.")
    ] = False,
    verify_hashes: Annotated[
        bool,
        typer.Option("--verify-hashes", help="Also compare big files of the former one with their RECORDs."),
    ] = False,
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
    wait: options.Wait = "10",
    json: options.Json = False,
) -> int:
    """Put an environment back as it was before a repair, to the byte.

    The former environment was kept beside it; the two are exchanged at once. What is there now is kept
    in its stead.
    """
    from dlsetup.commands.undo import Request, run

    return run(
        Request(
            change=change,
            environment=env,
            force=force,
            verify_hashes=verify_hashes,
            dry_run=dry_run,
            yes=yes,
            wait=wait,
            as_json=json,
        )
    )


@app.command(
    cls=PlainCommand,
    epilog=examples(
        "dlsetup history",
        "dlsetup history --env ~/envs/vision --json",
        "dlsetup history --forget a3f91c",
        "dlsetup history --forget all --older-than 30",
    ),
)
def history(
    env: Changed = None,
    forget: Annotated[
        list[str] | None,
        typer.Option("--forget", metavar="ID|all", help="Remove a former environment. Can be repeated."),
    ] = None,
    older_than: Annotated[
        str | None, typer.Option("--older-than", metavar="DAYS", help="Of `--forget all`: only such.")
    ] = None,
    yes: options.Yes = False,
    json: options.Json = False,
) -> int:
    """Show what was done to environments, and which of it can be taken back.

    The latest three former environments of each are kept beside it. What a killed run left half done is
    put right.
    """
    from dlsetup.commands.history import Request, run

    return run(
        Request(environment=env, forget=tuple(forget or ()), older_than=older_than, yes=yes, as_json=json)
    )
