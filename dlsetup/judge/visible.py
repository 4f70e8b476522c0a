"""What CUDA_VISIBLE_DEVICES lets a program see."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dlsetup.model.machine import Gpu
from dlsetup.model.record import UNKNOWN, Unknown

VISIBLE = "CUDA_VISIBLE_DEVICES"


def first_number(value: str) -> int | None:
    """The first GPU that the variable names by its number."""
    first = value.split(",")[0].strip()
    return int(first) if re.fullmatch(r"-?\d{1,6}", first) else None


def hides_all(value: str, gpus: Sequence[Gpu]) -> bool:
    """Whether no GPU is left: CUDA reads the list up to the first entry that is no GPU.

    GPUs may also be named by UUID, which is not recorded: such a list hides nothing for certain.
    """
    if not value.strip() or value.strip().lower() in ("none", "void", "nodevfiles"):
        return True
    number = first_number(value)
    return number is not None and not 0 <= number < len(gpus)


def visible_gpus(
    value: str | None | Unknown, order: str | None | Unknown, gpus: Sequence[Gpu]
) -> tuple[Gpu, ...] | Unknown:
    """The GPUs a program sees. Numbers count in the order of the bus only if CUDA_DEVICE_ORDER says so;
    otherwise the fastest comes first, which nobody here can tell."""
    if value is None:
        return tuple(gpus)
    if isinstance(value, Unknown) or not re.fullmatch(r"\d{1,3}(,\d{1,3})*", value.replace(" ", "")):
        return UNKNOWN
    numbers = [int(word) for word in value.split(",")]
    alike = len({(gpu.name, gpu.arch) for gpu in gpus}) == 1
    if not alike and order != "PCI_BUS_ID":
        return tuple(gpus) if set(range(len(gpus))) <= set(numbers) else UNKNOWN
    return tuple(gpus[number] for number in numbers if number < len(gpus))
