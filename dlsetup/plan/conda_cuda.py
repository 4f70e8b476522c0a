"""Which CUDA a conda package may be made with here, and which channels are asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from msgspec.structs import replace
from packaging.version import Version

from dlsetup.judge.conda_family import FIRST_WITH_PYTORCH_CUDA
from dlsetup.model.conda import CondaRecord
from dlsetup.model.hardware import Hardware
from dlsetup.model.record import Record, Unknown
from dlsetup.model.target import Target
from dlsetup.model.versions import ComputeCapability, CudaVersion
from dlsetup.rules.driver import ceiling_of
from dlsetup.rules.gpus import capability_of


class Bounds(Record, frozen=True, kw_only=True):
    """CUDA versions that the driver serves and that make code for every GPU. None: no such bound is known."""

    first: CudaVersion | None = None
    before: CudaVersion | None = None
    """The first that is too new."""

    lines: tuple[CudaVersion, ...] = ()
    """Those known that are served, the oldest first."""

    def hold(self, cuda: CudaVersion) -> bool:
        """Whether a build made with this CUDA is served."""
        return (self.first is None or cuda >= self.first) and (self.before is None or cuda < self.before)


def bounds(target: Target, hardware: Hardware) -> Bounds:
    """A driver serves every minor of the major that it knows; a GPU has a first toolkit, and a last."""
    ceiling = ceiling_of(target, hardware)
    before = [] if isinstance(ceiling, Unknown) else [CudaVersion(f"{ceiling.major + 1}.0")]
    first: list[CudaVersion] = []
    gpus = () if isinstance(target.gpus, Unknown) else target.gpus
    codes = [capability_of(gpu, hardware) for gpu in gpus if gpu.vendor == "nvidia"]
    for code in codes:
        if isinstance(code, ComputeCapability):
            first += [min(rows)] if (rows := _knowing(code, hardware)) else []
            before += [min(rows)] if (rows := _too_new(code, hardware)) else []
    found = Bounds(first=max(first, default=None), before=min(before, default=None))
    known = sorted({row.version.line for row in hardware.toolkits})
    return replace(found, lines=tuple(line for line in known if found.hold(line)))


def _knowing(code: ComputeCapability, hardware: Hardware) -> list[CudaVersion]:
    """Toolkits that know a GPU, or a newer one."""
    rows = hardware.toolkits
    return [
        row.version
        for row in rows
        if not isinstance(row.max_capability, Unknown) and row.max_capability >= code
    ]


def _too_new(code: ComputeCapability, hardware: Hardware) -> list[CudaVersion]:
    """Toolkits that make no code any more for so old a GPU."""
    rows = hardware.toolkits
    return [
        row.version
        for row in rows
        if not isinstance(row.min_capability, Unknown) and row.min_capability > code
    ]


def cuda_spec(served: Bounds, records: Iterable[CondaRecord], torch: Version | None) -> str:
    """`cuda-version>=12.8,<13.0`: the package that all CUDA packages of a channel follow."""
    found = next((item for item in records if item.name == "pytorch"), None)
    name = "cuda-version"
    if found is not None and torch is not None and is_own_channel(found.channel):
        name = "pytorch-cuda" if torch >= FIRST_WITH_PYTORCH_CUDA else "cudatoolkit"
    told = [f">={served.first.line}"] if served.first else []
    told += [f"<{served.before.line}"] if served.before else []
    return name + ",".join(told)


def narrowed(specs: Iterable[str], cuda: CudaVersion) -> tuple[str, ...]:
    """Specs that admit builds for one CUDA alone: what a build asks of `cuda-version` has no lower end."""
    return tuple(spec.replace("*cuda*", f"*cuda{cuda.major}{cuda.minor}*") for spec in specs)


def is_own_channel(channel: str) -> bool:
    """Whether it is the one of PyTorch's authors."""
    return channel.rsplit("/", 1)[-1] == "pytorch"


def channels(records: Collection[CondaRecord], first: Collection[str]) -> tuple[str, ...]:
    """Where the packages came from: those named `first` lead, then the channel of most packages."""
    known = [item for item in records if item.channel and not item.channel.startswith("<")]
    weight = Counter(item.channel for item in known)
    leading = [item.channel for item in known if item.name in first]
    rest = (channel for channel, _ in weight.most_common())
    own = ("nvidia",) if any(map(is_own_channel, leading)) and "nvidia" not in weight else ()
    return tuple(dict.fromkeys((*leading, *rest, *own)))
