"""What uv has to be told in a `pyproject.toml` about distributions that are compiled where they go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tomlkit

from dlsetup.model.resolution import Compiled, Plan
from dlsetup.plan.toml_edit import array_at, key_of, plain, put, row, table_at, texts_of


def say_how_to_compile(document: Any, groups: Sequence[Plan], name: str) -> None:
    """Without isolation, after everything else, with what the source itself does not tell."""
    found = {item.distribution: item for plan in groups for pick in plan.picks if (item := pick.compiled)}
    for item in found.values():
        uv = table_at(document, name, "tool", "uv")
        array = array_at(uv, "no-build-isolation-package", name)
        if item.distribution not in texts_of(array):
            array.append(item.distribution)
        _metadata(uv, item, name)
        if item.variables:
            told = table_at(document, name, "tool", "uv", "extra-build-variables")
            values = dict(text.split("=", 1) for text in item.variables)
            put(told, key_of(told, item.distribution) or item.distribution, row(values))


def _metadata(uv: Any, item: Compiled, name: str) -> None:
    """The requirements of this very release, in place of those of another."""
    if "dependency-metadata" not in uv:
        uv["dependency-metadata"] = tomlkit.aot()
    rows = uv["dependency-metadata"]
    known = next((each for each in rows if plain(each.get("name")) == item.distribution), None)
    table = tomlkit.table() if known is None else known
    put(table, "name", item.distribution)
    put(table, "version", str(item.version))
    put(table, "requires-dist", list(item.requires))
    if known is None:
        rows.append(table)
