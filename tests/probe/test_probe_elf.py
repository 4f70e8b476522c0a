"""ELF files that are whole, cut, scrambled or no ELF files: never a crash, and never a long time."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from elf_maker import Maker, compiler
from hypothesis import given, settings
from hypothesis import strategies as some

from dlsetup.probe.elf import shared_object
from dlsetup.probe.elf_symbols import symbols

pytestmark = pytest.mark.skipif(compiler() is None, reason="needs gcc")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    maker = Maker(tmp_path_factory.mktemp("made"))
    path = maker.library(
        tmp_path_factory.mktemp("lib") / "libcublas.so.12",
        "libcublas.so.12",
        needs=["libcudart.so.12"],
        rpath="$ORIGIN/a:/b",
        offers=["cublasCreate_v2"],
        calls=["cudaMalloc"],
        version="libcublas.so.12",
        against={"libcudart.so.12": "libcudart.so.12"},
    )
    return Path(path).read_bytes()


def test_a_whole_file(made: bytes) -> None:
    found = shared_object(io.BytesIO(made), len(made), "/x", "")
    assert (found.soname, found.needed) == ("libcublas.so.12", ("libcudart.so.12",))
    assert (found.rpath, found.runpath) == (("$ORIGIN/a", "/b"), ())
    assert [(need.file, need.versions) for need in found.needs] == [("libcudart.so.12", ("libcudart.so.12",))]
    assert found.defines == ("libcublas.so.12",)
    told = symbols(io.BytesIO(made), len(made))
    assert ("cudaMalloc", "libcudart.so.12") in told.wanted
    assert ("cublasCreate_v2", "libcublas.so.12") in told.offered


def test_another_processor(made: bytes) -> None:
    other = made[:18] + b"\x08\x00" + made[20:]
    assert shared_object(io.BytesIO(other), len(other), "/x", "x86_64").foreign


@given(cut=some.integers(0, 20000))
@settings(max_examples=100)
def test_a_cut_file(made: bytes, cut: int) -> None:
    part = made[:cut]
    shared_object(io.BytesIO(part), len(part), "/x", "")
    symbols(io.BytesIO(part), len(part))


@given(
    changes=some.lists(some.tuples(some.integers(4, 4000), some.binary(min_size=1, max_size=8)), max_size=8)
)
@settings(max_examples=300)
def test_a_scrambled_file(made: bytes, changes: list[tuple[int, bytes]]) -> None:
    data = bytearray(made)
    for at, piece in changes:
        data[at : at + len(piece)] = piece
    shared_object(io.BytesIO(bytes(data)), len(data), "/x", "")
    symbols(io.BytesIO(bytes(data)), len(data))


@given(some.binary(max_size=400))
def test_no_elf_file(data: bytes) -> None:
    assert shared_object(io.BytesIO(data), len(data), "/x", "").fault
