"""What is kept of a long output: its beginning and its end, whatever comes in between."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from dlsetup.act.watched import HEAD, TAIL
from dlsetup.probe.kept import Kept


def kept(parts: list[bytes], head: int = HEAD, tail: int = TAIL) -> Kept:
    found = Kept(head, tail)
    for part in parts:
        found.add(part)
    return found


SIZES = st.lists(st.integers(0, 400), max_size=40)


@settings(max_examples=200)
@given(SIZES)
def test_beginning_and_end(sizes: list[int]) -> None:
    parts = [bytes([number % 256]) * size for number, size in enumerate(sizes)]
    found, whole = kept(parts, 100, 500), b"".join(parts)
    beginning, end = found.parts()
    assert found.total == len(whole)
    if len(whole) <= 600:
        assert (beginning, end) == (whole, b"")
    else:
        assert beginning == whole[:100]
        assert end == whole[-500:]


def test_what_is_held_is_bounded() -> None:
    found = kept([b"x" * 65536] * 200)
    beginning, end = found.parts()
    assert (len(beginning), len(end), found.total) == (HEAD, TAIL, 200 * 65536)
    assert sum(map(len, found._tail)) < TAIL + 65536
