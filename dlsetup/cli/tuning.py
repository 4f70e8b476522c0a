"""Settings of a training."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli import options
from dlsetup.cli.groups import app
from dlsetup.cli.plain import PlainCommand, examples


@app.command(
    cls=PlainCommand,
    epilog=examples(
        "dlsetup tune                                  (the active environment, in about two minutes)",
        "dlsetup tune --env ~/envs/vision --data ~/pictures --batch 512",
        "dlsetup tune --model train.py:network --only batch,amp,compile",
        "dlsetup tune --framework jax --script train.py",
        "dlsetup tune --dry-run                        (what would be measured)",
    ),
)
def tune(
    env: options.Env = None,
    framework: Annotated[
        str | None, typer.Option(metavar="NAME", help="torch, lightning, tensorflow, keras or jax.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="WORD", help="batch, amp, workers, threads, compile, layout … Repeatable."),
    ] = None,
    batch: Annotated[
        str | None, typer.Option(metavar="N", help="Samples that one step of the optimiser shall see.")
    ] = None,
    data: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Load these files, instead of made-up samples.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="FILE.py:FUNCTION", help="Train this network, instead of a small stand-in."),
    ] = None,
    seconds: Annotated[
        str | None, typer.Option(metavar="N", help="Measure for about so long (120), beside imports.")
    ] = None,
    script: Annotated[
        str | None,
        typer.Option(metavar="FILE|-", help="Write a minimal training with these settings."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be measured, and measure nothing.")
    ] = False,
    json: options.Json = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="All numbers, and the sources.")] = False,
    catalog: options.Catalog = None,
) -> int:
    """Measure a training on this machine, and say which settings are right for it and why.

    Batch size, precision, layout, compiler, threads, workers: each in a child of the environment, within a
    share of the free memory. A difference within the noise is no advice. Exit code 1 where one failed.
    """
    from dlsetup.commands.tune import run
    from dlsetup.commands.tune_words import Request

    return run(
        Request(
            environment=env,
            framework=framework,
            only=tuple(only or ()),
            batch=batch,
            data=data,
            model=model,
            seconds=seconds,
            script=script,
            dry_run=dry_run,
            as_json=json,
            verbose=verbose,
            catalog=tuple(catalog or ()),
        )
    )
