"""Benchmarks are run by hand and seldom: what they take of dlsetup has to be there all the same."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_what_a_benchmark_imports_is_there(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dlsetup"):
            module = importlib.import_module(node.module or "")
            for item in node.names:
                if not hasattr(module, item.name):
                    importlib.import_module(f"{node.module}.{item.name}")
