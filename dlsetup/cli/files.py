"""Files of a project in words."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli import options
from dlsetup.cli.groups import create
from dlsetup.cli.plain import PlainCommand, examples


@create.command(
    "files",
    cls=PlainCommand,
    epilog=examples(
        "dlsetup create files torch --form uv",
        "dlsetup create files -r pyproject.toml --form uv --dry-run",
        "dlsetup create files torch torchvision --form pixi --into ~/work/vision --yes",
        "dlsetup create files 'jax>=0.10' --form requirements --form pylock --cpu --yes",
        "dlsetup create files torch --form uv --target name=node,os=linux,arch=x86_64,driver=580.65.06 \\",
        "    --target name=mac,os=macos,arch=arm64,macos=14.5",
        "dlsetup create files torch --form conda-lock --target os=linux,arch=x86_64,glibc=2.28,gpu=A100",
        "",
        "Forms: uv (pyproject.toml), pixi (pixi.toml), requirements (requirements.txt, constraints.txt),",
        "       pylock (pylock.toml), conda (environment.yml), conda-lock (conda-PLATFORM.lock)",
    ),
)
def create_files(
    frameworks: options.Frameworks = None,
    form: Annotated[
        list[str] | None,
        typer.Option(
            "--form", metavar="NAME", help="uv, pixi, requirements, pylock, conda, conda-lock. Repeatable."
        ),
    ] = None,
    into: Annotated[str, typer.Option(metavar="FOLDER", help="Where the files lie.")] = ".",
    conda_forge: Annotated[
        bool, typer.Option("--conda-forge", help="For pixi: builds of conda-forge in place of wheels.")
    ] = False,
    dry_run: options.DryRun = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a file that is there and cannot be edited.")
    ] = False,
    yes: options.Yes = False,
    machine: options.MachineFiles = None,
    target: options.TargetsInWords = None,
    container: options.Container = None,
    python: options.Python = None,
    cpu: options.Cpu = False,
    accelerator: options.Accelerator = None,
    cuda: options.Cuda = None,
    allow_cpu: options.AllowCpu = False,
    profile: options.ProfileName = None,
    index: options.Indexes = None,
    find_links: options.FindLinks = None,
    offline: options.Offline = False,
    requirements: options.Files = None,
    extra: options.Extras = None,
    group: options.Groups = None,
    prefer: options.Prefer = "newest",
    env: options.KeptEnv = None,
    catalog: options.Catalog = None,
    json: options.Json = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Name the sources of every choice, and why no newer release.")
    ] = False,
) -> int:
    """Write a plan into the files of a project, or bring those that are there up to date.

    In files that are there comments, order and everything else stay; what changes is shown before it is
    written. Only `requirements` and `pylock` ask the package index.
    """
    from dlsetup.commands import resolve
    from dlsetup.commands.create_files import run
    from dlsetup.commands.files_asked import Request
    from dlsetup.commands.question import Question
    from dlsetup.commands.targets import Places

    question = Question(
        frameworks=tuple(frameworks or ()),
        profile=profile,
        python=python,
        cpu=cpu,
        accelerator=accelerator,
        cuda=cuda,
        allow_cpu=allow_cpu,
        machine_file=machine[0] if machine and len(machine) == 1 else None,
        files=tuple(requirements or ()),
        extras=tuple(extra or ()),
        groups=tuple(group or ()),
        prefer=prefer,
        env=env,
        catalog=tuple(catalog or ()),
    )
    asked = resolve.Request(
        question=question,
        places=Places(machines=tuple(machine or ()), targets=tuple(target or ()), container=container),
        indexes=tuple(index or ()),
        find_links=tuple(find_links or ()),
        offline=offline,
        as_json=json,
        explain=explain,
    )
    return run(
        Request(
            asked=asked,
            forms=tuple(form or ()),
            into=into,
            conda_forge=conda_forge,
            dry_run=dry_run,
            force=force,
            yes=yes,
        )
    )
