"""A minimal training with Lightning. Put your own network and samples in place of those below."""

from __future__ import annotations

import argparse
import os
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

import lightning  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402

SIDE, CLASSES = 64, 10
PRECISIONS: dict[str, Any] = {"": "32-true", "bfloat16": "bf16-mixed", "float16": "16-mixed"}


class Samples:
    """Made-up pictures whose class can be learned."""

    def __len__(self) -> int:
        return 1 << 16

    def __getitem__(self, number: int) -> tuple[Any, int]:
        kind = number % CLASSES
        picture = torch.randn(3, SIDE, SIDE, generator=torch.Generator().manual_seed(number))
        return picture + kind / CLASSES, kind


class Classifier(lightning.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.network = nn.Sequential(
            nn.Conv2d(3, 32, 3, stride=2, padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.Conv2d(32, 64, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(64, CLASSES),
        )
        if CHANNELS_LAST:
            self.network = self.network.to(memory_format=torch.channels_last)

    def training_step(self, batch: Any, number: int) -> Any:
        inputs, targets = batch
        if CHANNELS_LAST:
            inputs = inputs.to(memory_format=torch.channels_last)
        loss = nn.functional.cross_entropy(self.network(inputs).float(), targets)
        if number % 10 == 0:
            print(f"batch {number}: loss {loss.item():.4f}")
        return loss

    def configure_optimizers(self) -> Any:
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


def train(steps: int) -> None:
    """So many steps of the optimiser, each over BATCH x ACCUMULATE samples."""
    lightning.seed_everything(7)
    if THREADS:
        torch.set_num_threads(THREADS)
    if TF32:
        torch.set_float32_matmul_precision("high")
    more = {"prefetch_factor": PREFETCH, "persistent_workers": True} if WORKERS else {}
    loader = DataLoader(
        Samples(),
        batch_size=BATCH,
        shuffle=True,
        drop_last=True,
        num_workers=WORKERS,
        pin_memory=PINNED,
        **more,
    )
    model = Classifier()
    if COMPILE:
        model.network.compile()
    trainer = lightning.Trainer(
        max_steps=steps,
        accumulate_grad_batches=ACCUMULATE,
        precision=PRECISIONS[AMP],
        devices=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
    )
    trainer.fit(model, loader)
    print(f"{trainer.global_step} steps")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    train(parser.parse_args().steps)
