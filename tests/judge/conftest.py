"""The real catalog, read once, and the judge that holds a machine against it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from dlsetup.catalog.images import image_knowledge
from dlsetup.catalog.load import load
from dlsetup.judge.registry import judge
from dlsetup.model.finding import Diagnosis
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Machine


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return replace(load(None), images=image_knowledge())


@pytest.fixture(scope="session")
def judged(catalog: Catalog) -> Callable[[Machine], Diagnosis]:
    return lambda machine: judge(machine, catalog)
