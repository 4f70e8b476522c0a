"""Numbers and lists as people say them."""

from __future__ import annotations

from collections.abc import Sequence

from dlsetup.model.record import Unknown


def size(count: int | Unknown) -> str:
    """Bytes in binary units: 25 769 803 776 is `24.0 GiB`."""
    if isinstance(count, Unknown):
        return "unknown"
    amount = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit in ("B", "KiB") else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} TiB"


def counted(number: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(items: Sequence[str]) -> str:
    """`torch`, `torch and jax`, `torch, tensorflow and jax`."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def few(names: Sequence[str], shown: int = 3) -> str:
    """Some of several files, in words."""
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(f"`{name}`" for name in names[:shown]) + more


OPENERS = (
    "A ",
    "An ",
    "Another ",
    "As ",
    "Boards ",
    "Both ",
    "Code ",
    "Data ",
    "Download ",
    "Each ",
    "Every ",
    "Frameworks ",
    "In ",
    "Inside ",
    "It ",
    "Its ",
    "Neither ",
    "No ",
    "None ",
    "Nothing ",
    "Of ",
    "On ",
    "One ",
    "Only ",
    "Other ",
    "Programs ",
    "Since ",
    "Something ",
    "The ",
    "There ",
    "These ",
    "They ",
    "This ",
    "Training ",
    "Two ",
    "Under ",
    "What ",
    "Wheels ",
    "When ",
    "Where ",
    "Which ",
    "Whichever ",
    "Whoever ",
    "With ",
    "Without ",
)


def flowing(sentence: str) -> str:
    """A sentence as it follows `because`: names keep their capitals, `It` and `The` do not."""
    return sentence[:1].lower() + sentence[1:] if sentence.startswith(OPENERS) else sentence


def said(value: object) -> str:
    """A part of a record: its value, `none` where it is absent, `unknown` where nobody could look."""
    if isinstance(value, Unknown):
        return "unknown"
    return "none" if value is None else str(value)
