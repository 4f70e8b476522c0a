"""A training in Keras, on whichever backend it has here."""

from __future__ import annotations

import contextlib
import importlib
import os
from typing import Any

SIDE = 64
CLASSES = 10
STAND_IN = f"a stand-in network of three convolutions on pictures of {SIDE} x {SIDE} x 3"
SHARE = 0.8
"""Of a GPU's memory: the display and others go on."""
SHORT = ("resource_exhausted", "out of memory", "oom when allocating", "resourceexhausted", "bad_alloc")


def start(told: dict[str, Any]) -> Any:
    """Keras, with the GPU bounded where TensorFlow computes."""
    if told.get("backend"):
        os.environ["KERAS_BACKEND"] = told["backend"]
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", str(SHARE))
    keras = importlib.import_module("keras")
    if keras.backend.backend() == "tensorflow":
        _bound(importlib.import_module("tensorflow"), int(told.get("gpu_bytes", 0)))
    return keras


def _bound(tensorflow: Any, gpu_bytes: int) -> None:
    limit = int(gpu_bytes * SHARE) >> 20
    for gpu in tensorflow.config.list_physical_devices("GPU"):
        if limit:
            limits = [tensorflow.config.LogicalDeviceConfiguration(memory_limit=limit)]
            tensorflow.config.set_logical_device_configuration(gpu, limits)
        else:
            tensorflow.config.experimental.set_memory_growth(gpu, True)


class Trainer:
    """Steps with one batch, by `train_on_batch`."""

    def __init__(self, keras: Any, told: dict[str, Any], policy: str = "float32") -> None:
        self.keras = keras
        keras.mixed_precision.set_global_policy(policy)
        model = told.get("model", "")
        self.network_words = f"the network of `{model}`" if model else STAND_IN
        made = importlib.import_module("measured_model").named(model) if model else stand_in(keras)
        self.network, self.batch_of = made
        if not getattr(self.network, "optimizer", None):
            loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
            self.network.compile(optimizer=keras.optimizers.SGD(1e-3), loss=loss)
        self.inputs: Any = None
        self.targets: Any = None

    def load(self, size: int) -> None:
        """The batch that the following steps take."""
        self.inputs, self.targets = self.batch_of(size)

    def step(self) -> None:
        """`train_on_batch` gives the loss as a number: the device is through then."""
        self.network.train_on_batch(self.inputs, self.targets)

    def told(self) -> dict[str, Any]:
        keras = self.keras
        return {
            "device": device(keras),
            "network": f"{self.network_words}, on {keras.backend.backend()}",
            "version": str(keras.__version__),
        }


def stand_in(keras: Any) -> tuple[Any, Any]:
    numpy = importlib.import_module("numpy")
    layers = keras.layers
    network = keras.Sequential(
        [
            keras.Input((SIDE, SIDE, 3)),
            layers.Conv2D(32, 3, strides=2, padding="same", activation="relu"),
            layers.Conv2D(64, 3, strides=2, padding="same", activation="relu"),
            layers.Conv2D(128, 3, strides=2, padding="same", activation="relu"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(CLASSES, dtype="float32"),
        ]
    )
    random = numpy.random.default_rng(7)
    return network, lambda size: (
        random.standard_normal((size, SIDE, SIDE, 3), dtype="float32"),
        random.integers(0, CLASSES, size),
    )


def device(keras: Any) -> str:
    """`cuda`, `rocm`, `cpu` …, as far as the backend tells it."""
    backend = keras.backend.backend()
    if backend == "tensorflow":
        return str(importlib.import_module("on_tensorflow").told(importlib.import_module(backend))["device"])
    if backend == "jax":
        return str(importlib.import_module("on_jax").kind(importlib.import_module(backend)))
    return str(importlib.import_module("on_torch").devices(importlib.import_module("torch"))[1])


def taken(keras: Any, where: str) -> int:
    """Most memory since the last look; 0: nobody tells."""
    if where == "cpu":
        return int(importlib.import_module("measured_memory").peak())
    if keras.backend.backend() == "tensorflow":
        tensorflow = importlib.import_module("tensorflow")
        return int(tensorflow.config.experimental.get_memory_info("GPU:0")["peak"])
    return 0


def forget(keras: Any, where: str) -> None:
    """What is measured from now on is the next batch's."""
    if where == "cpu":
        importlib.import_module("measured_memory").forget_peak()
    elif keras.backend.backend() == "tensorflow":
        with contextlib.suppress(ValueError):
            importlib.import_module("tensorflow").config.experimental.reset_memory_stats("GPU:0")


def is_short(error: BaseException) -> bool:
    """Whether it says that there was not enough memory."""
    said = f"{type(error).__name__} {error}".lower()
    return isinstance(error, MemoryError) or any(word in said for word in SHORT)
