"""What was measured of a training on a machine, and what is advised because of it."""

from __future__ import annotations

from typing import Literal

from dlsetup.model.capability import Verdict
from dlsetup.model.links import Link
from dlsetup.model.record import UNKNOWN, Record, Unknown

Standing = Literal["change", "keep", "open"]
"""`change`: another than the usual setting is right; `keep`: the usual one is; `open`: it cannot be told."""


class Measure(Record, frozen=True, kw_only=True):
    """One thing that can be measured of a framework, and the program that does it."""

    framework: str
    """As the catalog names it."""
    name: str
    """`batch`, `workers`, `amp`."""
    title: str
    program: str
    """File in `verify/measures`, without its ending."""
    share: float = 1.0
    """Of the time, in proportion to the others."""
    grace: float = 90.0
    """Seconds for what is not measured: the import, a compilation."""

    @property
    def id(self) -> str:
        return f"{self.framework}-{self.name}"


class Variant(Record, frozen=True, kw_only=True):
    """One setting, and how fast it was each time."""

    name: str
    batch: int = 0
    rates: tuple[float, ...] = ()
    """Samples a second. Those of several variants were measured in turns, except of batch sizes."""
    bytes: int = 0
    """Most memory of the device (of the process, on the CPU); 0: nobody tells."""
    start_seconds: float = 0.0
    """Until the first batch came."""


class Numbers(Record, frozen=True, kw_only=True):
    """What a program that measures tells. What does not concern it stays empty."""

    device: str = ""
    version: str = ""
    network: str = ""
    data: str = ""
    """What was loaded, in words."""
    variants: tuple[Variant, ...] = ()
    fits: int = 0
    """The largest batch that went."""
    too_many: int = 0
    """The least that did not, or was not expected to; 0: none is known."""
    ended_by: str = ""
    """Why no larger batch was tried: `memory`, `time`, `rate`, `most`; empty: the program was ended."""
    room_bytes: int = 0
    """Memory that it was allowed."""
    wasted_bytes: int = 0
    """What the allocator held in pieces when memory ended."""
    batch_bytes: int = 0
    once_seconds: float = 0.0
    """What has to be paid once: a compilation."""
    usual: int = 0
    """What the framework takes by itself."""
    capability: str = ""
    """Compute capability of the GPU: `8.0`."""
    unfinished: bool = False
    """The program was ended before it was through; what it knew by then is here."""

    def variant(self, name: str) -> Variant | None:
        return next((item for item in self.variants if item.name == name), None)


class Measured(Record, frozen=True, kw_only=True):
    """What came of one measurement. `unknown`: it cannot be measured here, and `because` says why."""

    id: str
    framework: str
    name: str
    title: str
    verdict: Verdict
    because: str = ""
    seconds: float | Unknown = UNKNOWN
    numbers: Numbers = Numbers()


class CpuRoom(Record, frozen=True, kw_only=True):
    """Processors that a program gets here."""

    usable: int | Unknown = UNKNOWN
    """Those that this process may run on (affinity)."""
    quota: float | None | Unknown = UNKNOWN
    """Processors' worth of time that the control group grants; None: no limit."""
    nodes: tuple[str, ...] | Unknown = UNKNOWN
    """NUMA nodes, each with its processors: `0-15,32-47`."""

    @property
    def count(self) -> int | Unknown:
        """Whole processors that may be busy at once."""
        if isinstance(self.usable, Unknown):
            return UNKNOWN
        quota = self.quota
        bounded = self.usable if isinstance(quota, Unknown) or quota is None else min(self.usable, quota)
        return max(1, int(bounded))


class Surroundings(Record, frozen=True, kw_only=True):
    """Facts of the machine that settings depend on and that nobody has to measure."""

    cpu: CpuRoom = CpuRoom()
    memory_bytes: int | Unknown = UNKNOWN
    """That a new program may take: what is free, within the limit of the control group."""
    shm_bytes: int | None | Unknown = UNKNOWN
    container: str | None | Unknown = UNKNOWN
    gpus: int | Unknown = UNKNOWN
    """GPUs that a training here could use."""
    links: tuple[Link, ...] | Unknown = UNKNOWN
    gpu_nodes: tuple[int, ...] = ()
    """NUMA node of each NVIDIA GPU, by its number; -1: none."""
    iommu: str | None | Unknown = UNKNOWN
    """The kernel's setting that has the IOMMU translate (`intel_iommu=on`); None: no such setting."""


class Advice(Record, frozen=True, kw_only=True):
    """One setting, what it should be here, and the numbers that say so."""

    setting: str
    standing: Standing
    value: str
    because: str
    gain: float | Unknown = UNKNOWN
    """Times as fast as the usual setting."""
    how: tuple[str, ...] = ()
    """Lines of code, or of a shell."""
    sources: tuple[str, ...] = ()


class Settings(Record, frozen=True, kw_only=True):
    """What a training script is written with."""

    batch: int = 32
    accumulate: int = 1
    workers: int = 0
    prefetch: int = 2
    amp: str = ""
    """`bfloat16`, `float16`; empty: float32."""
    tf32: bool = False
    channels_last: bool = False
    compile: bool = False
    pinned: bool = False
    threads: int = 0
    """0: as many as the framework takes."""
    environment: tuple[tuple[str, str], ...] = ()
