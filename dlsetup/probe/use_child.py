"""Asks NVML for the memory in use and writes one JSON line a moment: `{"gpus": [[0, total, used]]}`.

It runs in a process of its own, as `nvml_child` does, and ends by itself once nobody reads what it writes.
The arguments are the library on disk and the seconds between two moments; 0: one moment alone, with who
holds the memory: `"holders": [[0, pid, bytes]]`.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from typing import Any


def handles(nvml: Any) -> list[tuple[int, Any]]:
    """Every GPU that NVML hands out."""
    found = []
    for index in range(nvml.nvmlDeviceGetCount()):
        try:
            found.append((index, nvml.nvmlDeviceGetHandleByIndex(index)))
        except nvml.NVMLError:
            continue
    return found


def moment(nvml: Any, gpus: list[tuple[int, Any]]) -> list[list[int]]:
    rows = []
    for index, handle in gpus:
        try:
            memory = nvml.nvmlDeviceGetMemoryInfo(handle)
        except nvml.NVMLError:
            continue
        rows.append([index, int(memory.total), int(memory.used)])
    return rows


def holders(nvml: Any, gpus: list[tuple[int, Any]]) -> list[list[Any]]:
    rows: list[list[Any]] = []
    for index, handle in gpus:
        for kind in ("Compute", "Graphics"):
            found = processes(nvml, f"nvmlDeviceGet{kind}RunningProcesses", handle)
            rows += [[index, item.pid, item.usedGpuMemory] for item in found]
    return rows


def processes(nvml: Any, name: str, handle: Any) -> list[Any]:
    """Empty where the driver does not tell; an old one knows only the former version of the function."""
    for function in (name, f"{name}_v2"):
        try:
            return list(getattr(nvml, function)(handle))
        except Exception:
            continue
    return []


def main(library: str, seconds: float) -> None:
    import pynvml as nvml

    # An isolated Python does not look beside its script.
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))
    importlib.import_module("nvml_child").start(nvml, library)
    gpus = handles(nvml)
    while True:
        line: dict[str, Any] = {"gpus": moment(nvml, gpus)}
        if not seconds:
            line["holders"] = holders(nvml, gpus)
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
        if not seconds:
            return
        time.sleep(seconds)


if __name__ == "__main__":
    try:
        main(sys.argv[1], float(sys.argv[2]))
    except Exception:
        os._exit(1)
    os._exit(0)
