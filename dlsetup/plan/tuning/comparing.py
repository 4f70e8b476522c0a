"""Whether one setting is faster than another, or only seems to be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median, quantiles
from typing import Literal, NamedTuple

from dlsetup.model.tuning import Numbers, Variant

LEAST = 3
"""Numbers of each without which nothing is said."""
MATTERS = 1.05
"""A gain below five percent is none that anybody would change a setting for."""

Said = Literal["faster", "slower", "alike", "few"]


class Compared(NamedTuple):
    """A variant against the usual one."""

    variant: Variant
    usual: Variant
    said: Said
    gain: float

    @property
    def words(self) -> str:
        """Both with their numbers."""
        return f"{told(self.variant)} against {told(self.usual)}"


def told(variant: Variant) -> str:
    """`bfloat16 812 samples/s (790–840, 5 times)`."""
    low, high = spread(variant.rates)
    times = len(variant.rates)
    return f"{variant.name} {number(middle(variant))} samples/s ({number(low)}–{number(high)}, {times} times)"


def number(rate: float) -> str:
    """With as many digits as mean something."""
    return f"{rate:.0f}" if rate >= 100 else f"{rate:.3g}"


def middle(variant: Variant) -> float:
    """The median of its rates; 0 without any."""
    return median(variant.rates) if variant.rates else 0.0


def spread(rates: Sequence[float]) -> tuple[float, float]:
    """Lower and upper quartile: one disturbance does not count."""
    if len(rates) < 2:
        return (rates[0], rates[0]) if rates else (0.0, 0.0)
    low, _, high = quantiles(rates, n=4, method="inclusive")
    return low, high


def compare(variant: Variant, usual: Variant) -> Compared:
    """Faster or slower is only what is so by five percent and with quartiles that do not meet."""
    gain = middle(variant) / middle(usual) if middle(usual) else 0.0
    if min(len(variant.rates), len(usual.rates)) < LEAST or not gain:
        return Compared(variant, usual, "few", gain)
    low, high = spread(variant.rates)
    usual_low, usual_high = spread(usual.rates)
    if gain >= MATTERS and low > usual_high:
        return Compared(variant, usual, "faster", gain)
    if gain <= 1 / MATTERS and high < usual_low:
        return Compared(variant, usual, "slower", gain)
    return Compared(variant, usual, "alike", gain)


def against(numbers: Numbers, usual: str, names: Iterable[str] | None = None) -> Compared | None:
    """The fastest other variant (of these names) against the usual one; None: one of them is missing."""
    base = numbers.variant(usual)
    wanted = None if names is None else set(names)
    others = [
        item
        for item in numbers.variants
        if item.name != usual and item.rates and (wanted is None or item.name in wanted)
    ]
    if base is None or not base.rates or not others:
        return None
    return compare(max(others, key=middle), base)
