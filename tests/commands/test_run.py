"""`dlsetup run` from outside: streams, signals and exit codes are the command's; failures are explained."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dlsetup.model import codec
from dlsetup.show.watched import RunDocument

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and terminals of POSIX")

STUB = Path(__file__).parents[1] / "nvml_stub" / "nvml_stub.c"
RULE = "─" * 20
COUNTS_INTERRUPTS = """
import signal, sys, time
got = []
signal.signal(signal.SIGINT, lambda *_: got.append(1))
print("ready", flush=True)
ends = time.monotonic() + 10
while not got and time.monotonic() < ends:
    time.sleep(0.01)
time.sleep(0.3)
print("interrupted", len(got), flush=True)
sys.exit(7)
"""
IN_A_TERMINAL = (
    "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.argv[1], sys.argv[1:])"
)


def argv(*words: str) -> list[str]:
    return [sys.executable, "-m", "dlsetup", "run", *words]


def run(*words: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(argv(*words), capture_output=True, timeout=60, check=False, **more)


def python(program: str) -> tuple[str, ...]:
    return ("--", sys.executable, "-c", program)


def test_what_goes_well_is_left_alone() -> None:
    done = run(
        *python("import sys; print(sys.stdin.read()); print('aside', file=sys.stderr)"), input=b"given"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"given\n", b"aside\n")


def test_megabytes_of_anything_arrive_unchanged() -> None:
    program = "import sys; [sys.stdout.buffer.write(bytes(range(256)) * 4096) for _ in range(8)]"
    done = run("--summary", *python(program))
    assert done.stdout == bytes(range(256)) * 4096 * 8
    assert b"exit code 0" in done.stderr


@pytest.mark.parametrize(
    ("program", "code", "says"),
    [
        ("import sys; sys.exit(3)", 3, "known to the catalog"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 137, "[killed]"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGILL)", 132, "[illegal-instruction]"),
        ("raise RuntimeError('CUDA error: device-side assert triggered')", 1, "[device-assert]"),
        ("raise OSError('libcudart.so.11.0: cannot open shared object file')", 1, "[cuda-library-missing]"),
        ("import nosuchmodule", 1, "It looks for nosuchmodule."),
    ],
)
def test_a_failure_is_explained_and_keeps_its_code(program: str, code: int, says: str) -> None:
    done = run(*python(program))
    own, _, ours = done.stderr.decode().partition(RULE)
    assert done.returncode == code
    assert says in ours
    assert "dlsetup" not in own
    assert done.stdout == b""


def test_memory_that_a_limit_refuses() -> None:
    shell = f"ulimit -v 400000; exec {sys.executable} -c 'bytearray(1 << 30)'"
    done = run("--", "sh", "-c", shell)
    assert done.returncode == 1
    assert b"[host-allocation]" in done.stderr


def test_the_document(tmp_path: Path) -> None:
    place = tmp_path / "run.json"
    words = ("RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB", "x = bytes([1]) * (80 << 20)")
    program = f"{words[1]}; import time; time.sleep(2); raise SystemExit({words[0]!r})"
    done = run("--json", str(place), *python(program))
    document = json.loads(place.read_text())
    Draft202012Validator(codec.schema(RunDocument)).validate(document)
    assert done.returncode == document["seen"]["exit_code"] == 1
    assert not document["ok"]
    assert document["seen"]["memory_peak_bytes"] > 80 << 20
    assert [item["id"] for item in document["explained"]] == ["gpu-memory"]
    assert run("--json", str(place), "--", "true").returncode == 0
    assert json.loads(place.read_text())["ok"]


def test_words_that_cannot_be_run(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("no program")
    trace = tmp_path / "trace"
    for code, words in (
        (2, ()),
        (2, ("--json", str(tmp_path / "nowhere" / "run.json"), "--", "touch", str(trace))),
        (2, ("--env", str(tmp_path), "--", "touch", str(trace))),
        (127, ("--", str(tmp_path / "absent"))),
        (126, ("--", str(plain))),
    ):
        done = run(*words)
        assert (done.returncode, done.stdout) == (code, b"")
        assert b"hint:" in done.stderr
    assert not trace.exists()


@pytest.mark.parametrize(
    ("first", "mode", "code", "says"),
    [
        ("#!/nowhere/bin/python", 0o755, 127, "names `/nowhere/bin/python`"),
        ("no first line", 0o755, 126, "`dlsetup run -- sh FILE`"),
        ("#!/bin/sh", 0o644, 126, "`chmod +x "),
        (f"#!{sys.executable}", 0o755, 0, ""),
    ],
)
def test_a_script_that_is_there_is_not_said_to_be_missing(
    first: str, mode: int, code: int, says: str, tmp_path: Path
) -> None:
    script = tmp_path / "train"
    script.write_text(f"{first}\n")
    script.chmod(mode)
    done = run("--", str(script))
    told = " ".join(done.stderr.decode().split())
    assert done.returncode == code
    assert says in told
    assert "check that it is there" not in told


def test_a_program_of_a_moved_environment_is_found_by_name(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "launch-of-a-moved-environment"
    script.write_text("#!/moved/bin/python\n")
    script.chmod(0o755)
    done = run("--env", str(tmp_path), "--", script.name)
    assert done.returncode == 127
    assert b"`/moved/bin/python`" in done.stderr


def test_quiet_shows_what_failed_alone() -> None:
    program = "print('said'); raise SystemExit({code})"
    well, badly = (run("--quiet", *python(program.format(code=code))) for code in (0, 5))
    assert (well.returncode, well.stdout, well.stderr) == (0, b"", b"")
    assert (badly.returncode, badly.stdout) == (5, b"said\n")


def test_the_programs_of_an_environment_come_first(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "env")], check=True)
    done = run("--env", str(tmp_path / "env"), "--", "python", "-c", "import sys; print(sys.prefix)")
    assert done.stdout.decode().strip() == str(tmp_path / "env")


def test_who_outlives_the_command_holds_up_nobody() -> None:
    began = time.monotonic()
    done = run("--", "sh", "-c", "sleep 8 & echo done")
    assert (done.returncode, done.stdout) == (0, b"done\n")
    assert time.monotonic() - began < 6


def test_a_reader_that_goes_away_ends_the_command() -> None:
    shell = f"{' '.join(argv('--', 'yes'))} | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, timeout=30, check=False)
    assert done.stdout == b"y\n141\n"


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 7), (signal.SIGTERM, 143)])
def test_a_signal_reaches_the_command_once(sent: signal.Signals, code: int) -> None:
    process = subprocess.Popen(
        argv(*python(COUNTS_INTERRUPTS)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(sent)
    out, err = process.communicate(timeout=20)
    assert process.returncode == code
    assert out == (b"interrupted 1\n" if sent == signal.SIGINT else b"")
    assert err == b""


class Terminal:
    """A terminal of its own, with a command in front of it."""

    def __init__(self, *words: str) -> None:
        import fcntl
        import struct
        import termios

        self.master, slave = os.openpty()
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 99, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-c", IN_A_TERMINAL, *argv(*words)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
        )
        os.close(slave)
        self.said = b""

    def until(self, words: bytes) -> None:
        while words not in self.said:
            self.said += self.read()

    def read(self) -> bytes:
        try:
            return os.read(self.master, 4096)
        except OSError:
            return b""

    def end(self) -> int:
        while part := self.read():
            self.said += part
        os.close(self.master)
        return self.process.wait(20)


def test_in_a_terminal_the_command_has_one() -> None:
    program = (
        "import os, sys; print([os.isatty(number) for number in range(3)], *os.get_terminal_size(1)); "
        "sys.stdout.write('10%\\r20%\\r\\n'); print(input())"
    )
    terminal = Terminal(*python(program))
    terminal.until(b"20%")
    os.write(terminal.master, b"typed\n")
    assert terminal.end() == 0
    assert b"[True, True, True] 99 33\r\n10%\r20%\r\r\n" in terminal.said
    assert terminal.said.count(b"typed") == 2


def test_keys_reach_the_command_once() -> None:
    terminal = Terminal(*python(COUNTS_INTERRUPTS))
    terminal.until(b"ready")
    os.write(terminal.master, b"\x03")
    assert terminal.end() == 7
    assert b"interrupted 1\r\n" in terminal.said
    assert RULE.encode() not in terminal.said


def test_gpu_memory_is_watched_and_nobody_of_ours_is_left(tmp_path: Path) -> None:
    library = stub(tmp_path)
    used = tmp_path / "used"
    used.write_text("1000000000\n")
    (tmp_path / "scenario").write_text(
        "driver 535.129.03\ncuda 12020\ngpu NVIDIA L4|8|9|24000000000|00000000:01:00.0|-1|0\n"
    )
    environ = {
        **os.environ,
        "LD_LIBRARY_PATH": str(library.parent),
        "NVML_STUB_SCENARIO": str(tmp_path / "scenario"),
        "NVML_STUB_USED": str(used),
    }
    program = (
        "import time; time.sleep(1.2); "
        f"open({str(used)!r}, 'w').write('23000000000'); time.sleep(0.8); "
        f"open({str(used)!r}, 'w').write('1000000000'); "
        "raise SystemExit('torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB')"
    )
    done = run(*python(program), env=environ)
    said = " ".join(done.stderr.decode().split())
    assert "GPU 0: at most 21.4 GiB of 22.4 GiB, 953.7 MiB before it" in said
    assert "[gpu-memory]" in said
    assert "This machine has NVIDIA L4 with 22.4 GiB." in said
    assert str(library).encode() not in b"".join(command_lines())


def stub(folder: Path) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler to build the NVML stub with")
    library = folder / "lib" / "libnvidia-ml.so.1"
    library.parent.mkdir()
    soname = "-Wl,-soname,libnvidia-ml.so.1"
    subprocess.run([compiler, "-shared", "-fPIC", soname, "-o", str(library), str(STUB)], check=True)
    return library


def command_lines() -> list[bytes]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_bytes())
        except OSError:
            continue
    return found


GROUPS = {
    "/sys/fs/cgroup/memory": ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", str(256 << 20)),
    "/sys/fs/cgroup": ("memory.max", "memory.swap.max", "0"),
}
"""Where a control group can be made, and the files that bound its memory and its swap, by version."""


@pytest.fixture
def bounded_group() -> Iterator[str]:
    """The shell words that enter a control group of 256 MiB."""
    for base, (limit, swap, least) in GROUPS.items():
        group = Path(base) / f"dlsetup-test-{os.getpid()}"
        try:
            group.mkdir()
            (group / limit).write_text(str(256 << 20))
            if (group / swap).exists():
                (group / swap).write_text(least)
        except OSError:
            if group.is_dir():
                group.rmdir()
            continue
        yield f"echo $$ > {group}/cgroup.procs"
        leave(group.rmdir)
        return
    pytest.skip("no control group can be made")


def leave(remove: Callable[[], None]) -> None:
    """Processes of a group are gone a little after they ended."""
    for _ in range(50):
        try:
            return remove()
        except OSError:
            time.sleep(0.1)
    return None


def test_the_kernel_ends_it_for_want_of_memory(bounded_group: str) -> None:
    words = " ".join(argv("--", sys.executable, "-c", "'bytearray(b\"x\" * (600 << 20))'"))
    done = subprocess.run(
        ["sh", "-c", f"{bounded_group} && {words}"], capture_output=True, timeout=60, check=False
    )
    said = " ".join(done.stderr.decode().split())
    assert done.returncode == 137, said
    assert "[host-memory]" in said
    assert "the kernel ended 1 process here" in said
    assert "A limit of 256.0 MiB holds" in said
