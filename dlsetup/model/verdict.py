"""The answer of a rule."""

from __future__ import annotations

from typing import Literal

from dlsetup.model.record import Record


class Verdict(Record, frozen=True, kw_only=True):
    """Yes, no or unknown, with the reason in words and the rows it rests on."""

    answer: Literal["yes", "no", "unknown"]
    rule: str
    because: str = ""
    """What holds, as a clause: `CUDA 13.0 needs an NVIDIA driver of branch 580 or newer`."""
    sources: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """True only for yes."""
        return self.answer == "yes"

    @property
    def refused(self) -> bool:
        """True only for no: what is unknown refuses nothing."""
        return self.answer == "no"
