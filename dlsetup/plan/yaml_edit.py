"""An `environment.yml` rewritten where it stands: comments, order and all that is not said here stay."""

from __future__ import annotations

import io
from typing import Any

from dlsetup.model.errors import DataError
from dlsetup.model.modernised import Modernised

Became = dict[tuple[int, str], list[str]]


def edited(before: str, modern: Modernised, after: str) -> str:
    """The old text with the channels and dependencies of the new one. Raises `DataError`."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    reader = YAML(typ="rt")
    reader.preserve_quotes = True
    reader.width = 10_000
    reader.indent(mapping=2, sequence=4, offset=2)
    try:
        old = reader.load(before)
        new = YAML(typ="safe", pure=True).load(after)
    except (YAMLError, RecursionError, ValueError) as exc:
        raise DataError(f"it cannot be rewritten in place: {' '.join(str(exc).split())[:200]}") from exc
    wanted = _by_line(modern)
    for key in ("dependencies", "channels"):
        if isinstance(old.get(key), list):
            _rewrite(old[key], new[key], wanted)
        elif key in old:
            old[key] = new[key]
        else:
            old.insert(0, key, new[key])
    old.pop("prefix", None)
    for unicode in (True, False):
        reader.allow_unicode = unicode
        stream = io.StringIO()
        reader.dump(old, stream)
        if _says(stream.getvalue(), old):
            return stream.getvalue()
    raise DataError("it holds signs that do not survive being rewritten; name a file with `-o`")


def _says(text: str, wanted: Any) -> bool:
    """Whether the text reads back as what was meant: some signs are line ends to a reader of YAML."""
    import yaml

    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError:
        return False
    return all(found.get(key) == wanted.get(key) for key in ("name", "channels", "dependencies"))


def _by_line(modern: Modernised) -> Became:
    """What each entry became, as a list of entries."""
    return {(item.line, item.text): item.became.split() for item in modern.changes}


def _rewrite(old: Any, new: list[Any], wanted: Became) -> None:
    """Entries that became others are replaced where they are, those that are gone go, new ones come last."""
    strings = [item for item in new if isinstance(item, str)]
    lines = [old.lc.item(at)[0] + 1 for at in range(len(old))]
    placed: set[str] = set()
    for at in reversed(range(len(old))):
        if not isinstance(old[at], str):
            continue
        into = [item for item in wanted.get((lines[at], str(old[at])), [str(old[at])]) if item in strings]
        if into and into[0] not in placed:
            old[at] = into[0]
            placed.add(into[0])
        else:
            del old[at]
    nested = next((item for item in old if isinstance(item, dict) and "pip" in item), None)
    later = [item for item in strings if item not in placed]
    position = len(old) if nested is None else list(old).index(nested)
    for item in later:
        old.insert(position, item)
        position += 1
    _pip(old, nested, next((item["pip"] for item in new if isinstance(item, dict)), []))


def _pip(old: Any, nested: Any, lines: list[str]) -> None:
    if nested is None:
        if lines:
            old.append({"pip": lines})
    elif not lines:
        old.remove(nested)
    elif not isinstance(nested["pip"], list):
        nested["pip"] = lines
    else:
        own = nested["pip"]
        for at in reversed(range(len(own))):
            if own[at] not in lines:
                del own[at]
        for line in lines:
            if line not in own:
                own.append(line)
