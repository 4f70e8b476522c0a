"""`dlsetup` as a user calls it, and what is left on the disk afterwards."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tiny.wheels import TinyWheel
from tiny.world import jax, onnxruntime, torch

MAKERS: dict[str, Callable[[str], list[TinyWheel]]] = {
    "torch": lambda version: torch(version, None, "numpy"),
    "jax": jax,
    "onnxruntime": lambda version: onnxruntime("onnxruntime", version),
}


@dataclass
class Command:
    """`dlsetup` as a user calls it. `home` is where the user stands."""

    home: Path
    environ: dict[str, str]
    indexes: list[str] = field(default_factory=list)

    def argv(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "dlsetup", *words]

    def __call__(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.argv(*words),
            cwd=self.home,
            env={**self.environ, **variables},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=120,
        )

    def create(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return self("create", "env", *words, *self.indexes, **variables)

    def json(self, *words: str, **variables: str) -> dict[str, Any]:
        found = self.create(*words, "--json", **variables)
        document: dict[str, Any] = json.loads(found.stdout)
        document["exit"] = found.returncode
        return document

    def entries(self) -> list[str]:
        return sorted(path.name for path in self.home.iterdir())


def tree(folder: Path) -> list[tuple[str, int, int]]:
    """Every path below a folder with its size and time of change."""
    return sorted(
        (str(path.relative_to(folder)), path.lstat().st_size, path.lstat().st_mtime_ns)
        for path in folder.rglob("*")
    )


def has_network(environ: dict[str, str] | None = None) -> bool:
    """Whether uv, as it is configured here, reaches a package index."""
    from dlsetup.act.uv import find_uv

    argv = [find_uv(os.environ), "pip", "compile", "--quiet", "--no-header", "-"]
    variables = {**os.environ, **(environ or {}), "UV_HTTP_RETRIES": "0", "UV_HTTP_TIMEOUT": "10"}
    finished = subprocess.run(argv, input="six", text=True, capture_output=True, env=variables, timeout=60)
    return finished.returncode == 0
