"""The choice of a framework, and profiles, in words."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli import options
from dlsetup.cli.groups import app
from dlsetup.cli.plain import PlainCommand, examples

TASKS = "research, production, hpc, teaching, edge, distributed, deployment"
DOMAINS = "vision, language, audio, tabular, scientific, reinforcement"
SKILLS = "beginner, numpy, keras, torch, paddle, mindspore"


@app.command(
    cls=PlainCommand,
    epilog=examples(
        "dlsetup choose                               asks what it is for, and what you have and know",
        "dlsetup choose --task teaching",
        "dlsetup choose --task research --domain language --know numpy --explain",
        "dlsetup choose --task production --target 'os=windows,arch=x86_64,driver=560.94,gpu=\"RTX 4090\"'",
        "dlsetup choose --task edge --machine node.json --json",
        "",
        f"Tasks:   {TASKS}",
        f"Domains: {DOMAINS}",
        f"Skills:  {SKILLS}",
    ),
)
def choose(
    task: Annotated[
        str | None, typer.Option(metavar="NAME", help="What it is for; nothing is asked.")
    ] = None,
    domain: Annotated[str | None, typer.Option(metavar="NAME", help="What it is about.")] = None,
    know: Annotated[
        list[str] | None, typer.Option("--know", metavar="NAME", help="What you know. Can be repeated.")
    ] = None,
    machine: options.MachineFile = None,
    target: options.TargetWords = None,
    container: options.Container = None,
    python: options.Python = None,
    cpu: options.Cpu = False,
    accelerator: options.Accelerator = None,
    cuda: options.Cuda = None,
    top: Annotated[str, typer.Option(metavar="N", help="Tell the reasons of so many.")] = "3",
    explain: Annotated[
        bool, typer.Option("--explain", help="Tell what every star rests on, with its source.")
    ] = False,
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> int:
    """Rank frameworks for a purpose, by sourced judgements and by what really runs on the machine.

    Ends in one command that makes an environment of the first. Exit code 1 where none of them runs there.
    """
    from dlsetup.commands.choose import Request, run
    from dlsetup.commands.question import Question
    from dlsetup.commands.targets import Places

    question = Question(
        python=python, cpu=cpu, accelerator=accelerator, cuda=cuda, catalog=tuple(catalog or ())
    )
    return run(
        Request(
            question=question,
            places=Places(
                machines=(machine,) if machine is not None else (),
                targets=(target,) if target is not None else (),
                container=container,
            ),
            task=task,
            domain=domain,
            knows=tuple(know or ()),
            top=top,
            explain=explain,
            as_json=json,
        )
    )
