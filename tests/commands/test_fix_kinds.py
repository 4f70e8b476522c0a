"""Every kind of fault, alone and combined: mended with the least change, and nothing left to mend."""

from __future__ import annotations

import pytest
from tiny.broken import Broken, Fix, moves
from tiny.brute import changed, least
from tiny.faults import FAULTS, Fault
from tiny.index import TinyIndex
from tiny.wheels import TinyWheel
from tiny.world import torch

UNDONE = ("two-majors", "cpu-torch-and-vision", "library-path", "emptied", "leftovers-and-twins")
BY_FORCE = tuple(fault for fault in FAULTS if fault.kind != "numpy-abi")
"""What the tiny wheels alone decide; that a release is compiled for NumPy 1 no wheel says."""


@pytest.fixture(params=FAULTS, ids=[fault.name for fault in FAULTS])
def fault(request: pytest.FixtureRequest, fix: Fix, tiny_index: TinyIndex) -> Fault:
    found: Fault = request.param
    if not found.possible:
        pytest.skip(f"from Python {found.before} on there is no such environment")
    tiny_index.add("pytorch-cpu", torch("2.2.2+cpu", None, "numpy"))
    tiny_index.add("default", [TinyWheel("numba", "0.59.1", requires=("numpy>=1.22,<1.27",))])
    found.make(fix, tiny_index)
    return found


def test_it_is_mended_and_stays_mended(fault: Fault, fix: Fix, broken: Broken) -> None:
    before, versions = broken.tree(), broken.versions()
    found = fix.of(fault.kind)
    assert (found["exit"], found.get("result"), found["ok"]) == (0, "mended", True), found
    assert moves(found) == fault.moves
    files = [item["path"] for item in found["mending"]["repair"]["files"]]
    assert len(files) == len(fault.files)
    assert all(any(path.endswith(end.lstrip("/")) for path in files) for end in fault.files), files
    if fault in BY_FORCE:
        assert changed(fault.moves) == least(versions, fault)
    again = fix.of(fault.kind)
    assert (again["exit"], again["result"]) == (0, "nothing-to-mend"), again
    assert broken.beside() == [broken.folder.name] or fault.library_path
    if fault.name in UNDONE:
        undone = fix.command("undo", "--env", str(broken.folder), "--yes")
        assert undone.returncode == 0, undone.stderr
        assert broken.tree() == before
