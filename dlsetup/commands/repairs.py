"""What `fix` was asked, what it saw, and what uv says of the repair."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from dlsetup.act.mending import answer
from dlsetup.act.uv import find_uv
from dlsetup.catalog.load import clues, opened
from dlsetup.commands.conda_repairs import conda_side, of_pip, with_conda
from dlsetup.commands.examined import catalog_of_examined
from dlsetup.commands.question import folders
from dlsetup.judge.registry import judge
from dlsetup.model.conda import CondaRecord
from dlsetup.model.errors import StepFailed, UsageError
from dlsetup.model.finding import Diagnosis
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Environment, Machine
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.repair import Intent, Repair
from dlsetup.plan.activation import SHELLS
from dlsetup.plan.beside import with_files
from dlsetup.plan.environment import Means
from dlsetup.plan.forecast import Forecast, read_forecast, settle
from dlsetup.plan.indexes import parse_index, with_addresses, without_secrets
from dlsetup.plan.lock import read_lock
from dlsetup.plan.mending import LOCK, Bench, forecast_steps, weighing_steps
from dlsetup.probe.host import Host
from dlsetup.probe.look import look

LARGEST_SCRIPT = 256 << 10


class Request(Record, frozen=True, kw_only=True):
    """The words of `fix`, as they were typed."""

    name: str | None = None
    """A kind of fault, or `all`; None: what can be mended is listed."""
    environment: str | None = None
    indexes: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    offline: bool = False
    wait: str = "10"
    """Seconds to wait for another dlsetup that is at work on the environment."""
    catalog: tuple[str, ...] = ()
    dry_run: bool = False
    yes: bool = False
    as_json: bool = False


@dataclass(frozen=True)
class Seen:
    """One look at the environment, and what is wrong with it."""

    machine: Machine
    environment: Environment
    catalog: Catalog
    diagnosis: Diagnosis


@dataclass(frozen=True)
class Work:
    """A repair, and how uv is to be asked for it."""

    repair: Repair
    means: Means
    alone: bool
    """Without holding the rest together: it does not fit together even now."""
    records: tuple[CondaRecord, ...] = ()
    """Of a conda environment: what conda has there now."""


def see(host: Host, environment: str | None, catalog: tuple[str, ...]) -> Seen:
    """Looks and judges. Raises `UsageError` where there is no such environment."""
    places = opened(folders(catalog))
    machine = look(host, environment=environment, clues=clues(places))
    if machine.environment is None:
        raise UsageError("there is no environment here.", hint="name one: `--env PATH`.")
    known = catalog_of_examined(machine, places)
    return Seen(machine, machine.environment, known, judge(machine, known))


def worked_out(seen: Seen, intent: Intent, request: Request, host: Host, folder: str) -> Work:
    """Asks uv what the repair moves and what that weighs; nothing is changed. Raises `StepFailed`."""
    given = [parse_index(text) for text in request.indexes]
    plan, rest = with_addresses(intent.plan, given, seen.catalog.indexes)
    intent = replace(intent, plan=plan)
    means = Means(
        uv=find_uv(host.environ), extra_indexes=rest, find_links=request.find_links, offline=request.offline
    )
    side = None
    if seen.environment.kind == "conda":
        side = conda_side(intent, seen.machine, seen.environment, seen.catalog, host)
        intent = side.division.pip
    bench = bench_for(seen, seen.environment.path, folder)
    forecast, alone = _forecast(intent, bench, means, host)
    if side is not None:
        forecast = of_pip(forecast, side)
    repair = settle(intent, forecast, seen.environment, seen.catalog.hardware)
    if side is not None:
        repair = with_conda(repair, side, host, folder)
    repair = _weighed(repair, bench, means, host)
    repair = with_files(repair, seen.machine, seen.catalog, _scripts(host, seen.environment.path))
    return Work(repair, means, alone, () if side is None else side.records)


def _weighed(repair: Repair, bench: Bench, means: Means, host: Host) -> Repair:
    """With what is to be fetched, by uv and by conda."""
    if not any(change.after for change in repair.changes):
        return repair
    answer(weighing_steps(repair, bench, means), host.environ)
    lock = read_lock(Path(bench.note(LOCK)).read_text("utf-8"))
    of_conda = repair.download_bytes if repair.packages else 0
    if isinstance(of_conda, Unknown) or isinstance(lock.download_bytes, Unknown):
        return replace(repair, download_bytes=UNKNOWN)
    return replace(repair, download_bytes=of_conda + lock.download_bytes)


def _forecast(intent: Intent, bench: Bench, means: Means, host: Host) -> tuple[Forecast, bool]:
    """What uv would move, and whether only without holding the rest together. Raises `StepFailed`."""
    if intent.idle:
        return Forecast(), False
    try:
        return read_forecast(answer(forecast_steps(intent, bench, means), host.environ)), False
    except StepFailed:
        said = answer(forecast_steps(intent, bench, means, alone=True), host.environ)
        return read_forecast(said), True


def _scripts(host: Host, environment: str) -> dict[str, str]:
    """The activation scripts of the environment that can be written again without loss.

    A link may lead to a file that is not the environment's own.
    """
    found: dict[str, str] = {}
    for shell in SHELLS:
        path = f"{environment}/{shell.script}"
        data = None if host.link(path) is not None else host.read_bytes(path, LARGEST_SCRIPT + 1)
        if data is not None and len(data) <= LARGEST_SCRIPT:
            with suppress(UnicodeDecodeError):
                found[shell.script] = data.decode("utf-8")
    return found


def shown(repair: Repair) -> Repair:
    """The repair as it may be shown: no passwords in the addresses of indexes."""
    return replace(repair, intent=replace(repair.intent, plan=without_secrets(repair.intent.plan)))


def bench_for(seen: Seen, environment: str, folder: str) -> Bench:
    """Where uv works, and where it finds what it is told."""
    return Bench(
        environment=environment,
        folder=folder,
        windows=seen.machine.system.os == "windows",
        conda=seen.environment.kind == "conda",
    )
