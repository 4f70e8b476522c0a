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


class ByteWatch:
    """Is told how far files are that come over the network. This one keeps it to itself.

    Called from several threads at once. Bytes are counted from the beginning of a file.
    """

    def begin(self, total: int, done: int = 0) -> None:
        """So many bytes are expected, of which so many are there already."""

    def at(self, name: str, done: int, total: int) -> None:
        """So many bytes of a file are here; `total` 0: nobody says how many it has."""

    def end(self, name: str) -> None:
        """A file is whole."""
