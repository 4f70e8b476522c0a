"""NVML's words, from a child process with a deadline."""

from __future__ import annotations

import contextlib
import json
from pathlib import PurePath
from typing import Any

from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes, printable

CHILD = str(PurePath(__file__).with_name("nvml_child.py"))
DEADLINE = 5.0
ASK = "nvidia-smi"
GPU_LIMIT = 256
HIDE_GPUS = {"CUDA_VISIBLE_DEVICES": None}


class NvmlGpu(Record, frozen=True, kw_only=True):
    """One GPU as NVML tells it. `lost`: the name of the refusal to hand it out at all."""

    index: int
    name: str | Unknown = UNKNOWN
    capability: ComputeCapability | Unknown = UNKNOWN
    memory_bytes: int | Unknown = UNKNOWN
    mig: bool | None | Unknown = UNKNOWN
    instances: int | Unknown = UNKNOWN
    pci: str | Unknown = UNKNOWN
    lost: str = ""


class NvmlAnswer(Record, frozen=True, kw_only=True):
    """`error` None: NVML started; unknown: it never said (it hung, or could not be asked)."""

    error: str | None | Unknown = UNKNOWN
    driver: DriverRelease | Unknown = UNKNOWN
    cuda: CudaVersion | Unknown = UNKNOWN
    gpus: tuple[NvmlGpu, ...] | Unknown = UNKNOWN
    hung: bool = False


def ask_nvml(host: Host, notes: Notes, library: str, deadline: float = DEADLINE) -> NvmlAnswer:
    """Ask NVML in a child process. A hang costs the facts that had not been told yet."""
    changes: dict[str, str | None] = {**HIDE_GPUS}
    if host.root:
        changes["LD_LIBRARY_PATH"] = host.local(library.rpartition("/")[0])
    outcome = host.run_own([CHILD, host.local(library)], deadline, **changes)
    lines = _lines(outcome.out)
    ended = any(line.get("fact") == "end" for line in lines)
    hung = outcome.code is None
    if not ended:
        reason = outcome.reason or f"the process that asked NVML ended with code {outcome.code}"
        binding = _told(lines, "binding")
        if binding:
            reason = f"`pynvml` cannot be loaded: {binding.get('error')}"
        if hung:
            reason = f"NVML gave no answer within {deadline:g} s"
        notes.gap("driver.nvml", reason, ASK)
    return NvmlAnswer(
        error=_started(lines),
        driver=_driver(lines, notes),
        cuda=_cuda(lines, notes),
        gpus=_gpus(lines, notes),
        hung=hung,
    )


def _lines(text: str) -> list[dict[str, Any]]:
    found = []
    for line in text.splitlines():
        with contextlib.suppress(ValueError):
            value = json.loads(line)
            if isinstance(value, dict):
                found.append(value)
    return found


def _told(lines: list[dict[str, Any]], fact: str, gpu: int | None = None) -> dict[str, Any]:
    """The last line on a fact; empty if there is none."""
    found = [line for line in lines if line.get("fact") == fact and line.get("gpu") == gpu]
    return found[-1] if found else {}


def _started(lines: list[dict[str, Any]]) -> str | None | Unknown:
    line = _told(lines, "start")
    return line.get("error") if line else UNKNOWN


def _driver(lines: list[dict[str, Any]], notes: Notes) -> DriverRelease | Unknown:
    line = _told(lines, "driver")
    try:
        return DriverRelease(str(line["value"]))
    except (KeyError, ValueError):
        _explain(notes, "driver.release", line)
        return UNKNOWN


def _cuda(lines: list[dict[str, Any]], notes: Notes) -> CudaVersion | Unknown:
    """`12040` is CUDA 12.4; a number that no CUDA can have is dropped."""
    line = _told(lines, "cuda")
    number = line.get("value")
    if isinstance(number, int) and 7000 <= number < 100_000:
        return CudaVersion.from_api(number)
    _explain(notes, "driver.cuda_ceiling", line)
    return UNKNOWN


def _explain(notes: Notes, fact: str, line: dict[str, Any]) -> None:
    """Why a fact is missing, where NVML was asked for it at all."""
    if "error" in line:
        notes.gap(fact, f"NVML says {line['error']}", ASK)
    elif line:
        notes.gap(fact, f"NVML says {line.get('value')!r}, which cannot be", ASK)


def _gpus(lines: list[dict[str, Any]], notes: Notes) -> tuple[NvmlGpu, ...] | Unknown:
    line = _told(lines, "gpus")
    count = line.get("value")
    if not isinstance(count, int) or not 0 <= count <= GPU_LIMIT:
        _explain(notes, "gpus", line)
        return UNKNOWN
    return tuple(_gpu(lines, index, notes) for index in range(count))


def _gpu(lines: list[dict[str, Any]], index: int, notes: Notes) -> NvmlGpu:
    def told(fact: str) -> dict[str, Any]:
        return _told(lines, fact, index)

    lost = str(told("handle").get("error", ""))
    if lost:
        notes.gap(f"gpu[{index}]", f"NVML says {lost}", ASK)
    name = told("name").get("value")
    memory = told("memory").get("value")
    pci = told("pci").get("value")
    instances = told("instances").get("value")
    capability = _capability(told("capability"))
    if capability is UNKNOWN:
        _explain(notes, f"gpu[{index}].compute_capability", told("capability"))
    return NvmlGpu(
        index=index,
        name=printable(name) or UNKNOWN if isinstance(name, str) else UNKNOWN,
        capability=capability,
        memory_bytes=memory if isinstance(memory, int) and memory > 0 else UNKNOWN,
        mig=_mig(told("mig")),
        instances=instances if isinstance(instances, int) and instances >= 0 else UNKNOWN,
        pci=bus_address(pci) if isinstance(pci, str) else UNKNOWN,
        lost=lost,
    )


def _capability(line: dict[str, Any]) -> ComputeCapability | Unknown:
    value = line.get("value")
    if isinstance(value, list) and len(value) == 2 and all(isinstance(part, int) for part in value):
        major, minor = value
        if 1 <= major <= 30 and 0 <= minor <= 9:
            return ComputeCapability(f"{major}.{minor}")
    return UNKNOWN


def _mig(line: dict[str, Any]) -> bool | None | Unknown:
    if line.get("error") == "NOT_SUPPORTED":
        return None
    value = line.get("value")
    return bool(value) if value in (0, 1) else UNKNOWN


def bus_address(text: str) -> str | Unknown:
    """A PCI address as the kernel writes it: NVML's `00000000:65:00.0` is `0000:65:00.0`."""
    domain, _, rest = printable(text).lower().partition(":")
    try:
        return f"{int(domain, 16):04x}:{rest}" if rest.count(":") == 1 else UNKNOWN
    except ValueError:
        return UNKNOWN
