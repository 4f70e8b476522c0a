"""`dlsetup import` in words."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli import options
from dlsetup.cli.groups import app
from dlsetup.cli.plain import PlainCommand, examples


@app.command(
    "import",
    cls=PlainCommand,
    epilog=examples(
        "dlsetup import environment.yml",
        "dlsetup import old.yml --target 'os=linux,arch=x86_64,driver=550.54.15,gpu=\"A100\"' -o new.yml",
        "dlsetup import 'conda install pytorch torchvision cudatoolkit=11.3 -c pytorch'",
        "dlsetup import environment.yml --in-place",
        "dlsetup import requirements.txt --to conda --json",
        "dlsetup import environment.yml --to uv -o pyproject.toml",
        "",
        "Each line is kept, renamed, moved, newer, dropped or unknown, and it is said why.",
    ),
)
def import_list(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|COMMAND|-", help="An old list, or a quoted command; `-`: standard input."
        ),
    ],
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="FORM", help="conda, requirements, uv or pixi; without it: as it is."),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write it there; nothing is overwritten."),
    ] = None,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="Rewrite the environment.yml itself; its comments stay.")
    ] = False,
    python: options.Python = None,
    cpu: options.Cpu = False,
    cuda: options.Cuda = None,
    machine: options.MachineFile = None,
    target: options.TargetWords = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the text, write nothing.")] = False,
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> int:
    """Write an old environment.yml, requirements.txt or pasted command as it is written today.

    Versions stay where they still lead to a plan; channels and packages that have ended become what took
    their place. The file is read as data: nothing in it is executed or fetched.
    """
    from dlsetup.commands.import_list import Request, run
    from dlsetup.commands.question import Question

    question = Question(
        python=python,
        cpu=cpu,
        cuda=cuda,
        machine_file=machine,
        target=target,
        catalog=tuple(catalog or ()),
    )
    return run(
        Request(
            source=source,
            question=question,
            to=to,
            output=output,
            in_place=in_place,
            dry_run=dry_run,
            as_json=json,
        )
    )
