"""What the shipped rows on drivers and GPUs must mean, and what the clues must read."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from dlsetup.catalog.load import clues
from dlsetup.model.framework import Catalog
from dlsetup.model.record import Unknown


def test_drivers_grow_with_the_cuda_they_ship_with(shipped: Catalog) -> None:
    rows = sorted(shipped.hardware.toolkits, key=lambda row: row.version)
    assert len({row.version for row in rows}) == len(rows)
    for system in ("driver_linux", "driver_windows"):
        drivers = [getattr(row, system) for row in rows if not isinstance(getattr(row, system), Unknown)]
        assert drivers == sorted(drivers)
    branches = sorted(shipped.hardware.branches, key=lambda row: row.branch)
    ceilings = [row.cuda_ceiling for row in branches if not isinstance(row.cuda_ceiling, Unknown)]
    assert ceilings == sorted(ceilings)
    least = [row.min_capability for row in branches if not isinstance(row.min_capability, Unknown)]
    assert [item.parts for item in least] == sorted(item.parts for item in least)


def test_a_floor_is_no_newer_than_the_first_driver_of_its_major(shipped: Catalog) -> None:
    for floor in shipped.hardware.floors:
        shipped_with = [
            row.driver_linux for row in shipped.hardware.toolkits if row.version.major == floor.major
        ]
        known = [driver for driver in shipped_with if not isinstance(driver, Unknown)]
        assert floor.linux.major in {driver.major for driver in known}
        newer = [driver for driver in known if driver >= floor.linux]
        assert len(newer) >= len(known) - 3


@pytest.mark.parametrize(
    ("name", "capability"),
    [
        ("Tesla V100", "7.0"),
        ("GeForce GTX 1080 Ti", "6.1"),
        ("GeForce RTX 4090", "8.9"),
        ("GeForce RTX 5090", "12.0"),
        ("NVIDIA A100", "8.0"),
        ("NVIDIA H100", "9.0"),
        ("NVIDIA B200", "10.0"),
    ],
)
def test_well_known_gpus(shipped: Catalog, name: str, capability: str) -> None:
    found = [row for row in shipped.hardware.gpus if row.name == name]
    assert [str(row.compute_capability) for row in found] == [capability]


def test_no_gpu_name_has_two_capabilities(shipped: Catalog) -> None:
    seen = Counter(row.name for row in shipped.hardware.gpus)
    assert [name for name, count in seen.items() if count > 1] == []


def test_clues_are_patterns_with_one_group() -> None:
    found = clues()
    assert {clue.distribution for clue in found} >= {"torch", "tensorflow"}
    for clue in found:
        assert re.compile(clue.pattern).groups == 1
        assert not clue.path.startswith("/")
        assert ".." not in clue.path


@pytest.mark.parametrize(
    ("distribution", "text", "gives", "value"),
    [
        ("torch", "__version__ = '2.14.1+cu126'\ncuda: Optional[str] = '12.6'\n", "cuda", "12.6"),
        ("torch", "__version__ = '2.14.1+cu126'\ncuda: Optional[str] = '12.6'\n", "variant", "cu126"),
        ("torch", "__version__ = '1.13.1+cpu'\ncuda = None\nhip = None\n", "variant", "cpu"),
        ("torch", "cuda: str | None = None\nhip: str | None = '7.1.25424'\n", "rocm", "7.1.25424"),
        ("tensorflow", "build_info = OrderedDict([('cuda_version', '12.5.1'), ('x', 1)])", "cuda", "12.5.1"),
        ("tensorflow", 'build_info = {"cuda_version": "12.3"}', "cuda", "12.3"),
    ],
)
def test_clues_read_what_frameworks_write(distribution: str, text: str, gives: str, value: str) -> None:
    found = [
        match[1]
        for clue in clues()
        if clue.distribution == distribution and clue.gives == gives
        for match in [re.search(clue.pattern, text)]
        if match
    ]
    assert found == [value]


def test_no_clue_reads_cuda_where_there_is_none() -> None:
    text = "__version__ = '2.14.1+cpu'\ncuda: Optional[str] = None\n"
    assert not [clue for clue in clues() if clue.gives == "cuda" and re.search(clue.pattern, text)]
