"""The hand-made model file is read back as protocol buffers say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dlsetup.verify.programs.onnxruntime import field, model


def read(content: bytes) -> list[tuple[int, int | bytes]]:
    """Fields of a message: number and value."""
    found: list[tuple[int, int | bytes]] = []
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = content[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(content):
        key = number()
        if key & 7 == 0:
            found.append((key >> 3, number()))
        else:
            size = number()
            found.append((key >> 3, content[at : at + size]))
            at += size
    return found


@given(st.integers(1, 15), st.binary(max_size=70_000))
def test_field_is_read_back(number: int, content: bytes) -> None:
    assert read(field(number, content)) == [(number, content)]


def test_model_is_one_matrix_product() -> None:
    parts = dict(read(model(16, 16, 16)))
    assert parts[1] == 8
    graph = read(parts[7])  # type: ignore[arg-type]
    node = read(dict(graph)[1])  # type: ignore[arg-type]
    assert node == [(1, b"left"), (1, b"right"), (2, b"product"), (4, b"MatMul")]
    assert [number for number, _ in graph] == [1, 2, 11, 11, 12]
