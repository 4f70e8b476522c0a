"""A saved machine is read back as it was, and anything else is refused with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlsetup.intake.saved import SIZE_LIMIT, read
from dlsetup.model.codec import encode
from dlsetup.model.errors import DataError, UsageError
from dlsetup.model.machine import Driver, Gpu, Machine
from dlsetup.model.versions import DriverRelease


def test_a_machine_comes_back(tmp_path: Path) -> None:
    machine = Machine(driver=Driver(module=DriverRelease("550.54.15")), gpus=(Gpu(vendor="nvidia"),))
    path = tmp_path / "machine.json"
    path.write_bytes(encode(machine))
    assert read(path) == machine


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (b"", "machine.json"),
        (b"{}x", "machine.json"),
        (b'{"schema": "dlsetup.machine/2"}', "$.schema"),
        (b'{"gpus": [{"vendor": "nvidia", "memory_bytes": "lots"}]}', "$.gpus[0].memory_bytes"),
        (b"\xff\xfe\x00", "machine.json"),
        (b"[" * 5000, "machine.json"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, text: bytes, word: str) -> None:
    path = tmp_path / "machine.json"
    path.write_bytes(text)
    with pytest.raises(DataError) as caught:
        read(path)
    assert word in caught.value.message
    assert "dlsetup schema machine" in caught.value.hint


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read(tmp_path / "machine.json")


def test_a_folder_is_no_machine(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read(tmp_path)


def test_a_huge_file_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "machine.json"
    with path.open("wb") as file:
        file.truncate(SIZE_LIMIT * 50)
    with pytest.raises(DataError, match="larger than 20 MiB"):
        read(path)
