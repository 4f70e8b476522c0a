"""A plan as a project of uv: `pyproject.toml`, new or brought up to date where it is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import tomlkit
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from tomlkit.items import AoT, Array

from dlsetup.model.framework import Index
from dlsetup.model.resolution import Plan
from dlsetup.plan.dependencies import Where, bounds, edits
from dlsetup.plan.draft import Draft, FileText, environments, group_marker, holds, made_for, unreadable
from dlsetup.plan.form_uv_compiled import say_how_to_compile
from dlsetup.plan.lock_project import marked, platform_marker
from dlsetup.plan.own_table import say_own
from dlsetup.plan.toml import pinned_sources
from dlsetup.plan.toml_edit import (
    apply,
    array_at,
    is_ours,
    key_of,
    opened,
    peek,
    plain,
    put,
    row,
    table_at,
    texts_of,
    written,
)

NAME = "pyproject.toml"


def uv_project(draft: Draft) -> tuple[FileText, ...]:
    """`pyproject.toml`. Raises `Unreadable` where one is there that cannot be edited."""
    return (_Project(draft).file(),)


class _Project:
    """A document that becomes that of the plans, step by step."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.groups = draft.groups
        several = len(self.groups) > 1
        self.markers = tuple(marker_of(plan) for plan in self.groups) if several else draft.markers
        self.document = opened(draft.text_of(NAME) or "", NAME)
        self.notes: list[str] = []

    def file(self) -> FileText:
        self._refuse()
        self._project()
        self._dependencies()
        self._environments()
        self._constraints()
        names = self._indexes()
        self._sources(names)
        say_how_to_compile(self.document, self.groups, NAME)
        say_own(self.document, self.draft, NAME)
        return FileText(name=NAME, text=written(self.document), notes=tuple(self.notes))

    def _refuse(self) -> None:
        project = peek(self.document, "project")
        dynamic = plain(peek(self.document, "project", "dynamic"))
        if isinstance(dynamic, list) and "dependencies" in dynamic:
            raise unreadable(NAME, "`dynamic` leaves its dependencies to a build")
        if project is None and peek(self.document, "tool", "poetry") is not None:
            raise unreadable(NAME, "it is a project of poetry alone, without the table `project`")

    def _project(self) -> None:
        project = table_at(self.document, NAME, "project")
        dynamic = plain(project.get("dynamic"))
        if "name" not in project:
            project["name"] = self.draft.project
        if "version" not in project and not (isinstance(dynamic, list) and "version" in dynamic):
            project["version"] = "0.1.0"
        python, known = self.groups[0].python, plain(project.get("requires-python"))
        if isinstance(known, str) and _same_python(known, str(python)):
            return
        why = f"the Python of the plan for {made_for(self.draft.plans)}"
        put(project, "requires-python", f"=={python}.*", why=why)
        if isinstance(known, str) and known:
            self.notes.append(f"requires-python was `{known[:100]}`; the plan is for Python {python}")

    def _dependencies(self) -> None:
        array = array_at(table_at(self.document, NAME, "project"), "dependencies", NAME)
        wanted = [plan.requirements for plan in self.groups]
        texts = list(marked(wanted, self.markers)) if len(wanted) > 1 else list(wanted[0])
        where = Where(environments(self.groups), _anywhere([group_marker(plan) for plan in self.groups]))
        found = edits(texts_of(array), texts, self.draft.names, where)
        apply(array, found)
        self.notes += found.notes

    def _environments(self) -> None:
        """Those of somebody else stay: the markers of the plan's own requirements hold all the same."""
        known = peek(self.document, "tool", "uv", "environments")
        if not self.markers or (known is not None and _texts(known) == list(self.markers)):
            return
        if known is not None and not is_ours(known):
            text = "tool.uv.environments stands as it was; the plan is for "
            self.notes.append(f"{text}{made_for(self.draft.plans)}")
            return
        uv = table_at(self.document, NAME, "tool", "uv")
        put(uv, "environments", list(self.markers), why=f"the platforms of {made_for(self.draft.plans)}")

    def _constraints(self) -> None:
        told = [plan.constraints for plan in self.groups]
        texts = list(marked(told, self.markers)) if len(told) > 1 else list(told[0])
        if texts:
            uv = table_at(self.document, NAME, "tool", "uv")
            array = array_at(uv, "constraint-dependencies", NAME)
            apply(array, bounds(texts_of(array), texts))

    def _indexes(self) -> dict[str, str]:
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
            uv["index"] = tomlkit.aot()
        if not isinstance(uv["index"], AoT):
            raise unreadable(NAME, "`tool.uv.index` is no array of tables")
        table = tomlkit.table()
        for number, (key, value) in enumerate(item for item in values.items() if item[1] not in (None, "")):
            put(table, key, value, why=why if number == 0 else "")
        uv["index"].append(table)

    def _sources(self, names: Mapping[str, str]) -> None:
        pinned = [pinned_sources(plan) for plan in self.groups]
        wanted = {canonicalize_name(name) for found in pinned for name in found}
        known = peek(self.document, "tool", "uv", "sources") or {}
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
        kept = [item for item in before if not self._concerns(str(item.get("marker", "")))]
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

    def _concerns(self, marker: str) -> bool:
        return any(holds(marker, each) is not False for each in environments(self.groups))


def marker_of(plan: Plan) -> str:
    """Where a plan holds. Raises `UsageError` where its target does not tell."""
    return platform_marker(plan.target, plan.python)


def _anywhere(markers: Sequence[str]) -> str:
    """Holds where one of the markers does; empty where one of them is."""
    if not all(markers):
        return ""
    return markers[0] if len(markers) == 1 else " or ".join(f"({marker})" for marker in markers)


def _same_python(known: str, python: str) -> bool:
    """Whether a range of Pythons is that of one minor release and nothing else."""
    try:
        return _minors(SpecifierSet(known)) == [python]
    except InvalidSpecifier:
        return False


def _minors(known: SpecifierSet) -> list[str]:
    """Minor releases of which a range has some patch release."""
    lines = [f"3.{minor}" for minor in range(40)]
    return [line for line in lines if any(known.contains(f"{line}.{patch}") for patch in range(40))]


def _same_address(one: Any, other: str | None) -> bool:
    return isinstance(one, str) and str(one).rstrip("/") == (other or "").rstrip("/")


def _texts(array: Any) -> list[str]:
    return texts_of(array) if isinstance(array, list) else []


def _unordered(rows: Iterator[Any] | Sequence[Mapping[str, Any]]) -> list[list[tuple[str, Any]]]:
    return sorted(sorted(item.items()) for item in rows)
