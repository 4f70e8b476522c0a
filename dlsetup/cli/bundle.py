"""Bundles in words."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli import options
from dlsetup.cli.groups import app
from dlsetup.cli.plain import PlainCommand, examples


@app.command(
    cls=PlainCommand,
    epilog=examples(
        "dlsetup bundle torch -o there --target 'arch=x86_64,glibc=2.28,driver=535.54,gpu=\"A100\"'",
        "dlsetup bundle jax torch --machine node.json -o there.tar --with dlsetup",
        "dlsetup bundle --lock pylock.toml -o there --dry-run",
        "dlsetup create env demo --offline --bundle there      on that machine",
    ),
)
def bundle(
    frameworks: options.Frameworks = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FOLDER|FILE.tar", help="Where it goes.")
    ] = None,
    target: options.TargetWords = None,
    machine: options.MachineFile = None,
    container: options.Container = None,
    lock: Annotated[
        str | None, typer.Option("--lock", metavar="FILE", help="Take what this lock holds; choose nothing.")
    ] = None,
    tools: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="uv|dlsetup", help="Take this tool along, with all it needs."),
    ] = None,
    python_too: Annotated[
        bool, typer.Option("--python-too", help="Take a Python for the target along, as uv has it.")
    ] = False,
    sources: Annotated[
        bool, typer.Option("--sources", help="Take what has no wheel as its source, to be compiled there.")
    ] = False,
    python: options.Python = None,
    cpu: options.Cpu = False,
    accelerator: options.Accelerator = None,
    cuda: options.Cuda = None,
    allow_cpu: options.AllowCpu = False,
    profile: options.ProfileName = None,
    requirements: options.Files = None,
    extra: options.Extras = None,
    group: options.Groups = None,
    prefer: options.Prefer = "newest",
    env: options.KeptEnv = None,
    index: options.Indexes = None,
    find_links: options.FindLinks = None,
    offline: options.Offline = False,
    wait: options.Wait = "10",
    catalog: options.Catalog = None,
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
    json: options.Json = False,
) -> int:
    """Fetch every file of an environment for a machine without network, also for another platform.

    A lock with hashes, exactly its wheels, and `install.sh`, which needs a Python or uv there and nothing
    else. Stopped anywhere, the same command goes on with what has come. What has no wheel is refused.
    """
    from dlsetup.commands.bundle import run
    from dlsetup.commands.bundle_contents import Request
    from dlsetup.commands.question import Question
    from dlsetup.commands.targets import Places
    from dlsetup.model.errors import UsageError

    if output is None:
        raise UsageError("the bundle has no place", hint="name a folder or a `.tar` with `-o`")
    question = Question(
        frameworks=tuple(frameworks or ()),
        profile=profile,
        python=python,
        cpu=cpu,
        accelerator=accelerator,
        cuda=cuda,
        allow_cpu=allow_cpu,
        files=tuple(requirements or ()),
        extras=tuple(extra or ()),
        groups=tuple(group or ()),
        prefer=prefer,
        env=env,
        catalog=tuple(catalog or ()),
    )
    places = Places(
        machines=() if machine is None else (machine,),
        targets=() if target is None else (target,),
        container=container,
    )
    return run(
        Request(
            output=output,
            question=question,
            places=places,
            lock=lock,
            indexes=tuple(index or ()),
            find_links=tuple(find_links or ()),
            offline=offline,
            tools=tuple(tools or ()),
            python_too=python_too,
            sources=sources,
            wait=wait,
            dry_run=dry_run,
            yes=yes,
            as_json=json,
        )
    )
