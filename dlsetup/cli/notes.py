"""Notes in words: steps for a person, printed or written to a file."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli import options
from dlsetup.cli.groups import app, create
from dlsetup.cli.plain import PlainCommand, examples

KINDS = "wsl, driver, cuda-toolkit, container-toolkit, multi-gpu, jetson, rocm, ascend"
Format = Annotated[str, typer.Option("--format", metavar="FORM", help="text, markdown, or script.")]
Reports = Annotated[
    list[str] | None,
    typer.Option("--from", metavar="FILE|FOLDER|-", help="Read what was pasted instead. Can be repeated."),
]
Words = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="WORDS",
        help='Say which machine it is: `distro="Ubuntu 24.04",arch=x86_64,gpu="RTX 5090",driver=none`; also '
        "`kernel=`, `memory=`, `secureboot=`, `l4t=`.",
    ),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a file of that name.")]

Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="With the sources of each step.")]


@app.command(
    cls=PlainCommand,
    epilog=examples(
        "dlsetup notes                                the kinds, and which are for this machine",
        "dlsetup notes driver",
        "dlsetup notes wsl --machine laptop.json --format markdown -o wsl.md",
        'dlsetup notes driver --target \'distro="Debian 12",arch=x86_64,gpu="RTX 4090",driver=none\'',
        "dlsetup notes container-toolkit --format script > toolkit.sh",
        "dlsetup notes multi-gpu --from issue.md --json",
        "",
        f"Kinds: {KINDS}",
    ),
)
def notes(
    kind: Annotated[
        str | None, typer.Argument(metavar="KIND", help="What the steps are for; without it: a list.")
    ] = None,
    env: options.Env = None,
    machine: options.MachineFile = None,
    target: Words = None,
    reports: Reports = None,
    form: Format = "text",
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write it to a file.")
    ] = None,
    overwrite: Overwrite = False,
    verbose: Verbose = False,
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> int:
    """Say what a person does to a machine, step by step: only what this machine still needs.

    What is right is said with its evidence; what nobody could see is asked for by the command that tells it.
    Nothing is changed. Exit code 1 where a note is not for this machine.
    """
    from dlsetup.commands.notes import Request, run

    return run(
        Request(
            kind=kind,
            environment=env,
            machine_file=machine,
            target=target,
            reports=tuple(reports or ()),
            form=form,
            output=output,
            overwrite=overwrite,
            verbose=verbose,
            catalog=tuple(catalog or ()),
            as_json=json,
        )
    )


@create.command(
    "notes",
    cls=PlainCommand,
    epilog=examples(
        "dlsetup create notes wsl                     (writes wsl.md)",
        "dlsetup create notes driver --format script  (writes driver.sh, which asks before each step)",
        "dlsetup create notes rocm -o docs/rocm.md --machine node.json --dry-run",
        "",
        f"Kinds: {KINDS}",
    ),
)
def create_notes(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="What the steps are for.")],
    env: options.Env = None,
    machine: options.MachineFile = None,
    target: Words = None,
    reports: Reports = None,
    form: Format = "markdown",
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="The file, instead of KIND.md.")
    ] = None,
    overwrite: Overwrite = False,
    verbose: Verbose = False,
    dry_run: options.DryRun = False,
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> int:
    """Write the steps of a note to a file.

    A file that is there is left alone, unless `--overwrite` is given.
    """
    from dlsetup.commands.notes import Request, run

    return run(
        Request(
            kind=kind,
            environment=env,
            machine_file=machine,
            target=target,
            reports=tuple(reports or ()),
            form=form,
            output=output,
            creates=True,
            overwrite=overwrite,
            verbose=verbose,
            dry_run=dry_run,
            catalog=tuple(catalog or ()),
            as_json=json,
        )
    )
