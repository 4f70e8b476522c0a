"""PyTorch: steps in mixed precision lower the loss, with a scaler where numbers may vanish."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    torch = importlib.import_module("torch")
    shared = importlib.import_module("on_torch")
    where = shared.place(torch)
    said = [
        f"{dtype}: {_trained(torch, shared, where, dtype)}".replace("torch.", "")
        for dtype in _types(torch, where)
    ]
    return shared.told(torch, *said)


def _types(torch: Any, where: str) -> list[Any]:
    """What autocast takes here: half precision on GPUs, and bfloat16 where it is native."""
    if where == "cuda":
        return [torch.float16, torch.bfloat16] if torch.cuda.is_bf16_supported() else [torch.float16]
    return [torch.float16 if where == "mps" else torch.bfloat16]


def _trained(torch: Any, shared: Any, where: str, dtype: Any) -> str:
    network, inputs, targets = shared.regression(torch)
    scaler = _scaler(torch) if where == "cuda" and dtype == torch.float16 else None
    optimizer = torch.optim.SGD(network.parameters(), lr=0.02)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        with torch.autocast(device_type=where, dtype=dtype):
            computed = network(inputs)
        if computed.dtype != dtype:
            raise AssertionError(f"autocast left the product in {computed.dtype}")
        loss = torch.nn.functional.mse_loss(computed.float(), targets)
        (loss if scaler is None else scaler.scale(loss)).backward()
        if scaler is None:
            optimizer.step()
        else:
            scaler.step(optimizer)
            scaler.update()
        losses.append(loss.item())
    said = importlib.import_module("training").learned(losses)
    return f"{said}{'' if scaler is None else ' with a scaler'}"


def _scaler(torch: Any) -> Any:
    """It has lain in `torch.amp` since 2.3."""
    return torch.amp.GradScaler("cuda") if hasattr(torch.amp, "GradScaler") else torch.cuda.amp.GradScaler()
