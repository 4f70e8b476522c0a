"""Where uv gets the packages of a plan from, in a `pyproject.toml`: indexes, and what is bound to each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit
from packaging.utils import canonicalize_name
from tomlkit.items import AoT, Array

from dlsetup.model.framework import Index
from dlsetup.model.resolution import Plan
from dlsetup.plan.draft import Draft, environments, group_marker, holds, made_for, unreadable
from dlsetup.plan.toml import pinned_sources
from dlsetup.plan.toml_edit import (
    is_ours,
    key_of,
    peek,
    plain,
    put,
    row,
    space_before,
    space_behind,
    table_at,
)

NAME = "pyproject.toml"


def say_sources(document: Any, draft: Draft, groups: Sequence[Plan], markers: Sequence[str]) -> list[str]:
    """Write them. Gives what stays as it stands."""
    found = _Sources(document, draft, groups, markers)
    found.sources(found.indexes())
    found.tidy()
    return found.notes


class _Sources:
    def __init__(self, document: Any, draft: Draft, groups: Sequence[Plan], markers: Sequence[str]) -> None:
        self.document = document
        self.draft = draft
        self.groups = groups
        self.markers = markers
        self.notes: list[str] = []

    def indexes(self) -> dict[str, str]:
        """The indexes that the plans need; gives the name of each in the file by its name in the plan."""
        used = {index for plan in self.groups for index in pinned_sources(plan).values()}
        named = {index.name: index for plan in self.groups for index in plan.indexes if index.name in used}
        names: dict[str, str] = {}
        for name in sorted(named):
            names[name] = self._index(named[name])
        for index in self.draft.more:
            self._further_index(index)
        return names

    def _index(self, index: Index) -> str:
        for item in self._known_indexes():
            if _same_address(item.get("url"), index.url) and isinstance(item.get("name"), str):
                return str(plain(item["name"]))
            if plain(item.get("name")) == index.name:
                text = f"the index {index.name} stands as it was; the plan has {index.url}"
                self.notes.append(text)
                return index.name
        packages = sorted({name for plan in self.groups for name, at in plan.sources if at == index.name})
        asked = [name for name in packages if name in self.draft.names]
        why = f"{', '.join(asked[:4])} for {made_for(self._takers(index.name))}, and nothing else"
        self._add_index({"name": index.name, "url": index.url, "explicit": True}, why)
        return index.name

    def tidy(self) -> None:
        """Indexes of dlsetup's own that nothing is bound to any more go."""
        sources = plain(peek(self.document, "tool", "uv", "sources")) or {}
        rows = [row for value in sources.values() for row in (value if isinstance(value, list) else [value])]
        used = {row.get("index") for row in rows if isinstance(row, dict)}
        known = peek(self.document, "tool", "uv", "index")
        for place in reversed(range(len(known)) if isinstance(known, AoT) else []):
            name = known[place].get("name")
            if is_ours(name) and known[place].get("explicit") is True and plain(name) not in used:
                del known[place]
        if isinstance(known, AoT) and not len(known):
            del self.document["tool"]["uv"]["index"]

    def _further_index(self, index: Index) -> None:
        known = (item.get("url") for item in self._known_indexes())
        if not any(_same_address(url, index.url) for url in known):
            default = True if index.name == "default" else None
            name = None if index.name == "default" else index.name
            self._add_index({"name": name, "url": index.url, "default": default}, "asked for with --index")

    def _takers(self, index: str) -> list[Plan]:
        return [plan for plan in self.draft.plans if any(pick.index == index for pick in plan.picks)]

    def _known_indexes(self) -> list[Any]:
        known = peek(self.document, "tool", "uv", "index")
        return [item for item in known if isinstance(item, Mapping)] if isinstance(known, list) else []

    def _add_index(self, values: Mapping[str, Any], why: str) -> None:
        uv = table_at(self.document, NAME, "tool", "uv")
        if isinstance(uv.get("index"), Array):
            uv["index"].append(row(values))
            return
        if "index" not in uv:
            space_before(uv)
            uv["index"] = tomlkit.aot()
        if not isinstance(uv["index"], AoT):
            raise unreadable(NAME, "`tool.uv.index` is no array of tables")
        table = tomlkit.table()
        for number, (key, value) in enumerate(item for item in values.items() if item[1] not in (None, "")):
            put(table, key, value, why=why if number == 0 else "")
        uv["index"].append(table)
        space_behind(self.document, table)

    def sources(self, names: Mapping[str, str]) -> None:
        pinned = [pinned_sources(plan) for plan in self.groups]
        wanted = {canonicalize_name(name) for found in pinned for name in found}
        known = peek(self.document, "tool", "uv", "sources")
        known = known if isinstance(known, Mapping) else {}
        for name in sorted(wanted | (self.draft.names & set(map(canonicalize_name, known)))):
            rows = self._rows(name, pinned, names)
            self._source(name, rows)

    def _rows(
        self, name: str, pinned: Sequence[Mapping[str, str]], names: Mapping[str, str]
    ) -> list[dict[str, str]]:
        """The index of each platform that has one; without a marker where there is one platform."""
        markers = self.markers if len(self.groups) > 1 else ("",)
        return [
            {"index": names[found[name]], **({"marker": marker} if marker else {})}
            for found, marker in zip(pinned, markers, strict=True)
            if name in found
        ]

    def _source(self, name: str, rows: list[dict[str, str]]) -> None:
        sources = table_at(self.document, NAME, "tool", "uv", "sources")
        key = key_of(sources, name) or name
        known = plain(sources.get(key))
        before = [item for item in (known if isinstance(known, list) else [known]) if isinstance(item, dict)]
        if any("index" not in item for item in before):
            self.notes.append(f"{name} comes from where tool.uv.sources says, not from the plan's index")
            return
        kept = [item for item in before if not self._concerns(item)]
        if kept and len(self.groups) == 1:
            marker = group_marker(self.groups[0])
            rows = [{**item, "marker": marker} for item in rows] if marker else rows
        after = [*rows, *kept]
        if _unordered(after) == _unordered(before):
            return
        if not after:
            del sources[key]
        elif len(after) == 1:
            sources[key] = row(after[0])
        else:
            array = tomlkit.array().multiline(True)
            for item in after:
                array.append(row(item))
            sources[key] = array

    def _concerns(self, row: Mapping[str, Any]) -> bool:
        """Whether the plan decides about a row. One for an extra is the user's own."""
        marker = str(row.get("marker", ""))
        if "extra" in row or "group" in row:
            return False
        return any(holds(marker, each) is not False for each in environments(self.groups))


def _same_address(one: Any, other: str | None) -> bool:
    return isinstance(one, str) and str(one).rstrip("/") == (other or "").rstrip("/")


def _unordered(rows: Sequence[Mapping[str, Any]]) -> list[list[tuple[str, Any]]]:
    return sorted(sorted(item.items()) for item in rows)
