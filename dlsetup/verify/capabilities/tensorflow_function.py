"""TensorFlow: a function as a graph computes what the plain one does."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    shared = importlib.import_module("on_tensorflow")
    tensorflow = shared.ready()
    numbers = importlib.import_module("in_numpy")
    left, right = numbers.product()

    def both(one: Any, other: Any) -> Any:
        return tensorflow.tanh(one @ other / 64.0)

    one, other = tensorflow.constant(left), tensorflow.constant(right)
    graph = tensorflow.function(both)
    said = numbers.same("graph", graph(one, other).numpy(), both(one, other).numpy(), like="the plain one")
    count = len(graph.get_concrete_function(one, other).graph.get_operations())
    return shared.told(tensorflow, said, f"a graph of {count} operations")
