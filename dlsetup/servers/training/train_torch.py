"""A minimal training in PyTorch. Put your own network and samples in place of those below."""

from __future__ import annotations

import argparse
import contextlib
import os
import time
from typing import Any

# settings
BATCH = 32
ACCUMULATE = 1
WORKERS = 0
PREFETCH = 2
AMP = ""
TF32 = False
CHANNELS_LAST = False
COMPILE = False
PINNED = False
THREADS = 0
ENVIRONMENT: dict[str, str] = {}
# end of settings

for name, value in ENVIRONMENT.items():
    os.environ.setdefault(name, value)

import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402

SIDE, CLASSES = 64, 10


class Samples:
    """Made-up pictures whose class can be learned."""

    def __len__(self) -> int:
        return 1 << 16

    def __getitem__(self, number: int) -> tuple[Any, int]:
        kind = number % CLASSES
        picture = torch.randn(3, SIDE, SIDE, generator=torch.Generator().manual_seed(number))
        return picture + kind / CLASSES, kind


def network() -> Any:
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, stride=2, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, CLASSES),
    )


def place() -> str:
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def loader() -> Any:
    more = {"prefetch_factor": PREFETCH, "persistent_workers": True} if WORKERS else {}
    return DataLoader(
        Samples(),
        batch_size=BATCH,
        shuffle=True,
        drop_last=True,
        num_workers=WORKERS,
        pin_memory=PINNED,
        **more,
    )


def train(steps: int) -> None:
    """So many steps of the optimiser, each over BATCH x ACCUMULATE samples."""
    device = place()
    torch.manual_seed(7)
    if THREADS:
        torch.set_num_threads(THREADS)
    if TF32:
        torch.set_float32_matmul_precision("high")
    layout = {"memory_format": torch.channels_last} if CHANNELS_LAST else {}
    model = network().to(device, **layout)
    run = torch.compile(model) if COMPILE else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cuda") if AMP == "float16" and device == "cuda" else None
    began, taken, number, summed = time.monotonic(), 0, 0, 0.0
    while taken < steps:
        for inputs, targets in loader():
            inputs = inputs.to(device, non_blocking=PINNED, **layout)
            targets = targets.to(device, non_blocking=PINNED)
            half = torch.autocast(device, dtype=getattr(torch, AMP)) if AMP else contextlib.nullcontext()
            with half:
                outputs = run(inputs)
            loss = nn.functional.cross_entropy(outputs.float(), targets) / ACCUMULATE
            (scaler.scale(loss) if scaler else loss).backward()
            summed += loss.item()
            number += 1
            if number % ACCUMULATE:
                continue
            if scaler:
                scaler.step(optimizer)
                scaler.update()
            else:
                optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            taken += 1
            if taken % 10 == 0 or taken == steps:
                rate = number * BATCH / (time.monotonic() - began)
                print(f"step {taken}: loss {summed:.4f}, {rate:.0f} samples/s on {device}")
            summed = 0.0
            if taken == steps:
                break


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    train(parser.parse_args().steps)
