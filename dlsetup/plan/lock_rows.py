"""The packages of a lock, whatever its form, as rows of `pylock.toml`: names, markers, files, hashes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import tomli
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dlsetup.model.errors import DataError
from dlsetup.model.locked import Locked
from dlsetup.plan.lock_files import Row


def rows_of(text: str, locked: Locked) -> tuple[Row, ...]:
    """Every package with its files. `locked`: the same text as `intake.lock` read it."""
    if locked.path.endswith(".toml"):
        return tuple(tomli.loads(text).get("packages", []))
    versions = {item.name: str(item.version) for item in locked.packages}
    return tuple(_requirement_rows(text, versions))


def _requirement_rows(text: str, versions: dict[str, str]) -> Iterator[Row]:
    joined = re.sub(r"\\\r?\n", " ", text)
    for line in joined.splitlines():
        said, *hashes = re.split(r"\s--hash=", line.partition(" #")[0])
        if not said.strip() or said.strip().startswith(("#", "-")):
            continue
        item = Requirement(said.strip())
        name = canonicalize_name(item.name)
        if not item.url:
            raise DataError(
                f"the lock names no file of {name}",
                hint="`dlsetup resolve … --lock FILE` writes the address and the hash of every file",
            )
        row: dict[str, Any] = {
            "name": unquote(item.url.rpartition("/")[2]),
            "url": item.url,
            "hashes": dict(text.strip().partition(":")[::2] for text in hashes),
        }
        kind: dict[str, Any] = {"wheels": [row]} if row["name"].endswith(".whl") else {"sdist": row}
        marker = {"marker": str(item.marker)} if item.marker else {}
        yield {"name": name, "version": versions[name], **marker, **kind}
