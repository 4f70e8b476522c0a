"""What is typed in the same manner for several commands."""

from __future__ import annotations

from collections.abc import Iterable


def number_within(text: str, least: float, most: float) -> float | None:
    """The number that a word stands for; None: it is none, or beyond the bounds."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if least <= number <= most else None


def words_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The words of an option that can be repeated, and takes several with commas or blanks between them."""
    return tuple(word for text in texts for word in text.replace(",", " ").split())
