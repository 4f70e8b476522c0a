"""A change is taken back to the byte; killed at any operation, it is finished or never was."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from tiny.broken import exact_tree

from dlsetup.act import exchange as room
from dlsetup.act.journal import Journal
from dlsetup.act.keeping import KEPT, forget, forget_old, is_kept
from dlsetup.act.recovery import recover, unfinished
from dlsetup.act.replacement import About, replacement, weigh
from dlsetup.act.swap import put_in_place_in_turn
from dlsetup.act.undoing import Standing, is_deleted, missing, standing, undo
from dlsetup.act.workplace import remove
from dlsetup.model.journal import Entry

WRITES = ("open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.utime")


def changed(environment: Path, journal: Journal, text: str = "two = 2\n") -> Entry:
    """The environment with another `small.py`."""
    taken = weigh(environment, links=True)
    with replacement(environment, journal, About(what="a change"), taken) as work:
        (work.copy / "lib" / "small.py").unlink()
        (work.copy / "lib" / "small.py").write_text(text)
        return work.accept()


def in_turn(new: Path, place: Path, *, aside: Path) -> Path:
    put_in_place_in_turn(new, place, aside=aside)
    return aside


def test_undone_to_the_byte_and_done_again(plain: Path, journal: Journal) -> None:
    before = exact_tree(plain)
    first = changed(plain, journal)
    after = exact_tree(plain)
    assert after != before
    back = undo(journal, first)
    assert exact_tree(plain) == before
    assert (back.undoes, back.state) == (first.id, "applied")
    assert [entry.state for entry in journal.entries()] == ["undone", "applied"]
    assert missing(journal.named(first.id)) == f"{first.id} is taken back already."
    again = undo(journal, back)
    assert exact_tree(plain) == after
    assert is_kept(again)
    assert sorted(os.listdir(plain.parent)) == sorted([plain.name, Path(again.former).name])


def test_nothing_is_against_it_when_nobody_has_changed_anything(plain: Path, journal: Journal) -> None:
    entry = changed(plain, journal)
    (plain / "lib" / "__pycache__").mkdir()
    (plain / "lib" / "__pycache__" / "small.pyc").touch()
    found = standing(journal, entry)
    assert (found.damaged, found.later, found.unknown) == ((), (), "")


def test_a_write_through_a_shared_file_is_told(plain: Path, journal: Journal) -> None:
    entry = changed(plain, journal)
    with (plain / "lib" / "big.so").open("r+b") as file:
        file.write(b"other")
    found = standing(journal, entry)
    assert (found.damaged, found.later) == (("lib/big.so",), ("lib/big.so",))


def test_what_came_later_is_told(plain: Path, journal: Journal) -> None:
    entry = changed(plain, journal)
    (plain / "lib" / "new.py").touch()
    (plain / "lib64").unlink()
    assert standing(journal, entry).later == ("lib/new.py", "lib64")
    (journal.folder / entry.id / "after").unlink()
    assert entry.id in standing(journal, entry).unknown


def test_only_the_latest_are_kept(plain: Path, journal: Journal) -> None:
    entries = [changed(plain, journal, f"n = {number}\n") for number in range(KEPT + 2)]
    gone = forget_old(journal, str(plain))
    assert [entry.id for entry in gone] == [entry.id for entry in entries[:2]]
    assert [entry.state for entry in journal.entries()] == ["gone"] * 2 + ["applied"] * KEPT
    assert len(os.listdir(plain.parent)) == KEPT + 1
    assert "no longer kept" in str(missing(journal.named(entries[0].id)))


def test_what_is_half_removed_goes_with_the_next_command(
    plain: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = changed(plain, journal)
    with monkeypatch.context() as patch:
        patch.setattr("dlsetup.act.keeping.remove", lambda folder: None)
        forget(journal, entry)
    assert Path(entry.former).exists()
    assert recover(journal, plain) == ()
    assert os.listdir(plain.parent) == [plain.name]


def test_what_was_deleted_comes_back_to_the_byte(plain: Path, journal: Journal) -> None:
    before = exact_tree(plain)
    entry = changed(plain, journal)
    remove(plain)
    assert is_deleted(entry)
    assert missing(entry) is None
    assert standing(journal, entry) == Standing()
    back = undo(journal, entry)
    assert exact_tree(plain) == before
    assert [item.state for item in journal.entries()] == ["undone", "applied"]
    assert (back.folder, is_kept(back)) == (0, False)
    assert os.listdir(plain.parent) == [plain.name]


@pytest.mark.parametrize("happened", [True, False])
def test_a_killed_bringing_back_has_been_or_has_not(
    plain: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch, happened: bool
) -> None:
    before = exact_tree(plain)
    entry = changed(plain, journal)
    remove(plain)

    class Killed(BaseException):
        pass

    def die(*words: object) -> None:
        if happened:
            Path(entry.former).replace(plain)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("dlsetup.act.undoing.os.rename", die)
        with pytest.raises(Killed):
            undo(journal, entry)
    (said,) = recover(journal, plain)
    assert ("had brought" in said) is happened
    assert plain.exists() is happened
    assert unfinished(journal, plain) == ()
    if not happened:
        undo(journal, journal.named(entry.id))
    assert exact_tree(plain) == before
    assert journal.named(entry.id).state == "undone"


def killed_at(number: int, work: Callable[[], object]) -> bool:
    """Does the work in a child that dies right before its operation of that number; False: it has fewer."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    left = number

    def die(event: str, arguments: object) -> None:
        nonlocal left
        if event in WRITES:
            left -= 1
            if left < 0:
                os._exit(9)

    sys.addaudithook(die)
    try:
        work()
    except BaseException:
        os._exit(1)
    os._exit(0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("way", ["at once", "in turn"])
def test_killed_at_any_operation_of_a_change(
    plain: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    if way == "in turn":
        monkeypatch.setattr(room, "put_in_place", in_turn)
    monkeypatch.setattr(room, "sync_files", lambda folder: None)
    before = exact_tree(plain)
    number, sides = 0, set()
    while killed_at(number, lambda: changed(plain, journal)):
        begun = unfinished(journal, plain)
        said = recover(journal, plain)
        assert len(said) == len(begun)
        assert unfinished(journal, plain) == ()
        applied = [entry for entry in journal.entries() if entry.state == "applied"]
        sides.add(len(applied))
        for entry in applied:
            assert (plain / "lib" / "small.py").read_text() == "two = 2\n"
            assert missing(entry) is None
            forget(journal, undo(journal, entry))
        assert exact_tree(plain) == before, number
        assert os.listdir(plain.parent) == [plain.name], number
        for entry in journal.entries():
            journal.forget(entry)
        number += 1
    assert number > 30
    assert sides == {0, 1}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("way", ["at once", "in turn"])
def test_killed_at_any_operation_of_an_undo(
    plain: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    before = exact_tree(plain)
    first = changed(plain, journal)
    after = exact_tree(plain)
    if way == "in turn":
        monkeypatch.setattr(room, "put_in_place", in_turn)
    monkeypatch.setattr(room, "sync_files", lambda folder: None)
    number, sides = 0, set()
    while killed_at(number, partial(undo, journal, first)):
        recover(journal, plain)
        now = exact_tree(plain)
        assert now in (before, after), number
        sides.add(now == before)
        if now == before:
            (back,) = (entry for entry in journal.entries() if missing(entry) is None)
            assert back.undoes == first.id
            first = undo(journal, back)
        assert exact_tree(plain) == after
        assert missing(first) is None
        assert sorted(os.listdir(plain.parent)) == sorted([plain.name, Path(first.former).name])
        for entry in journal.entries():
            if entry.id != first.id:
                journal.forget(entry)
        number += 1
    assert number > 15
    assert sides == {True, False}
