"""A tensorflow that multiplies matrices in Python; it has a GPU where the wheel of cuDNN lies beside it."""

import contextlib
import os

__version__ = "@version@"
SITE = os.path.dirname(os.path.dirname(__file__))


class Tensor:
    def __init__(self, rows):
        self.rows = rows

    def numpy(self):
        return self

    def tolist(self):
        return self.rows


class Device:
    name = "/physical_device:GPU:0"


def device(name):
    return contextlib.nullcontext()


def constant(rows, kind=None):
    return Tensor(rows)


class linalg:  # noqa: N801
    @staticmethod
    def matmul(left, right):
        columns = list(zip(*right.rows, strict=True))
        return Tensor(
            [
                [float(sum(a * b for a, b in zip(row, column, strict=True))) for column in columns]
                for row in left.rows
            ]
        )


class config:  # noqa: N801
    @staticmethod
    def list_physical_devices(kind):
        there = os.path.isdir(os.path.join(SITE, "nvidia", "cudnn", "lib"))
        return [Device()] if there and int(os.environ.get("TINY_GPUS", "0")) else []


class sysconfig:  # noqa: N801
    @staticmethod
    def get_build_info():
        return {"is_cuda_build": True, "is_rocm_build": False}
