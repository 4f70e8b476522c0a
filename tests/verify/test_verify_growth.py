"""The largest batch that fits, and numbers in turns: without a framework."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlsetup.verify.shared.measured_growth import FINE, Growth
from dlsetup.verify.shared.measured_rates import LEAST, in_turns, rate


class Device:
    """Memory for so many samples; each takes `each` bytes beside `base`. Its clock goes by what it does."""

    def __init__(self, most: int, *, per_second: float = 1e6, each: int = 10, base: int = 100) -> None:
        self.most, self.per_second, self.each, self.base = most, per_second, each, base
        self.now, self.asked = 0.0, list[int]()

    def attempt(self, size: int) -> dict[str, Any] | None:
        self.asked.append(size)
        self.now += 16 * size / self.per_second
        if size > self.most:
            return None
        return {"rates": [self.per_second] * 3, "bytes": self.base + self.each * size}

    def grow(self, **more: Any) -> dict[str, Any]:
        return Growth(self.attempt, **{"until": 1e9, "clock": lambda: self.now, **more}).grow()


@given(st.integers(1, 5000))
def test_the_limit_is_found_to_a_sixteenth(most: int) -> None:
    device = Device(most)
    seen = device.grow()
    assert seen["ended_by"] == "memory"
    assert seen["fits"] <= most < seen["too_many"]
    assert seen["too_many"] - seen["fits"] <= max(1, seen["fits"] // FINE)
    assert len(device.asked) < 32


def test_nothing_fits() -> None:
    seen = Device(0).grow()
    assert (seen["fits"], seen["too_many"], seen["variants"]) == (0, 1, [])


@given(st.integers(200, 50_000))
def test_what_is_expected_not_to_fit_is_not_tried(room: int) -> None:
    device = Device(1 << 30)
    seen = device.grow(room=room)
    assert all(device.base + device.each * size <= room for size in device.asked if size > 2)
    assert device.base + device.each * seen["too_many"] > room
    assert seen["ended_by"] == "memory"


def test_time_ends_it_before_an_attempt_that_would_last_longer() -> None:
    device = Device(1 << 30, per_second=100)
    seen = device.grow(until=10.0)
    assert seen["ended_by"] == "time"
    assert device.now <= 10.0
    assert seen["fits"] == 16


def test_where_larger_ones_bring_nothing_it_stops_if_it_is_told_so() -> None:
    assert Device(1 << 30).grow(flat=True)["ended_by"] == "rate"
    assert Device(1 << 30).grow(most=64)["ended_by"] == "most"


def test_what_is_known_is_said_at_once() -> None:
    said: list[int] = []
    Device(8).grow(so_far=lambda seen: said.append(seen["fits"]))
    assert said == sorted(said)
    assert said[:4] == [1, 2, 4, 8]


def test_variants_take_turns_and_none_has_fewer_numbers() -> None:
    order: list[str] = []

    def measured(name: str, number: float) -> float:
        order.append(name)
        return number

    found = in_turns(
        {"a": lambda: measured("a", 1.0), "b": lambda: measured("b", 2.0)}, time.monotonic() + 5, most=4
    )
    assert order == ["a", "b"] * 4
    assert found == {"a": [1.0] * 4, "b": [2.0] * 4}


def test_a_few_rounds_are_waited_for_but_not_for_ever() -> None:
    began = time.monotonic()
    slow = {"a": lambda: time.sleep(0.05) or 1.0}
    assert len(in_turns(slow, began + 0.12)["a"]) == LEAST
    assert len(in_turns(slow, time.monotonic() - 1)["a"]) == 1


def test_a_rate_is_samples_by_seconds() -> None:
    found = rate(lambda: time.sleep(0.005), 10, seconds=0.05)
    assert found == pytest.approx(2000, rel=0.6)
    assert found <= 2000
