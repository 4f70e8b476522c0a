"""Asks NVML and writes one JSON line per fact, as soon as it is known.

It runs in a process of its own, because a wedged driver lets no caller return: whoever started it
ends it after the deadline and keeps the lines that came before. It imports nothing of dlsetup.
The argument is the library on disk, for machines whose loader does not know its folder.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

LIBRARY_NOT_FOUND = 12
MIG_LIMIT = 64


class Questions:
    """NVML's functions, asked one by one; a refusal is told by its name and costs that fact alone."""

    def __init__(self, nvml: Any) -> None:
        self.nvml = nvml
        self.refusals = {
            value: name.removeprefix("NVML_ERROR_")
            for name, value in vars(nvml).items()
            if name.startswith("NVML_ERROR_") and isinstance(value, int)
        }

    def ask(self, fact: str, question: Callable[[], Any], gpu: int | None = None) -> Any:
        """Answer one question on standard output; gives the answer, or None for a refusal."""
        try:
            value = question()
        except self.nvml.NVMLError as exc:
            tell(fact=fact, gpu=gpu, error=self.refusals.get(exc.value, f"CODE_{exc.value}"))
        except Exception as exc:
            tell(fact=fact, gpu=gpu, error=type(exc).__name__)
        else:
            tell(fact=fact, gpu=gpu, value=value if isinstance(value, (int, str, list, type(None))) else True)
            return value
        return None


def tell(**line: Any) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def start(nvml: Any, library: str) -> bool:
    """Initialise NVML by the loader's own search, else by the path of the library."""
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as exc:
        if exc.value != LIBRARY_NOT_FOUND or not library:
            raise
        import ctypes

        try:
            ctypes.CDLL(library)
        except OSError:
            raise exc from None
        nvml.nvmlInit()
    return True


def describe(nvml: Any, questions: Questions) -> None:
    """The driver first, then every GPU."""
    ask = questions.ask
    ask("driver", nvml.nvmlSystemGetDriverVersion)
    if ask("cuda", nvml.nvmlSystemGetCudaDriverVersion_v2) is None:
        ask("cuda", nvml.nvmlSystemGetCudaDriverVersion)
    for gpu in range(ask("gpus", nvml.nvmlDeviceGetCount) or 0):
        handle = ask_handle(nvml, questions, gpu)
        if handle is not None:
            describe_gpu(nvml, questions, gpu, handle)


def ask_handle(nvml: Any, questions: Questions, gpu: int) -> Any:
    return questions.ask("handle", lambda: nvml.nvmlDeviceGetHandleByIndex(gpu), gpu)


def describe_gpu(nvml: Any, questions: Questions, gpu: int, handle: Any) -> None:
    ask = questions.ask
    ask("name", lambda: nvml.nvmlDeviceGetName(handle), gpu)
    ask("capability", lambda: list(nvml.nvmlDeviceGetCudaComputeCapability(handle)), gpu)
    ask("memory", lambda: int(nvml.nvmlDeviceGetMemoryInfo(handle).total), gpu)
    ask("pci", lambda: nvml.nvmlDeviceGetPciInfo(handle).busId, gpu)
    if ask("mig", lambda: int(nvml.nvmlDeviceGetMigMode(handle)[0]), gpu) == 1:
        ask("instances", lambda: count_instances(nvml, handle), gpu)


def count_instances(nvml: Any, handle: Any) -> int:
    count = 0
    for index in range(min(nvml.nvmlDeviceGetMaxMigDeviceCount(handle), MIG_LIMIT)):
        try:
            nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, index)
        except nvml.NVMLError_NotFound:
            continue
        count += 1
    return count


def main(library: str) -> None:
    try:
        import pynvml
    except ImportError as exc:
        tell(fact="binding", error=str(exc))
        return
    questions = Questions(pynvml)
    if questions.ask("start", lambda: start(pynvml, library)):
        describe(pynvml, questions)
    tell(fact="end")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
    os._exit(0)
