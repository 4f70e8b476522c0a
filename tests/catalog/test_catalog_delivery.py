"""Several files or none, wherever a writer stops."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hand_made import Shelf
from tiny.index import TinyIndex
from tiny.wheels import TinyWheel

from dlsetup.catalog.delivery import STAGING, deliver, settle
from dlsetup.catalog.folders import INCOMING, Folders
from dlsetup.catalog.form import GeneratedFile
from dlsetup.catalog.parallel import in_parallel
from dlsetup.model.errors import StepFailed

NAMES = ("one", "two", "three")
DIE = """
import os, sys
from pathlib import Path
from dlsetup.catalog import delivery
left = int(sys.argv[3])
def counted(real):
    def call(*words):
        global left
        if left == 0:
            os._exit(9)
        left -= 1
        return real(*words)
    return call
for name in ("rename", "replace"):
    setattr(delivery.os, name, counted(getattr(os, name)))
delivery._write_down = counted(delivery._write_down)
folder = Path(sys.argv[1])
files = {f"generated/{name}.json": Path(sys.argv[2], name).read_bytes() for name in %r}
delivery.deliver(files, folder)
"""


def texts(checked: str) -> dict[str, bytes]:
    return {
        f"generated/{name}.json": json.dumps({"distribution": name, "checked": checked}).encode()
        for name in NAMES
    }


def seen(folder: Path) -> list[str]:
    """What a reader of the catalog finds."""
    place = Folders([folder])
    found = [place.json(f"generated/{name}.json", GeneratedFile) for name in NAMES]
    return [file.checked if file else "" for file in found]


def test_files_are_put_into_their_places(tmp_path: Path) -> None:
    deliver(texts("2026-01-01"), tmp_path)
    deliver(texts("2026-01-02"), tmp_path)
    assert seen(tmp_path) == ["2026-01-02"] * 3
    assert [path.name for path in tmp_path.iterdir()] == ["generated"]


@pytest.mark.parametrize("steps", range(8))
def test_a_writer_that_dies_anywhere_leaves_all_old_or_all_new(tmp_path: Path, steps: int) -> None:
    folder, new = tmp_path / "catalog", tmp_path / "new"
    deliver(texts("2026-01-01"), folder)
    new.mkdir()
    for name in NAMES:
        (new / name).write_bytes(texts("2026-01-02")[f"generated/{name}.json"])
    argv = [sys.executable, "-c", DIE % (NAMES,), str(folder), str(new), str(steps)]
    ran = subprocess.run(argv, check=False)
    assert ran.returncode == (9 if steps < 7 else 0)
    assert seen(folder) == ["2026-01-01" if steps < 4 else "2026-01-02"] * 3
    deliver({}, folder)
    assert seen(folder) == ["2026-01-01" if steps < 4 else "2026-01-02"] * 3
    assert [path.name for path in folder.iterdir()] == ["generated"]


def test_what_was_delivered_and_not_moved_is_read_and_then_moved(tmp_path: Path) -> None:
    deliver(texts("2026-01-01"), tmp_path)
    for relative, content in texts("2026-01-02").items():
        place = tmp_path / INCOMING / relative
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    assert seen(tmp_path) == ["2026-01-02"] * 3
    settle(tmp_path)
    assert seen(tmp_path) == ["2026-01-02"] * 3
    assert not (tmp_path / INCOMING).exists()


def test_another_writer_is_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / f"{STAGING}{os.getppid()}"
    gone = tmp_path / f"{STAGING}999999999"
    mine.mkdir()
    gone.mkdir()
    deliver(texts("2026-01-01"), tmp_path)
    assert mine.is_dir()
    assert not gone.exists()


def test_a_place_that_cannot_be_written_to_is_said(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(StepFailed, match="cannot write to"):
        deliver(texts("2026-01-01"), blocked / "catalog")


def test_answers_come_in_the_order_of_the_questions() -> None:
    told: list[int] = []
    assert in_parallel(lambda item: item * 2, range(50), told.append) == list(range(0, 100, 2))
    assert sorted(told) == list(range(50))
    assert in_parallel(str, []) == []


def test_the_first_error_ends_the_work() -> None:
    asked: list[int] = []

    def fail(item: int) -> None:
        asked.append(item)
        time.sleep(0.01)
        raise ValueError(item)

    with pytest.raises(ValueError, match=r"^\d+$"):
        in_parallel(fail, range(1000))
    time.sleep(0.1)
    assert len(asked) < 100


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_a_program_that_waits_for_an_answer_can_be_interrupted_at_once(number: signal.Signals) -> None:
    program = (
        "import threading\n"
        "from dlsetup.catalog.parallel import in_parallel\n"
        "print('asked', flush=True)\n"
        "in_parallel(lambda _item: threading.Event().wait(60), range(20))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as ran:
        assert ran.stdout
        assert ran.stdout.readline()
        time.sleep(0.2)
        begun = time.monotonic()
        ran.send_signal(number)
        ran.wait(20)
    assert ran.returncode != 0
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_an_interrupted_refresh_leaves_the_old_files(
    number: signal.Signals,
    code: int,
    shelf: Shelf,
    tiny_index: TinyIndex,
    tiny_environ: dict[str, str],
    home: Path,
) -> None:
    shelf.framework("deep", '[[distribution]]\nname = "deep"\n')
    shelf.generated("deep", [{"version": "1.0", "wheels": [["py3", "any", 1]]}])
    before = {path: path.read_bytes() for path in shelf.folder.rglob("*") if path.is_file()}
    tiny_index.add("default", [TinyWheel("deep", "1.0"), TinyWheel("deep", "2.0")])
    tiny_index.faults["deep"] = "hang"
    argv = [sys.executable, "-m", "dlsetup", "catalog", "refresh", "deep", "--catalog", str(shelf.folder)]
    argv += ["--into", str(shelf.folder), "--index", tiny_index.address("default")]
    with subprocess.Popen(argv, env=tiny_environ, stderr=subprocess.PIPE, text=True) as ran:
        while not any("deep" in path for path in tiny_index.asked) and ran.poll() is None:
            time.sleep(0.02)
        ran.send_signal(number)
        assert ran.wait(20) == code
    assert {path: path.read_bytes() for path in shelf.folder.rglob("*") if path.is_file()} == before
