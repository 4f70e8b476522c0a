"""JetPack, the C++11 ABI of torch, pairs for Ascend: rows that checks look up."""

from __future__ import annotations

import pytest
from packaging.version import Version

from dlsetup.model.framework import Catalog


@pytest.mark.parametrize(
    ("release", "name"),
    [("36.4.3", "6.2"), ("36.4.0", "6.1 or 6.2"), ("35.4.1", "5.1.2"), ("32.7.6", "4.6"), ("32.71", "")],
)
def test_the_longest_row_tells_the_jetpack(shipped: Catalog, release: str, name: str) -> None:
    found = (row.name for row in shipped.hardware.jetpacks if row.holds_for(release))
    assert next(found, "") == name


def test_a_row_of_more_numbers_comes_before_one_that_would_hide_it(shipped: Catalog) -> None:
    rows = shipped.hardware.jetpacks
    for place, row in enumerate(rows):
        assert not any(earlier.holds_for(row.l4t) for earlier in rows[:place]), row.l4t


@pytest.mark.parametrize(
    ("version", "variant", "new"),
    [
        ("2.5.1", "cu124", False),
        ("2.6.0", "cu124", False),
        ("2.6.0", "cu126", True),
        ("2.7.0", "cu118", True),
    ],
)
def test_the_abi_of_a_build(shipped: Catalog, version: str, variant: str, new: bool) -> None:
    rows = [row for row in shipped.hardware.cxx_abis if row.torch.contains(version)]
    assert next(row.cxx11 for row in rows if not row.variants or variant in row.variants) is new


def test_mindspore_has_a_partner_for_each_major_of_cann(shipped: Catalog) -> None:
    rows = [row for row in shipped.hardware.ascend if row.distribution == "mindspore"]
    assert {Version(row.cann).major for row in rows} >= {5, 6, 7, 8}
