"""What was taken from files that list packages, and what was left, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dlsetup.model.listing import Reading
from dlsetup.show.lines import Line

MOST = 12
"""Entries that are shown one by one; JSON has all of them."""


def reading_lines(readings: Sequence[Reading]) -> Iterator[Line]:
    """Each file with its frameworks, the number of its other packages, and what was left and why."""
    for reading in readings:
        yield from _lines(reading)
    if readings:
        yield Line()


def _lines(reading: Reading) -> Iterator[Line]:
    taken = ", ".join(said.text for said in reading.frameworks) or "no framework"
    yield Line(mark="·", text=f"{reading.path}: {taken}")
    if reading.packages:
        names = _few([said.text for said in reading.packages])
        yield Line(mark="kept", text=f"for the installer: {names}", indent=2, style="faint")
    for note in reading.notes:
        yield Line(mark="took", text=note, indent=2, style="faint")
    for item in reading.left[:MOST]:
        text = f"{item.text} ({item.where}): {item.because}"
        yield Line(mark="left", text=text, indent=2, style="warning")
    more = len(reading.left) - MOST
    if more > 0:
        yield Line(mark="left", text=f"{more} more; `--json` names them", indent=2, style="warning")


def _few(names: Sequence[str]) -> str:
    more = len(names) - MOST
    return ", ".join(names[:MOST]) + (f" and {more} more" if more > 0 else "")
