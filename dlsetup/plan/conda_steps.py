"""What a conda tool is told so that it mends an environment, and what it says that this moves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dlsetup.model import codec
from dlsetup.model.conda import CondaRecord, CondaSolution, SolvedPackage
from dlsetup.model.errors import DataError
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.repair import Change, CondaWork
from dlsetup.model.steps import Run, Step
from dlsetup.plan.conda_platform import CondaPlatform


class CondaForecast(Record, frozen=True, kw_only=True):
    """Packages by name, each with version and build."""

    removed: tuple[tuple[str, str], ...] = ()
    added: tuple[tuple[str, str], ...] = ()
    download_bytes: int | Unknown = 0


def conda_forecast_step(work: CondaWork, prefix: str) -> Run:
    """What makes the tool say what it would move, without moving it."""
    return _install(work, prefix, ("--dry-run", "--json"), "ask conda what that moves")


def conda_steps(work: CondaWork, prefix: str) -> tuple[Step, ...]:
    """What changes conda's packages."""
    steps: list[Step] = []
    if work.take:
        argv = (work.tool, "remove", "--yes", "--prefix", prefix, "--force", *work.take)
        steps.append(Run(argv=argv, why="remove what must not stay, and nothing else"))
    if work.specs:
        steps.append(_install(work, prefix, ("--yes",), "let conda solve and install what is wanted"))
    if work.again:
        flags = ("--yes", "--no-deps", "--force-reinstall")
        again = CondaWork(tool=work.tool, channels=work.channels, cuda=work.cuda, specs=work.again)
        steps.append(_install(again, prefix, flags, "write the files of these packages again"))
    return tuple(steps)


def _install(work: CondaWork, prefix: str, flags: tuple[str, ...], why: str) -> Run:
    words = [word for channel in work.channels for word in ("--channel", channel)]
    frozen = ("--freeze-installed",) if work.frozen else ()
    where = ("--prefix", prefix, "--override-channels", *words)
    argv = (work.tool, "install", *flags, *frozen, *where, *work.specs)
    return Run(argv=argv, why=why, env=(("CONDA_OVERRIDE_CUDA", work.cuda),) if work.cuda else ())


def read_conda_forecast(text: str) -> CondaForecast:
    """The JSON of `install --dry-run --json`. Raises `DataError`.

    {"actions": {"UNLINK": [{"name": "pytorch", "version": "2.14.1", "build_string": "cpu_…"}], "LINK": […],
    "FETCH": [{…, "size": 123}]}}; there is no `actions` where nothing moves.
    """
    where = "the forecast of conda"
    document = codec.decode(text, dict[str, Any], where=where)
    told = codec.convert(document.get("actions", {}), dict[str, Any], where=where)
    rows = {
        name: codec.convert(told.get(name) or (), tuple[dict[str, Any], ...], where=where)
        for name in ("UNLINK", "LINK", "FETCH")
    }
    sizes = [row.get("size") for row in rows["FETCH"]]
    known = [size for size in sizes if isinstance(size, int)]
    return CondaForecast(
        removed=tuple(map(_named, rows["UNLINK"])),
        added=tuple(map(_named, rows["LINK"])),
        download_bytes=sum(known) if len(known) == len(sizes) else UNKNOWN,
    )


def _named(row: dict[str, Any]) -> tuple[str, str]:
    build = row.get("build_string") or row.get("build") or ""
    return str(row.get("name")), f"{row.get('version')} {build}".strip()


def paper_step(tool: str, file: str, prefix: str, platform: CondaPlatform, *, offline: bool) -> Run:
    """What makes micromamba or mamba say what an environment would be, for any platform."""
    quiet = (("CONDA_OFFLINE", "1"), ("MAMBA_OFFLINE", "1")) if offline else ()
    argv = (tool, "create", "--yes", "--dry-run", "--json", "--prefix", prefix, "--file", file)
    return Run(argv=argv, why="solve it for the target", env=(*platform.overrides, *quiet))


def read_conda_solution(text: str, platform: CondaPlatform) -> CondaSolution:
    """The JSON of `create --dry-run --json`, whose packages have `url` and hashes. Raises `DataError`."""
    where = "the solution of conda"
    document = codec.decode(text, dict[str, Any], where=where)
    told = codec.convert(document.get("actions", {}), dict[str, Any], where=where)
    rows = codec.convert(told.get("LINK") or (), tuple[_Linked, ...], where=where)
    if not rows:
        raise DataError(f"{where} has no packages")
    packages = tuple(
        SolvedPackage(
            name=row.name,
            version=row.version,
            build=row.build_string,
            url=row.url,
            sha256=row.sha256,
            md5=row.md5,
            size_bytes=row.size,
        )
        for row in rows
    )
    return CondaSolution(subdir=platform.subdir, packages=packages, virtual=platform.virtual)


class _Linked(Record, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """One package that would be linked."""

    name: str
    version: str
    build_string: str
    url: str
    sha256: str = ""
    md5: str = ""
    size: int | Unknown = UNKNOWN


def package_changes(
    work: CondaWork, forecast: CondaForecast, records: Iterable[CondaRecord]
) -> tuple[Change, ...]:
    """Every package that moves, before and after."""
    there = {item.name: f"{item.version} {item.build}" for item in records}
    before, after = dict(forecast.removed), dict(forecast.added)
    named = {spec.partition("=")[0].partition("[")[0].rstrip("<>!~") for spec in work.specs}
    taken = (
        Change(distribution=name, before=there[name], after=None, because="it stands against what is wanted")
        for name in work.take
    )
    moved = (
        Change(
            distribution=name,
            before=before.get(name),
            after=after.get(name),
            because="" if name in named else "what is installed asks for it",
        )
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    )
    written = (
        Change(
            distribution=name,
            before=there[name],
            after=there[name],
            because="its files are gone, or another distribution wrote over them",
        )
        for name in (spec.partition("=")[0] for spec in work.again)
    )
    return (*taken, *moved, *written)
