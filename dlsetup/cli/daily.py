"""The main work in words: a body imports one command, hands it the request and returns its exit code."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli import options
from dlsetup.cli.catalog import catalog_why
from dlsetup.cli.groups import app, create
from dlsetup.cli.plain import PlainCommand, examples


@app.command(
    cls=PlainCommand,
    epilog=examples(
        "dlsetup resolve torch",
        "dlsetup resolve torch 'tensorflow>=2.18' jax --explain",
        "dlsetup resolve torch --target 'os=linux,arch=x86_64,glibc=2.31,driver=535.129.03,gpu=\"A100\"'",
        "dlsetup resolve --profile hpc --python 3.12 --json",
        "dlsetup resolve torch --target name=login,os=linux,arch=x86_64,gpu=none --machine node.json",
        "dlsetup resolve torch --container python:3.12-slim --lock pylock.toml",
        "dlsetup resolve torch 'jax[cuda12]' --prefer stable",
        "dlsetup resolve -r requirements.txt -r pyproject.toml --extra train",
        "dlsetup resolve 'torch>=2.14' --prefer keep --env ~/envs/vision",
    ),
)
def resolve(
    frameworks: options.Frameworks = None,
    machine: options.MachineFiles = None,
    target: options.TargetsInWords = None,
    container: options.Container = None,
    lock: options.LockFile = None,
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
    """Choose builds of every framework that work together on one machine or on several, and say why.

    Works offline; only `--lock` asks the package index. Where nothing fits, the smallest reason and the
    ways out are shown, with exit code 1.
    """
    from dlsetup.commands.question import Question
    from dlsetup.commands.resolve import Request, run
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
    return run(
        Request(
            question=question,
            places=Places(machines=tuple(machine or ()), targets=tuple(target or ()), container=container),
            lock=lock,
            indexes=tuple(index or ()),
            find_links=tuple(find_links or ()),
            offline=offline,
            as_json=json,
            explain=explain,
        )
    )


app.command(
    "why",
    cls=PlainCommand,
    epilog=examples(
        "dlsetup why 'torch==2.15.0'",
        "dlsetup why torch 2.14.1+cu126 --target 'os=linux,driver=535.129.03,gpu=\"A100\"'",
    ),
)(catalog_why)


@create.command(
    "env",
    cls=PlainCommand,
    epilog=examples(
        "dlsetup create env demo torch",
        "dlsetup create env ~/envs/vision torch torchvision 'jax>=0.10' --python 3.12 --yes",
        "dlsetup create env lab --profile research --dry-run",
        "dlsetup create env work -r requirements.txt --prefer stable",
        "dlsetup create env site torch --index pytorch-cu126=https://mirror.example/cu126",
        "dlsetup create env lab jax --kernel lab",
        "dlsetup create env same --lock pylock.toml",
        "dlsetup create env same --lock conda-linux-64.lock",
        "dlsetup create env there --offline --bundle bundle",
    ),
)
def create_env(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its folder: a name here, or a path.")],
    frameworks: options.Frameworks = None,
    profile: options.ProfileName = None,
    requirements: options.Files = None,
    extra: options.Extras = None,
    group: options.Groups = None,
    prefer: options.Prefer = "newest",
    env: options.KeptEnv = None,
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
    python: options.Python = None,
    cpu: options.Cpu = False,
    accelerator: options.Accelerator = None,
    cuda: options.Cuda = None,
    allow_cpu: options.AllowCpu = False,
    tool: Annotated[
        str, typer.Option("--with", metavar="uv|venv|conda|rattler", help="What builds it.")
    ] = "uv",
    index: options.Indexes = None,
    find_links: options.FindLinks = None,
    offline: options.Offline = False,
    lock: Annotated[
        str | None,
        typer.Option("--lock", metavar="FILE", help="Install what this lock holds."),
    ] = None,
    bundle: Annotated[
        str | None,
        typer.Option("--bundle", metavar="FOLDER", help="Install what it holds, offline."),
    ] = None,
    kernel: Annotated[
        str | None, typer.Option("--kernel", metavar="NAME", help="Register it with Jupyter under this name.")
    ] = None,
    machine: options.MachineFile = None,
    target: options.TargetWords = None,
    wait: options.Wait = "10",
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> int:
    """Build a new environment that works: chosen, locked, installed and proved before it stands.

    It is built beside its place and put there when every framework has been imported and has computed
    something. If anything fails, nothing is left behind.
    """
    from dlsetup.commands.builds import Request
    from dlsetup.commands.create_env import run
    from dlsetup.commands.question import Question

    question = Question(
        frameworks=tuple(frameworks or ()),
        profile=profile,
        python=python,
        cpu=cpu,
        accelerator=accelerator,
        cuda=cuda,
        allow_cpu=allow_cpu,
        machine_file=machine,
        target=target,
        files=tuple(requirements or ()),
        extras=tuple(extra or ()),
        groups=tuple(group or ()),
        prefer=prefer,
        env=env,
        catalog=tuple(catalog or ()),
    )
    return run(
        Request(
            name=name,
            question=question,
            tool=tool,
            indexes=tuple(index or ()),
            find_links=tuple(find_links or ()),
            offline=offline,
            lock=lock,
            bundle=bundle,
            kernel=kernel,
            wait=wait,
            dry_run=dry_run,
            yes=yes,
            as_json=json,
        )
    )


@app.command(
    cls=PlainCommand,
    epilog=examples(
        "dlsetup fix                                  what can be mended here, and what that would change",
        "dlsetup fix cuda-conflict --dry-run          the steps, also as a shell script with --json",
        "dlsetup fix cpu-build --env ~/envs/vision",
        "dlsetup fix all --yes --json                 every kind, in one change",
        "",
        "Kinds: cuda-conflict, missing-gpu-libs, cpu-build, arch-mismatch, driver-too-old, numpy-abi,",
        "       library-path, duplicates",
    ),
)
def fix(
    name: Annotated[
        str | None, typer.Argument(metavar="KIND|all", help="What to mend; without it: a list.")
    ] = None,
    env: options.Env = None,
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
    index: options.Indexes = None,
    find_links: options.FindLinks = None,
    offline: options.Offline = False,
    wait: options.Wait = "10",
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> int:
    """List what can be mended in an environment, or mend one kind of fault or all.

    As little as possible moves: versions stay where they may. The work is done in a copy, which takes
    the place of the environment only if a second look finds it well. `dlsetup undo` brings the former back.
    What only a person can do (drivers, reboots, the Windows side) is told as steps, and never run.
    """
    from dlsetup.commands.fix import run
    from dlsetup.commands.repairs import Request

    return run(
        Request(
            name=name,
            environment=env,
            indexes=tuple(index or ()),
            find_links=tuple(find_links or ()),
            offline=offline,
            wait=wait,
            catalog=tuple(catalog or ()),
            dry_run=dry_run,
            yes=yes,
            as_json=json,
        )
    )
