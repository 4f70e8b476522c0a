"""Trees of packages: `uv pip tree`, `pipdeptree`, `poetry show --tree`; and the columns of `poetry show`.

torch v2.5.1
├── filelock v3.16.1
└── triton v3.1.0

torchvision==0.16.0
└── torch [required: ==2.1.1, installed: 2.1.0+cu118]
  - numpy [required: <2, installed: 2.0.1]

numpy             1.26.4  Fundamental package for array computing in Python
torch        (!)  2.1.0   Tensors and Dynamic neural networks in Python
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dlsetup.intake.fact import Fact
from dlsetup.intake.packages import installed
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads

_NAME = r"([A-Za-z0-9][\w.-]{0,80})"
_UV = re.compile(
    rf"^[\s│├└─]{{0,120}}{_NAME}(?:\[[^\]]{{0,60}}\])? v(\d[\w.+!-]{{0,50}})(?: \(.{{1,20}}\))?\s*$"
)
_DEPENDS = re.compile(
    rf"^[\s│├└─*-]{{1,120}}{_NAME} \[required: "
    rf"[^\],]{{1,120}}(?:,[^\]\[]{{0,120}})?, installed: (\d[\w.+!-]{{0,50}})\]"
)
_COLUMNS = re.compile(rf"^{_NAME}(?: {{1,80}}\(!\))? {{1,80}}(\d[\w.+!-]{{0,50}}) {{1,40}}(\S.{{0,300}})$")
LEAST = 3
"""Rows that make a table without a head."""


@reads("uv pip tree", "── ")
def uv_tree(page: Page) -> Iterator[Fact]:
    """Every row with its version; a row that stands again is marked with a star."""
    for line in page.lines:
        if found := _UV.match(line.text):
            yield from installed(found[1], found[2], line)


@reads("pipdeptree", "[required: ")
def pipdeptree(page: Page) -> Iterator[Fact]:
    """What others depend on; the roots of the tree are written as `pip freeze` does."""
    for line in page.lines:
        if found := _DEPENDS.match(line.text):
            yield from installed(found[1], found[2], line)


@reads("poetry show", "torch ", "tensorflow ", "jax ", "numpy ")
def poetry_show(page: Page) -> Iterator[Fact]:
    """Rows of name, version and a description, one below the other, whose versions begin in one column."""
    block: list[tuple[re.Match[str], Line]] = []
    for line in page.lines:
        found = _COLUMNS.match(line.text)
        if found and block and found.start(2) != block[-1][0].start(2):
            yield from _table(block)
            block = []
        if found and " " in found[3].strip() and not found[3].startswith(("(", "[", "|")):
            block.append((found, line))
        else:
            yield from _table(block)
            block = []
    yield from _table(block)


def _table(rows: Sequence[tuple[re.Match[str], Line]]) -> Iterator[Fact]:
    described = sum(found[3][:1].isupper() for found, _ in rows) * 2 > len(rows)
    for found, line in rows if len(rows) >= LEAST and described else ():
        yield from installed(found[1], found[2], line)
