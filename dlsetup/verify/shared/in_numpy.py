"""Numbers to compare with: small whole ones, whose sums are exact in every format that a GPU may choose."""

from __future__ import annotations

import importlib
from typing import Any


def images() -> tuple[Any, Any]:
    """Two pictures of three channels (2, 3, 12, 12) and four filters (4, 3, 3, 3), in 32-bit floats."""
    numpy = importlib.import_module("numpy")
    pictures = numpy.arange(2 * 3 * 12 * 12).reshape(2, 3, 12, 12) % 7 - 3
    filters = numpy.arange(4 * 3 * 3 * 3).reshape(4, 3, 3, 3) % 5 - 2
    return pictures.astype("float32"), filters.astype("float32")


def convolved(pictures: Any, filters: Any) -> Any:
    """The convolution of both without padding, as deep learning has it: the filters are not turned."""
    numpy = importlib.import_module("numpy")
    count, _, height, width = pictures.shape
    made = numpy.zeros((count, len(filters), height - 2, width - 2), "float32")
    for row in range(3):
        for column in range(3):
            part = pictures[:, :, row : row + height - 2, column : column + width - 2]
            made += numpy.einsum("nchw,fc->nfhw", part, filters[:, :, row, column])
    return made


def product() -> tuple[Any, Any]:
    """Two matrices of 64 by 64."""
    numpy = importlib.import_module("numpy")
    numbers = numpy.arange(64 * 64).reshape(64, 64)
    return (numbers % 7 - 3).astype("float32"), (numbers % 5 - 2).astype("float32")


def same(what: str, computed: Any, wanted: Any, tolerance: float = 1e-3, *, like: str = "NumPy's") -> str:
    """Raises where they differ; else says by how much they do. `like`: whose the wanted numbers are."""
    numpy = importlib.import_module("numpy")
    computed, wanted = numpy.asarray(computed), numpy.asarray(wanted)
    if computed.shape != wanted.shape:
        raise AssertionError(f"{what} has the shape {computed.shape}, and {wanted.shape} is right")
    apart = float(numpy.abs(computed.astype("float64") - wanted).max())
    if not apart <= tolerance:
        raise AssertionError(f"{what} differs from the right one by up to {apart:.3g}")
    return f"{what} like {like}, within {apart:.1g}" if apart else f"{what} like {like}"
