"""How much of one kind is looked at: a report repeats itself, and a hostile one does so without end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from dlsetup.model.machine import Gap, Sighting
from dlsetup.model.record import Unknown

T = TypeVar("T")
HALF = 1000
"""Records of one kind that are kept of the beginning, and of the end, of a report that tells more."""
HALF_OF_A_PART = 100
"""Places of the report that tell of one part of a record, such as `driver.module`."""


class Amount:
    """Keeps what is within bounds, and says of what is not that nobody looked at it."""

    def __init__(self) -> None:
        self.gaps: list[Gap] = []

    def known(self, what: str, records: tuple[T, ...] | Unknown) -> tuple[T, ...] | Unknown:
        """The records, of very many the first and the last."""
        return records if isinstance(records, Unknown) else self.of(what, records)

    def of(self, what: str, records: tuple[T, ...]) -> tuple[T, ...]:
        """The same, of records that are known."""
        if len(records) <= 2 * HALF:
            return records
        reason = f"of {len(records)} the first and the last {HALF} are looked at"
        self.gaps.append(Gap(fact=f"some of the {what}", reason=reason))
        return (*records[:HALF], *records[-HALF:])

    def seen(self, fact: str, places: Sequence[Sighting]) -> Sequence[Sighting]:
        """Places that tell of one fact; it is said where one is left out that tells another value."""
        if len(places) <= 2 * HALF_OF_A_PART:
            return places
        kept = [*places[:HALF_OF_A_PART], *places[-HALF_OF_A_PART:]]
        if not {item.value for item in places} <= {item.value for item in kept}:
            reason = f"of {len(places)} the first and the last {HALF_OF_A_PART} are looked at"
            self.gaps.append(Gap(fact=f"some places that tell of `{fact}`", reason=reason))
        return kept
