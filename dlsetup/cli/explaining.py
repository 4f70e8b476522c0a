"""What a message means, and a command that is watched."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli import options
from dlsetup.cli.groups import app
from dlsetup.cli.plain import PlainCommand, examples


@app.command(
    cls=PlainCommand,
    epilog=examples(
        "dlsetup explain 'CUDA out of memory. Tried to allocate 2.00 GiB'",
        "python train.py 2>&1 | tail -n 50 | dlsetup explain",
        "dlsetup explain --from train.log --json",
        "dlsetup explain device-assert                  (by name; `--list` shows the names)",
    ),
)
def explain(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TEXT|NAME|-]", help="What was printed, or a name of `--list`."),
    ] = None,
    reports: Annotated[
        list[str] | None,
        typer.Option("--from", metavar="FILE|FOLDER|-", help="Read the text from there. Can be repeated."),
    ] = None,
    every: Annotated[bool, typer.Option("--list", help="Show what can be explained.")] = False,
    env: options.Env = None,
    machine: options.MachineFile = None,
    json: options.Json = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Every message, with sources.")] = False,
    catalog: options.Catalog = None,
) -> int:
    """Say what a message means, its usual causes in order, what to look at and what to do.

    The facts are those of this machine, now; what is unknown is left out. What the doctor finds wrong with
    machine and text together follows. Nothing is changed. Exit code 1 where nothing of the text is known.
    """
    from dlsetup.commands.explain import Request, run

    return run(
        Request(
            words=tuple(words or ()),
            reports=tuple(reports or ()),
            environment=env,
            machine_file=machine,
            every=every,
            catalog=tuple(catalog or ()),
            as_json=json,
            verbose=verbose,
        )
    )


@app.command(
    cls=PlainCommand,
    context_settings={"allow_interspersed_args": False},
    epilog=examples(
        "dlsetup run -- python train.py --epochs 3",
        "dlsetup run --env ~/envs/vision --summary -- python train.py",
        "dlsetup run --json run.json -- torchrun --nproc-per-node 4 train.py",
    ),
)
def run(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="-- COMMAND...", help="What is run, with its words.")
    ] = None,
    env: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Its programs come first, and its packages are looked at."),
    ] = None,
    document: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write what was seen and found as JSON.")
    ] = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="Say what it took, where it went well too.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show what it prints only where it fails.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Every message, with sources.")] = False,
    catalog: options.Catalog = None,
) -> int:
    """Run a command, watch the memory it takes, and where it fails say why.

    Its input, output, signals and exit code are its own; what dlsetup says goes to standard error, after it.
    """
    from dlsetup.commands.run import Request
    from dlsetup.commands.run import run as carry_out

    return carry_out(
        Request(
            command=tuple(command or ()),
            environment=env,
            document=document,
            summary=summary,
            quiet=quiet,
            verbose=verbose,
            catalog=tuple(catalog or ()),
        )
    )
