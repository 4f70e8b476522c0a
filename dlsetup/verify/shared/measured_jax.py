"""A training in JAX, compiled for each size of the batch."""

from __future__ import annotations

import importlib
import os
from typing import Any

SIDE = 64
CLASSES = 10
STAND_IN = f"a stand-in network of three convolutions on pictures of {SIDE} x {SIDE} x 3"
SHARE = "0.8"
"""Of a GPU's memory: the display and others go on."""
SHORT = ("resource_exhausted", "out of memory", "bad_alloc")


def ready() -> Any:
    """JAX, with the GPU bounded."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", SHARE)
    return importlib.import_module("on_jax").ready()


class Trainer:
    """Plain gradient descent. A named network is `(parameters, loss)`, called `loss(parameters, *batch)`."""

    def __init__(self, jax: Any, told: dict[str, Any], dtype: str = "float32") -> None:
        self.jax, self.dtype = jax, dtype
        model = told.get("model", "")
        self.network_words = f"the network of `{model}`" if model else STAND_IN
        made = importlib.import_module("measured_model").named(model) if model else stand_in(jax)
        (self.parameters, loss), self.batch_of = made
        self.batch: Any = ()
        self.parameters = self._cast(self.parameters)
        grad = jax.grad(lambda parameters, batch: loss(parameters, *batch).astype("float32"))

        def update(parameters: Any, batch: Any) -> Any:
            slopes = grad(parameters, batch)
            return jax.tree_util.tree_map(lambda old, slope: old - 1e-3 * slope, parameters, slopes)

        self.update = jax.jit(update)

    def _cast(self, tree: Any) -> Any:
        def cast(part: Any) -> Any:
            part = self.jax.numpy.asarray(part)
            return part.astype(self.dtype) if part.dtype == "float32" else part

        return self.jax.tree_util.tree_map(cast, tree)

    def load(self, size: int) -> None:
        """The batch that the following steps take; it stays on the device."""
        self.batch = ()
        self.batch = self.jax.device_put(self._cast(tuple(self.batch_of(size))))

    def step(self) -> None:
        self.parameters = self.update(self.parameters, self.batch)

    def settle(self) -> None:
        """Waits until the device has done what was asked of it."""
        for part in self.jax.tree_util.tree_leaves(self.parameters):
            part.block_until_ready()

    def told(self) -> dict[str, Any]:
        kind = importlib.import_module("on_jax").kind(self.jax)
        return {"device": kind, "network": self.network_words, "version": str(self.jax.__version__)}


def stand_in(jax: Any) -> tuple[Any, Any]:
    numpy = importlib.import_module("numpy")
    random = numpy.random.default_rng(7)
    layers = [(3, 32), (32, 64), (64, 128)]
    kernels = [
        random.standard_normal((3, 3, less, more)).astype("float32") * (2 / (9 * less)) ** 0.5
        for less, more in layers
    ]
    last = random.standard_normal((128, CLASSES)).astype("float32") * 0.1

    def loss(parameters: Any, inputs: Any, targets: Any) -> Any:
        for kernel in parameters["kernels"]:
            inputs = jax.nn.relu(
                jax.lax.conv_general_dilated(
                    inputs, kernel, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
                )
            )
        outputs = (inputs.mean(axis=(1, 2)) @ parameters["last"]).astype("float32")
        wanted = jax.nn.one_hot(targets, CLASSES)
        return -(jax.nn.log_softmax(outputs) * wanted).sum(axis=-1).mean()

    return ({"kernels": kernels, "last": last}, loss), lambda size: (
        random.standard_normal((size, SIDE, SIDE, 3), dtype="float32"),
        random.integers(0, CLASSES, size),
    )


def is_short(error: BaseException) -> bool:
    """Whether it says that there was not enough memory."""
    return isinstance(error, MemoryError) or any(word in str(error).lower() for word in SHORT)
