"""A plan for the embedded solver and installer of conda packages: its job, its steps, its lock."""

from __future__ import annotations

from msgspec.structs import replace

from dlsetup.model import codec
from dlsetup.model.conda import CondaSolution, CondaWish
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.steps import Procedure, Run, Step, Write
from dlsetup.plan.conda_platform import CondaPlatform
from dlsetup.plan.environment import Place
from dlsetup.plan.lock import Lock


class Channels(Record, frozen=True, kw_only=True):
    """Where packages come from: names or addresses, and the address that names stand behind."""

    names: tuple[str, ...] = ("conda-forge",)
    alias: str = ""
    """Empty: the library's own."""


class Job(Record, frozen=True, kw_only=True):
    """All that the child has to know; it reads nothing else."""

    channels: Channels
    subdir: str
    virtual: tuple[tuple[str, str, str], ...]
    always: tuple[str, ...]
    frameworks: tuple[tuple[str, tuple[str, ...]], ...]
    prefix: str
    records: str
    """File of the solved packages, in the library's own form."""
    answer: str
    """File of the answer: a solution, a refusal or a failure."""
    cache: str
    """Folder of the library's cache, shared with its other users."""
    explicit: tuple[tuple[str, str, str], ...] = ()
    """Packages that are locked: address, SHA-256 and MD5, as far as the lock has them."""
    offline: bool = False
    progress: bool = False


class Refusal(Record, frozen=True, kw_only=True):
    """The solver finds no environment."""

    said: str
    frameworks: tuple[str, ...] = ()
    """The fewest that it refuses together; empty: it refuses what is asked for besides, too."""
    offered: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Packages by name with the newest versions that the channels have for the platform."""


class Answer(Record, frozen=True, kw_only=True):
    """What the child found."""

    solution: CondaSolution | Unknown = UNKNOWN
    refusal: Refusal | Unknown = UNKNOWN
    failure: str = ""


class Embedded(Record, frozen=True, kw_only=True):
    """How the child is called: its Python, its file, the folder that holds the library."""

    python: str
    child: str
    library: str
    cache: str
    channels: Channels = Channels()
    uv: str = "uv"
    offline: bool = False
    seen: bool = False
    """Somebody watches the progress."""


def job_of(wish: CondaWish, platform: CondaPlatform, place: Place, means: Embedded) -> Job:
    """The job of solving and installing the wish at the place."""
    return Job(
        channels=means.channels,
        subdir=platform.subdir,
        virtual=tuple((item.name, item.version, item.build) for item in platform.virtual),
        always=(*wish.always, *wish.packages, *(("pip",) if wish.pip else ())),
        frameworks=wish.frameworks,
        prefix=place.final,
        records=place.inside("rattler", "records.lock"),
        answer=place.inside("rattler", "answer.json"),
        cache=means.cache,
        offline=means.offline,
        progress=means.seen,
    )


def locked_job(solution: CondaSolution, place: Place, means: Embedded) -> Job:
    """The job of finding and installing what is locked, at the place."""
    job = job_of(
        CondaWish(always=()), CondaPlatform(subdir=solution.subdir, virtual=solution.virtual), place, means
    )
    return replace(job, explicit=tuple((item.url, item.sha256, item.md5) for item in solution.packages))


def locked_steps(job: Job, place: Place, means: Embedded) -> tuple[Step, ...]:
    """Find what is locked in its channels, install it."""
    text = codec.encode(job, indent=2).decode() + "\n"
    return (
        Write(path=_job_file(place), text=text, why="say what is locked"),
        _call("recall", place, means, why="find it in the channels that it came from"),
        _call("install", place, means, why="fetch and install it"),
    )


def rattler_steps(text: str, wish: CondaWish, job: Job, place: Place, means: Embedded) -> tuple[Step, ...]:
    """Write what is wanted, solve it, install it; what conda-forge lacks goes to uv."""
    steps: list[Step] = [
        Write(path=place.inside("environment.yml"), text=text, why="say what is wanted"),
        *solving_steps(job, place, means),
        _call("install", place, means, why="fetch and install what is solved"),
    ]
    if wish.pip:
        steps += _pip_steps(wish, job, place, means)
    return tuple(steps)


def solving_steps(job: Job, place: Place, means: Embedded) -> tuple[Step, ...]:
    """What leads to the answer of the job, before anything is fetched."""
    text = codec.encode(job, indent=2).decode() + "\n"
    return (
        Write(path=_job_file(place), text=text, why="say it of which target"),
        _call("solve", place, means, why="solve it for the target"),
    )


def _call(verb: str, place: Place, means: Embedded, *, why: str) -> Run:
    return Run(argv=(means.python, "-I", means.child, means.library, verb, _job_file(place)), why=why)


def _job_file(place: Place) -> str:
    return place.inside("rattler", "job.json")


def _pip_steps(wish: CondaWish, job: Job, place: Place, means: Embedded) -> list[Step]:
    listed = place.inside("requirements.txt")
    text = "".join(f"{line}\n" for line in wish.pip)
    python = f"{place.final}/python.exe" if place.windows else f"{place.final}/bin/python"
    offline = ("--offline",) if job.offline else ()
    argv = (means.uv, "pip", "install", *offline, "--python", python, "--requirements", listed)
    return [
        Write(path=listed, text=text, why="say what conda-forge does not have"),
        Run(argv=argv, why="install what conda-forge does not have"),
    ]


def rattler_procedure(steps: tuple[Step, ...], place: Place, assumed: tuple[str, ...]) -> Procedure:
    """The steps as `--dry-run` shows them."""
    chosen = ("The solver chooses patch releases and builds of conda-forge.",)
    solves = any(isinstance(step, Run) and "solve" in step.argv for step in steps)
    notes = (*(chosen if solves else ()), *(f"{item}." for item in assumed))
    return Procedure(title=f"Steps to build {place.final}", steps=steps, notes=notes)


def weight(solution: CondaSolution) -> Lock:
    """How many packages it has and what they weigh."""
    sizes = [item.size_bytes for item in solution.packages]
    known = [size for size in sizes if not isinstance(size, Unknown)]
    total = sum(known) if len(known) == len(sizes) else UNKNOWN
    return Lock(packages=len(sizes), download_bytes=total)
