"""An environment is worked on at its own place; whatever happens, it is the former or the accepted one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from test_act_undoing import in_turn, killed_at
from tiny.broken import exact_tree

from dlsetup.act import in_place as room
from dlsetup.act.in_place import in_place
from dlsetup.act.journal import Journal
from dlsetup.act.keeping import forget, is_kept
from dlsetup.act.recovery import recover, unfinished
from dlsetup.act.replacement import About, weigh
from dlsetup.act.undoing import missing, undo
from dlsetup.model.errors import StepFailed
from dlsetup.model.journal import Entry


def changed(environment: Path, journal: Journal, spoil: Callable[[], object] = lambda: None) -> Entry:
    """The environment with another `small.py`, written at its place."""
    with in_place(environment, journal, About(what="a change"), weigh(environment, links=True)) as work:
        assert work.copy == environment
        (environment / "lib" / "small.py").unlink()
        (environment / "lib" / "small.py").write_text("two = 2\n")
        spoil()
        return work.accept()


def test_accepted_the_former_is_kept_and_comes_back_to_the_byte(plain: Path, journal: Journal) -> None:
    before, inode = exact_tree(plain), plain.stat().st_ino
    entry = changed(plain, journal)
    assert (plain / "lib" / "small.py").read_text() == "two = 2\n"
    assert Path(entry.former).stat().st_ino == inode
    assert exact_tree(Path(entry.former)) == before
    assert journal.entries() == (entry,)
    assert sorted(os.listdir(plain.parent)) == sorted([plain.name, Path(entry.former).name])
    undo(journal, entry)
    assert exact_tree(plain) == before
    assert plain.stat().st_ino == inode


@pytest.mark.parametrize("way", ["at once", "in turn"])
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_not_accepted_nothing_has_been(
    plain: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch, error: type[BaseException], way: str
) -> None:
    if way == "in turn":
        monkeypatch.setattr(room, "put_in_place", in_turn)
        monkeypatch.setattr("dlsetup.act.exchange.put_in_place", in_turn)
    before = exact_tree(plain)

    def fail() -> None:
        shutil.rmtree(plain / "lib")
        raise error

    with pytest.raises(error):
        changed(plain, journal, fail)
    assert exact_tree(plain) == before
    assert os.listdir(plain.parent) == [plain.name]
    assert [entry.state for entry in journal.entries()] == ["reverted"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("way", ["at once", "in turn"])
def test_killed_at_any_operation(
    plain: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    if way == "in turn":
        monkeypatch.setattr(room, "put_in_place", in_turn)
        monkeypatch.setattr("dlsetup.act.exchange.put_in_place", in_turn)
    monkeypatch.setattr(room, "sync_files", lambda folder: None)
    before = exact_tree(plain)
    number, sides = 0, set()
    while killed_at(number, lambda: changed(plain, journal)):
        begun = unfinished(journal, plain)
        assert len(recover(journal, plain)) == len(begun)
        assert unfinished(journal, plain) == ()
        applied = [entry for entry in journal.entries() if entry.state == "applied"]
        sides.add(len(applied))
        for entry in applied:
            assert is_kept(entry), number
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
def test_a_killed_recovery_is_recovered(plain: Path, journal: Journal) -> None:
    before = exact_tree(plain)
    number = 0
    while True:
        assert not killed_at(1 << 30, lambda: changed(plain, journal, lambda: os.kill(os.getpid(), 9)))
        assert len(unfinished(journal, plain)) == 1
        going_on = killed_at(number, lambda: recover(journal, plain))
        recover(journal, plain)
        assert exact_tree(plain) == before, number
        assert os.listdir(plain.parent) == [plain.name], number
        for entry in journal.entries():
            journal.forget(entry)
        number += 1
        if not going_on:
            assert number > 10
            return


def test_another_journal_knows_of_a_half_changed_environment(
    plain: Path, journal: Journal, tmp_path: Path
) -> None:
    code = "import os, sys; sys.path.insert(0, sys.argv[3]); from test_act_in_place import *\n"
    code += "changed(Path(sys.argv[1]), Journal(Path(sys.argv[2])), lambda: os._exit(9))"
    here = str(Path(__file__).parent)
    path = os.pathsep.join([here, str(Path(__file__).parents[1])])
    before = exact_tree(plain)
    argv = [sys.executable, "-c", code, str(plain), str(journal.state), here]
    assert subprocess.run(argv, env={**os.environ, "PYTHONPATH": path}).returncode == 9
    with pytest.raises(StepFailed, match="of which another journal tells"):
        recover(Journal(tmp_path / "other"), plain)
    recover(journal, plain)
    assert exact_tree(plain) == before
    assert recover(Journal(tmp_path / "other"), plain) == ()
