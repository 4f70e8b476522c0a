"""Copies of a folder, what they cost, and how it is told that a folder is no longer what it was."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from pathlib import Path

import pytest
from tiny.broken import exact_tree

from dlsetup.act import copying
from dlsetup.act.copying import LINKED_FROM, copy_tree, cost, links_possible, means_for
from dlsetup.act.inventory import HASHED_UP_TO, differences, exclusive_bytes, inventory, packed, unpacked
from dlsetup.model.errors import DataError
from dlsetup.model.journal import CopyMeans

BIG = LINKED_FROM + 10


@pytest.mark.parametrize("means", ["hard-link", "copy", "reflink"])
def test_a_copy_is_the_same_to_the_nanosecond(plain: Path, tmp_path: Path, means: CopyMeans) -> None:
    """Also where a reflink was hoped for and the file system refuses it."""
    held = copy_tree(plain, tmp_path / "copy", means)
    assert exact_tree(tmp_path / "copy") == exact_tree(plain)
    shared = [path.name for path in (plain / "lib").iterdir() if path.stat().st_nlink == 2]
    assert shared == (["big.so"] if means == "hard-link" else [])
    assert held == inventory(plain, hashes=True)


def test_what_the_file_system_shares_is_not_written(
    plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system that shares blocks, by a stand-in for its answer."""
    asked: list[int] = []

    def share(source: int, target: int) -> bool:
        asked.append(os.fstat(source).st_size)
        os.write(target, os.pread(source, 1 << 22, 0))
        return True

    monkeypatch.setattr(copying, "_share_blocks", share)
    if sys.platform == "linux":
        assert means_for(plain, links=True) == "reflink"
        asked.clear()
    assert cost(plain, "reflink").written == 0
    copy_tree(plain, tmp_path / "copy", "reflink")
    assert sorted(asked) == sorted(path.stat().st_size for path in plain.rglob("*") if path.is_file())[:4]
    assert exact_tree(tmp_path / "copy") == exact_tree(plain)


def test_a_pipe_is_left_out_and_remembered(plain: Path, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(plain)
        server.bind("s")
    held = copy_tree(plain, tmp_path / "copy", "copy")
    assert "s" in held
    assert not (tmp_path / "copy" / "s").exists()


def test_the_cost_counts_only_what_is_written(plain: Path) -> None:
    whole, linked = cost(plain, "copy"), cost(plain, "hard-link")
    assert (whole.shared, linked.shared) == (0, BIG)
    assert whole.written == linked.written + BIG
    assert cost(plain, "reflink").shared == whole.written
    assert whole.free == pytest.approx(shutil.disk_usage(plain).free, abs=1 << 28)


def test_links_only_where_the_cache_of_uv_is_on_the_same_disk(plain: Path, tmp_path: Path) -> None:
    assert links_possible(plain, tmp_path / "not there yet" / "cache")
    assert not links_possible(plain, Path("/proc"))
    assert not links_possible(plain, None)


def test_every_difference_is_told(plain: Path) -> None:
    (plain / "lib" / "middle.bin").write_bytes(b"m" * (HASHED_UP_TO + 1))
    held = inventory(plain, hashes=True)
    assert unpacked(packed(held), where="here") == held
    assert list(differences(plain, held, hashes=True)) == []
    (plain / "lib" / "new.py").touch()
    (plain / "lib64").unlink()
    (plain / "lib64").symlink_to("elsewhere")
    (plain / "pyvenv.cfg").chmod(0o600)
    (plain / "locked").rmdir()
    with (plain / "lib" / "big.so").open("r+b") as file:
        file.write(b"other")
    assert set(differences(plain, held)) == {
        ".",
        "lib",
        "lib/new.py",
        "lib64",
        "pyvenv.cfg",
        "locked",
        "lib/big.so",
    }


def test_a_small_file_with_its_old_time_and_size_is_noticed_by_its_hash(plain: Path) -> None:
    held = inventory(plain, hashes=True)
    small = plain / "lib" / "small.py"
    before = small.stat()
    small.write_text("one = 2\n")
    os.utime(small, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert list(differences(plain, held)) == []
    assert list(differences(plain, held, hashes=True)) == ["lib/small.py"]


@pytest.mark.parametrize("data", [b"", b"no zlib", packed({})[:-3]])
def test_a_malformed_inventory_is_refused(data: bytes) -> None:
    with pytest.raises(DataError, match="here"):
        unpacked(data, where="here")


def test_room_counts_what_nobody_else_shares(plain: Path, tmp_path: Path) -> None:
    alone = exclusive_bytes(plain)
    assert alone >= BIG
    os.link(plain / "lib" / "big.so", plain / "lib" / "again.so")
    assert exclusive_bytes(plain) == alone
    os.link(plain / "lib" / "big.so", tmp_path / "elsewhere.so")
    assert exclusive_bytes(plain) <= alone - BIG
