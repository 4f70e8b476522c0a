"""Environments that are broken on purpose, with the real uv and the tiny indexes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiny.command import Command
from tiny.index import TinyIndex

from dlsetup.act.uv import find_uv


@dataclass
class Broken:
    """An environment, and how it is looked at from outside."""

    folder: Path
    environ: dict[str, str]

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def put(self, *requirements: str, index: str | None = None) -> None:
        """Installs without asking what goes together: later wheels write over earlier ones."""
        source = [] if index is None else ["--default-index", index]
        self._uv("pip", "install", "--no-deps", "--python", str(self.folder), *source, *requirements)

    def versions(self) -> dict[str, str]:
        """What is installed, by name."""
        lines = self._uv("pip", "freeze", "--python", str(self.folder)).splitlines()
        return dict(line.split("==", 1) for line in lines if "==" in line)

    def text(self, name: str) -> str:
        """A file of site-packages."""
        return next(self.folder.glob(f"lib/python*/site-packages/{name}")).read_text()

    def tree(self) -> dict[str, tuple[object, ...]]:
        return exact_tree(self.folder)

    def beside(self) -> list[str]:
        """Names in the folder that it lies in, without former environments that are kept."""
        before = f".{self.folder.name}.before-"
        return sorted(name for name in os.listdir(self.folder.parent) if not name.startswith(before))

    def formers(self) -> list[Path]:
        """Former environments that are kept, in no order."""
        before = f".{self.folder.name}.before-"
        return [path for path in self.folder.parent.iterdir() if path.name.startswith(before)]

    def _uv(self, *words: str) -> str:
        argv = [find_uv(self.environ), *words]
        return subprocess.run(argv, env=self.environ, check=True, capture_output=True, text=True).stdout


def exact_tree(folder: Path) -> dict[str, tuple[object, ...]]:
    """Every entry of a folder with its mode, time and content."""
    return {str(path.relative_to(folder)): _about(path) for path in (folder, *sorted(folder.rglob("*")))}


def _about(path: Path) -> tuple[object, ...]:
    about = path.lstat()
    if path.is_symlink():
        return "link", os.readlink(path)
    if path.is_dir():
        return "folder", about.st_mode, about.st_mtime_ns
    return "file", about.st_mode, about.st_mtime_ns, path.read_bytes()


def make_broken(folder: Path, environ: dict[str, str]) -> Broken:
    """An empty environment; what it is filled from is cached apart from what mends it."""
    own = {**environ, "UV_CACHE_DIR": str(folder.parent.parent / "cache-of-the-breaker")}
    folder.parent.mkdir(parents=True, exist_ok=True)
    argv = [find_uv(own), "venv", "--quiet", "--python", sys.executable, str(folder)]
    subprocess.run(argv, env=own, check=True, capture_output=True)
    return Broken(folder, own)


@dataclass
class Fix:
    """`dlsetup fix all` on a broken environment, as a program sees it."""

    command: Command
    broken: Broken
    kind: str = "all"

    def argv(self, *words: str) -> list[str]:
        return self.command.argv("fix", self.kind, *self._words(*words))

    def __call__(self, *words: str, **variables: str) -> dict[str, Any]:
        """Its document and its exit code. Without words: `--yes`."""
        return self._read("fix", self.kind, *self._words(*(words or ("--yes",)), "--json"), **variables)

    def of(self, kind: str, *words: str, **variables: str) -> dict[str, Any]:
        """The same of one kind."""
        return self._read("fix", kind, *self._words(*(words or ("--yes",)), "--json"), **variables)

    def listed(self, **variables: str) -> dict[str, Any]:
        """What `dlsetup fix` lists."""
        return self._read("fix", *self._words("--json"), **variables)

    def _read(self, *words: str, **variables: str) -> dict[str, Any]:
        found = self.command(*words, **variables)
        assert found.stdout, found.stderr
        document: dict[str, Any] = json.loads(found.stdout)
        return {**document, "exit": found.returncode}

    def give_gpu(self, name: str = "NVIDIA H100", capability: str = "9.0", driver: str = "580.65.06") -> None:
        """From now on this machine has a GPU, by the word of its `nvidia-smi`, and torch can use it."""
        folder = self.command.home.parent / "programs"
        folder.mkdir(exist_ok=True)
        program = folder / "nvidia-smi"
        row = f"0, {name}, {driver}, 81920, 00000000:01:00.0, {capability}, [N/A]"
        cuda = {"390": "9.1", "535": "12.2", "580": "13.0"}[driver[:3]]
        xml = f"<cuda_version>{cuda}</cuda_version>"
        program.write_text(f'#!/bin/sh\nif [ "$1" = -q ]; then echo "{xml}"; else echo "{row}"; fi\n')
        program.chmod(0o755)
        path = self.command.environ["PATH"]
        self.command.environ |= {"PATH": f"{folder}{os.pathsep}{path}", "TINY_GPUS": "1"}

    def _words(self, *words: str) -> list[str]:
        return ["--env", str(self.broken.folder), *self.command.indexes, *words]


def moves(document: dict[str, Any]) -> dict[str, tuple[str | None, str | None]]:
    """What a repair moves: name to versions before and after."""
    repair = document.get("repair") or document["mending"]["repair"]
    return {item["distribution"]: (item["before"], item["after"]) for item in repair["changes"]}


def collide(broken: Broken, index: TinyIndex) -> None:
    """torch for CUDA 12, whose cuDNN was written over by that of CUDA 13."""
    broken.put("torch==2.14.1+cu126", index=index.address("pytorch-cu126"))
    broken.put("numpy==2.3.5", "nvidia-cudnn-cu12==9.20.0.48")
    broken.put("nvidia-cudnn-cu13==9.24.0.43")


def mismatch(broken: Broken, index: TinyIndex) -> None:
    """torchvision of another torch."""
    broken.put("torch==2.14.1+cpu", index=index.address("pytorch-cpu"))
    broken.put("numpy==2.3.5", "torchvision==0.28.0")


def pair(broken: Broken) -> None:
    """Two distributions that own the package `onnxruntime`."""
    broken.put("numpy==2.3.5", "onnxruntime-gpu==1.31.1")
    broken.put("onnxruntime==1.31.1")
