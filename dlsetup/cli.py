"""Words and options only: a body imports one command, hands it the request and returns its exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from dlsetup import __version__
from dlsetup.model.errors import DlsetupError, UsageError

# Typer carries its own copy of click in some releases: the base of its public class is right in all.
ParserRefusal: Any = typer.BadParameter.__bases__[0]

MaybeFrameworks = Annotated[
    list[str] | None,
    typer.Argument(metavar="FRAMEWORK...", help="What it must hold: `torch`, `jax==0.10.2` …"),
]
Env = Annotated[str | None, typer.Option(metavar="PATH|NAME", help="Look at this environment.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of words.")]
MachineFile = Annotated[
    str | None, typer.Option("--machine", metavar="FILE", help="Use a saved machine instead of this one.")
]
TargetWords = Annotated[
    str | None,
    typer.Option("--target", metavar="WORDS", help='Say where it must run: `driver=535.129.03,gpu="A100"`.'),
]
Python = Annotated[str | None, typer.Option(metavar="VERSION", help="`3.12` or `>=3.10,<3.13`.")]
Cpu = Annotated[bool, typer.Option("--cpu", help="CPU builds only.")]
Accelerator = Annotated[
    str | None, typer.Option(metavar="NAME", help="cpu, cuda, rocm, mps, xpu, tpu, ascend or directml.")
]
Cuda = Annotated[str | None, typer.Option(metavar="VERSION", help="A CUDA family (`12`) or line (`12.6`).")]
AllowCpu = Annotated[
    bool, typer.Option("--allow-cpu", help="Where a framework has no build for the GPU, take its CPU build.")
]
ProfileName = Annotated[
    str | None, typer.Option("--profile", metavar="NAME|FILE", help="Start from a profile: research, hpc …")
]
Catalog = Annotated[
    list[str] | None,
    typer.Option("--catalog", metavar="DIR", help="A folder that adds to the catalog. Can be repeated."),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the steps, change nothing.")]


class PlainCommand(TyperCommand):
    """A command whose values stay the words that were typed."""

    def get_params(self, ctx: Any) -> list[Any]:
        return keep_words(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """A group whose values stay the words that were typed."""

    def get_params(self, ctx: Any) -> list[Any]:
        return keep_words(super().get_params(ctx))


def keep_words(params: list[Any]) -> list[Any]:
    """Spare parameters Typer's conversion.

    Every value of this command line is a word or a flag, so there is nothing to convert; Typer would
    load pydantic for it, which takes longer than a whole look at the machine.
    """
    for param in params:
        param.process_value = partial(_process_value, param)
    return params


def _process_value(param: Any, context: Any, value: Any) -> Any:
    several = param.multiple or param.nargs == -1
    if param.required and (value is None or (several and not value)):
        hint = f"`{context.command_path} --help` shows how it is used."
        raise UsageError(f"{param.metavar or param.name} is missing.", hint=hint)
    if several:
        value = tuple(value or ())
    elif getattr(param, "is_flag", False):
        value = bool(value)
    return param.callback(context, param, value) if param.callback else value


def _examples(*lines: str) -> str:
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


app = typer.Typer(
    cls=PlainGroup,
    help="Gets a deep-learning environment right, on any machine, and says why.",
    epilog=_examples(
        "dlsetup doctor                        what is wrong here, and what mends it",
        "dlsetup resolve torch jax             builds that work together on this machine",
        "dlsetup create env demo torch         a checked environment in ./demo",
    ),
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
create = typer.Typer(
    cls=PlainGroup, rich_markup_mode=None, help="Create something new that works on this machine."
)
catalog = typer.Typer(cls=PlainGroup, rich_markup_mode=None, help="Look after the catalog of what exists.")
profiles = typer.Typer(cls=PlainGroup, rich_markup_mode=None, help="Named starting points.")
app.add_typer(create, name="create")
app.add_typer(catalog, name="catalog")
app.add_typer(profiles, name="profiles")


def _print_version(asked: bool) -> None:
    if asked:
        print(f"dlsetup {__version__}")
        raise typer.Exit


@app.callback()
def dlsetup(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    pass


@app.command(
    cls=PlainCommand,
    epilog=_examples(
        "dlsetup doctor",
        "dlsetup doctor --env ~/envs/vision -v",
        "dlsetup doctor --save-machine machine.json     (no names, no secrets inside)",
        "dlsetup doctor --machine machine.json --json",
    ),
)
def doctor(
    env: Env = None,
    json: Json = False,
    save_machine: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Save what was seen, redacted, to look at it elsewhere."),
    ] = None,
    machine: MachineFile = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Every detail and every way out.")] = False,
    catalog: Catalog = None,
) -> int:
    """Say what is wrong with this machine and its environment, why, and what mends it.

    Nothing is changed and no framework is imported. Exit code 1 where a finding is an error.
    """
    from dlsetup.commands.doctor import Request, run

    return run(
        Request(
            environment=env,
            machine_file=machine,
            save_as=save_machine,
            catalog=tuple(catalog or ()),
            as_json=json,
            verbose=verbose,
        )
    )


@app.command(
    cls=PlainCommand,
    epilog=_examples(
        "dlsetup resolve torch",
        "dlsetup resolve torch 'tensorflow>=2.18' jax --explain",
        "dlsetup resolve torch --target 'os=linux,arch=x86_64,glibc=2.31,driver=535.129.03,gpu=\"A100\"'",
        "dlsetup resolve --profile hpc --python 3.12 --json",
    ),
)
def resolve(
    frameworks: MaybeFrameworks = None,
    machine: MachineFile = None,
    target: TargetWords = None,
    python: Python = None,
    cpu: Cpu = False,
    accelerator: Accelerator = None,
    cuda: Cuda = None,
    allow_cpu: AllowCpu = False,
    profile: ProfileName = None,
    catalog: Catalog = None,
    json: Json = False,
    explain: Annotated[bool, typer.Option("--explain", help="Name the sources of every choice.")] = False,
) -> int:
    """Choose builds of every framework that work together on one machine, and say why. Works offline.

    Where nothing fits, the smallest reason and the ways out are shown, with exit code 1.
    """
    from dlsetup.commands.question import Question
    from dlsetup.commands.resolve import run

    question = Question(
        frameworks=tuple(frameworks or ()),
        profile=profile,
        python=python,
        accelerator="cpu" if cpu else accelerator,
        cuda=cuda,
        allow_cpu=allow_cpu,
        machine_file=machine,
        target=target,
        catalog=tuple(catalog or ()),
    )
    return run(question, as_json=json, explain=explain)


@app.command(
    cls=PlainCommand, epilog=_examples("dlsetup schema", "dlsetup schema doctor > doctor.schema.json")
)
def schema(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="`doctor`, `resolve`, `machine` …")
    ] = None,
) -> int:
    """Print the JSON Schema of a document; without a name, the names."""
    from dlsetup.commands.schema import run

    return run(name)


def main() -> None:
    """The program `dlsetup`."""
    sys.exit(call(sys.argv[1:]))


def call(words: Sequence[str]) -> int:
    """Carry out a command line. Every failure ends in one message, one hint and the exit code it has."""
    from dlsetup.show import failure

    as_json = "--json" in words
    try:
        code = typer.main.get_command(app).main(list(words) or ["--help"], "dlsetup", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        return failure.pipe_closed()
    except (KeyboardInterrupt, typer.Abort):
        return failure.interrupted()
    except ParserRefusal as exc:
        hint = f"`{exc.ctx.command_path} --help` shows how it is used." if exc.ctx else ""
        return failure.tell(UsageError(exc.format_message(), hint=hint), words, as_json=as_json)
    except DlsetupError as exc:
        return failure.tell(exc, words, as_json=as_json)
    except Exception as exc:
        return failure.tell_fault(exc, words, as_json=as_json)
    return code if isinstance(code, int) else 0
