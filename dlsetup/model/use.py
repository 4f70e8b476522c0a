"""What is in use of a machine: at one moment, and at most while a program ran."""

from __future__ import annotations

from dlsetup.model.record import UNKNOWN, Record, Unknown


class Holder(Record, frozen=True, kw_only=True):
    """A program that holds memory of a GPU."""

    pid: int
    name: str = ""
    """Empty: another container's, or another user's."""
    bytes: int | Unknown = UNKNOWN


class GpuUse(Record, frozen=True, kw_only=True):
    """Memory of one GPU, by NVML's index, which knows nothing of CUDA_VISIBLE_DEVICES."""

    index: int
    total_bytes: int
    used_bytes: int
    holders: tuple[Holder, ...] | Unknown = UNKNOWN


class MemoryUse(Record, frozen=True, kw_only=True):
    """Memory that programs share, at one moment."""

    free_bytes: int | Unknown = UNKNOWN
    """Of the machine, for a new program."""
    limit_bytes: int | None | Unknown = UNKNOWN
    """The least limit of a control group around us; None: there is none."""
    oom_kills: int | Unknown = UNKNOWN
    """Processes that the kernel has ended for want of memory in our control group, ever."""
    shm_free_bytes: int | Unknown = UNKNOWN


class Use(Record, frozen=True, kw_only=True):
    """A moment."""

    gpus: tuple[GpuUse, ...] | Unknown = UNKNOWN
    memory: MemoryUse = MemoryUse()


class GpuPeak(Record, frozen=True, kw_only=True):
    """The most that was in use of one GPU while a program ran, by whomever."""

    index: int
    total_bytes: int
    before_bytes: int
    """In use when the program was started."""
    peak_bytes: int


class Seen(Record, frozen=True, kw_only=True):
    """What was seen of a program from its start to its end."""

    command: tuple[str, ...]
    exit_code: int
    """As the shell has it: 128 and the number of the signal that ended it."""
    signal: str = ""
    """`SIGKILL`; empty: it ended by itself."""
    seconds: float
    gpus: tuple[GpuPeak, ...] | Unknown = UNKNOWN
    memory_peak_bytes: int | Unknown = UNKNOWN
    """Resident memory of the program and all that it started, together."""
    memory_limit_bytes: int | None | Unknown = UNKNOWN
    oom_kills: int | Unknown = UNKNOWN
    """Processes that the kernel ended for want of memory in our control group meanwhile."""
    shm_bytes: int | Unknown = UNKNOWN
    """Size of /dev/shm."""
    shm_peak_bytes: int | Unknown = UNKNOWN
    output_bytes: int = 0
    samples: int = 0

    @property
    def ok(self) -> bool:
        return self.exit_code == 0

    @property
    def ends(self) -> tuple[str, ...]:
        """How it ended, in the words of explanations; the most telling first."""
        if self.ok:
            return ()
        found: list[str] = []
        if not isinstance(self.oom_kills, Unknown) and self.oom_kills > 0:
            found.append("oom-killed")
        if self.signal == "SIGBUS" and self._shm_full:
            found.append("shm-full")
        return (*found, *([self.signal] if self.signal else ()))

    @property
    def _shm_full(self) -> bool:
        size, peak = self.shm_bytes, self.shm_peak_bytes
        if isinstance(size, Unknown) or isinstance(peak, Unknown):
            return False
        return size > 0 and peak >= size * 0.9
