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
        """The outputs, called `output0`, `output1`, … Numbers with a point are taken as float32."""
        with torch.inference_mode():
            given = [torch.as_tensor(value, device=self.device) for value in inputs.values()]
            found = self.module(*given)
        parts = found if isinstance(found, (list, tuple)) else [found]
        return {f"output{place}": part.tolist() for place, part in enumerate(parts)}
