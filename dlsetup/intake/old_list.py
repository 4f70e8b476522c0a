"""Old lists of packages, line by line: `environment.yml`, requirements, or commands as they were pasted.

Nothing is executed, expanded or fetched; aliases of YAML are refused, and everything is bounded.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import partial
from typing import Any

from dlsetup.intake.environment_file import MOST
from dlsetup.intake.yaml_files import LARGEST, read_yaml
from dlsetup.model.errors import DataError, UsageError
from dlsetup.model.modernised import Entry, OldList

CONDA = ("conda", "mamba", "micromamba", "pixi")
_PIP = ("pip", "pip3", "uv", "python", "python3")
_PROMPT = re.compile(r"^\s*(?:\([^)]{0,80}\)\s*)?(?:[$>!%#]\s*)?(?:sudo\s+)?")
_WITH_VALUE = ("-n", "--name", "-p", "--prefix", "-f", "--file", "--index-url", "-i", "--extra-index-url")
_FIND_LINKS = ("-f", "--find-links")
_LONGEST = 4000


def is_command(text: str) -> bool:
    """Whether the first words call conda or pip, whatever prompt stands before them."""
    words = _PROMPT.sub("", text[:_LONGEST], count=1).split()
    if not words:
        return False
    name = words[0].rpartition("/")[2]
    return (name in CONDA and words[1:2] != []) or (name in _PIP and "install" in words[1:4])


def read_old(text: str, where: str) -> OldList:
    """Tells the form by what stands there. Raises `DataError`, or `UsageError` where nothing can be read."""
    lines = text.splitlines()
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("# ")), "")
    if re.search(r"^dependencies\s*:", text[:LARGEST], re.MULTILINE):
        return _environment(text, where)
    if any(is_command(line) for line in lines[:MOST]):
        return _commands(text, where)
    if not first:
        raise UsageError(
            f"{where} lists nothing", hint="name an environment.yml, a requirements.txt, or a command"
        )
    return _requirements(text, where)


def _environment(text: str, where: str) -> OldList:
    root = _root(text, where)
    entries: list[Entry] = []
    name = ""
    for key, value in root.value:
        if key.value == "name" and hasattr(value, "value") and isinstance(value.value, str):
            name = value.value
        elif key.value == "channels":
            entries += _scalars(value, "channel")
        elif key.value == "dependencies":
            entries += _dependencies(value)
        else:
            entries.append(_entry(str(key.value), key.start_mark.line, "other"))
    if len(entries) > MOST:
        raise DataError(f"{where}: more than {MOST} entries")
    return OldList(kind="environment", where=where, entries=tuple(entries), name=name)


def _dependencies(node: Any) -> Iterator[Entry]:
    import yaml

    for item in node.value if isinstance(node, yaml.SequenceNode) else []:
        if isinstance(item, yaml.ScalarNode):
            yield _entry(item.value, item.start_mark.line, "conda")
        elif isinstance(item, yaml.MappingNode):
            for key, value in item.value:
                if key.value == "pip":
                    for entry in _scalars(value, "pip"):
                        option = entry.text.startswith("-")
                        yield Entry(text=entry.text, line=entry.line, part="option" if option else "pip")
                else:
                    yield _entry(str(key.value), key.start_mark.line, "other")


def _scalars(node: Any, part: Any) -> list[Entry]:
    import yaml

    if not isinstance(node, yaml.SequenceNode):
        return []
    scalars = (item for item in node.value if isinstance(item, yaml.ScalarNode))
    return [_entry(item.value, item.start_mark.line, part) for item in scalars]


def _root(text: str, where: str) -> Any:
    import yaml

    root = read_yaml(text, where, partial(yaml.compose, Loader=yaml.SafeLoader))
    keys = [key.value for key, _ in root.value] if isinstance(root, yaml.MappingNode) else []
    if not all(isinstance(key, str) for key in keys) or "dependencies" not in keys:
        raise DataError(f"{where}: it has no list `dependencies`")
    return root


def _requirements(text: str, where: str) -> OldList:
    from dlsetup.intake.requirements_file import numbered_lines

    entries = [
        _entry(line, number - 1, "option" if line.startswith("-") else "pip")
        for number, line in numbered_lines(text, where)
    ]
    if len(entries) > MOST:
        raise DataError(f"{where}: more than {MOST} entries")
    return OldList(kind="requirements", where=where, entries=tuple(entries))


def _commands(text: str, where: str) -> OldList:
    entries: list[Entry] = []
    name = ""
    for number, command in _joined(text):
        for words in _calls(command, where):
            found, told = _call(words, number)
            entries += found
            name = told or name
    if len(entries) > MOST:
        raise DataError(f"{where}: more than {MOST} entries")
    return OldList(kind="commands", where=where, entries=tuple(entries), name=name)


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """Commands with the number of their first line; lines that end in a backslash are one."""
    waiting, start = "", 0
    for number, line in enumerate(text.splitlines()[:MOST]):
        start = start if waiting else number
        waiting += line
        if waiting.endswith("\\"):
            waiting = waiting[:-1] + " "
            continue
        if waiting.strip():
            yield start, waiting[:_LONGEST]
        waiting = ""


def _calls(command: str, where: str) -> Iterator[list[str]]:
    """The words of each call that `&&`, `;` or `|` joins."""
    bare = _PROMPT.sub("", command, count=1)
    lexer = shlex.shlex(bare, posix=True, punctuation_chars=";&|")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    words: list[str] = []
    try:
        for word in lexer:
            if word and set(word) <= set(";&|"):
                yield words
                words = []
            else:
                words.append(word)
    except ValueError as exc:
        raise DataError(f"{where}: `{bare[:80]}`: {exc}") from exc
    yield words


def _call(words: list[str], line: int) -> tuple[list[Entry], str]:
    """What one call asks for, and the name of the environment."""
    program = words[0].rpartition("/")[2] if words else ""
    if program in CONDA and any(verb in words for verb in ("install", "create", "add", "update")):
        return _conda_call(words[1:], line)
    if program in _PIP and "install" in words:
        return _pip_call(words[words.index("install") + 1 :], line), ""
    return ([_entry(" ".join(words), line, "other")] if words else []), ""


def _conda_call(words: list[str], line: int) -> tuple[list[Entry], str]:
    entries: list[Entry] = []
    name, option = "", ""
    for word in words:
        if option:
            name = word if option in ("-n", "--name") else name
            if option in ("-c", "--channel"):
                entries.append(_entry(word, line, "channel"))
            option = ""
        elif word in ("-c", "--channel", *_WITH_VALUE):
            option = word
        elif found := re.fullmatch(r"--channel=(.+)|-c(?!-)(.+)", word):
            entries.append(_entry(found[1] or found[2], line, "channel"))
        elif not word.startswith("-") and (
            entries or word not in ("install", "create", "add", "update", "env")
        ):
            entries.append(_entry(word, line, "conda"))
    return entries, name


def _pip_call(words: list[str], line: int) -> list[Entry]:
    entries: list[Entry] = []
    option = ""
    for word in words:
        if option:
            entries.append(_entry(f"{option} {word}", line, "option"))
            option = ""
        elif word in (*_WITH_VALUE, *_FIND_LINKS, "-r", "--requirement", "-e", "--editable"):
            option = word
        elif word.startswith("-"):
            entries.append(_entry(word, line, "option"))
        else:
            entries.append(_entry(word, line, "pip"))
    return entries


def _entry(text: str, line: int, part: Any) -> Entry:
    return Entry(text=text[:_LONGEST], line=line + 1, part=part)
