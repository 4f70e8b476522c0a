"""The text of a lock as it is kept: `pylock.toml` (PEP 751), or requirements with one address a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import tomli
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dlsetup.model import codec
from dlsetup.model.locked import LockNote, LockPick, LockTarget
from dlsetup.model.resolution import Plan
from dlsetup.model.target import Interpreter, Target
from dlsetup.plan.lock_files import Row, address_of, file_for
from dlsetup.plan.lock_project import platform_groups, platform_marker
from dlsetup.plan.toml import quoted
from dlsetup.rules.libraries import marker_environment

HEAD = "# Made by dlsetup; `dlsetup check-lock FILE` says whether it serves a machine.\n"


def is_pylock(name: str) -> bool:
    """Whether a file of this name is a lock by PEP 751; anything else that ends in `.txt` is requirements."""
    return re.fullmatch(r"pylock(\.[^./\\]+)?\.toml", name) is not None


def as_pylock(text: str, note: LockNote, plans: Sequence[Plan]) -> str:
    """uv's lock with its Python, the index of each package that has one of its own, and the reasons."""
    body = re.sub(r"\A(#[^\n]*\n)+", "", text)
    python = f'requires-python = "=={note.python}.*"'
    body = re.sub(r"^requires-python = .*$", python, body, count=1, flags=re.MULTILINE)
    for (name, version), address in _homes(plans).items():
        head = f"name = {quoted(name)}\nversion = {quoted(version)}\n"
        found = rf"{re.escape(head)}(?:marker = [^\n]*\n)?"
        row = f"index = {quoted(address)}\n"
        body = re.sub(found, partial(_followed, row), body)
    return f"{HEAD}{body.rstrip()}\n\n{note_text(note)}"


def _followed(row: str, found: re.Match[str]) -> str:
    return f"{found[0]}{row}"


def _homes(plans: Sequence[Plan]) -> dict[tuple[str, str], str]:
    """Packages by name and version with the address of the index that alone may give them."""
    homes: dict[tuple[str, str], str] = {}
    for plan in plans:
        addresses = {index.name: index.url for index in plan.indexes if index.url}
        for pick in plan.picks:
            item = Requirement(pick.requirement)
            if pick.index in addresses:
                version = str(item.specifier).removeprefix("==")
                homes[canonicalize_name(item.name), version] = addresses[pick.index]
    return homes


def as_requirements(text: str, note: LockNote, plans: Sequence[Plan]) -> str:
    """Requirements with the one address and hash of each file, by platform where they differ."""
    groups = platform_groups(plans)
    packages: list[Row] = tomli.loads(text).get("packages", [])
    lines: dict[str, list[int]] = {}
    for place, group in enumerate(groups):
        targets = [plan.target for plan in group]
        for line in _lines(packages, targets, Interpreter(version=note.python)):
            lines.setdefault(line, []).append(place)
    markers = [platform_marker(group[0].target, note.python) for group in groups] if len(groups) > 1 else [""]
    written = [_line(line, [markers[place] for place in found], len(groups)) for line, found in lines.items()]
    head = "".join(f"# {line}".rstrip() + "\n" for line in note_text(note).splitlines())
    return f"{HEAD}{head}\n" + "".join(f"{line}\n" for line in sorted(written))


def note_text(note: LockNote) -> str:
    """`[tool.dlsetup]`, as TOML."""
    rows: dict[str, Any] = codec.plain(note)
    targets, picks = rows.pop("targets"), rows.pop("picks")
    lines = ["[tool.dlsetup]", *(f"{name} = {_value(value)}" for name, value in rows.items())]
    for name, found in (("targets", targets), ("picks", picks)):
        for row in found:
            lines += ["", f"[[tool.dlsetup.{name}]]"]
            lines += [f"{key} = {_value(value)}" for key, value in row.items()]
    return "\n".join(lines) + "\n"


def picks_of(plans: Sequence[Plan]) -> tuple[LockPick, ...]:
    """Every build of the plans once, with the targets that get it."""
    found: dict[tuple[Any, ...], list[str]] = {}
    for plan in plans:
        addresses = {index.name: index.url or "" for index in plan.indexes}
        for pick in plan.picks:
            address = addresses.get(pick.index, "")
            key = (pick.framework, pick.version, pick.variant, address, pick.because)
            found.setdefault(key, []).append(plan.target.name)
    names = ("framework", "version", "variant", "index", "because")
    return tuple(
        LockPick(**dict(zip(names, key, strict=True)), targets=tuple(where)) for key, where in found.items()
    )


def targets_of(plans: Sequence[Plan], words: Sequence[str]) -> tuple[LockTarget, ...]:
    """The targets of the plans; `words`: each as `--target` takes it."""
    pairs = zip(plans, words, strict=True)
    return tuple(LockTarget(name=plan.target.name, words=text) for plan, text in pairs)


def _lines(packages: list[Row], targets: list[Target], python: Interpreter) -> Iterator[str]:
    environment = marker_environment(python, targets[0])
    for package in packages:
        marker = package.get("marker")
        if marker and environment is not None and not Marker(marker).evaluate(environment):
            continue
        row = file_for(package, targets, python)
        hashes = " ".join(f"--hash={name}:{digest}" for name, digest in sorted(row["hashes"].items()))
        yield f"{canonicalize_name(package['name'])} @ {address_of(row)}\0 {hashes}"


def _line(line: str, markers: list[str], groups: int) -> str:
    """The marker stands between address and hashes, and only where not all platforms take the file."""
    where = " or ".join(f"({marker})" for marker in markers) if len(markers) < groups else ""
    return line.replace("\0", f" ; {where}" if where else "")


def _value(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(quoted, value))}]"
    return quoted(str(value))
