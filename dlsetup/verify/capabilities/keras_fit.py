"""Keras: a network is fitted, saved, read again and computes the same."""

from __future__ import annotations

import importlib
import os
import tempfile
from typing import Any


def prove() -> dict[str, Any]:
    keras = importlib.import_module("keras")
    numbers = importlib.import_module("in_numpy")
    inputs, _ = numbers.product()
    targets = inputs[:, :8].sum(axis=1, keepdims=True)
    keras.utils.set_random_seed(7)
    network = keras.Sequential([keras.Input((64,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(1)])
    network.compile(keras.optimizers.Adam(0.01), "mse")
    losses = network.fit(inputs, targets, batch_size=16, epochs=5, verbose=0).history["loss"]
    with tempfile.TemporaryDirectory(prefix="dlsetup-keras-") as folder:
        path = os.path.join(folder, "network.keras")
        network.save(path)
        again = keras.models.load_model(path)
        before, after = (item.predict(inputs, verbose=0) for item in (network, again))
        said = numbers.same("network read again", after, before, like="the saved one")
    learned = importlib.import_module("training").learned(losses)
    return {"evidence": [keras.backend.backend(), learned, said]}
