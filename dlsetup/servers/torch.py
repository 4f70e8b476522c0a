"""A model of PyTorch: TorchScript (`.pt`) or the archive of `torch.export` (`.pt2`)."""

from __future__ import annotations

from typing import Any

import torch

ENDINGS = (".pt", ".pt2")


class Model:
    """One module; inputs are handed over in the order in which they are given."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        if path.endswith(".pt2"):
            self.module = torch.export.load(path).module().to(self.device)
        else:
            self.module = torch.jit.load(path, map_location=self.device).eval()

    def predict(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """The outputs, called `output0`, `output1`, …"""
        with torch.inference_mode():
            found = self.module(*(self.tensor(value) for value in inputs.values()))
        parts = found if isinstance(found, (list, tuple)) else [found]
        return {f"output{place}": part.tolist() for place, part in enumerate(parts)}

    def tensor(self, value: Any) -> torch.Tensor:
        """Nested lists are float32, since in JSON 1 and 1.0 are often the same.

        `{"dtype": "int64", "data": …}` says another type.
        """
        name = value["dtype"] if isinstance(value, dict) else "float32"
        dtype = getattr(torch, name, None)
        if not isinstance(dtype, torch.dtype):
            raise TypeError(f"there is no type {name!r}")
        return torch.as_tensor(
            value["data"] if isinstance(value, dict) else value, dtype=dtype, device=self.device
        )
