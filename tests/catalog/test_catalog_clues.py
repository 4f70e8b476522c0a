"""What the clues must read in the files that frameworks install."""

from __future__ import annotations

import re

import pytest

from dlsetup.catalog.load import clues


def test_clues_are_patterns_with_one_group() -> None:
    found = clues()
    assert {clue.distribution for clue in found} >= {"torch", "tensorflow"}
    for clue in found:
        assert re.compile(clue.pattern).groups == 1
        assert not clue.path.startswith("/")
        assert ".." not in clue.path


@pytest.mark.parametrize(
    ("distribution", "text", "gives", "value"),
    [
        ("torch", "__version__ = '2.14.1+cu126'\ncuda: Optional[str] = '12.6'\n", "cuda", "12.6"),
        ("torch", "__version__ = '2.14.1+cu126'\ncuda: Optional[str] = '12.6'\n", "variant", "cu126"),
        ("torch", "__version__ = '1.13.1+cpu'\ncuda = None\nhip = None\n", "variant", "cpu"),
        ("torch", "cuda: str | None = None\nhip: str | None = '7.1.25424'\n", "rocm", "7.1.25424"),
        ("tensorflow", "build_info = OrderedDict([('cuda_version', '12.5.1'), ('x', 1)])", "cuda", "12.5.1"),
        ("tensorflow", 'build_info = {"cuda_version": "12.3"}', "cuda", "12.3"),
    ],
)
def test_clues_read_what_frameworks_write(distribution: str, text: str, gives: str, value: str) -> None:
    found = [
        match[1]
        for clue in clues()
        if clue.distribution == distribution and clue.gives == gives
        for match in [re.search(clue.pattern, text)]
        if match
    ]
    assert found == [value]


def test_no_clue_reads_cuda_where_there_is_none() -> None:
    text = "__version__ = '2.14.1+cpu'\ncuda: Optional[str] = None\n"
    assert not [clue for clue in clues() if clue.gives == "cuda" and re.search(clue.pattern, text)]
