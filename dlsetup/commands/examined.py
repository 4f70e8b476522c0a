"""The part of the catalog that concerns what is installed."""

from __future__ import annotations

from msgspec.structs import replace

from dlsetup.catalog.load import Places, load, named
from dlsetup.catalog.loading import loadings
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Machine
from dlsetup.model.record import Unknown


def catalog_of_examined(machine: Machine, places: Places) -> Catalog:
    """The catalog of the frameworks that the examined environment holds.

    How they load libraries is read only where a variable may lead to others.
    """
    environment = machine.environment
    if environment is None or isinstance(environment.distributions, Unknown):
        return load((), places)
    names = named({item.name for item in environment.distributions}, places)
    catalog = load(names, places)
    if not isinstance(machine.variable("LD_LIBRARY_PATH"), str):
        return catalog
    return replace(catalog, loading=loadings(names, places))
