"""TensorFlow: a convolution and a matrix product are those of NumPy."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    shared = importlib.import_module("on_tensorflow")
    tensorflow = shared.ready()
    numbers = importlib.import_module("in_numpy")
    pictures, filters = numbers.images()
    # Channels last and filters of (height, width, in, out): the only order that it has on CPUs.
    folded = tensorflow.nn.conv2d(
        pictures.transpose(0, 2, 3, 1), filters.transpose(2, 3, 1, 0), strides=1, padding="VALID"
    )
    left, right = numbers.product()
    return shared.told(
        tensorflow,
        numbers.same(
            "convolution", folded.numpy().transpose(0, 3, 1, 2), numbers.convolved(pictures, filters)
        ),
        numbers.same(
            "product", (tensorflow.constant(left) @ tensorflow.constant(right)).numpy(), left @ right
        ),
    )
