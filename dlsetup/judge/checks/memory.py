"""GPU memory that runs out: is it really used up, or held in pieces that are too small?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.evidence import of_message
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.record import Record
from dlsetup.model.report import Message

_UNITS = {"bytes": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_SHARE = 0.1
"""Of the whole memory: a reserve above it is worth being put together."""


class Shortage(Record, frozen=True, kw_only=True):
    """What torch's allocator says of itself, in bytes."""

    tried: int
    total: int
    free: int
    allocated: int
    unused: int
    """Reserved by torch, and not in use."""

    @property
    def fragmented(self) -> bool:
        """Whether there is enough for the request, and a good part of it lies in pieces that torch holds.

        Before it gives up, torch has returned every piece that is wholly unused.
        """
        enough = self.unused + self.free >= self.tried
        return enough and self.unused >= self.total * _SHARE and self.unused >= self.tried / 2


@check("cuda-oom-capacity", "cuda-oom-fragmentation")
def out_of_memory(scene: Scene) -> Iterator[Answer]:
    """The numbers of an out-of-memory error decide which of the two it is."""
    for message in scene.messages("cuda-oom", "cuda-oom-old")[:1]:
        shortage = _shortage(message)
        if shortage is not None:
            build = _fragmentation if shortage.fragmented else _capacity
            yield build(scene, message, shortage)


def _capacity(scene: Scene, message: Message, shortage: Shortage) -> Finding:
    elsewhere = shortage.total - shortage.free - shortage.allocated - shortage.unused
    others = elsewhere > shortage.total * 2 * _SHARE
    said = f" {_size(elsewhere)} are held by CUDA itself or by other programs." if others else ""
    remedies = [Remedy(text="See which programs hold memory, and end those.", commands=("nvidia-smi",))]
    return Finding(
        id="cuda-oom-capacity",
        severity="error",
        title="The program needs more GPU memory than there is",
        because=f"{_size(shortage.allocated)} of {_size(shortage.total)} are really allocated and only "
        f"{_size(shortage.unused)} are reserved but unallocated: this is capacity, not fragmentation.{said}",
        evidence=(of_message(message),),
        remedies=(
            *(remedies if others else ()),
            Remedy(
                text="Use less: a smaller batch or resolution with gradient accumulation, gradient "
                "checkpointing, half precision (bfloat16 or float16), cached latents, or a smaller model.",
                scope="project",
            ),
        ),
        rests_on=scene.sources(("torch-caching-allocator",)),
    )


def _fragmentation(scene: Scene, message: Message, shortage: Shortage) -> Finding:
    name = "PYTORCH_CUDA_ALLOC_CONF"
    setting = "max_split_size_mb:128" if message.signature == "cuda-oom-old" else "expandable_segments:True"
    windows = f'$env:{name} = "max_split_size_mb:128"'
    shell = windows if scene.target.os == "windows" else f"export {name}={setting}"
    return Finding(
        id="cuda-oom-fragmentation",
        severity="error",
        title="GPU memory is there, in pieces that are too small",
        because=f"torch has reserved {_size(shortage.allocated + shortage.unused)} and uses "
        f"{_size(shortage.allocated)} of it: {_size(shortage.unused)} lie idle, and {_size(shortage.tried)} "
        "in one piece are not among them.",
        evidence=(of_message(message),),
        remedies=(
            Remedy(
                text="Tell torch's allocator to split less; from torch 2.1 on Linux "
                "`expandable_segments:True` does it, before it `max_split_size_mb`.",
                commands=(shell,),
                scope="project",
            ),
        ),
        rests_on=scene.sources(("torch-caching-allocator",)),
    )


def _shortage(message: Message) -> Shortage | None:
    sizes = {name: _bytes(value) for name, value in message.values}
    tried, total, allocated = (sizes.get(name) for name in ("tried", "total", "allocated"))
    if tried is None or total is None or allocated is None:
        return None
    unused = sizes.get("unused")
    reserved = sizes.get("reserved") or 0
    idle = unused if unused is not None else max(0, reserved - allocated)
    return Shortage(tried=tried, total=total, free=sizes.get("free") or 0, allocated=allocated, unused=idle)


def _bytes(text: str) -> int | None:
    found = re.fullmatch(r"(\d+(?:\.\d+)?) (\w+)", text)
    return int(float(found[1]) * _UNITS[found[2]]) if found and found[2] in _UNITS else None


def _size(count: int) -> str:
    """As torch writes it."""
    return (
        f"{count / _UNITS['GiB']:.2f} GiB" if count >= _UNITS["GiB"] else f"{count / _UNITS['MiB']:.0f} MiB"
    )
