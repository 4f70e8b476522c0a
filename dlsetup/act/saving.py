"""A file that is there whole or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from dlsetup.model.errors import StepFailed


def save(path: Path, text: str) -> None:
    """Write `text` to `path`, over an older file of that name. Raises `StepFailed`, nothing changed then."""
    neighbour = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        neighbour.write_text(text, encoding="utf-8")
        os.replace(neighbour, path)
    except OSError as exc:
        with contextlib.suppress(OSError):
            neighbour.unlink()
        raise StepFailed(
            f"cannot write `{path}`: {exc.strerror or exc}",
            hint="name a file in a folder that you can write to",
        ) from exc
