"""A copy takes the place of an environment, or it is as if nothing had been."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tiny.broken import exact_tree

from dlsetup.act import replacement as room
from dlsetup.act.copying import LINKED_FROM, bytes_to_copy, copy_tree, links_possible
from dlsetup.act.neighbour import host_mark
from dlsetup.act.replacement import recover, replacement
from dlsetup.act.swap import put_in_place, put_in_place_in_turn
from dlsetup.model.errors import StepFailed

BIG = LINKED_FROM + 10


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A folder that looks like an environment, with a big file and a link."""
    folder = tmp_path / "here" / "an env $(x)"
    (folder / "lib").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11\n")
    (folder / "lib" / "big.so").write_bytes(b"b" * BIG)
    (folder / "lib" / "small.py").write_text("one = 1\n")
    (folder / "lib64").symlink_to("lib")
    (folder / "locked").mkdir(mode=0o500)
    os.utime(folder / "lib" / "small.py", ns=(1_000, 1_700_000_000_000_000_123))
    return folder


@pytest.mark.parametrize("links", [True, False])
def test_a_copy_is_the_same_to_the_nanosecond(plain: Path, tmp_path: Path, links: bool) -> None:
    witnesses = copy_tree(plain, tmp_path / "copy", links=links)
    assert exact_tree(tmp_path / "copy") == exact_tree(plain)
    assert [Path(item.path).name for item in witnesses if item.size] == (["big.so"] if links else [])
    assert (plain / "lib" / "small.py").stat().st_nlink == 1


def test_room_counts_only_what_is_written(plain: Path) -> None:
    whole = bytes_to_copy(plain, links=False)
    assert whole - bytes_to_copy(plain, links=True) == BIG


def test_links_only_where_the_cache_of_uv_is_on_the_same_disk(plain: Path, tmp_path: Path) -> None:
    assert links_possible(plain, tmp_path / "not there yet" / "cache")
    assert not links_possible(plain, Path("/proc"))
    assert not links_possible(plain, None)


def test_accepted_the_copy_is_the_environment_and_nothing_is_beside_it(plain: Path) -> None:
    settings = (plain / "pyvenv.cfg").read_bytes(), (plain / "pyvenv.cfg").stat().st_mtime_ns
    with replacement(plain, links=True) as work:
        assert "relocatable = true" in (work.copy / "pyvenv.cfg").read_text()
        (work.copy / "lib" / "new.py").write_text("")
        (work.copy / "lib" / "small.py").unlink()
        work.accept()
    assert os.listdir(plain.parent) == [plain.name]
    assert {path.name for path in (plain / "lib").iterdir()} == {"big.so", "new.py"}
    assert (plain / "lib" / "big.so").stat().st_nlink == 1
    assert ((plain / "pyvenv.cfg").read_bytes(), (plain / "pyvenv.cfg").stat().st_mtime_ns) == settings


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, None])
def test_not_accepted_nothing_has_been(plain: Path, error: type[BaseException] | None) -> None:
    before = exact_tree(plain)

    def work_on_a_copy() -> None:
        with replacement(plain, links=True) as work:
            (work.copy / "lib" / "big.so").unlink()
            (work.copy / "lib" / "small.py").write_text("two = 2\n")
            if error is not None:
                raise error

    if error is None:
        work_on_a_copy()
    else:
        with pytest.raises(error):
            work_on_a_copy()
    assert exact_tree(plain) == before
    assert os.listdir(plain.parent) == [plain.name]


def test_a_write_through_a_shared_file_is_noticed_and_the_copy_refused(plain: Path) -> None:
    with replacement(plain, links=True) as work:
        with (work.copy / "lib" / "big.so").open("r+b") as file:
            file.write(b"other")
        with pytest.raises(StepFailed, match=r"big\.so` changed"):
            work.accept()
    assert os.listdir(plain.parent) == [plain.name]


def test_what_somebody_else_puts_in_meanwhile_is_not_lost(plain: Path) -> None:
    with replacement(plain, links=False) as work:
        (plain / "lib" / "of_somebody_else.py").touch()
        with pytest.raises(StepFailed, match=r"lib` changed"):
            work.accept()
    assert (plain / "lib" / "of_somebody_else.py").exists()
    assert os.listdir(plain.parent) == [plain.name]


def test_leftovers_are_found_behind_a_link(plain: Path, tmp_path: Path) -> None:
    gone = plain.with_name(f".{plain.name}.mending-{dead_process()}-{host_mark()}")
    gone.mkdir()
    (tmp_path / "link").symlink_to(plain)
    assert str(gone) in recover(tmp_path / "link")[0]
    assert not gone.exists()


def test_the_exchange_fails_and_the_original_stays(plain: Path, monkeypatch) -> None:
    before = exact_tree(plain)

    def refuse(new: Path, place: Path, *, aside: Path) -> Path:
        raise OSError(16, "Device or resource busy")

    monkeypatch.setattr(room, "put_in_place", refuse)
    with pytest.raises(StepFailed, match="busy"), replacement(plain, links=True) as work:
        work.accept()
    assert exact_tree(plain) == before
    assert os.listdir(plain.parent) == [plain.name]


def test_two_renames_do_the_same_and_go_back(tmp_path: Path) -> None:
    for name in ("new", "place"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    with pytest.raises(OSError, match="No such file"):
        put_in_place_in_turn(tmp_path / "missing", tmp_path / "place", aside=tmp_path / "aside")
    assert os.listdir(tmp_path / "place") == ["place"]
    put_in_place_in_turn(tmp_path / "new", tmp_path / "place", aside=tmp_path / "aside")
    assert os.listdir(tmp_path / "place") == ["new"]
    assert os.listdir(tmp_path / "aside") == ["place"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux exchanges two names at once")
def test_two_names_are_exchanged_at_once(tmp_path: Path) -> None:
    for name in ("new", "place"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    former = put_in_place(tmp_path / "new", tmp_path / "place", aside=tmp_path / "aside")
    assert os.listdir(former) == ["place"]
    assert os.listdir(tmp_path / "place") == ["new"]


def test_too_little_room_is_said_before_anything_is_written(plain: Path) -> None:
    before = exact_tree(plain.parent)
    with (
        pytest.raises(StepFailed, match="MiB are free"),
        replacement(plain, links=True, room_bytes=1 << 60),
    ):
        pytest.fail("there is no room to work in")
    assert exact_tree(plain.parent) == before


def dead_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_leftovers_of_a_dead_process_are_removed_and_of_nobody_else(plain: Path) -> None:
    dead = dead_process()
    gone = plain.with_name(f".{plain.name}.mending-{dead}-{host_mark()}")
    elsewhere = plain.with_name(f".{plain.name}.mending-{dead}-00000000")
    other = plain.with_name(f".other.mending-{dead}-{host_mark()}")
    for folder in (gone, elsewhere, other):
        (folder / "x").mkdir(parents=True)
    said = recover(plain)
    assert len(said) == 1
    assert str(gone) in said[0]
    assert not gone.exists()
    assert elsewhere.exists()
    assert other.exists()
    assert recover(plain) == ()


def test_an_environment_that_was_moved_aside_comes_back(plain: Path) -> None:
    dead = dead_process()
    before = exact_tree(plain)
    plain.rename(plain.with_name(f".{plain.name}.before-{dead}-{host_mark()}"))
    plain.with_name(f".{plain.name}.mending-{dead}-{host_mark()}").mkdir()
    said = recover(plain)
    assert "back in its place" in said[0]
    assert exact_tree(plain) == before
    assert os.listdir(plain.parent) == [plain.name]


def test_a_living_process_keeps_its_copy(plain: Path) -> None:
    with replacement(plain, links=True) as work:
        with pytest.raises(StepFailed, match=f"process {os.getpid()} is mending"):
            recover(plain)
        assert work.copy.is_dir()


def test_a_link_to_an_environment_stays_a_link(plain: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(plain)
    with replacement(tmp_path / "link", links=True) as work:
        (work.copy / "lib" / "new.py").write_text("")
        work.accept()
    assert (tmp_path / "link").is_symlink()
    assert (plain / "lib" / "new.py").exists()
    assert sorted(os.listdir(tmp_path)) == ["here", "link"]
