"""Who follows a long piece of work."""

from __future__ import annotations


class Watch:
    """Is told how far the work is. This one keeps it to itself; others override what they care about."""

    def begin(self, what: str, total: int) -> None:
        """A stretch of work of so many steps begins; the one before is over."""

    def step(self, what: str) -> None:
        """One step is done."""

    def say(self, text: str) -> None:
        """Something that the user should know."""
