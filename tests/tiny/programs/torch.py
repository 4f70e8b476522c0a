"""A torch that multiplies matrices in Python, with as many GPUs as TINY_GPUS says.

TINY_TORCH: `wrong` miscalculates, `crash` kills the process, `hang` never answers, `noisy` talks.
"""

import os
import signal
import sys
import time

from torch import version

__version__ = version.__version__
mood = os.environ.get("TINY_TORCH", "")
if mood == "crash":
    os.kill(os.getpid(), signal.SIGKILL)
if mood == "hang":
    time.sleep(600)
if mood == "noisy":
    print("{'loading': 'torch'}")
    print("warning: \x1b[31mnoise", file=sys.stderr)


class Tensor:
    def __init__(self, rows, device="cpu"):
        self.rows = rows
        self.device = device

    def __matmul__(self, other):
        columns = list(zip(*other.rows, strict=True))
        rows = [
            [float(sum(a * b for a, b in zip(row, column, strict=True))) for column in columns]
            for row in self.rows
        ]
        if mood == "wrong":
            rows[0][0] += 1
        return Tensor(rows, self.device)

    def tolist(self):
        return self.rows


def tensor(rows, dtype=None, device="cpu"):
    if device == "cuda" and not cuda.is_available():
        raise RuntimeError("The NVIDIA driver on your system is too old (found version 11040).")
    return Tensor(rows, device)


float32 = "float32"


class cuda:  # noqa: N801
    @staticmethod
    def device_count():
        return int(os.environ.get("TINY_GPUS", "0")) if version.cuda else 0

    @staticmethod
    def is_available():
        return cuda.device_count() > 0

    @staticmethod
    def get_device_name(number):
        return "Tiny GPU"

    @staticmethod
    def get_device_capability(number):
        return (9, 0)
