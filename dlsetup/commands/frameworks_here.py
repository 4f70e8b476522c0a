"""The frameworks of an environment that is going to be used: what `verify` and `tune` begin with."""

from __future__ import annotations

from typing import NamedTuple

from dlsetup.catalog.load import Places, load, owners
from dlsetup.commands.question import machine_of
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Environment, Machine
from dlsetup.model.outcome import Expected
from dlsetup.model.record import Unknown
from dlsetup.plan.expectation import expectations_here


class Ground(NamedTuple):
    """A machine with the environment in question."""

    machine: Machine
    environment: Environment
    catalog: Catalog
    """Of the frameworks that are installed."""
    expected: tuple[Expected, ...]


def frameworks_here(asked: str | None, places: Places, command: str) -> Ground:
    """Raises `UsageError` where there is no environment to look into. `command`: who asks."""
    machine = machine_of(None, asked, places)
    environment = machine.environment
    if environment is None:
        raise UsageError(
            f"there is no environment to {command}", hint=f"name one: `dlsetup {command} --env PATH`"
        )
    if isinstance(environment.distributions, Unknown):
        reason = f"what is installed in `{environment.path}` cannot be read"
        raise UsageError(reason, hint="`dlsetup doctor -v` says why")
    names = owners(places)
    there = {names[item.name] for item in environment.distributions if item.name in names}
    catalog = load(there, places)
    return Ground(machine, environment, catalog, expectations_here(environment, catalog))
