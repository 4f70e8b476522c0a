"""The check of Keras, against a Keras of a few lines that needs its backend as the real one does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CHILD = Path(__file__).parents[2] / "dlsetup" / "verify" / "child.py"
KERAS_3 = """
import importlib, os, types
importlib.import_module(os.environ["KERAS_BACKEND"])
__version__ = "3 on " + os.environ["KERAS_BACKEND"]

class Rows:
    def __init__(self, rows):
        self.rows = rows
    def tolist(self):
        return self.rows

def matmul(one, other):
    columns = list(zip(*other.rows))
    return Rows([[sum(a * b for a, b in zip(row, column)) for column in columns] for row in one.rows])

ops = types.SimpleNamespace(
    convert_to_tensor=lambda rows, kind: Rows(rows), matmul=matmul, convert_to_numpy=lambda rows: rows
)
"""
KERAS_2 = """
import tensorflow
__version__ = "2.15.0"
"""


def seen(folder: Path, **environ: str) -> dict[str, object]:
    argv = [sys.executable, str(CHILD), "look", "keras", "60"]
    kept = {name: value for name, value in os.environ.items() if name != "KERAS_BACKEND"}
    done = subprocess.run(
        argv, env={**kept, "PYTHONPATH": str(folder), **environ}, capture_output=True, text=True, timeout=60
    )
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize(
    ("backends", "environ", "chosen"),
    [
        (["jax"], {}, "jax"),
        (["torch"], {}, "torch"),
        (["jax", "tensorflow", "torch"], {}, "tensorflow"),
        (["jax", "torch"], {"KERAS_BACKEND": "torch"}, "torch"),
    ],
)
def test_it_computes_on_the_backend_that_is_there(
    tmp_path: Path, backends: list[str], environ: dict[str, str], chosen: str
) -> None:
    (tmp_path / "keras.py").write_text(KERAS_3)
    for name in backends:
        (tmp_path / f"{name}.py").write_text("")
    answer = seen(tmp_path, **environ)
    assert "error" not in answer
    assert answer["version"] == f"3 on {chosen}"


def test_a_wrong_product_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "keras.py").write_text(KERAS_3.replace("a * b", "a + b"))
    (tmp_path / "jax.py").write_text("")
    assert "computed" in str(seen(tmp_path)["error"])


def test_without_a_backend_keras_says_which_one_it_misses(tmp_path: Path) -> None:
    (tmp_path / "keras.py").write_text(KERAS_3)
    assert "No module named 'tensorflow'" in str(seen(tmp_path)["error"])


def test_keras_2_has_only_to_be_imported(tmp_path: Path) -> None:
    (tmp_path / "keras.py").write_text(KERAS_2)
    (tmp_path / "tensorflow.py").write_text("")
    answer = seen(tmp_path)
    assert answer["version"] == "2.15.0"
    assert "error" not in answer
