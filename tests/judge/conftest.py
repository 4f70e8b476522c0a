"""The real catalog, read once, and the judge that holds a machine against it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dlsetup.catalog.load import load
from dlsetup.judge.registry import judge
from dlsetup.model.finding import Diagnosis
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Machine


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load(None)


@pytest.fixture(scope="session")
def judged(catalog: Catalog) -> Callable[[Machine], Diagnosis]:
    return lambda machine: judge(machine, catalog)
