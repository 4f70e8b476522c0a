"""A copy takes the place of an environment, or it is as if nothing had been."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tiny.broken import exact_tree

from dlsetup.act import exchange as room
from dlsetup.act.copying import LINKED_FROM
from dlsetup.act.journal import Journal
from dlsetup.act.replacement import About, Replacement, replacement, weigh
from dlsetup.act.swap import put_in_place, put_in_place_in_turn
from dlsetup.model.errors import StepFailed

BIG = LINKED_FROM + 10


@contextmanager
def work_on(environment: Path, journal: Journal, *, links: bool = True) -> Iterator[Replacement]:
    taken = weigh(environment, links=links)
    with replacement(environment, journal, About(what="a change"), taken) as work:
        yield work


def test_accepted_the_copy_is_the_environment_and_the_former_is_kept(plain: Path, journal: Journal) -> None:
    before = exact_tree(plain)
    settings = before["pyvenv.cfg"]
    with work_on(plain, journal) as work:
        assert "relocatable = true" in (work.copy / "pyvenv.cfg").read_text()
        (work.copy / "lib" / "new.py").write_text("")
        (work.copy / "lib" / "small.py").unlink()
        entry = work.accept()
    assert sorted(os.listdir(plain.parent)) == sorted([plain.name, Path(entry.former).name])
    assert {path.name for path in (plain / "lib").glob("*.[sp]*")} == {"big.so", "new.py"}
    assert exact_tree(plain)["pyvenv.cfg"] == settings
    assert exact_tree(Path(entry.former)) == before
    assert entry.state == "applied"
    assert journal.entries(str(plain)) == (entry,)


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, None])
def test_not_accepted_nothing_has_been(
    plain: Path, journal: Journal, error: type[BaseException] | None
) -> None:
    before = exact_tree(plain)

    def work_on_a_copy() -> None:
        with work_on(plain, journal) as work:
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
    assert [entry.state for entry in journal.entries()] == ["reverted"]


def test_a_write_through_a_shared_file_is_noticed_and_the_copy_refused(plain: Path, journal: Journal) -> None:
    with work_on(plain, journal) as work:
        with (work.copy / "lib" / "big.so").open("r+b") as file:
            file.write(b"other")
        with pytest.raises(StepFailed, match=r"big\.so` changed"):
            work.accept()
    assert os.listdir(plain.parent) == [plain.name]


@pytest.mark.parametrize("name", ["of_somebody_else.py", "small.py"])
def test_what_somebody_else_writes_meanwhile_is_not_lost(plain: Path, journal: Journal, name: str) -> None:
    with work_on(plain, journal, links=False) as work:
        (plain / "lib" / name).write_text("three = 3")
        with pytest.raises(StepFailed, match=r"lib.*` changed"):
            work.accept()
    assert (plain / "lib" / name).read_text() == "three = 3"
    assert os.listdir(plain.parent) == [plain.name]


def test_the_exchange_fails_and_the_original_stays(
    plain: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = exact_tree(plain)

    def refuse(new: Path, place: Path, *, aside: Path) -> Path:
        raise OSError(16, "Device or resource busy")

    monkeypatch.setattr(room, "put_in_place", refuse)
    with pytest.raises(StepFailed, match="busy"), work_on(plain, journal) as work:
        work.accept()
    assert exact_tree(plain) == before
    assert os.listdir(plain.parent) == [plain.name]
    (entry,) = journal.entries()
    assert (entry.state, "busy" in entry.why) == ("reverted", True)


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


def test_too_little_room_is_said_before_anything_is_written(plain: Path, journal: Journal) -> None:
    before = exact_tree(plain.parent)
    with pytest.raises(StepFailed, match="MiB are free"):
        weigh(plain, links=True, room_bytes=1 << 60)
    assert exact_tree(plain.parent) == before


def test_without_a_journal_nothing_is_changed(plain: Path, tmp_path: Path) -> None:
    before = exact_tree(plain.parent)
    (tmp_path / "state").write_text("a file where a folder should be")
    with pytest.raises(StepFailed, match="journal"), work_on(plain, Journal(tmp_path / "state")):
        pytest.fail("there is no journal")
    assert exact_tree(plain.parent) == before


def test_a_link_to_an_environment_stays_a_link(plain: Path, tmp_path: Path, journal: Journal) -> None:
    (tmp_path / "link").symlink_to(plain)
    with work_on(tmp_path / "link", journal) as work:
        (work.copy / "lib" / "new.py").write_text("")
        work.accept()
    assert (tmp_path / "link").is_symlink()
    assert (plain / "lib" / "new.py").exists()
