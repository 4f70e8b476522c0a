"""A jax that multiplies matrices in Python, on the CPU."""

import importlib

importlib.import_module("jaxlib")
importlib.import_module("numpy")

__version__ = "@version@"


class Device:
    platform = "cpu"
    id = 0
    device_kind = "cpu"


def devices(backend=None):
    return [Device()]


def device_put(rows, device=None):
    return Array(rows)


class Array:
    def __init__(self, rows):
        self.rows = rows

    def __matmul__(self, other):
        columns = list(zip(*other.rows, strict=True))
        return Array(
            [
                [float(sum(a * b for a, b in zip(row, column, strict=True))) for column in columns]
                for row in self.rows
            ]
        )

    def tolist(self):
        return self.rows
