"""Tools that go along with a bundle: which wheels of them, and which Python."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from msgspec.structs import replace

from dlsetup.model.bundle import Fetched
from dlsetup.model.machine import Libc
from dlsetup.model.resolution import Plan
from dlsetup.model.steps import Step
from dlsetup.model.target import Target
from dlsetup.plan.environment import Means, Place, lock_steps

TOOLS = ("uv", "dlsetup")
_OFFICIAL = r"https?://.+?/releases/download/"


def tool_steps(wanted: Sequence[str], plan: Plan, place: Place, means: Means) -> tuple[Step, ...]:
    """Steps to a lock of tools, for the Python and the platform of the plan."""
    bare = replace(plan, requirements=tuple(wanted), constraints=(), picks=(), indexes=(), sources=())
    return lock_steps(bare, place, means)


def python_for(listing: str, plan: Plan, mirror: str = "") -> tuple[str, Fetched] | None:
    """The newest Python of the plan's version among those that uv lists (as JSON), with uv's name of it.

    `mirror`: where the user has such Pythons (`UV_PYTHON_INSTALL_MIRROR`). The file lies below its release,
    as uv expects it of a mirror. Its hash is known to uv alone.
    """
    rows = [row for row in json.loads(listing) if _serves(row, plan)]
    if not rows:
        return None
    row = max(rows, key=lambda item: item["version_parts"]["patch"])
    address = re.sub(
        _OFFICIAL, lambda found: f"{mirror.rstrip('/')}/" if mirror else found[0], row["url"], count=1
    )
    release, _, name = unquote(address).rpartition("/")
    folder = release.rpartition("/")[2]
    if not re.fullmatch(r"[\w.+-]+", name) or not re.fullmatch(r"\w+", folder):
        return None
    file = Fetched(
        name=name, room="python", folder=folder, address=address, package="python", version=row["version"]
    )
    return str(row["key"]), file


def _serves(row: dict[str, Any], plan: Plan) -> bool:
    parts = row["version_parts"]
    return (
        row["implementation"] == "cpython"
        and row.get("variant", "default") == "default"
        and (parts["major"], parts["minor"]) == (plan.python.major, plan.python.minor)
        and (row["os"], row["arch"], row["libc"]) == _platform(plan.target)
    )


def _platform(target: Target) -> tuple[object, object, str]:
    if target.os != "linux":
        return target.os, target.arch, "none"
    musl = isinstance(target.libc, Libc) and target.libc.name == "musl"
    return target.os, target.arch, "musl" if musl else "gnu"
