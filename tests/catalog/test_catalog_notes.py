"""The facts that notes rest on: whole, sourced, and replaceable by a site's own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dlsetup.catalog.folders import PACKAGED
from dlsetup.catalog.notes import note_facts
from dlsetup.judge.linux_families import FAMILIES
from dlsetup.model.errors import DataError
from dlsetup.plan.notes import registry


def test_every_row_names_a_source_that_is_there() -> None:
    facts = note_facts()
    known = {source.id for source in facts.sources}
    tables = [getattr(facts, name) for name in facts.__struct_fields__ if name != "sources"]
    assert all(tables)
    assert {row.source for table in tables for row in table} <= known
    assert facts.words("nvidia-repositories", "nvidia-repositories", "none")[0].startswith(
        "https://docs.nvidia.com"
    )


def test_rows_are_of_families_and_kinds_that_there_are() -> None:
    facts = note_facts()
    families = {*FAMILIES, "wsl"}
    assert {row.family for row in (*facts.repositories, *facts.own_drivers, *facts.own_toolkits)} <= families
    assert {name for row in (*facts.holds, *facts.container_sources) for name in row.families} <= families
    assert {kind for row in facts.warned for kind in row.kinds} <= set(registry.names())
    assert len({row.id for row in facts.bounds}) == len(facts.bounds)
    assert all(re.compile(row.pattern) for row in facts.switched)
    assert facts.bound("wsl-kernel") is not None
    assert facts.bound("nothing") is None


def test_no_toml_file_is_left_out() -> None:
    assert sorted(path.stem for path in (PACKAGED / "notes").glob("*.toml")) == [
        "accelerators",
        "boards",
        "containers",
        "nvidia",
        "wsl",
    ]


def test_a_site_replaces_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "wsl.toml").write_text(
        'bound = [{ id = "wsl-kernel", value = "6.6", source = "own" }]\n'
        '[[source]]\nid = "own"\nwhat = "this site"\nchecked = "2026-12-02"\n'
    )
    bound = note_facts((tmp_path,)).bound("wsl-kernel")
    assert bound is not None
    assert bound.value == "6.6"


def test_a_malformed_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "wsl.toml").write_text('bound = [{ id = 1, value = "6.6", source = "own" }]\n')
    with pytest.raises(DataError, match=r"wsl\.toml"):
        note_facts((tmp_path,))
