"""PyTorch: a convolution and a matrix product are those of NumPy."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    torch = importlib.import_module("torch")
    shared = importlib.import_module("on_torch")
    numbers = importlib.import_module("in_numpy")
    where = shared.place(torch)

    def moved(array: Any) -> Any:
        return torch.from_numpy(array).to(where)

    pictures, filters = numbers.images()
    folded = torch.nn.functional.conv2d(moved(pictures), moved(filters)).cpu()
    left, right = numbers.product()
    multiplied = (moved(left) @ moved(right)).cpu()
    return shared.told(
        torch,
        numbers.same("convolution", folded.numpy(), numbers.convolved(pictures, filters)),
        numbers.same("product", multiplied.numpy(), left @ right),
    )
