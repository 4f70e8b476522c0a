"""PyTorch: workers hand batches over through shared memory."""

from __future__ import annotations

import importlib
from typing import Any

SAMPLES, WORKERS = 64, 2
SIDE = 128


def prove() -> dict[str, Any]:
    torch = importlib.import_module("torch")
    shared = importlib.import_module("on_torch")
    data = torch.utils.data
    numbers = torch.arange(SAMPLES)
    pictures = numbers.float().reshape(-1, 1, 1, 1).expand(SAMPLES, 3, SIDE, SIDE).contiguous()
    pinned = shared.place(torch) == "cuda"
    loader = data.DataLoader(
        data.TensorDataset(pictures, numbers),
        batch_size=16,
        num_workers=WORKERS,
        pin_memory=pinned,
        timeout=60,
    )
    seen: list[int] = []
    for batch, labels in loader:
        if not torch.equal(batch[:, 0, 0, 0].long(), labels):
            raise AssertionError("a batch does not hold what its worker read")
        seen += labels.tolist()
    if seen != numbers.tolist():
        raise AssertionError(f"{len(seen)} samples came of {SAMPLES}")
    size = pictures.element_size() * pictures.nelement() // SAMPLES * 16
    told = shared.told(torch, f"{WORKERS} workers, {SAMPLES} samples, batches of {size >> 10} KiB")
    return {**told, "device": "cpu"}
