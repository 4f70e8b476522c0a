"""The seam to a machine: links stay inside the root, reading is bounded, programs end."""

from __future__ import annotations

import os
import socket
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from probe_roots import Root

from dlsetup.model.errors import UsageError
from dlsetup.model.record import UNKNOWN
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes
from dlsetup.probe.parallel import Probe


def test_links_are_followed_inside_the_root(root: Root) -> None:
    root.write("/opt/real/file", "inside")
    root.link("/usr/local/absolute", "/opt/real")
    root.link("/usr/local/relative", "../../opt/real")
    root.link("/usr/local/out", "../../../../../../../../opt/real")
    host = root.host()
    for name in ("absolute", "relative", "out"):
        assert host.real(f"/usr/local/{name}/file") == "/opt/real/file"
        assert host.read(f"/usr/local/{name}/file") == "inside"
    assert host.link("/usr/local/absolute") == "/opt/real"


def test_links_in_a_circle_end(root: Root) -> None:
    root.link("/a", "/b")
    root.link("/b", "/a")
    host = root.host()
    assert host.read("/a") is None
    assert not host.exists("/a")


def test_nothing_outside_the_root_is_seen(root: Root, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("outside")
    root.folder_at("/")
    assert root.host().read("/../secret") is None
    assert root.host().read(f"{tmp_path}/secret") is None


def test_reading_is_bounded_and_never_waits(root: Root) -> None:
    root.write("/big", "x" * 5000)
    root.folder_at("/folder")
    os.mkfifo(root.local("/pipe"))
    host = root.host()
    assert host.read_bytes("/big", 100) == b"x" * 100
    for path in ("/pipe", "/folder", "/nothing", "/bad\0name"):
        assert host.read(path) is None


def test_what_is_not_utf_8_is_replaced(root: Root) -> None:
    root.write("/file", b"caf\xe9")
    assert root.host().read("/file") == "caf\ufffd"


def test_sockets_sizes_and_space(root: Root) -> None:
    root.write("/file", "four")
    host = root.host()
    with socket.socket(socket.AF_UNIX) as door:
        before = Path.cwd()
        os.chdir(root.folder)  # the name of a socket must be short
        try:
            door.bind("socket")
        finally:
            os.chdir(before)
        assert host.is_socket("/socket")
    assert (host.size("/file"), host.size("/"), host.size("/none")) == (4, None, None)
    space = host.space("/")
    assert space is not None
    assert space[0] >= space[1] > 0


def test_glob_stays_within_one_name_a_star(root: Root) -> None:
    for path in ("/usr/local/cuda-12.4/lib64/x", "/usr/local/cuda-11.8/lib64/x", "/usr/local/other/lib64/x"):
        root.write(path)
    assert root.host().glob("/usr/local/cuda-*/lib64") == [
        "/usr/local/cuda-11.8/lib64",
        "/usr/local/cuda-12.4/lib64",
    ]


def test_programs_of_path_in_order(root: Root) -> None:
    root.environ["PATH"] = "relative:/first:/second:"
    root.write("/first/tool", "not executable")
    root.program("/second/tool")
    assert root.host().which("tool") == "/second/tool"
    assert root.host().which("other") is None


def test_a_program_with_changed_variables(root: Root) -> None:
    root.environ["CUDA_VISIBLE_DEVICES"] = "7"
    root.program("/bin/tell", 'echo "$1 $CUDA_VISIBLE_DEVICES $MORE"; echo hm >&2; exit 3')
    outcome = root.host().run(["/bin/tell", "a b"], 5, CUDA_VISIBLE_DEVICES=None, MORE="more")
    assert (outcome.code, outcome.out, outcome.err) == (3, "a b  more\n", "hm\n")
    assert not outcome.ok


def test_a_program_that_cannot_be_started_is_a_reason(root: Root) -> None:
    root.folder_at("/")
    outcome = root.host().run(["/bin/nothing"], 1)
    assert outcome.code is None
    assert "cannot be started" in outcome.reason


def test_a_program_that_hangs_is_ended_with_its_children(root: Root) -> None:
    pid = root.local("/pid")
    root.program("/bin/hang", f"echo early; /bin/sleep 300 & echo $! > '{pid}'; wait")
    begin = time.monotonic()
    outcome = root.host().run(["/bin/hang"], 0.5)
    assert time.monotonic() - begin < 3
    assert (outcome.code, outcome.out) == (None, "early\n")
    assert "gave no answer within 0.5 s" in outcome.reason
    child = int(pid.read_text())
    for _ in range(50):
        if not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text():
            break
        time.sleep(0.02)
    else:
        pytest.fail("the child of the program still runs")


def test_this_machine_is_a_host() -> None:
    host = Host.here(os.environ)
    assert host.folder == str(Path.cwd())
    assert host.real("/proc/self/..") == "/proc"
    assert host.arch


@given(st.text(max_size=60))
def test_any_path_is_answered(path: str) -> None:
    host = Host("/nowhere-at-all")
    assert host.read(path) is None
    assert host.names(path) == []
    assert host.glob(path) == []
    host.real(path)
    host.link(path)


def test_a_probe_that_raises_costs_its_fact() -> None:
    def broken(notes: Notes) -> int:
        notes.saw("before", 1, "test")
        raise ZeroDivisionError("oh")

    notes = Notes()
    assert Probe("tools", broken, deadline=5, ask="ask").answer(notes) is UNKNOWN
    assert [(gap.fact, gap.reason, gap.ask) for gap in notes.gaps] == [
        ("tools", "the look failed: ZeroDivisionError: oh", "ask")
    ]
    assert [item.fact for item in notes.sightings] == ["before"]


def test_a_probe_that_hangs_costs_its_fact_and_no_more() -> None:
    end = threading.Event()
    notes = Notes()
    begin = time.monotonic()
    assert Probe("driver", lambda _: end.wait(60), deadline=0.2).answer(notes) is UNKNOWN
    assert time.monotonic() - begin < 2
    assert [gap.reason for gap in notes.gaps] == ["no answer within 0.2 s"]
    end.set()


def test_a_fault_of_the_user_is_raised_again() -> None:
    def fault(notes: Notes) -> int:
        raise UsageError("no such environment")

    with pytest.raises(UsageError, match="no such environment"):
        Probe("environments", fault, deadline=5).answer(Notes())
