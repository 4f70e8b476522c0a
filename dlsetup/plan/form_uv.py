"""A plan as a project of uv: `pyproject.toml`, new or brought up to date where it is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import tomlkit
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from tomlkit.items import Array

from dlsetup.model.resolution import Plan
from dlsetup.plan.dependencies import Where, bounds, edits, names_in
from dlsetup.plan.draft import Draft, FileText, environments, group_marker, made_for, unreadable
from dlsetup.plan.form_uv_compiled import say_how_to_compile
from dlsetup.plan.lock_project import marked, platform_marker
from dlsetup.plan.own_table import say_own
from dlsetup.plan.toml_edit import (
    apply,
    array_at,
    is_ours,
    opened,
    peek,
    plain,
    put,
    table_at,
    texts_of,
    written,
)
from dlsetup.plan.uv_sources import say_sources

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
        self.notes += say_sources(self.document, self.draft, self.groups, self.markers)
        say_how_to_compile(self.document, self.groups, NAME)
        say_own(self.document, self.draft, NAME)
        return FileText(name=NAME, text=written(self.document, NAME), notes=tuple(self.notes))

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
        """What stands in an extra or a group that the plan was made with stays there."""
        main = array_at(table_at(self.document, NAME, "project"), "dependencies", NAME)
        wanted = [plan.requirements for plan in self.groups]
        texts = list(marked(wanted, self.markers)) if len(wanted) > 1 else list(wanted[0])
        twins = dict(self.draft.twins)
        marker = _anywhere([group_marker(plan) for plan in self.groups])
        where = Where(environments(self.groups), marker, twins, self.draft.device_extras)
        elsewhere: frozenset[str] = frozenset()
        for array in self._parts():
            there = names_in(texts_of(array), twins)
            self._edit(array, [text for text in texts if names_in([text], twins) <= there], where)
            elsewhere |= there
        elsewhere -= names_in(texts_of(main), twins)
        self._edit(main, [text for text in texts if not names_in([text], twins) <= elsewhere], where)

    def _edit(self, array: Array, texts: Sequence[str], where: Where) -> None:
        found = edits(texts_of(array), texts, self.draft.owned, where)
        apply(array, found)
        self.notes += found.notes

    def _parts(self) -> Iterator[Array]:
        """The extras and groups that the plan was made with; of others it is told what the plan has too."""
        places = (("extra", ("project", "optional-dependencies")), ("group", ("dependency-groups",)))
        for kind, path in places:
            table = peek(self.document, *path)
            for key, array in table.items() if isinstance(table, Mapping) else ():
                if not isinstance(array, Array):
                    continue
                if (kind, canonicalize_name(key)) in self.draft.parts:
                    yield array
                else:
                    also = names_in(texts_of(array), dict(self.draft.twins)) & self.draft.owned
                    self.notes += [
                        f"{name} stands in the {kind} `{key}` too, as it was" for name in sorted(also)
                    ]

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
        listed = tomlkit.array().multiline(len(self.markers) > 1)
        listed.extend(self.markers)
        put(uv, "environments", listed, why=f"the platforms of {made_for(self.draft.plans)}")

    def _constraints(self) -> None:
        told = [plan.constraints for plan in self.groups]
        texts = list(marked(told, self.markers)) if len(told) > 1 else list(told[0])
        if texts:
            uv = table_at(self.document, NAME, "tool", "uv")
            array = array_at(uv, "constraint-dependencies", NAME)
            apply(array, bounds(texts_of(array), texts))


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


def _texts(array: Any) -> list[str]:
    return texts_of(array) if isinstance(array, list) else []
