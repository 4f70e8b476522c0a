"""What uv would move, in its own words, and the repair that follows from it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dlsetup.model import codec
from dlsetup.model.hardware import Hardware
from dlsetup.model.machine import Environment
from dlsetup.model.record import Record, Unknown
from dlsetup.model.repair import Change, Intent, Repair
from dlsetup.model.resolution import Pick
from dlsetup.plan.kinds import deeds
from dlsetup.plan.neighbours import distributions_of, is_companion
from dlsetup.plan.remains import kept_of_two
from dlsetup.rules.libraries import overlap_of
from dlsetup.rules.twins import shared_files


class Forecast(Record, frozen=True, kw_only=True):
    """Versions by name: what an exact installation would take away, and what it would bring."""

    removed: tuple[tuple[str, str], ...] = ()
    added: tuple[tuple[str, str], ...] = ()

    @property
    def idle(self) -> tuple[str, ...]:
        """Libraries that it would only take away: nothing asks for them."""
        brought = dict(self.added)
        return tuple(name for name, _ in self.removed if name not in brought and is_companion(name))


def read_forecast(text: str) -> Forecast:
    """The JSON of `uv pip install --dry-run --exact`. Raises `DataError`.

    {"changes": [{"name": "torch", "version": "2.8.0", "action": "uninstalled"}, …], "dry_run": true}
    """
    where = "the forecast of uv"
    changes = codec.decode(text, dict[str, Any], where=where).get("changes", [])
    rows = codec.convert(changes, tuple[dict[str, Any], ...], where=where)
    named = [(str(row.get("action")), str(row.get("name")), str(row.get("version"))) for row in rows]
    return Forecast(
        removed=tuple((name, version) for action, name, version in named if action == "uninstalled"),
        added=tuple((name, version) for action, name, version in named if action == "installed"),
    )


def settle(intent: Intent, forecast: Forecast, environment: Environment, hardware: Hardware) -> Repair:
    """The repair. Of what nothing asks for, only what is part of the fault is removed."""
    forecast = _without(forecast, environment, intent)
    idle = _orphans(forecast, environment, hardware, every=intent.whole_files)
    orphans = {name: why for name, why in idle if name not in intent.twins}
    remove = (*intent.twins, *orphans)
    moved = {name for name, _ in forecast.added}
    settled = {*remove, *moved, *forecast.idle}
    losing = _losing_files(environment, {*remove, *moved}, every=intent.whole_files)
    pins = (f"{name}=={found.version}" for name in losing if (found := environment.distribution(name)))
    again = tuple(pin for pin in intent.again if _name(pin) not in settled)
    rewrite = tuple(dict.fromkeys((*again, *(pin for pin in pins if _name(pin) not in settled))))
    twin = "another distribution owns its files and serves what asks for it"
    changes = (
        *_brought(intent, forecast, environment),
        *(_rewritten(pin, gone=pin in again) for pin in rewrite),
        *(_removed(name, orphans.get(name, twin), environment) for name in remove),
    )
    return Repair(intent=intent, remove=remove, rewrite=rewrite, changes=changes)


def _without(forecast: Forecast, environment: Environment, intent: Intent) -> Forecast:
    """The forecast without what uv would only install again because its metadata is there twice."""
    kept = kept_of_two(environment) if "clear-remains" in deeds(intent.mends) else {}
    stays = {name for name, version in forecast.added if str(kept.get(name)) == version}
    return Forecast(
        removed=tuple(row for row in forecast.removed if row[0] not in stays),
        added=tuple(row for row in forecast.added if row[0] not in stays),
    )


def _name(pin: str) -> str:
    return pin.partition("==")[0]


def _orphans(
    forecast: Forecast, environment: Environment, hardware: Hardware, *, every: bool
) -> Iterator[tuple[str, str]]:
    """Libraries that nothing asks for, and why they go: they were asked for, or their files collide.

    Unless `every` collision is a fault to mend, only with what comes.
    """
    asked = _asked_for(environment)
    there = {item.name for item in distributions_of(environment)} if every else set()
    staying = (there - set(forecast.idle)) | {name for name, _ in forecast.added}
    for name in forecast.idle:
        rival = next(iter(sorted(_rivals(name, environment, hardware) & staying)), None)
        if rival is not None:
            yield name, f"nothing asks for it, and it owns files of {rival}"
        elif name in asked:
            yield name, "nothing asks for it any more"


def _rivals(name: str, environment: Environment, hardware: Hardware) -> set[str]:
    """Distributions that own files of this one, here or by the catalog."""
    row = overlap_of(name, hardware)
    known = set(row.distributions) if row else set()
    here = {owner for item in shared_files(environment) if name in item.owners for owner in item.owners}
    return (known | here) - {name}


def _asked_for(environment: Environment) -> set[str]:
    """Names of all that something installed asks for, whatever the markers."""
    texts = [
        text
        for item in distributions_of(environment)
        if not isinstance(item.requires, Unknown)
        for text in item.requires
    ]
    named = (re.match(r"\s*([\w.-]+)", text) for text in texts)
    return {canonicalize_name(found[1]) for found in named if found}


def _losing_files(environment: Environment, gone: Collection[str], *, every: bool) -> list[str]:
    """Owners of files that go with another owner, and of `every` file that something else wrote over."""
    found: dict[str, None] = {}
    for item in shared_files(environment):
        damaged = () if isinstance(item.damaged, Unknown) or not every else item.damaged
        found |= dict.fromkeys(item.owners if any(name in gone for name in item.owners) else damaged)
    return list(found)


def _brought(intent: Intent, forecast: Forecast, environment: Environment) -> Iterator[Change]:
    picks: dict[str, Pick] = {
        canonicalize_name(Requirement(pick.requirement).name): pick for pick in intent.plan.picks
    }
    before = dict(forecast.removed)
    for name, version in forecast.added:
        pick = picks.get(name)
        because = "what is installed asks for it" if pick is None else pick.because
        yield Change(distribution=name, before=before.get(name), after=version, because=because)


def _rewritten(pin: str, *, gone: bool) -> Change:
    name, _, version = pin.partition("==")
    written_over = "another distribution wrote over its files, or takes them along"
    because = "its files are gone" if gone else written_over
    return Change(distribution=name, before=version, after=version, because=because)


def _removed(name: str, because: str, environment: Environment) -> Change:
    found = environment.distribution(name)
    return Change(distribution=name, before=str(found.version) if found else "", after=None, because=because)
