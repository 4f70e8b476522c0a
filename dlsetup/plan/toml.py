"""What uv is asked for, as the text of a `pyproject.toml`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dlsetup.model.framework import Index
from dlsetup.model.resolution import Plan


def pyproject(plan: Plan, *, seed: bool = False) -> str:
    """The plan as uv reads it. `seed` adds pip itself.

    A distribution of a named index comes from there and from nowhere else, and that index gives
    nothing else: neither can pass off a package under the other's name.
    """
    wanted = (*plan.requirements, "pip") if seed else plan.requirements
    lines = [
        "[project]",
        'name = "environment"',
        'version = "0"',
        f'requires-python = "=={plan.python}.*"',
        "dependencies = [",
        *(f"  {quoted(item)}," for item in wanted),
        "]",
    ]
    sources = pinned_sources(plan)
    for index in plan.indexes:
        if index.url is not None and index.name in sources.values():
            lines += ["", *index_lines(index)]
    if sources:
        lines += ["", "[tool.uv.sources]"]
        lines += [f"{quoted(name)} = {{ index = {quoted(index)} }}" for name, index in sources.items()]
    return "\n".join(lines) + "\n"


def pinned_sources(plan: Plan) -> dict[str, str]:
    """Distributions with an index of their own. uv heeds these only for what is asked for by name."""
    with_address = {index.name for index in plan.indexes if index.url is not None}
    asked = {canonicalize_name(Requirement(item).name) for item in plan.requirements}
    return {
        distribution: index
        for distribution, index in plan.sources
        if index in with_address and canonicalize_name(distribution) in asked
    }


def quoted(text: str) -> str:
    """A TOML string. JSON's escapes are TOML's, but for the delete character."""
    return re.sub("\x7f", r"\\u007f", json.dumps(text, ensure_ascii=False))


def compiling(plan: Plan) -> str:
    """The `uv.toml` of a plan that compiles; empty for others.

    It says what uv cannot read out of a source without building it. What is compiled comes last, inside the
    environment: its C++ interface is that of the very release that it will run with.
    """
    found = [pick.compiled for pick in plan.picks if pick.compiled]
    if not found:
        return ""
    lines = [f"no-build-isolation-package = {_list([item.distribution for item in found])}"]
    for item in found:
        lines += [
            "",
            "[[dependency-metadata]]",
            f"name = {quoted(item.distribution)}",
            f"version = {quoted(str(item.version))}",
            f"requires-dist = {_list(item.requires)}",
        ]
    told = [f"{quoted(item.distribution)} = {_table(item.variables)}" for item in found if item.variables]
    if told:
        lines += ["", "[extra-build-variables]", *told]
    return "\n".join(lines) + "\n"


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(quoted, texts))}]"


def _table(variables: Iterable[str]) -> str:
    pairs = (item.partition("=") for item in variables)
    return f"{{ {', '.join(f'{quoted(name)} = {quoted(value)}' for name, _, value in pairs)} }}"


def index_lines(index: Index) -> list[str]:
    """An index that gives only what is bound to it."""
    return [
        "[[tool.uv.index]]",
        f"name = {quoted(index.name)}",
        f"url = {quoted(index.url or '')}",
        "explicit = true",
    ]
