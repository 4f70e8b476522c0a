"""`dlsetup fix` on environments of conda: a real solver and installer, tiny packages, real uv."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping

import pytest
from tiny.broken import Fix, moves
from tiny.conda import CondaWorld
from tiny.conda_faults import FAULTS, CondaFault
from tiny.index import TinyIndex


def packages(document: dict[str, object]) -> dict[str, tuple[str | None, str | None]]:
    """What conda moves: the version with the first word of its build, before and after."""
    repair = document.get("repair") or document["mending"]["repair"]  # type: ignore[index]
    rows = repair["packages"]  # type: ignore[index]
    return {item["distribution"]: (short(item["before"]), short(item["after"])) for item in rows}


def short(text: str | None) -> str | None:
    """`2.14.1 cuda126` of `2.14.1 cuda126_py311_h1a2b3c4_200`; of a build that tells nothing the version."""
    if text is None:
        return None
    version, _, build = text.partition(" ")
    word = re.match(r"cpu(?=_)|cuda\d+|0$", build)
    return f"{version} {word[0]}" if word else version


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name for fault in FAULTS])
def test_it_is_mended_and_stays_mended_and_can_be_undone(
    fault: CondaFault, fix: Fix, conda: CondaWorld, tiny_index: TinyIndex
) -> None:
    if fault.before and sys.version_info >= tuple(int(part) for part in fault.before.split(".")):
        pytest.skip(f"from Python {fault.before} on there is no such environment")
    fault.make(fix, conda, tiny_index)
    before, builds = conda.broken.tree(), conda.builds()
    found = fix.of(fault.kind)
    assert (found["exit"], found.get("result"), found["ok"]) == (0, "mended", True), found
    assert packages(found) == fault.packages
    assert moves(found) == fault.moves
    files = [item["path"] for item in found["mending"]["repair"]["files"]]
    assert len(files) == len(fault.files)
    assert all(any(path.endswith(end.lstrip("/")) for path in files) for end in fault.files), files
    assert changed(builds, conda.builds()) == changed(fault.packages)
    assert bool(conda.calls()) is bool(fault.packages)
    again = fix.of(fault.kind)
    assert (again["exit"], again["result"]) == (0, "nothing-to-mend"), again
    undone = fix.command("undo", "--env", str(conda.broken.folder), "--verify-hashes", "--yes")
    assert undone.returncode == 0, undone.stderr + undone.stdout
    assert conda.broken.tree() == before


def changed(before: Mapping[str, object], after: Mapping[str, object] | None = None) -> set[str]:
    """Names of what differs."""
    if after is None:
        return {name for name, (was, now) in before.items() if was != now}  # type: ignore[misc]
    return {name for name in {*before, *after} if before.get(name) != after.get(name)}
