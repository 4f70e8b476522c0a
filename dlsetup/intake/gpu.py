"""A GPU in words: `RTX 4090`, `2x A100`, `sm_75`, `gfx1100`, `amd Radeon RX 7900 XTX`, `Apple M2`."""

from __future__ import annotations

import re

from dlsetup.model.errors import UsageError
from dlsetup.model.machine import Gpu, Vendor
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.versions import ComputeCapability

MOST = 64
_COUNT = re.compile(r"(\d{1,4})(?:\s*[xX×]\s+|[x×](?=[A-Za-z]))(.+)")
_VENDORS: dict[Vendor, str] = {
    "nvidia": r"nvidia|geforce|tesla|quadro|titan|grid|[rg]tx(\d{3,4}(ti)?)?|jetson|orin|thor|xavier"
    r"|(?!a(310|380|580|750|770)$|b5[78]0$)[abhklpt]\d{1,4}[a-z]?|v\d{3}|m\d{2}|g[bh]\d+",
    "amd": r"amd|radeon|ryzen|instinct|vega|mi\d{2,3}[a-z]?|rx(\d{3,4}[a-z]*)?|w\d{4}",
    "intel": r"intel|arc|xe|iris|uhd|flex|max|a(310|380|580|750|770)|b5[78]0",
    "apple": r"apple",
    "ascend": r"ascend|huawei",
    "google": r"tpu|google|v[2-7][ep]?",
}
_APPLE = re.compile(r"m[1-9]( pro| max| ultra)?", re.IGNORECASE)


def parse_gpu(words: str) -> tuple[Gpu, ...]:
    """The GPUs that `words` name, one or several of a kind. Raises `UsageError`."""
    counted = _COUNT.fullmatch(words)
    count, name = (int(counted[1]), counted[2]) if counted else (1, words)
    if not 1 <= count <= MOST:
        hint = f'name at most {MOST}, as in `gpu="2x A100"`, or `gpu=none`'
        raise UsageError(f"a target has 1 to {MOST} GPUs of a kind, not {count}", hint=hint)
    return (_one(name.strip()),) * count


def describe_gpu(gpu: Gpu) -> str:
    """The words for one GPU: its architecture where that is known, else its name."""
    if isinstance(gpu.compute_capability, ComputeCapability):
        return gpu.compute_capability.sm
    if not isinstance(gpu.name, Unknown):
        return gpu.name if _vendor(gpu.name) == gpu.vendor else f"{gpu.vendor} {gpu.name}"
    return gpu.vendor if isinstance(gpu.arch, Unknown) else gpu.arch


def _one(name: str) -> Gpu:
    lower = name.lower()
    if code := re.fullmatch(r"(sm|compute)_?(\d{2,3}[af]?)", lower):
        capability = ComputeCapability.from_arch(f"sm_{code[2]}")
        return Gpu(vendor="nvidia", arch=capability.sm, compute_capability=capability)
    if re.fullmatch(r"gfx[0-9a-f]{3,4}", lower):
        return Gpu(vendor="amd", arch=lower, compute_capability=None)
    vendor = _vendor(name)
    if vendor is None:
        hint = f"put the maker before it: {', '.join(_VENDORS)}"
        raise UsageError(f"cannot tell who makes the GPU `{name}`", hint=hint)
    if lower == vendor:
        return Gpu(vendor=vendor, compute_capability=UNKNOWN if vendor == "nvidia" else None)
    return Gpu(vendor=vendor, name=name, compute_capability=UNKNOWN if vendor == "nvidia" else None)


def _vendor(name: str) -> Vendor | None:
    """Whose product it is, by the first word that belongs to one maker."""
    if _APPLE.fullmatch(name):
        return "apple"
    for word in re.findall(r"[a-z0-9]+", name.lower()):
        for vendor, pattern in _VENDORS.items():
            if re.fullmatch(pattern, word):
                return vendor
    return None
