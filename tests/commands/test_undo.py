"""`dlsetup undo` and `dlsetup history` after a real repair."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
from typing import Any

from tiny.broken import Broken, Fix, mismatch
from tiny.index import TinyIndex


def asked(fix: Fix, *words: str) -> dict[str, Any]:
    found = fix.command(*words, "--json")
    assert found.stdout, found.stderr
    return {**json.loads(found.stdout), "exit": found.returncode}


def test_undone_to_the_byte_and_done_again(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    mismatch(broken, tiny_index)
    where = ("--env", str(broken.folder))
    before = broken.tree()
    change = fix()["change"]
    after = broken.tree()
    assert [item["version"] for item in change["before"] if item["name"] == "torchvision"] == ["0.28.0"]
    assert [item["version"] for item in change["after"] if item["name"] == "torchvision"] == ["0.29.1+cpu"]
    planned = asked(fix, "undo", *where, "--dry-run")
    assert (planned["result"], planned["moves"]) == ("planned", ["torchvision 0.29.1+cpu -> 0.28.0"])
    assert broken.tree() == after
    back = asked(fix, "undo", *where, "--yes")
    assert (back["exit"], back["result"], back["undoes"]) == (0, "undone", change["id"]), back
    assert broken.tree() == before
    assert asked(fix, "undo", *where, "--yes")["result"] == "nothing-to-undo"
    assert asked(fix, "undo", back["change"]["id"], "--yes")["exit"] == 0
    assert broken.tree() == after


def test_what_came_since_is_not_taken_away_unasked(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    mismatch(broken, tiny_index)
    before = broken.tree()
    fix()
    broken.put("nvidia-nccl-cu12==2.27.7")
    now = broken.tree()
    where = ("--env", str(broken.folder), "--yes")
    found = asked(fix, "undo", *where)
    assert (found["exit"], found["result"]) == (1, "refused"), found
    assert "has changed since" in found["refused"]
    assert broken.tree() == now
    assert asked(fix, "undo", *where, "--force")["result"] == "undone"
    assert broken.tree() == before


def test_a_big_file_that_only_its_content_betrays(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    mismatch(broken, tiny_index)
    site = next(broken.folder.glob("lib/python*/site-packages"))
    content = b"weights" * 20_000
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    (site / "weights.bin").write_bytes(content)
    with next(site.glob("numpy-*.dist-info/RECORD")).open("a") as record:
        record.write(f"weights.bin,sha256={digest},{len(content)}\n")
    before = broken.tree()
    assert fix()["result"] == "mended"
    where = ("--env", str(broken.folder), "--verify-hashes")
    assert asked(fix, "undo", *where, "--dry-run")["result"] == "planned"
    (former,) = broken.formers()
    file = former / site.relative_to(broken.folder) / "weights.bin"
    about = file.stat()
    file.unlink()
    file.write_bytes(b"W" + content[1:])
    os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))
    os.utime(file.parent, ns=(0, before[str(site.relative_to(broken.folder))][2]))
    assert asked(fix, "undo", *where[:2], "--dry-run")["result"] == "planned"
    found = asked(fix, "undo", *where, "--yes")
    assert (found["exit"], found["result"]) == (1, "refused"), found
    assert "differ from what their distributions brought" in found["refused"]
    assert "weights.bin" in found["refused"]
    assert asked(fix, "undo", *where, "--yes", "--force")["result"] == "undone"


def test_history_shows_drift(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    mismatch(broken, tiny_index)
    change = fix()["change"]
    (past,) = asked(fix, "history")["changes"]
    assert (past["damaged"], past["later"]) == ([], [])
    assert "has changed" not in fix.command("history").stdout
    (broken.folder / "new.txt").write_text("new")
    (broken.formers()[0] / "pyvenv.cfg").unlink()
    (past,) = asked(fix, "history")["changes"]
    assert "pyvenv.cfg" in past["damaged"]
    assert past["later"] == ["new.txt"]
    said = " ".join(fix.command("history").stdout.split())
    assert f"`{broken.folder}` has changed since {change['id']}: `new.txt`." in said
    assert f"is not what {change['id']} replaced: `.`, `pyvenv.cfg`." in said


def test_history_shows_and_forgets(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    mismatch(broken, tiny_index)
    change = fix()["change"]
    table = fix.command("history").stdout
    assert change["id"] in table
    assert "applied" in table
    (past,) = asked(fix, "history", "--env", str(broken.folder))["changes"]
    assert (past["kept"], past["entry"]["id"]) == (True, change["id"])
    assert past["room"] > 0
    assert asked(fix, "history", "--forget", "all", "--older-than", "1", "--yes")["forgotten"] == []
    assert asked(fix, "history", "--forget", change["id"], "--yes")["forgotten"] == [change["id"]]
    assert broken.formers() == []
    assert asked(fix, "history")["changes"][0]["entry"]["state"] == "gone"
    assert asked(fix, "undo", change["id"], "--yes")["exit"] == 1


def test_an_environment_that_was_deleted_comes_back(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    mismatch(broken, tiny_index)
    before = broken.tree()
    change = fix()["change"]
    shutil.rmtree(broken.folder)
    (past,) = asked(fix, "history")["changes"]
    assert (past["kept"], past["deleted"]) == (True, True)
    said = " ".join(fix.command("history").stdout.split())
    assert f"`{broken.folder}` is not there any more." in said
    assert f"`dlsetup undo {change['id']}` brings back what it was before {change['id']}." in said
    where = ("--env", str(broken.folder))
    assert asked(fix, "undo", *where, "--dry-run")["moves"]
    assert broken.beside() == []
    back = asked(fix, "undo", *where, "--yes")
    assert (back["exit"], back["result"], back["undoes"]) == (0, "undone", change["id"]), back
    assert broken.tree() == before
    assert broken.formers() == []
    assert asked(fix, "undo", *where, "--yes")["result"] == "nothing-to-undo"
    assert fix()["result"] == "mended"


def test_something_else_at_the_place_of_a_deleted_environment_stays(
    fix: Fix, broken: Broken, tiny_index: TinyIndex
) -> None:
    mismatch(broken, tiny_index)
    fix()
    shutil.rmtree(broken.folder)
    broken.folder.write_text("a file")
    found = asked(fix, "undo", "--env", str(broken.folder), "--yes", "--force")
    assert (found["exit"], found["result"]) == (1, "refused"), found
    assert "is no folder" in found["refused"]
    assert broken.folder.read_text() == "a file"


def test_what_is_no_question(fix: Fix, broken: Broken) -> None:
    assert asked(fix, "undo", "nothing", "--yes")["exit"] == 2
    assert asked(fix, "history", "--older-than", "3")["exit"] == 2
    assert asked(fix, "history", "--forget", "all", "--older-than", "x", "--yes")["exit"] == 2
    assert fix.command("history").returncode == 0
