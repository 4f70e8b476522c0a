"""What torch says of GPUs that its build does not serve.

NVIDIA A100-SXM4-40GB with CUDA capability sm_80 is not compatible with the current PyTorch installation.
The current PyTorch install supports CUDA capabilities sm_37 sm_50 sm_60 sm_70.

    Found GPU0 GeForce GTX 770 which is of cuda capability 3.0.
    Minimum and Maximum cuda capability supported by this version of PyTorch is (5.0) - (9.0)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, Weight, observed
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.model.machine import Gpu
from dlsetup.model.versions import ComputeCapability

_REFUSED = re.compile(r"(\w[\w ./()+-]{1,70}?) with CUDA capability (sm_\d{2,3}[af]?) is not compatible with")
_FOUND = re.compile(
    r"Found GPU\s?(\d{1,2}) (\w[\w ./()+-]{1,70}?) which is of (?:cuda|compute) capability "
    r"(?:\(CC\) )?(\d{1,2}\.\d)"
)
_BUILT = re.compile(
    r"(?:supports|compiled for|built for) CUDA capabilities:? "
    r"((?:(?:sm|compute)_\d{2,3}[af]?[ ,]{0,3}){1,30})"
)
_LIST = re.compile(r"\[((?:'(?:sm|compute)_\d{2,3}[af]?'(?:, )?){1,30})\]")
_GFX_LIST = re.compile(r"\[((?:'gfx[0-9a-f]{3,4}[\w:+-]{0,24}'(?:, )?){1,30})\]")
_SHARES = "torch's warning"


@reads("torch on GPUs", "CUDA capabilit", "cuda capability", "sm_", "'gfx")
def gpus(page: Page) -> Iterator[Fact]:
    """Each GPU once with its compute capability, and the architectures that the build holds code for."""
    seen: dict[str, None] = {}
    for line in page.lines:
        if refused := _REFUSED.search(line.text):
            name, capability = refused[1].strip(), ComputeCapability.from_arch(refused[2])
        elif found := _FOUND.search(line.text):
            name, capability = f"{found[2].strip()}", ComputeCapability(found[3])
        else:
            yield from _architectures(line)
            continue
        if name not in seen:
            seen[name] = None
            gpu = Gpu(vendor="nvidia", name=name, compute_capability=capability, found_via=line.place)
            yield Fact("gpu", gpu, line.place, Weight.TOLD, "", f"{_SHARES} {page.file}")
        yield from _architectures(line)


def _architectures(line: Line) -> Iterator[Fact]:
    if held := _GFX_LIST.search(line.text):
        codes = " ".join(re.findall(r"gfx[0-9a-f]{3,4}", held[1]))
        yield observed("torch.cuda.get_arch_list", codes, line, weight=Weight.TOLD)
        return
    found = _BUILT.search(line.text) or _LIST.search(line.text)
    if found:
        codes = " ".join(re.findall(r"(?:sm|compute)_\d{2,3}[af]?", found[1]))
        yield observed("torch.cuda.get_arch_list", codes, line, weight=Weight.TOLD)
