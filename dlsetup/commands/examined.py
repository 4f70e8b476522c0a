"""The part of the catalog that concerns what is installed."""

from __future__ import annotations

from dlsetup.catalog.load import Places, load, named
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Machine
from dlsetup.model.record import Unknown


def catalog_of_examined(machine: Machine, places: Places) -> Catalog:
    """The catalog of the frameworks that the examined environment holds."""
    environment = machine.environment
    if environment is None or isinstance(environment.distributions, Unknown):
        return load((), places)
    return load(named({item.name for item in environment.distributions}, places), places)
