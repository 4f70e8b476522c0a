"""Profiles in words."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli import options
from dlsetup.cli.groups import profiles
from dlsetup.cli.plain import PlainCommand, examples


@profiles.command(
    "list", cls=PlainCommand, epilog=examples("dlsetup profiles list", "dlsetup profiles list --json")
)
def profiles_list(catalog: options.Catalog = None, json: options.Json = False) -> int:
    """List the profiles and what each one holds."""
    from dlsetup.commands.profiles_list import run

    return run(tuple(catalog or ()), as_json=json)


@profiles.command(
    "show",
    cls=PlainCommand,
    epilog=examples(
        "dlsetup profiles show vision",
        "dlsetup profiles show language-models --target 'os=linux,driver=535.129.03,gpu=\"A100\"'",
        "dlsetup profiles show ./ours.toml --json",
    ),
)
def profiles_show(
    name: Annotated[str, typer.Argument(metavar="NAME|FILE", help="The profile.")],
    machine: options.MachineFile = None,
    target: options.TargetWords = None,
    container: options.Container = None,
    python: options.Python = None,
    cpu: options.Cpu = False,
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> int:
    """Show what a profile holds, and what it becomes on this machine or another."""
    from dlsetup.commands.profiles_show import run
    from dlsetup.commands.question import Question
    from dlsetup.commands.targets import Places

    places = Places(
        machines=(machine,) if machine is not None else (),
        targets=(target,) if target is not None else (),
        container=container,
    )
    question = Question(profile=name, python=python, cpu=cpu, catalog=tuple(catalog or ()))
    return run(question, places, as_json=json)


@profiles.command(
    "check",
    cls=PlainCommand,
    epilog=examples(
        "dlsetup profiles check",
        "dlsetup profiles check teaching --machine a.json --machine b.json",
        "dlsetup profiles check hpc scientific --cpu --lock",
        "dlsetup profiles check ./ours.toml --target 'name=node,os=linux,driver=580.65.06,gpu=\"H100\"'",
    ),
)
def profiles_check(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME|FILE...", help="Which; without any: all.")
    ] = None,
    machine: options.MachineFiles = None,
    target: options.TargetsInWords = None,
    container: options.Container = None,
    python: options.Python = None,
    cpu: options.Cpu = False,
    lock: Annotated[bool, typer.Option("--lock", help="Lock each plan with uv too; keep no lock.")] = False,
    index: options.Indexes = None,
    find_links: options.FindLinks = None,
    offline: options.Offline = False,
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> int:
    """Tell whether profiles are well formed and resolve on this machine, or on each of the targets named.

    Only `--lock` asks the package index. Exit code 1 where one of them does not resolve.
    """
    from dlsetup.commands.profiles_check import Request, run
    from dlsetup.commands.question import Question
    from dlsetup.commands.targets import Places

    return run(
        Request(
            names=tuple(names or ()),
            question=Question(python=python, cpu=cpu, catalog=tuple(catalog or ())),
            places=Places(machines=tuple(machine or ()), targets=tuple(target or ()), container=container),
            lock=lock,
            indexes=tuple(index or ()),
            find_links=tuple(find_links or ()),
            offline=offline,
            as_json=json,
        )
    )
