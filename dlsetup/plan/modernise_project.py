"""An old list as a file of a project: what came of its lines, in one of the forms that a plan can take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace
from packaging.requirements import InvalidRequirement, Requirement

from dlsetup.model.addresses import without_login
from dlsetup.model.modernised import ListForm, Modernised
from dlsetup.model.resolution import Plan
from dlsetup.plan.draft import Draft, project_name
from dlsetup.plan.forms import forms

PROJECTS = ("uv", "pixi")
"""Forms that hold the whole of a list and need no lock."""


def as_project(modern: Modernised, form: ListForm, name: str) -> Modernised:
    """The list, which is written as requirements, as that form. `name`: what the list calls itself.

    Raises `UsageError` where the plan has no such form.
    """
    plan = modern.plan
    lines = [line.strip() for line in modern.text.splitlines() if line.strip()]
    taken = tuple(_requirements(lines))
    whole = replace(plan, requirements=tuple(dict.fromkeys((*plan.requirements, *taken))))
    project = project_name(name or "environment", [Requirement(text).name for text in whole.requirements])
    (file,) = forms()[form].write(Draft(plans=(whole,), project=project))
    left = [f"`{without_login(line)}` does not go into {file.name}" for line in _left(lines, taken, plan)]
    return replace(modern, form=form, text=file.text, notes=(*modern.notes, *left, *file.notes))


def _requirements(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith(("#", "-")):
            try:
                Requirement(line)
            except InvalidRequirement:
                continue
            yield line


def _left(lines: Iterable[str], taken: tuple[str, ...], plan: Plan) -> Iterator[str]:
    """Options of an installer but for the plan's own indexes, and what is no requirement."""
    known = {f"--extra-index-url {index.url}" for index in plan.indexes}
    return (line for line in lines if not line.startswith("#") and line not in taken and line not in known)
