"""A minimal training in JAX. Put your own network and samples in place of those below."""

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

import jax  # noqa: E402
import numpy as np  # noqa: E402

SIDE, CLASSES = 64, 10
RATE = 0.05


def parameters(random: Any) -> Any:
    """They stay in float32; what is computed with them may not."""
    sizes = [(3, 32), (32, 64)]
    kernels = [random.standard_normal((3, 3, *size)) * (2 / (9 * size[0])) ** 0.5 for size in sizes]
    found = {"kernels": kernels, "last": random.standard_normal((64, CLASSES)) * 0.1}
    return jax.tree_util.tree_map(lambda part: jax.numpy.asarray(part, "float32"), found)


def loss_of(weights: Any, inputs: Any, targets: Any) -> Any:
    if AMP:
        weights, inputs = jax.tree_util.tree_map(lambda part: part.astype(AMP), (weights, inputs))
    for kernel in weights["kernels"]:
        inputs = jax.lax.conv_general_dilated(
            inputs, kernel, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        inputs = jax.nn.relu(inputs)
    outputs = (inputs.mean(axis=(1, 2)) @ weights["last"]).astype("float32")
    wanted = jax.nn.one_hot(targets, CLASSES)
    return -(jax.nn.log_softmax(outputs) * wanted).sum(axis=-1).mean()


slopes_of = jax.jit(jax.value_and_grad(loss_of))


@jax.jit
def updated(weights: Any, slopes: Any) -> Any:
    return jax.tree_util.tree_map(lambda old, slope: old - RATE * slope / ACCUMULATE, weights, slopes)


def batch_of(random: Any) -> tuple[Any, Any]:
    """Made-up pictures whose class can be learned."""
    targets = random.integers(0, CLASSES, BATCH)
    noise = random.standard_normal((BATCH, SIDE, SIDE, 3), dtype="float32")
    return noise + targets.reshape(-1, 1, 1, 1).astype("float32") / CLASSES, targets


def train(steps: int) -> None:
    """So many updates, each over BATCH x ACCUMULATE samples."""
    random = np.random.default_rng(7)
    weights = parameters(random)
    began = time.monotonic()
    for step in range(1, steps + 1):
        loss, slopes = slopes_of(weights, *batch_of(random))
        for _ in range(ACCUMULATE - 1):
            more, others = slopes_of(weights, *batch_of(random))
            loss, slopes = loss + more, jax.tree_util.tree_map(jax.numpy.add, slopes, others)
        weights = updated(weights, slopes)
        if step % 10 == 0 or step == steps:
            rate = step * BATCH * ACCUMULATE / (time.monotonic() - began)
            where = jax.devices()[0].platform
            print(f"step {step}: loss {float(loss) / ACCUMULATE:.4f}, {rate:.0f} samples/s on {where}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    train(parser.parse_args().steps)
