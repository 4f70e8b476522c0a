"""What became of an old list, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from dlsetup.model.modernised import Change, Modernised
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Conflict
from dlsetup.show.lines import Line, Style

_STYLES: dict[str, Style] = {"dropped": "warning", "unknown": "warning", "kept": "faint"}


class ImportDocument(Record, frozen=True, kw_only=True):
    """The list as it is written today (`ok`), or the conflict that forbids any."""

    schema: Literal["dlsetup.import/1"] = "dlsetup.import/1"
    ok: bool
    modernised: Modernised | Unknown = UNKNOWN
    conflict: Conflict | Unknown = UNKNOWN


def modernised_lines(modern: Modernised, where: str) -> Iterator[Line]:
    """Each entry with what it became and why, then the text, or where it was written."""
    yield Line(text=f"What becomes of {where}", style="title")
    for item in modern.changes:
        yield from _change(item)
    plan = modern.plan
    names = ", ".join(f"{pick.framework} {pick.version}" for pick in plan.picks)
    cuda = f", CUDA {plan.cuda}" if plan.cuda is not None else ""
    yield Line()
    yield Line(mark="✓", text=f"{names} with Python {plan.python}{cuda} fit together on {plan.target.name}.")
    for note in modern.notes:
        yield Line(mark="!", text=f"{note}.", style="warning")
    yield Line()
    if isinstance(modern.path, Unknown):
        yield from (Line(text=row, wrap=False) for row in modern.text.splitlines())
    else:
        yield Line(mark="✓", text=f"written to {modern.path}")


def _change(item: Change) -> Iterator[Line]:
    became = f" → {item.became}" if item.became and item.became != item.text else ""
    style = _STYLES.get(item.what, "")
    yield Line(mark=f"{item.line:>4}", text=f"{item.what:<8} {item.text}{became}", style=style)
    if item.because:
        yield Line(text=item.because, indent=14, style="faint")
