"""The options that several commands share: one spelling, one meaning, one help text."""

from __future__ import annotations

from typing import Annotated

import typer

Frameworks = Annotated[
    list[str] | None,
    typer.Argument(metavar="FRAMEWORK...", help="What it must hold: `torch`, `jax==0.10.2` …"),
]
Env = Annotated[str | None, typer.Option(metavar="PATH|NAME", help="Look at this environment.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of words.")]
MachineFile = Annotated[
    str | None, typer.Option("--machine", metavar="FILE", help="Use a saved or pasted machine, not this one.")
]
TargetWords = Annotated[
    str | None,
    typer.Option("--target", metavar="WORDS", help='Say where it must run: `driver=535.129.03,gpu="A100"`.'),
]
MachineFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--machine", metavar="FILE", help="Use a saved or pasted machine, not this one. Can be repeated."
    ),
]
TargetsInWords = Annotated[
    list[str] | None,
    typer.Option(
        "--target",
        metavar="WORDS",
        help='Say where it must run: `driver=535.129.03,gpu="A100"`. Repeated: one plan that serves all.',
    ),
]
Container = Annotated[
    str | None,
    typer.Option("--container", metavar="IMAGE", help="It runs in this image, with the driver of the host."),
]
LockFile = Annotated[
    str | None,
    typer.Option(
        "--lock",
        metavar="FILE",
        help="Lock the plan with uv: `pylock.toml` (PEP 751) or `….txt` (requirements with hashes).",
    ),
]
Python = Annotated[str | None, typer.Option(metavar="VERSION", help="`3.12` or `>=3.10,<3.13`.")]
Cpu = Annotated[bool, typer.Option("--cpu", help="CPU builds only.")]
Accelerator = Annotated[
    str | None, typer.Option(metavar="NAME", help="cpu, cuda, rocm, mps, xpu, tpu, ascend or directml.")
]
Cuda = Annotated[
    str | None, typer.Option(metavar="VERSION", help="A CUDA family (`12`), a line (`12.6`), or `none`.")
]
AllowCpu = Annotated[
    bool, typer.Option("--allow-cpu", help="Where a framework has no build for the GPU, take its CPU build.")
]
ProfileName = Annotated[
    str | None, typer.Option("--profile", metavar="NAME|FILE", help="Start from a profile: research, hpc …")
]
Files = Annotated[
    list[str] | None,
    typer.Option(
        "--requirements",
        "-r",
        metavar="FILE",
        help="Take what a requirements.txt, environment.yml, pyproject.toml or lock asks for.",
    ),
]
Extras = Annotated[
    list[str] | None,
    typer.Option("--extra", metavar="NAME", help="With these optional dependencies of the pyproject.toml."),
]
Groups = Annotated[
    list[str] | None,
    typer.Option("--group", metavar="NAME", help="With this dependency group of the pyproject.toml."),
]
Prefer = Annotated[
    str,
    typer.Option(metavar="WHAT", help="newest, stable, smallest, or keep: change as little as can be."),
]
KeptEnv = Annotated[
    str | None,
    typer.Option("--env", metavar="PATH|NAME", help="The environment that `--prefer keep` starts from."),
]
Catalog = Annotated[
    list[str] | None,
    typer.Option("--catalog", metavar="DIR", help="A folder that adds to the catalog. Can be repeated."),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the steps, change nothing.")]
Indexes = Annotated[
    list[str] | None,
    typer.Option("--index", metavar="[NAME=]URL", help="One more index, or another address of a known one."),
]
FindLinks = Annotated[
    list[str] | None, typer.Option("--find-links", metavar="PLACE", help="A folder or page of wheels.")
]
Offline = Annotated[bool, typer.Option("--offline", help="Use only what is on this machine.")]
Wait = Annotated[
    str, typer.Option(metavar="SECONDS", help="Wait so long for another dlsetup that is at work there.")
]
