"""What conda says of a repair of its environment; what is left to uv is asked as for any other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from dlsetup.act.conda import ask_conda, on_paper, tool_to_mend
from dlsetup.act.uv import NoSolution
from dlsetup.catalog.conda import conda_packages
from dlsetup.model.conda import CondaRecord
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Environment, Machine
from dlsetup.model.record import Unknown
from dlsetup.model.repair import Change, CondaWork, Intent, Repair
from dlsetup.model.target import Target
from dlsetup.model.variants import conda_variant
from dlsetup.model.versions import CudaVersion
from dlsetup.plan.conda_cuda import narrowed
from dlsetup.plan.conda_repair import Division, Known, divide
from dlsetup.plan.conda_steps import CondaForecast, conda_forecast_step, package_changes, read_conda_forecast
from dlsetup.plan.forecast import Forecast
from dlsetup.probe.conda_records import conda_records
from dlsetup.probe.host import Host
from dlsetup.rules.driver import ceiling_of

UNSERVED = "the channels have no build that this driver and every GPU here are served by."
PARTED = "conda's own takes its place: pip had put it over that"


@dataclass(frozen=True)
class CondaSide:
    """The part of a repair that is conda's."""

    environment: Environment
    records: tuple[CondaRecord, ...]
    division: Division
    cuda: str
    """The newest CUDA that the driver knows; empty: not known."""

    @property
    def own(self) -> dict[str, CondaRecord]:
        """What conda brought and pip has not replaced, by the name of the distribution."""
        return {item.distribution: item for item in self.records if item.distribution and item.whole}


def conda_side(
    intent: Intent, machine: Machine, environment: Environment, catalog: Catalog, host: Host
) -> CondaSide:
    """Divides the intent. Raises `NoSolution` for what conda cannot be told."""
    records = conda_records(host, environment.path)
    target = Target.of(machine)
    known = Known(
        environment=environment, records=records, packages=conda_packages(), catalog=catalog, target=target
    )
    division = divide(intent, known)
    if isinstance(division, str):
        raise NoSolution(division, hint="do it with conda by hand.")
    ceiling = ceiling_of(target, catalog.hardware)
    cuda = "" if isinstance(ceiling, Unknown) or not target.gpus else str(ceiling)
    return CondaSide(environment, records, division, cuda)


def of_pip(forecast: Forecast, side: CondaSide) -> Forecast:
    """What uv says without what is not uv's to move."""
    theirs = {*side.own, *side.division.part}
    return Forecast(
        removed=tuple(row for row in forecast.removed if row[0] not in theirs),
        added=tuple(row for row in forecast.added if row[0] not in theirs),
    )


def with_conda(repair: Repair, side: CondaSide, host: Host, folder: str) -> Repair:
    """The repair with what conda does, in its own words.

    Raises `NoSolution` where no channel has that, `ToolMissing` where there is no tool for it.
    """
    own, division = side.own, side.division
    packages = {item.name: item for item in side.records}
    take = tuple(dict.fromkeys((*division.take, *_packages(repair.remove, own))))
    again = tuple(dict.fromkeys((*division.again, *_packages(map(_name, repair.rewrite), own))))
    tool = tool_to_mend(host.environ).path if division.tiers or take or again else ""
    work = CondaWork(tool=tool, channels=division.channels, cuda=side.cuda, take=take)
    work, forecast = _asked(work, side, host, folder)
    linked = dict(forecast.added)
    work = replace(work, again=tuple(_exactly(packages[name]) for name in again if name not in linked))
    changes = package_changes(work, forecast, side.records)
    moved = [item for item in repair.changes if item.distribution not in own]
    return replace(
        repair,
        conda=work if changes else None,
        packages=changes,
        remove=(*division.part, *(name for name in repair.remove if name not in {*own, *division.part})),
        rewrite=tuple(pin for pin in repair.rewrite if _name(pin) not in own),
        changes=(*_parted(side), *(item for item in moved if item.distribution not in division.part)),
        intent=_without_pins(
            repair.intent, {packages[name].distribution for name in linked if name in packages}
        ),
        download_bytes=forecast.download_bytes,
    )


def _asked(work: CondaWork, side: CondaSide, host: Host, folder: str) -> tuple[CondaWork, CondaForecast]:
    """The first of the tiers that the channels have and that the driver and the GPUs are served by."""
    division = side.division
    if not division.tiers:
        return work, CondaForecast()
    paper = str(on_paper(Path(side.environment.path), Path(folder), work.take))
    refused: list[NoSolution] = []
    for specs in division.tiers:
        found = list(_solved(work, specs, paper, host, refused))
        if found and not any(_is_served(forecast, side) for _, forecast in found):
            # The build that the tool likes best is none that runs here: others have to be named.
            lines = (narrowed(specs, cuda) for cuda in division.served.lines)
            found = [pair for words in lines for pair in _solved(work, words, paper, host, refused)]
        served = next((pair for pair in found if _is_served(pair[1], side)), None)
        if served is not None:
            return served
    raise refused[-1] if refused else NoSolution(UNSERVED, hint="`dlsetup doctor -v` names other ways.")


def _solved(
    work: CondaWork, specs: tuple[str, ...], paper: str, host: Host, refused: list[NoSolution]
) -> Iterator[tuple[CondaWork, CondaForecast]]:
    """With everything else as it is, else with what has to move. Refusals are added to `refused`."""
    for frozen in (True, False):
        tried = replace(work, specs=specs, frozen=frozen)
        try:
            said = ask_conda(conda_forecast_step(tried, paper), host.environ)
        except NoSolution as error:
            refused.append(error)
            continue
        yield tried, read_conda_forecast(said)
        return


def _is_served(forecast: CondaForecast, side: CondaSide) -> bool:
    """Whether what comes of it is made with a CUDA that runs here."""
    builds = {item.name: item.build for item in side.records}
    builds |= {name: text.rpartition(" ")[2] for name, text in forecast.added}
    variants = (conda_variant(builds[name]) for name in side.division.built if name in builds)
    cudas = (CudaVersion.from_variant(text) for text in variants if not isinstance(text, Unknown))
    return all(side.division.served.hold(cuda) for cuda in cudas if cuda is not None)


def _without_pins(intent: Intent, moved: Collection[str]) -> Intent:
    """Of what conda moves nobody knows yet what version its metadata will tell."""
    plan = intent.plan
    kept = tuple(text for text in plan.constraints if _name(text) not in moved)
    return replace(intent, plan=replace(plan, constraints=kept))


def _parted(side: CondaSide) -> Iterable[Change]:
    for name in side.division.part:
        found = side.environment.distribution(name)
        yield Change(
            distribution=name, before=str(found.version) if found else "", after=None, because=PARTED
        )


def _packages(names: Iterable[str], own: dict[str, CondaRecord]) -> Iterable[str]:
    return (own[name].name for name in names if name in own)


def _exactly(record: CondaRecord) -> str:
    return f"{record.name}={record.version}={record.build}"


def _name(pin: str) -> str:
    return pin.partition("==")[0]
