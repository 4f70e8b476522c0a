"""The server of PyTorch models, with the real torch where this Python has one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny.asking import ask

from dlsetup.servers import programs

torch = pytest.importorskip("torch", reason="this Python has no torch: its wheels for Linux hold CUDA, 3 GB")


@pytest.fixture(params=["model.pt", "model.pt2"])
def server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    for name, text in programs("torch").items():
        (tmp_path / name).write_text(text)
    layer = torch.nn.Linear(2, 1)
    torch.nn.init.ones_(layer.weight)
    torch.nn.init.zeros_(layer.bias)
    if request.param == "model.pt":
        torch.jit.script(layer.eval()).save(str(tmp_path / request.param))
    else:
        batch = {"input": {0: torch.export.Dim("batch")}}
        made = torch.export.export(layer.eval(), (torch.ones(3, 2),), dynamic_shapes=batch)
        torch.export.save(made, tmp_path / request.param)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environ = {**os.environ, "MODELS": str(tmp_path), "PORT": str(port)}
    process = subprocess.Popen([sys.executable, "serve.py"], cwd=tmp_path, env=environ)
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    assert process.wait(20) == 0


def test_numbers_are_floats_unless_they_say_otherwise(server: str) -> None:
    assert _asked(server, [[1, 2], [3, 4]]) == (200, {"outputs": {"output0": [[3.0], [7.0]]}})
    assert _asked(server, {"dtype": "float32", "data": [[1.5, 2]]}) == (
        200,
        {"outputs": {"output0": [[3.5]]}},
    )
    for bad in ({"dtype": "load", "data": [[1, 2]]}, {"dtype": "int64", "data": [[1, 2]]}, [["x"]], [[1]]):
        status, answer = _asked(server, bad)
        assert status == 400, answer
        assert answer["error"]


def _asked(address: str, value: Any) -> tuple[int, Any]:
    return ask(f"{address}/predict", {"inputs": {"input": value}})
