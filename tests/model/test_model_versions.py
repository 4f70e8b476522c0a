"""Version numbers keep their order, their spelling, and their kind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlsetup.model.versions import ComputeCapability, CudaVersion, Dotted, DriverRelease

numbers = st.lists(st.integers(0, 99_999), min_size=1, max_size=4)


@given(numbers, numbers)
def test_order_is_that_of_the_numbers(left: list[int], right: list[int]) -> None:
    one, other = (DriverRelease(".".join(map(str, parts))) for parts in (left, right))
    width = max(len(left), len(right))
    padded = [parts + [0] * (width - len(parts)) for parts in (left, right)]
    assert (one < other) == (padded[0] < padded[1])
    assert (one == other) == (padded[0] == padded[1])
    assert one != other or hash(one) == hash(other)


@given(st.text(max_size=60))
def test_any_text_is_a_version_or_a_value_error(text: str) -> None:
    if Dotted.form.fullmatch(text):
        assert str(Dotted(text)) == text
    else:
        with pytest.raises(ValueError, match="not a Dotted"):
            Dotted(text)


def test_minor_ten_is_newer_than_minor_nine() -> None:
    assert CudaVersion("12.10") > CudaVersion("12.9")


def test_leading_zeros_are_kept_in_print_and_ignored_in_order() -> None:
    assert str(DriverRelease("535.129.03")) == "535.129.03"
    assert DriverRelease("535.129.03") == DriverRelease("535.129.3")


def test_kinds_are_never_equal_and_never_ordered() -> None:
    assert CudaVersion("12.4") != DriverRelease("12.4")
    with pytest.raises(TypeError):
        assert CudaVersion("12.4") < DriverRelease("550.54")


@pytest.mark.parametrize(
    ("variant", "cuda"),
    [("cu126", "12.6"), ("cu130", "13.0"), ("cu92", "9.2"), ("cu118", "11.8")],
)
def test_variant_names_a_cuda_line(variant: str, cuda: str) -> None:
    assert CudaVersion.from_variant(variant) == CudaVersion(cuda)


@pytest.mark.parametrize("variant", ["cu12", "cu13", "cpu", "rocm7.1", "cu", "cu1260", ""])
def test_other_words_name_no_cuda_line(variant: str) -> None:
    assert CudaVersion.from_variant(variant) is None


@given(st.integers(7, 99), st.integers(0, 99))
def test_driver_api_number(major: int, minor: int) -> None:
    assert CudaVersion.from_api(major * 1000 + minor * 10) == CudaVersion(f"{major}.{minor}")


@pytest.mark.parametrize(
    ("arch", "capability"),
    [("sm_89", "8.9"), ("sm_90a", "9.0"), ("compute_120", "12.0"), ("sm_103f", "10.3"), ("sm_52", "5.2")],
)
def test_architecture_names(arch: str, capability: str) -> None:
    assert ComputeCapability.from_arch(arch) == ComputeCapability(capability)


def test_architecture_round_trip() -> None:
    assert ComputeCapability.from_arch(ComputeCapability("12.0").sm) == ComputeCapability("12.0")


@pytest.mark.parametrize("arch", ["gfx1100", "sm_", "sm_9", "90", ""])
def test_other_architectures_are_refused(arch: str) -> None:
    with pytest.raises(ValueError, match="not an architecture"):
        ComputeCapability.from_arch(arch)
