"""Images in words."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli import options
from dlsetup.cli.groups import create
from dlsetup.cli.plain import PlainCommand, examples


@create.command(
    "image",
    cls=PlainCommand,
    epilog=examples(
        "dlsetup create image torch torchvision --into demo",
        "dlsetup create image jax --cpu --build --tag lab/jax:1 --yes",
        "dlsetup create image onnxruntime --for serve --also compose --also kubernetes",
        "dlsetup create image --lock pylock.toml --target 'os=linux,driver=570.86,gpu=\"H100\"'",
        "dlsetup create image tensorflow --for serve --dry-run",
    ),
)
def create_image(
    frameworks: options.Frameworks = None,
    lock: Annotated[
        str | None,
        typer.Option("--lock", metavar="FILE", help="Install what this lock says; choose nothing."),
    ] = None,
    purpose: Annotated[
        str, typer.Option("--for", metavar="train|serve|dev", help="A run, a server, or a place to work in.")
    ] = "train",
    into: Annotated[str, typer.Option("--into", metavar="FOLDER", help="Where the files go.")] = ".",
    tag: Annotated[
        str | None, typer.Option("--tag", "-t", metavar="NAME", help="What the image is called.")
    ] = None,
    base: Annotated[str | None, typer.Option("--base", metavar="IMAGE", help="Stand on this image.")] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            "--also", metavar="WHAT", help="compose, devcontainer, apptainer, kubernetes, or all. Repeatable."
        ),
    ] = None,
    build: Annotated[
        bool, typer.Option("--build", help="Build it too, and use every framework inside.")
    ] = False,
    pin: Annotated[
        bool,
        typer.Option("--pin", help="Name the base by its digest too: asks the engine. `--build` means it."),
    ] = False,
    network: Annotated[
        str | None, typer.Option("--network", metavar="NAME", help="The builder's network: `host`.")
    ] = None,
    plain: Annotated[
        bool,
        typer.Option("--plain", help="For builders without BuildKit: no cache mounts. `--build` means it."),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace files that say something else.")] = False,
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
    profile: options.ProfileName = None,
    requirements: options.Files = None,
    extra: options.Extras = None,
    group: options.Groups = None,
    prefer: options.Prefer = "newest",
    env: options.KeptEnv = None,
    python: options.Python = None,
    cpu: options.Cpu = False,
    accelerator: options.Accelerator = None,
    cuda: options.Cuda = None,
    allow_cpu: options.AllowCpu = False,
    index: options.Indexes = None,
    find_links: options.FindLinks = None,
    offline: options.Offline = False,
    machine: options.MachineFile = None,
    target: options.TargetWords = None,
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> int:
    """Write a Dockerfile for builds that work together on the host, with their lock, and build it.

    The target is the host that runs the image: its driver and GPUs count, Python and the C library are the
    base image's. Nothing that is there is replaced without `--force`.
    """
    from dlsetup.commands.create_image import run
    from dlsetup.commands.images import Request
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
            question=question,
            lock=lock,
            purpose=purpose,
            folder=into,
            name=tag,
            base=base,
            also=tuple(also or ()),
            indexes=tuple(index or ()),
            find_links=tuple(find_links or ()),
            offline=offline,
            plain=plain,
            build=build,
            pin=pin,
            network=network,
            force=force,
            dry_run=dry_run,
            yes=yes,
            as_json=json,
        )
    )
