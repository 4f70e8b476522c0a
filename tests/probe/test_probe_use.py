"""What is in use of a machine: GPUs by NVML, memory and its limits by files, a tree of processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from probe_roots import Builder, Root

from dlsetup.model.record import UNKNOWN
from dlsetup.probe.gpu_use import CHILD, GpuWatch, gpu_use
from dlsetup.probe.memory_use import memory_use, resident, shm_use
from dlsetup.probe.use import UseWatch

GPU = "gpu NVIDIA L4|8|9|24000000000|00000000:01:00.0|-1|0\n"
SERVER = f"driver 535.129.03\ncuda 12020\n{GPU}"


def used(root: Root, amount: int) -> None:
    file = root.folder / "used"
    beside = root.folder / "used.new"
    beside.write_text(f"{amount}\n")
    beside.replace(file)
    root.environ["NVML_STUB_USED"] = str(file)


def test_the_memory_of_a_gpu_and_who_holds_it(gpu_server: Builder) -> None:
    root = gpu_server(f"{SERVER}process 0 {os.getpid()} 5000000000\nprocess 0 4194300 1000\n")
    used(root, 6_000_000_000)
    found = gpu_use(root.host())
    assert isinstance(found, tuple)
    (gpu,) = found
    assert (gpu.index, gpu.total_bytes, gpu.used_bytes) == (0, 24_000_000_000, 6_000_000_000)
    assert isinstance(gpu.holders, tuple)
    mine, strange = gpu.holders
    assert (mine.pid, mine.bytes) == (os.getpid(), 5_000_000_000)
    assert mine.name
    assert strange.name == ""


@pytest.mark.parametrize("fault", ["fail nvmlInitWithFlags 9", "crash nvmlDeviceGetCount_v2"])
def test_a_driver_that_fails_leaves_it_unknown(gpu_server: Builder, fault: str) -> None:
    assert gpu_use(gpu_server(f"{SERVER}{fault}\n").host()) is UNKNOWN


def test_without_a_driver_nothing_is_asked(root: Root) -> None:
    assert gpu_use(root.host()) is UNKNOWN
    watch = GpuWatch(root.host())
    assert watch.peaks() is UNKNOWN
    watch.end()


def test_a_watch_keeps_what_was_at_first_and_at_most(gpu_server: Builder) -> None:
    root = gpu_server(SERVER)
    used(root, 1000)
    watch = GpuWatch(root.host(), seconds=0.01)
    for amount in (1000, 9000, 4000):
        used(root, amount)
        until(lambda amount=amount: seen(watch) >= amount)  # type: ignore[misc]
    process = watch._process
    watch.end()
    peaks = watch.peaks()
    assert isinstance(peaks, tuple)
    (peak,) = peaks
    assert (peak.before_bytes, peak.peak_bytes, peak.total_bytes) == (1000, 9000, 24_000_000_000)
    assert process is not None
    assert process.poll() is not None


def seen(watch: GpuWatch) -> int:
    peaks = watch.peaks()
    return peaks[0].peak_bytes if isinstance(peaks, tuple) else 0


def until(true: object) -> None:
    ends = time.monotonic() + 10
    while not true():  # type: ignore[operator]
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_a_driver_that_hangs_holds_up_nobody(gpu_server: Builder) -> None:
    watch = GpuWatch(gpu_server(f"{SERVER}hang nvmlDeviceGetMemoryInfo\n").host())
    began = time.monotonic()
    watch.end()
    assert watch.peaks() is UNKNOWN
    assert time.monotonic() - began < 2


def test_the_child_ends_when_nobody_reads(gpu_server: Builder) -> None:
    root = gpu_server(SERVER)
    library = str(next(root.folder.rglob("libnvidia-ml.so.535*")))
    child = [sys.executable, "-I", CHILD, library, "0.01"]
    environ = {**os.environ, **root.environ, "LD_LIBRARY_PATH": os.path.dirname(library)}
    process = subprocess.Popen(child, stdout=subprocess.PIPE, env=environ)
    assert process.stdout is not None
    assert process.stdout.readline() == b'{"gpus": [[0, 24000000000, 0]]}\n'
    process.stdout.close()
    assert process.wait(10) == 1


V2 = {"/sys/fs/cgroup/job/step/memory.max": "max\n", "/sys/fs/cgroup/job/memory.max": "8589934592\n"}
JOB = "/sys/fs/cgroup/memory/job"
V1 = {f"{JOB}/memory.limit_in_bytes": "4294967296\n"}


@pytest.mark.parametrize(
    ("cgroup", "files", "limit", "kills"),
    [
        ("0::/job/step\n", V2 | {"/sys/fs/cgroup/job/step/memory.events": "oom 2\noom_kill 3\n"}, 8 << 30, 3),
        ("0::/job/step\n", {"/sys/fs/cgroup/job/step/memory.max": "max\n"}, None, UNKNOWN),
        ("0::/../other\n", {"/sys/fs/cgroup/memory.max": "1024\n"}, 1024, UNKNOWN),
        (
            "4:memory:/job\n0::/\n",
            V1 | {f"{JOB}/memory.oom_control": "oom_kill 1\n"},
            4 << 30,
            1,
        ),
        (
            "5:cpu,memory:/job\n",
            {f"{JOB}/memory.limit_in_bytes": f"{2**63 - 4096}\n"},
            None,
            UNKNOWN,
        ),
        ("0::/\n", {"/proc/vmstat": "pgfault 1\noom_kill 7\n"}, None, 7),
        ("0::/\n", {"/proc/vmstat": "oom_kill 7\n", "/.dockerenv": ""}, None, UNKNOWN),
        ("nonsense \x00", {}, None, UNKNOWN),
    ],
)
def test_limits_of_control_groups(
    root: Root, cgroup: str, files: dict[str, str], limit: int | None, kills: object
) -> None:
    root.linux()
    root.write("/proc/self/cgroup", cgroup)
    root.write("/proc/meminfo", "MemTotal: 100 kB\nMemAvailable: 50 kB\n")
    for path, text in files.items():
        root.write(path, text)
    found = memory_use(root.host())
    assert (found.limit_bytes, found.oom_kills, found.free_bytes) == (limit, kills, 50 * 1024)


def test_a_tree_of_processes_is_summed(tmp_path: Path) -> None:
    child = "import sys; x = bytearray(60 << 20); print('ready', flush=True); sys.stdin.read()"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    process = subprocess.Popen(
        [sys.executable, "-c", parent], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    held = resident(process.pid)
    process.communicate("")
    assert held is not None
    assert 60 << 20 < held < 200 << 20
    assert resident(process.pid) is None


def test_shared_memory(root: Root) -> None:
    assert shm_use(root.host()) is None
    root.linux()
    found = shm_use(root.host())
    assert found is not None
    assert 0 <= found[1] <= found[0]


def test_what_was_never_followed_is_unknown(root: Root) -> None:
    root.linux()
    watch = UseWatch(root.host())
    watch.end()
    found = watch.seen(("train",), 0, "", 0)
    assert (found.memory_peak_bytes, found.gpus, found.samples) == (UNKNOWN, UNKNOWN, 0)
    assert found.ends == ()
