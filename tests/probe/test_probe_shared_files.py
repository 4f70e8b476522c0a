"""Files that several distributions claim, and whose content is no longer theirs."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_site import SITE, examined, installed, only, record, with_environment, write

from dlsetup.model.machine import SharedFiles
from dlsetup.model.record import UNKNOWN

OLD, NEW = b"old library", b"a newer library"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    return with_environment(tmp_path)


def twins(machine: Path, on_disk: bytes, old: bytes = OLD, new: bytes = NEW) -> tuple[SharedFiles, ...]:
    path, header = "nvidia/nccl/lib/libnccl.so.2", "nvidia/nccl/include/nccl.h"
    files = [("nvidia/__init__.py", b""), ("nvidia/nccl/__init__.py", b""), (header, b"same")]
    installed(machine, "nvidia-nccl-cu12", "2.27.7", RECORD=record((path, old), *files))
    installed(machine, "nvidia-nccl-cu13", "2.28.9", RECORD=record((path, new), *files))
    write(machine / SITE / path, on_disk)
    found = examined(machine).shared_files
    assert isinstance(found, tuple)
    return found


def test_twins_and_the_one_that_was_written_over(machine: Path) -> None:
    (shared,) = twins(machine, NEW)
    assert shared.owners == ("nvidia-nccl-cu12", "nvidia-nccl-cu13")
    assert shared.example == "nvidia/nccl/lib/libnccl.so.2"
    assert shared.damaged == ("nvidia-nccl-cu12",)
    assert twins(machine, OLD)[0].damaged == ("nvidia-nccl-cu13",)
    assert twins(machine, b"neither")[0].damaged == ("nvidia-nccl-cu12", "nvidia-nccl-cu13")


def test_files_of_one_size_are_told_by_their_content(machine: Path) -> None:
    (shared,) = twins(machine, b"new!", b"old!", b"new!")
    assert shared.damaged == ("nvidia-nccl-cu12",)


def test_a_shared_file_that_is_gone_damages_both(machine: Path) -> None:
    twins(machine, NEW)
    (machine / SITE / "nvidia/nccl/lib/libnccl.so.2").unlink()
    (shared,) = examined(machine).shared_files or ()
    assert shared.damaged == ("nvidia-nccl-cu12", "nvidia-nccl-cu13")


def test_files_with_the_same_content_are_no_quarrel(machine: Path) -> None:
    assert twins(machine, OLD, OLD, OLD) == ()


def test_neighbours_in_a_namespace_are_no_quarrel(machine: Path) -> None:
    for name in ("cublas", "cudnn"):
        files = (("nvidia/__init__.py", name.encode()), (f"nvidia/{name}/lib/lib{name}.so.9", NEW))
        installed(machine, f"nvidia-{name}-cu12", "9.0", RECORD=record(*files, ("../../../bin/tool", b"x")))
    assert examined(machine).shared_files == ()


@pytest.mark.parametrize(
    "text", ["", "\x00\xff,,,,", ",,\n" * 50, '"a,b', "../../../etc/passwd,sha256=x,9" * 3]
)
def test_a_broken_record_is_survived(machine: Path, text: str) -> None:
    for name in ("torch", "torchvision"):
        installed(machine, name, "2.9.1", RECORD=text, WHEEL=text, **{"direct_url.json": "{" + text})
    found = examined(machine)
    assert found.shared_files == ()
    assert only(found, "torch").origin is UNKNOWN


@pytest.mark.parametrize("size", ["²", "9" * 5000, "-1", ""])
def test_a_size_that_is_no_number_costs_nothing_else(machine: Path, size: str) -> None:
    """`²` is a digit to Python, and no number can be read out of it."""
    line = "onnxruntime/a.py,sha256={},{}\n../../../../etc/passwd,sha256={},1\n/etc/shadow,sha256={},1\n"
    installed(machine, "onnxruntime", "1.20.0", RECORD=line.format("x", size, "x", "x"))
    installed(machine, "onnxruntime-gpu", "1.20.0", RECORD=line.format("y", size, "y", "y"))
    (shared,) = examined(machine).shared_files or ()
    assert (shared.count, shared.example) == (1, "onnxruntime/a.py")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_records_too_long_to_be_held_together_are_unknown(
    machine: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr("dlsetup.probe.shared_files.LINES_LIMIT", 3)
    for name in ("cublas", "cudnn"):
        installed(machine, f"nvidia-{name}-cu12", "9.0", RECORD=f"a.py,sha256={name},1{end}" * 2)
    assert examined(machine).shared_files is UNKNOWN
    monkeypatch.setattr("dlsetup.probe.shared_files.LINES_LIMIT", 4)
    assert examined(machine).shared_files not in (UNKNOWN, ())
