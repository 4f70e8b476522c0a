"""Changes in a TOML file that leave everything else of it to the byte: comments, order, quotes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import tomli
import tomlkit
from packaging.utils import canonicalize_name
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Array, InlineTable, Item

from dlsetup.plan.dependencies import Edits
from dlsetup.plan.draft import OURS, remark, unreadable


def opened(text: str, name: str) -> tomlkit.TOMLDocument:
    """The document. Raises `Unreadable`."""
    try:
        return tomlkit.parse(text if text.endswith("\n") or not text else f"{text}\n")
    except (TOMLKitError, RecursionError, ValueError) as error:
        raise unreadable(name, f"it is no TOML: {remark(str(error))[:200]}") from error


def table_at(document: Any, name: str, *path: str) -> Any:
    """The table at a path, made where there is none. Raises `Unreadable` where something else stands."""
    found = document
    for number, key in enumerate(path):
        if key not in found:
            # Of `[tool.uv]` only the last part is written.
            last = number == len(path) - 1
            inline = isinstance(found, InlineTable)
            found[key] = tomlkit.inline_table() if inline else tomlkit.table(is_super_table=not last)
        found = found[key]
        if not isinstance(found, Mapping):
            raise unreadable(name, f"`{'.'.join(path[: number + 1])}` is no table")
    return found


def peek(document: Any, *path: str) -> Any:
    """What stands at a path; None where nothing does."""
    found = document
    for key in path:
        if not isinstance(found, Mapping) or key not in found:
            return None
        found = found[key]
    return found


def put(table: Any, key: str, value: Any, *, why: str = "") -> bool:
    """Set a value where it is another one, with a comment of ours. True where something changed."""
    known = table.get(key)
    same = known is not None and plain(known) == plain(value)
    if not same:
        if isinstance(known, Item) and isinstance(known, str) and isinstance(value, str):
            value = _quoted_like(known, value)
        table[key] = value
    if why and not isinstance(table, InlineTable):
        _comment(table[key], why)
    return not same


def _quoted_like(known: Item, value: str) -> Any:
    literal = known.as_string().startswith("'") and "'" not in value and value.isprintable()
    return tomlkit.string(value, literal=literal)


def _comment(item: Any, why: str) -> None:
    """A comment of somebody else stays."""
    comment = f"# {OURS}{remark(why)}"
    known = item.trivia.comment
    if not known or known.startswith(f"# {OURS}"):
        item.trivia.comment = comment
        item.trivia.comment_ws = item.trivia.comment_ws or "  "


def is_ours(item: Any) -> bool:
    """Whether a comment says that dlsetup wrote a value."""
    return isinstance(item, Item) and item.trivia.comment.startswith(f"# {OURS}")


def array_at(table: Any, key: str, name: str, *, multiline: bool = True) -> Array:
    """The array of this name, made where it is not there. Raises `Unreadable` for something else."""
    if key not in table:
        table[key] = tomlkit.array().multiline(multiline and not isinstance(table, InlineTable))
    found = table[key]
    if not isinstance(found, Array):
        raise unreadable(name, f"`{key}` is no array")
    return found


def texts_of(array: Iterable[Any]) -> list[str]:
    """The entries as texts; what is none is an empty one."""
    return [str(item) if isinstance(item, str) else "" for item in array]


def apply(array: Array, found: Edits) -> None:
    """Carry out edits of requirements, from the end on."""
    for place, texts in sorted(found.changed.items(), reverse=True):
        for text in reversed(texts[1:]):
            array.insert(place + 1, text)
        if texts:
            array[place] = _quoted_like(array[place], texts[0])
        else:
            del array[place]
    for text in found.added:
        array.append(text)


def key_of(table: Mapping[str, Any], name: str) -> str | None:
    """How a distribution is written where names are keys."""
    wanted = canonicalize_name(name)
    return next((key for key in table if canonicalize_name(key) == wanted), None)


def row(values: Mapping[str, Any]) -> InlineTable:
    """An inline table of what is said: None and the empty text say nothing."""
    told = [
        f"{tomlkit.key(key).as_string()} = {tomlkit.item(value).as_string()}"
        for key, value in values.items()
        if value not in (None, "")
    ]
    found = tomlkit.value(f"{{ {', '.join(told)} }}")
    assert isinstance(found, InlineTable)
    return found


def space_before(table: Any) -> None:
    """An empty line between what a table has and the table below it that comes next."""
    if len(table) and not table.as_string().endswith("\n\n"):
        table.add(tomlkit.nl())


def space_behind(document: tomlkit.TOMLDocument, table: Any) -> None:
    """An empty line between a table that was added and one that follows it."""
    own = table.as_string()
    if f"{own}[" in document.as_string() and not own.endswith("\n\n"):
        table.add(tomlkit.nl())


def plain(value: Any) -> Any:
    """Without what tomlkit knows of spaces and comments."""
    return value.unwrap() if hasattr(value, "unwrap") else value


def _comparable(value: Any) -> Any:
    """What is no number equals nothing, not even itself."""
    if isinstance(value, Mapping):
        return {key: _comparable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_comparable(item) for item in value]
    return "nan" if value != value else value


def written(document: tomlkit.TOMLDocument, name: str) -> str:
    """The text of a document, which says what the document says: what is read again is the judge.

    Raises `Unreadable` where it does not.
    """
    text = document.as_string()
    text = text if text.endswith("\n") or not text else f"{text}\n"
    try:
        same = _comparable(tomli.loads(text)) == _comparable(document.unwrap())
    except (tomli.TOMLDecodeError, RecursionError):
        same = False
    if not same:
        raise unreadable(name, "its form is one in which nothing can be added safely")
    return text
