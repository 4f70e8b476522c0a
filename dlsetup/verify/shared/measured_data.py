"""Samples to load: the files of a folder, or made up ones that cost a processor about as much."""

from __future__ import annotations

import importlib
import importlib.util
import os
from typing import Any

PICTURES = (".jpg", ".jpeg", ".png", ".bmp", ".webp", ".gif", ".ppm", ".tif", ".tiff")
SIDE = 224
MOST = 20_000
"""Files that are listed of a folder."""
BYTES = 64 << 20
"""Read of one file at most."""


class Files:
    """Each sample is a file: pictures are decoded and scaled, with Pillow; of others the bytes are read."""

    def __init__(self, folder: str) -> None:
        self.paths = listed(folder)
        if not self.paths:
            raise FileNotFoundError(f"{folder} holds no file")
        self.decodes = importlib.util.find_spec("PIL") is not None

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, number: int) -> Any:
        path = self.paths[number]
        torch = importlib.import_module("torch")
        if self.decodes and path.lower().endswith(PICTURES):
            picture = importlib.import_module("PIL.Image").open(path).convert("RGB").resize((SIDE, SIDE))
            flat = torch.frombuffer(bytearray(picture.tobytes()), dtype=torch.uint8)
            return flat.view(SIDE, SIDE, 3).permute(2, 0, 1).float().div_(255)
        with open(path, "rb") as file:
            data = file.read(BYTES)
        # Of one size, so that they make a batch.
        return torch.frombuffer(bytearray(data[:4096].ljust(4096, b"\0")), dtype=torch.uint8)

    @property
    def words(self) -> str:
        pictures = sum(path.lower().endswith(PICTURES) for path in self.paths)
        done = "decoded" if self.decodes and pictures else "read, not decoded"
        return f"{len(self.paths)} files of the folder, {done}"


class MadeUp:
    """Pictures of noise that are scaled, turned and put on one scale, as augmentation does."""

    words = "made-up pictures; `--data FOLDER` measures with files of yours"

    def __len__(self) -> int:
        return 1 << 20

    def __getitem__(self, number: int) -> Any:
        torch = importlib.import_module("torch")
        torch.manual_seed(number)
        raw = torch.randint(0, 256, (1, 3, 320, 320), dtype=torch.uint8).float()
        scaled = torch.nn.functional.interpolate(raw, size=(SIDE, SIDE), mode="bilinear", antialias=True)[0]
        return (scaled.flip(-1) if number % 2 else scaled).sub_(127.5).div_(63.0)


def listed(folder: str) -> list[str]:
    """Paths of regular files, sorted, in the folder and below; links to folders are not followed."""
    found: list[str] = []
    for place, folders, names in os.walk(folder):
        folders.sort()
        paths = (os.path.join(place, name) for name in sorted(names))
        found += [path for path in paths if os.path.isfile(path)]
        if len(found) >= MOST:
            break
    return found[:MOST]


def of(told: dict[str, Any]) -> Any:
    """The samples that are asked for."""
    return Files(told["data"]) if told.get("data") else MadeUp()
