"""The words that explanations are filled with: every name has some, and what is unknown has none."""

from __future__ import annotations

from msgspec.structs import replace
from packaging.version import Version

from dlsetup.model.facts import OF_MACHINE, OF_RUN, is_fact
from dlsetup.model.machine import (
    Distribution,
    Driver,
    Environment,
    Gpu,
    Machine,
    System,
    Toolkit,
    Variable,
)
from dlsetup.model.use import GpuPeak, GpuUse, Holder, MemoryUse, Seen, Use
from dlsetup.model.versions import CudaVersion, DriverRelease
from dlsetup.show.facts import facts_of
from dlsetup.show.watched import peaks

GIB = 1 << 30
L4 = Gpu(vendor="nvidia", name="NVIDIA L4", arch="sm_89", memory_bytes=24 * GIB)
TORCH = Distribution(name="torch", version=Version("2.9.1"), variant="cu128")
MACHINE = Machine(
    system=System(
        os="linux",
        name="Debian 12",
        memory_bytes=8 * GIB,
        shm_bytes=GIB,
        disk_free_bytes=GIB,
        container="docker",
    ),
    driver=Driver(module=DriverRelease("550.54.14"), cuda_ceiling=CudaVersion("12.4")),
    gpus=(L4, L4),
    toolkits=(Toolkit(version=CudaVersion("12.6"), path="/usr/local/cuda", default=True),),
    environments=(
        Environment(
            path="/env", kind="venv", examined=True, python=Version("3.12.3"), distributions=(TORCH,)
        ),
    ),
    variables=(Variable(name="LD_LIBRARY_PATH", value="/opt"),),
)
USE = Use(
    gpus=(
        GpuUse(
            index=0,
            total_bytes=24 * GIB,
            used_bytes=20 * GIB,
            holders=(Holder(pid=7, name="python", bytes=19 * GIB), Holder(pid=8)),
        ),
    ),
    memory=MemoryUse(free_bytes=GIB, limit_bytes=4 * GIB, oom_kills=0, shm_free_bytes=GIB),
)
SEEN = Seen(
    command=("train",),
    exit_code=137,
    signal="SIGKILL",
    seconds=3.0,
    gpus=(GpuPeak(index=0, total_bytes=24 * GIB, before_bytes=GIB, peak_bytes=20 * GIB),),
    memory_peak_bytes=3 * GIB,
    memory_limit_bytes=4 * GIB,
    oom_kills=2,
    shm_bytes=GIB,
    shm_peak_bytes=GIB,
)


def test_every_name_has_words() -> None:
    found = facts_of(MACHINE, USE, SEEN)
    assert set(found) == OF_MACHINE | OF_RUN | {"installed.torch", "variable.LD_LIBRARY_PATH"}
    assert all(map(is_fact, found))
    assert found["gpu.memory"] == "2 × NVIDIA L4 with 24.0 GiB"
    assert found["gpu.free"] == "4.0 GiB of 24.0 GiB on GPU 0"
    assert found["gpu.held"] == "19.0 GiB by python (pid 7) and a process (pid 8) on GPU 0"
    assert found["installed.torch"] == "torch 2.9.1 (cu128)"
    assert found["run.gpu"] == "20.0 GiB of 24.0 GiB on GPU 0 (1.0 GiB before it)"
    assert found["run.oom_kills"] == "2 processes"


def test_what_is_unknown_or_absent_has_none() -> None:
    assert facts_of(Machine(), Use()) == {}
    assert "driver.release" not in facts_of(replace(MACHINE, driver=None), Use())
    assert "gpu.names" not in facts_of(replace(MACHINE, gpus=()), Use())
    assert not any(map(is_fact, ("gpu.odd", "variable.HOME", "installed.", "run.odd", "odd.torch")))


def test_how_it_ended() -> None:
    assert SEEN.ends == ("oom-killed", "SIGKILL")
    assert replace(SEEN, signal="SIGBUS", oom_kills=0).ends == ("shm-full", "SIGBUS")
    assert replace(SEEN, signal="SIGBUS", oom_kills=0, shm_peak_bytes=0).ends == ("SIGBUS",)
    assert replace(SEEN, signal="", exit_code=0).ends == ()
    assert replace(SEEN, signal="", exit_code=1, oom_kills=0).ends == ()


def test_peaks_in_one_line() -> None:
    said = "at most 3.0 GiB of memory (limit 4.0 GiB); GPU 0: at most 20.0 GiB of 24.0 GiB, 1.0 GiB before it"
    assert peaks(SEEN) == f"{said}; the kernel ended 2 for want of memory"
    assert peaks(Seen(command=("train",), exit_code=0, seconds=0.1)) == "it was too short to see what it used"
