"""What a probe remarks beside its answer, and how text from outside is cleaned."""

from __future__ import annotations

from dlsetup.model.machine import Gap, Sighting

TEXT_LIMIT = 300
DIGITS = 18


class Notes:
    """Sightings and gaps of one probe, in the order of their making."""

    def __init__(self) -> None:
        self.sightings: list[Sighting] = []
        self.gaps: list[Gap] = []

    def saw(self, fact: str, value: object, source: str) -> None:
        """One source's word on one fact."""
        self.sightings.append(Sighting(fact=fact, value=printable(str(value)), source=source))

    def gap(self, fact: str, reason: str, ask: str = "") -> None:
        """A fact that could not be looked at, why, and the command that would print it."""
        self.gaps.append(Gap(fact=fact, reason=printable(reason), ask=ask))


def printable(text: str) -> str:
    """The text in one bounded line without control characters: it came from outside."""
    return "".join(sign if sign.isprintable() else " " for sign in text[:TEXT_LIMIT]).strip()


def whole_number(text: str) -> int | None:
    """The number that up to 18 decimal digits write; None for anything else, `²` among it."""
    return int(text) if text.isdecimal() and len(text) <= DIGITS else None
