"""A minimal training in Keras. Put your own network and samples in place of those below."""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

# settings
BATCH = 32
ACCUMULATE = 1
AMP = ""
ENVIRONMENT: dict[str, str] = {}
# end of settings

for name, value in ENVIRONMENT.items():
    os.environ.setdefault(name, value)

import keras  # noqa: E402
import numpy as np  # noqa: E402

SIDE, CLASSES = 64, 10


def network() -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((SIDE, SIDE, 3)),
            layers.Conv2D(32, 3, strides=2, padding="same", activation="relu"),
            layers.Conv2D(64, 3, strides=2, padding="same", activation="relu"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(CLASSES, dtype="float32"),
        ]
    )


def samples(count: int) -> tuple[Any, Any]:
    """Made-up pictures whose class can be learned."""
    random = np.random.default_rng(7)
    targets = random.integers(0, CLASSES, count)
    noise = random.standard_normal((count, SIDE, SIDE, 3), dtype="float32")
    return noise + targets.reshape(-1, 1, 1, 1).astype("float32") / CLASSES, targets


def train(steps: int) -> None:
    """So many updates, each over BATCH x ACCUMULATE samples."""
    keras.utils.set_random_seed(7)
    if AMP:
        keras.mixed_precision.set_global_policy(f"mixed_{AMP}")
    more = {"gradient_accumulation_steps": ACCUMULATE} if ACCUMULATE > 1 else {}
    model = network()
    model.compile(
        optimizer=keras.optimizers.AdamW(1e-3, **more),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    # The same few batches again and again, so that memory does not decide how long it can train.
    kept = min(steps * ACCUMULATE, 8)
    inputs, targets = samples(kept * BATCH)
    began = time.monotonic()
    for step in range(1, steps + 1):
        losses = []
        for part in range(ACCUMULATE):
            first = ((step * ACCUMULATE + part) % kept) * BATCH
            rows = slice(first, first + BATCH)
            losses.append(float(model.train_on_batch(inputs[rows], targets[rows])))
        if step % 10 == 0 or step == steps:
            rate = step * BATCH * ACCUMULATE / (time.monotonic() - began)
            where = keras.backend.backend()
            print(f"step {step}: loss {sum(losses) / len(losses):.4f}, {rate:.0f} samples/s on {where}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    train(parser.parse_args().steps)
