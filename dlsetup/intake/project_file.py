"""`pyproject.toml`: what a project depends on, its optional parts and groups, and where uv gets them from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from packaging.markers import InvalidMarker, Marker
from packaging.utils import canonicalize_name

from dlsetup.intake.requirements_file import LONGEST, parse_one
from dlsetup.model.errors import DataError, UsageError
from dlsetup.model.listing import Left, Listing, Placed, Said

MOST = 5000
DEEPEST = 20


def parse_project(text: str, name: str, *, extras: Sequence[str] = (), groups: Sequence[str] = ()) -> Listing:
    """`project.dependencies`, with the optional dependencies and dependency groups that are named.

    Raises `DataError` for what is no TOML, `UsageError` for an extra or a group that is not there.
    """
    data = read_toml(text, name)
    project = _table(data.get("project"))
    uv = _table(_table(data.get("tool")).get("uv"))
    taken = [
        *_parsed(_strings(project.get("dependencies")), f"{name}, project.dependencies"),
        *_optional(project, name, extras),
        *_grouped(_table(data.get("dependency-groups")), name, groups),
    ]
    bounds = list(
        _parsed(_strings(uv.get("constraint-dependencies")), f"{name}, tool.uv.constraint-dependencies")
    )
    left = [item for item in (*taken, *bounds) if isinstance(item, Left)]
    indexes = dict(_indexes(uv))
    python = project.get("requires-python")
    own = _table(_table(data.get("tool")).get("dlsetup"))
    return Listing(
        requirements=tuple(item for item in taken if isinstance(item, Said)),
        constraints=tuple(item for item in bounds if isinstance(item, Said)),
        sources=tuple(_sources(uv, indexes, name)),
        indexes=tuple(
            Said(text=url, where=f"{name}, tool.uv.index")
            for url, explicit in indexes.values()
            if not explicit
        ),
        python=python if isinstance(python, str) else "",
        cpu=own.get("cpu") is True,
        allow_cpu=own.get("allow-cpu") is True,
        left=(*left, *_unread(data, project, uv, name)),
    )


def read_toml(text: str, name: str) -> dict[str, Any]:
    """Raises `DataError`, with the name, for what is no TOML."""
    import tomli

    try:
        return tomli.loads(text)
    except (tomli.TOMLDecodeError, RecursionError) as exc:
        raise DataError(f"{name}: no TOML: {str(exc)[:200]}") from exc


def _optional(project: Mapping[str, Any], name: str, wanted: Sequence[str]) -> Iterator[Said | Left]:
    table = {
        canonicalize_name(key): value for key, value in _table(project.get("optional-dependencies")).items()
    }
    for extra in wanted:
        key = canonicalize_name(extra)
        if key not in table:
            raise _no_such(f"extra `{extra}`", name, table)
        yield from _parsed(_strings(table[key]), f"{name}, project.optional-dependencies.{key}")


def _grouped(table: Mapping[str, Any], name: str, wanted: Sequence[str]) -> Iterator[Said | Left]:
    """Dependency groups with the groups that they include (PEP 735)."""
    groups = {canonicalize_name(key): value for key, value in table.items()}
    waiting = [canonicalize_name(group) for group in wanted]
    seen: set[str] = set()
    while waiting:
        group = waiting.pop(0)
        if group in seen:
            continue
        seen.add(group)
        if group not in groups:
            raise _no_such(f"dependency group `{group}`", name, groups)
        items = groups[group] if isinstance(groups[group], list) else []
        where = f"{name}, dependency-groups.{group}"
        yield from _parsed([item for item in items if isinstance(item, str)][:MOST], where)
        included = [_table(item).get("include-group") for item in items[:MOST]]
        waiting += [canonicalize_name(item) for item in included if isinstance(item, str)]


def _no_such(what: str, name: str, known: Iterable[str]) -> UsageError:
    there = ", ".join(sorted(known)[:20]) or "none"
    return UsageError(f"{name} has no {what}", hint=f"it has {there}")


def _indexes(uv: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, bool]]]:
    """Name, address and whether only what names it comes from it."""
    items = uv.get("index")
    for number, item in enumerate(items[:MOST] if isinstance(items, list) else []):
        row = _table(item)
        if isinstance(row.get("url"), str):
            yield str(row.get("name", number)), (row["url"], row.get("explicit") is True)


def _sources(uv: Mapping[str, Any], indexes: Mapping[str, tuple[str, bool]], name: str) -> Iterator[Placed]:
    """Distributions that come from an index by name, each with the marker that says where."""
    for key, value in list(_table(uv.get("sources")).items())[:MOST]:
        for row in _rows(value):
            if row["index"] in indexes:
                yield Placed(
                    distribution=canonicalize_name(key),
                    address=Said(text=indexes[row["index"]][0], where=f"{name}, tool.uv.sources.{key}"),
                    marker=row.get("marker", ""),
                )


def _rows(source: Any) -> list[dict[str, Any]]:
    """The rows of a source that name an index, on some platforms or on all."""
    found = [_table(row) for row in (source[:MOST] if isinstance(source, list) else [source])]
    return [row for row in found if _is_index(row)]


def _is_index(row: Mapping[str, Any]) -> bool:
    if not isinstance(row.get("index"), str) or "extra" in row or "group" in row:
        return False
    return is_marker(row.get("marker", ""))


def is_marker(text: object) -> bool:
    """Whether it says by PEP 508 where something holds; nothing holds everywhere."""
    if not isinstance(text, str) or len(text) > LONGEST:
        return False
    try:
        return text == "" or bool(str(Marker(text)))
    except (InvalidMarker, RecursionError):
        return False


def _unread(
    data: Mapping[str, Any], project: Mapping[str, Any], uv: Mapping[str, Any], name: str
) -> Iterator[Left]:
    """What might matter and is not read."""
    dynamic = project.get("dynamic")
    if isinstance(dynamic, list) and "dependencies" in dynamic:
        yield Left(text="dynamic", where=f"{name}, project", because="only a build tells its dependencies")
    if "override-dependencies" in uv:
        text = "they set aside what packages ask for, so nothing could be judged by it"
        yield Left(text="override-dependencies", where=f"{name}, tool.uv", because=text)
    for key, value in list(_table(uv.get("sources")).items())[:MOST]:
        if len(_rows(value)) != (len(value) if isinstance(value, list) else 1):
            because = "it holds for some extras only, or is no index"
            yield Left(text=str(key)[:100], where=f"{name}, tool.uv.sources", because=because)
    poetry = _table(_table(data.get("tool")).get("poetry"))
    if "dependencies" in poetry and "dependencies" not in project:
        because = "only the standard table `project` is read"
        yield Left(text="tool.poetry.dependencies", where=name, because=because)


def _parsed(texts: Sequence[str], where: str) -> Iterator[Said | Left]:
    for text in texts:
        found = parse_one(text.strip(), where)
        yield found if isinstance(found, Left) else found[1]


def _strings(value: Any) -> list[str]:
    return [item for item in value[:MOST] if isinstance(item, str)] if isinstance(value, list) else []


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
