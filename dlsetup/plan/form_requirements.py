"""A plan as requirements: the whole lock where dlsetup makes the file, lines of it where a person did."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import tomli
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Index
from dlsetup.model.locked import LockNote
from dlsetup.model.record import Unknown
from dlsetup.plan.dependencies import Edits, Where, edits
from dlsetup.plan.draft import (
    OURS,
    Draft,
    FileText,
    environments,
    group_marker,
    holds,
    made_for,
    remark,
    unreadable,
)
from dlsetup.plan.lock_project import marked, platform_marker
from dlsetup.plan.lock_text import HEAD, as_pylock, as_requirements
from dlsetup.plan.toml import pinned_sources

REQUIREMENTS, CONSTRAINTS, PYLOCK = "requirements.txt", "constraints.txt", "pylock.toml"
_OF_INDEX = re.compile(r"\s*(?:-i|--index-url|--extra-index-url)(?:\s*=\s*|\s+)(\S+)")
_COMMENT = re.compile(r"(?:^|\s+)#.*$")


def requirements(draft: Draft) -> tuple[FileText, ...]:
    """`requirements.txt` and `constraints.txt`. Raises `Unreadable` for a lock of another tool."""
    known = draft.text_of(REQUIREMENTS)
    bounds = _constraints(draft)
    if known is None or not known.strip() or known.startswith(HEAD):
        text = as_requirements(draft.lock, _note(draft), draft.plans)
        return FileText(name=REQUIREMENTS, text=text), bounds
    return _edited(draft, known), bounds


def pylock(draft: Draft) -> tuple[FileText, ...]:
    """`pylock.toml` (PEP 751). Raises `Unreadable` for a lock of another tool."""
    known = draft.text_of(PYLOCK)
    if known and known.strip() and not known.startswith(HEAD):
        raise unreadable(PYLOCK, "it is a lock of another tool, which is made as a whole")
    return (FileText(name=PYLOCK, text=as_pylock(draft.lock, _note(draft), draft.plans)),)


def _note(draft: Draft) -> LockNote:
    if isinstance(draft.note, Unknown):
        raise UsageError("this form needs a lock", hint="leave out `--form requirements`")
    return draft.note


def _edited(draft: Draft, text: str) -> FileText:
    """A file that a person wrote: exact versions, the indexes they come from, and the bounds on the rest."""
    if re.search(r"--hash[=\s]", text):
        raise unreadable(REQUIREMENTS, "its hashes are those of a lock of another tool")
    lines = _Lines(text)
    groups = draft.groups
    wanted = [plan.requirements for plan in groups]
    markers = [platform_marker(plan.target, plan.python) for plan in groups] if len(groups) > 1 else []
    texts = list(marked(wanted, markers)) if len(wanted) > 1 else list(wanted[0])
    marker = group_marker(groups[0]) if len(groups) == 1 else ""
    where = Where(environments(groups), marker, dict(draft.twins), draft.device_extras)
    found = edits(lines.requirements, texts, draft.owned, where)
    found.changed.update({key: [] for key in _stale(draft, lines)})
    head = [*_index_lines(draft, lines.indexes)]
    if not any(
        re.match(rf"\s*(-c|--constraint)[\s=]+(\./)?{re.escape(CONSTRAINTS)}\s*$", x) for x in lines.bare
    ):
        head.append(f"-c {CONSTRAINTS}")
    return FileText(name=REQUIREMENTS, text=lines.changed(found, head), notes=tuple(found.notes))


def _index_lines(draft: Draft, known: Sequence[str]) -> Iterator[str]:
    """The indexes that are not named yet. pip takes any package from any of them: the exact versions tell."""
    seen = {address.rstrip("/") for address in known}
    for index in _needed(draft):
        if index.url and _word(index.url).rstrip("/") not in seen:
            seen.add(_word(index.url).rstrip("/"))
            yield f"# {OURS}builds for {made_for(draft.plans)}"
            option = "--index-url" if index.name == "default" else "--extra-index-url"
            yield f"{option} {_word(index.url)}"


def _needed(draft: Draft) -> list[Index]:
    used = {index for plan in draft.groups for index in pinned_sources(plan).values()}
    named = {index.name: index for plan in draft.groups for index in plan.indexes if index.name in used}
    return [*(named[name] for name in sorted(named)), *draft.more]


def _stale(draft: Draft, lines: _Lines) -> set[int]:
    """Lines of dlsetup's own that name an index which is not needed any more, with the remark above them."""
    needed = {_word(index.url).rstrip("/") for index in _needed(draft) if index.url}
    found: set[int] = set()
    for place, line in enumerate(lines.bare):
        address = _OF_INDEX.match(line)
        ours = place > 0 and lines.lines[place - 1].startswith(f"# {OURS}builds for ")
        if address and ours and address[1].rstrip("/") not in needed:
            found |= {place - 1, place}
    return found


def _word(address: str) -> str:
    """An address as one word of a line; a space or a quote in it would end it."""
    return re.sub(r"[\s\"'\\#]", lambda found: f"%{ord(found[0]):02X}", address)


class _Lines:
    """Lines of requirements, with those that a backslash joins as one."""

    def __init__(self, text: str) -> None:
        self.end = "\r\n" if "\r\n" in text else "\n"
        self.lines = _joined(text)
        self.bare = [_COMMENT.sub("", re.sub(r"\\\r?\n", " ", line)).strip() for line in self.lines]
        self.requirements = [_requirement(line) for line in self.bare]
        self.indexes = [found[1].strip("\"'") for line in self.bare if (found := _OF_INDEX.match(line))]

    def changed(self, found: Edits, head: Sequence[str]) -> str:
        """The text with the edits; comments behind a line stay behind it."""
        rows: list[str] = []
        for place, line in enumerate(self.lines):
            told = found.changed.get(place)
            if told is None:
                rows.append(line)
            else:
                comment = _COMMENT.search(line)
                kept = comment[0].rstrip("\r\n") if comment else ""
                rows += [f"{item}{kept if number == 0 else ''}{self.end}" for number, item in enumerate(told)]
        if rows and not rows[-1].endswith("\n"):
            rows[-1] += self.end
        if rows and re.search(r"\\\r?\n\Z", rows[-1]):
            # What comes next would belong to this line.
            rows.append(self.end)
        place = self._place_of_options(rows)
        rows[place:place] = [f"{line}{self.end}" for line in head]
        return "".join(rows) + "".join(f"{text}{self.end}" for text in found.added)

    def _place_of_options(self, rows: Sequence[str]) -> int:
        """Behind the comments at the beginning and the options that stand there already."""
        place = 0
        for number, row in enumerate(rows):
            if re.match(r"\s*(-|--)[A-Za-z]", row):
                place = number + 1
            elif row.strip() and not row.lstrip().startswith("#"):
                break
        return place


def _joined(text: str) -> list[str]:
    lines: list[str] = []
    for line in text.splitlines(keepends=True) if text.isascii() else re.findall(r"[^\n]*\n|[^\n]+", text):
        joins = bool(lines) and re.search(r"\\\r?\n\Z", lines[-1]) is not None
        if joins and not lines[-1].lstrip().startswith("#"):
            lines[-1] += line
        else:
            lines.append(line)
    return lines


def _requirement(line: str) -> str:
    """The requirement of a line without options such as hashes; empty for anything else."""
    bare = re.sub(r"\s+--?[A-Za-z].*$", "", line, flags=re.DOTALL).strip()
    try:
        return bare if bare and str(Requirement(bare)) else ""
    except (InvalidRequirement, RecursionError):
        return ""


def _constraints(draft: Draft) -> FileText:
    """Every package of the lock in its version; bounds on others stay."""
    known = draft.text_of(CONSTRAINTS) or ""
    told = [text for line in _locked(draft) for text in [line] if text]
    if not known.strip():
        rows = [f"# {OURS}the whole tree of the plan for {made_for(draft.plans)}", *told]
        return FileText(name=CONSTRAINTS, text="".join(f"{row}\n" for row in rows))
    lines = _Lines(known)
    names = {canonicalize_name(Requirement(text).name) for text in told}
    found = edits(lines.requirements, told, names, Where(environments(draft.groups)))
    return FileText(name=CONSTRAINTS, text=lines.changed(found, ()), notes=tuple(map(remark, found.notes)))


def _locked(draft: Draft) -> Iterator[str]:
    """`name==version` of each package, with its platforms where they differ."""
    groups = draft.groups
    known = environments(groups)
    packages: list[dict[str, Any]] = tomli.loads(draft.lock).get("packages", [])
    found: list[list[str]] = [[] for _ in groups]
    for package in packages:
        for place, environment in enumerate(known):
            if "version" in package and holds(str(package.get("marker", "")), environment) is not False:
                found[place].append(f"{canonicalize_name(package['name'])}=={package['version']}")
    if len(groups) == 1:
        return iter(sorted(dict.fromkeys(found[0])))
    markers = [platform_marker(plan.target, plan.python) for plan in groups]
    return iter(sorted(marked(found, markers)))
