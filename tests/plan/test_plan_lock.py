"""What a lock weighs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlsetup.model.errors import DataError
from dlsetup.model.record import Unknown
from dlsetup.plan.lock import read_lock


def wheel(name: str, size: int | None, address: str = "https://index/files/") -> str:
    told = "" if size is None else f", size = {size}"
    return f'{{ url = "{address}{name}"{told} }}'


def package(*wheels: str) -> str:
    return f'[[packages]]\nname = "p"\nversion = "1"\nwheels = [{", ".join(wheels)}]\n'


def test_sums_one_file_for_each_package() -> None:
    text = package(wheel("a-1-py3-none-any.whl", 100)) + package(wheel("b-1-py3-none-any.whl", 20))
    found = read_lock(text)
    assert (found.packages, found.download_bytes) == (2, 120)


def test_takes_the_wheel_an_installer_takes() -> None:
    text = package(
        wheel("a-1-py3-none-any.whl", 1),
        wheel("a-1-cp39-abi3-manylinux_2_17_x86_64.whl", 2),
        wheel("a-1-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl", 4),
        wheel("a-1-cp312-cp312-manylinux_2_28_x86_64.whl", 8),
    )
    assert read_lock(text).download_bytes == 8


def test_file_on_this_machine_weighs_nothing() -> None:
    text = package(wheel("a-1-py3-none-any.whl", None, "file:///wheels/"), wheel("a-1-py3-none-any.whl", 100))
    assert read_lock(text).download_bytes == 0


def test_source_distribution() -> None:
    text = '[[packages]]\nname = "p"\nsdist = { url = "https://index/p-1.tar.gz", size = 7 }\n'
    assert read_lock(text).download_bytes == 7


def test_one_unknown_size_makes_the_sum_unknown() -> None:
    text = package(wheel("a-1-py3-none-any.whl", 100)) + package(wheel("b-1-py3-none-any.whl", None))
    assert isinstance(read_lock(text).download_bytes, Unknown)


@given(st.text(max_size=200))
def test_anything_else_is_refused_or_empty(text: str) -> None:
    try:
        found = read_lock(text)
    except DataError:
        return
    assert found.packages >= 0


@pytest.mark.parametrize("text", ["packages = 1", "packages = [1]", 'packages = [{wheels = "x"}]'])
def test_wrong_shapes_are_refused(text: str) -> None:
    with pytest.raises(DataError):
        read_lock(text)
