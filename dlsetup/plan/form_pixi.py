"""A plan as a workspace of pixi: `pixi.toml`, new or brought up to date where it is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from dlsetup.plan.dependencies import with_kept
from dlsetup.plan.draft import Draft, FileText, environments, holds, unreadable
from dlsetup.plan.own_table import say_own
from dlsetup.plan.pixi_platforms import platform_rows, say_platforms, subdir_of
from dlsetup.plan.toml import pinned_sources
from dlsetup.plan.toml_edit import (
    array_at,
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

NAME = "pixi.toml"
LEAST_PIXI = ">=0.71"
"""The first release that takes what it may count on from its list of platforms."""
Spec = dict[str, Any]
"""A dependency as pixi has it: `version`, `extras`, `index`, `url` …"""


def pixi_workspace(draft: Draft) -> tuple[FileText, ...]:
    """`pixi.toml`. Raises `Unreadable` where one is there that cannot be edited, `UsageError` for a target
    whose system or processor is not known."""
    return (_Workspace(draft).file(),)


class _Workspace:
    """A document that becomes that of the plans, step by step."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.groups = draft.groups
        self.subdirs = [subdir_of(plan.target) for plan in self.groups]
        known = draft.text_of(NAME)
        self.new = known is None or not known.strip()
        self.document = opened(known or "", NAME)
        self.notes: list[str] = []

    def file(self) -> FileText:
        self._workspace()
        self._place("dependencies", [self._conda(place) for place in range(len(self.groups))])
        self._place("pypi-dependencies", [self._wheels(place) for place in range(len(self.groups))])
        self._indexes()
        say_own(self.document, self.draft, NAME)
        return FileText(name=NAME, text=written(self.document, NAME), notes=tuple(self.notes))

    def _workspace(self) -> None:
        name = "project" if "project" in self.document and "workspace" not in self.document else "workspace"
        workspace = table_at(self.document, NAME, name)
        if "name" not in workspace:
            workspace["name"] = self.draft.project
        channels = array_at(workspace, "channels", NAME, multiline=False)
        if not any(text.rstrip("/").rpartition("/")[2] == "conda-forge" for text in texts_of(channels)):
            channels.append("conda-forge")
        if "defaults" in texts_of(channels):
            self.notes.append(
                "the channel `defaults` stands in it, whose builds do not mix with conda-forge's"
            )
        rows = [platform_rows(self.draft.plans, subdir) for subdir in self.subdirs]
        self.notes += say_platforms(self.document, workspace, rows, NAME)
        if self.new and any(len(each) > 1 for each in rows):
            put(workspace, "requires-pixi", LEAST_PIXI, why="platforms say what a machine must have")

    def _conda(self, place: int) -> dict[str, Spec]:
        """What comes from conda-forge: Python at least."""
        specs = self.draft.conda[place] if self.draft.conda else ()
        found = {"python": {"version": f"{self.groups[place].python}.*"}}
        for text in specs:
            name, _, rest = text.partition("=")
            version, _, build = rest.partition("=")
            loose = version if version in ("", "*") or version.startswith("=") else f"{version}.*"
            found[name] = {"version": loose or "*", **({"build": build} if build else {})}
        return found

    def _wheels(self, place: int) -> dict[str, Spec]:
        plan = self.groups[place]
        environment = environments([plan])[0]
        addresses = {index.name: index.url for index in plan.indexes}
        pinned = pinned_sources(plan)
        found: dict[str, Spec] = {}
        for text in (*plan.requirements, *plan.constraints):
            item = Requirement(text)
            name = canonicalize_name(item.name)
            if holds(str(item.marker or ""), environment) is False or (
                self.draft.conda and self._is_ours(name)
            ):
                continue
            spec = _spec(item, addresses.get(pinned.get(name, "")))
            found[name] = spec if name not in found else _both(found[name], spec)
        return found

    def _is_ours(self, name: str) -> bool:
        return name in self.draft.names

    def _place(self, kind: str, wanted: Sequence[Mapping[str, Spec]]) -> None:
        """What all platforms have alike stands in the table for all, the rest in those of the platforms."""
        names = dict.fromkeys(name for found in wanted for name in found)
        for name in names:
            specs = [found.get(name) for found in wanted]
            twins = [other for other in self._twins(name) if not any(other in found for found in wanted)]
            for other in twins:
                self._give_way(kind, other, name)
            alike = all(spec == specs[0] for spec in specs)
            general = None if not alike else specs[0]
            if general is not None:
                self._say(table_at(self.document, NAME, kind), name, general)
            elif self._covers_all():
                self._drop(peek(self.document, kind), name)
            for subdir, spec in zip(self.subdirs, specs, strict=True):
                if general is not None or spec is None:
                    self._drop(peek(self.document, "target", subdir, kind), name)
                else:
                    self._say(table_at(self.document, NAME, "target", subdir, kind), name, spec)

    def _twins(self, name: str) -> list[str]:
        """Other names of the same framework."""
        first = dict(self.draft.twins).get(name)
        return [other for other, group in self.draft.twins if group == first and other != name]

    def _give_way(self, kind: str, other: str, name: str) -> None:
        """Two packages that own the same files must not stand beside each other."""
        tables = [
            peek(self.document, kind),
            *(peek(self.document, "target", at, kind) for at in self.subdirs),
        ]
        for table in tables:
            key = key_of(table, other) if isinstance(table, Mapping) else None
            if key is not None:
                del table[key]
                self.notes.append(f"{key} gives way to {name}: they own the same files")

    def _covers_all(self) -> bool:
        """Whether the plans are for every platform of the workspace."""
        from dlsetup.intake.pixi_file import platform_names

        return set(platform_names(plain(self.document)).values()) <= set(self.subdirs)

    def _drop(self, table: Any, name: str) -> None:
        key = key_of(table, name) if isinstance(table, Mapping) else None
        if key is not None and (name in self.draft.names or name == "python"):
            del table[key]

    def _say(self, table: Any, name: str, spec: Spec) -> None:
        key = key_of(table, name) or name
        known = plain(table.get(key))
        owned = name in self.draft.names or self._of_conda(name)
        if known is None:
            table[key] = _value(spec)
            return
        if not isinstance(known, str | dict):
            raise unreadable(NAME, f"`{name}` is neither a version nor a table")
        before = {"version": known} if isinstance(known, str) else known
        if {"path", "git", "url"} & before.keys() and not {"git", "url"} & spec.keys():
            self.notes.append(f"{name} comes from where {NAME} says, not from the plan's index")
            return
        after = self._updated(before, spec) if owned else before
        if not owned and "version" in spec and spec["version"] != "*":
            after = _both(before, spec) if before.get("version") != "*" else {**before, **spec}
        if _comparable(after) == _comparable(before):
            return
        if isinstance(known, str) and set(after) == {"version"}:
            put(table, key, after["version"])
        elif isinstance(known, str):
            table[key] = _value(after)
        else:
            self._update(table[key], after)

    def _of_conda(self, name: str) -> bool:
        own = {text.partition("=")[0] for specs in self.draft.conda for text in specs}
        return name in own or name == "python"

    def _updated(self, before: Spec, spec: Spec) -> Spec:
        """The plan's version, index and extras; whatever else is said stays."""
        extras = with_kept(
            spec.get("extras", []), map(str, before.get("extras", [])), self.draft.device_extras
        )
        rest = {
            key: value for key, value in before.items() if key not in ("version", "index", "extras", "build")
        }
        return {**rest, **spec, **({"extras": extras} if extras else {})}

    def _update(self, table: Any, after: Spec) -> None:
        for key in [key for key in table if key not in after]:
            del table[key]
        for key, value in after.items():
            put(table, key, value)

    def _indexes(self) -> None:
        for index in self.draft.more:
            options = table_at(self.document, NAME, "pypi-options")
            if index.name == "default":
                put(options, "index-url", index.url, why="asked for with --index")
            else:
                array = array_at(options, "extra-index-urls", NAME)
                if index.url not in texts_of(array):
                    array.append(index.url)


def _spec(item: Requirement, index: str | None) -> Spec:
    extras = {"extras": sorted(item.extras)} if item.extras else {}
    if item.url and item.url.startswith("git+"):
        address, _, below = item.url.removeprefix("git+").partition("#")
        head, at, rev = address.rpartition("@")
        named = bool(at) and "/" not in rev and "://" in head
        found = {"git": head if named else address, **({"rev": rev} if named else {})}
        folder = below.partition("subdirectory=")[2].partition("&")[0]
        return {**found, **({"subdirectory": folder} if folder else {}), **extras}
    if item.url:
        return {"url": item.url, **extras}
    place = {"index": index} if index else {}
    return {"version": str(item.specifier) or "*", **extras, **place}


def _both(one: Spec, other: Spec) -> Spec:
    """A dependency and a bound on it."""
    texts = [str(spec["version"]) for spec in (one, other) if spec.get("version", "*") != "*"]
    if "version" not in one or not texts:
        return one
    joined = SpecifierSet(texts[0])
    for text in texts[1:]:
        joined &= SpecifierSet(text)
    return {**one, "version": str(joined)}


def _value(spec: Spec) -> Any:
    return spec["version"] if set(spec) == {"version"} else row(spec)


def _comparable(spec: Spec) -> Spec:
    """Versions as sets, so that their order says nothing."""
    return {
        key: frozenset(str(value).replace(" ", "").split(",")) if key == "version" else value
        for key, value in spec.items()
    }
