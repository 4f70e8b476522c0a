"""Catalog folders made by hand, and who follows a refresh."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dlsetup.catalog.watch import Watch


@dataclass
class Shelf:
    """A catalog folder written by hand."""

    folder: Path

    def framework(self, name: str, text: str = "", **tables: list[dict[str, Any]]) -> None:
        """Writes `frameworks/NAME.toml`: a head, rows of tables that all cite the source `s`, more text."""
        head = f'name = "{name}"\ntitle = "{name}"\ndistributions = ["{name}"]\nimports = "{name}"\n'
        rows = "".join(
            _table(kind, {"source": "s", **row}) for kind, group in tables.items() for row in group
        )
        source = _table("source", {"id": "s", "what": "a test", "checked": "2026-01-02"}) if rows else ""
        self.write(f"frameworks/{name}.toml", head + text + rows + source)

    def generated(self, distribution: str, releases: list[dict[str, Any]], **more: Any) -> None:
        """Writes `generated/DISTRIBUTION.json`."""
        document = {"distribution": distribution, "checked": "2026-01-02", "releases": releases, **more}
        self.write(f"generated/{distribution}.json", json.dumps(document))

    def read(self, distribution: str) -> Any:
        """What `generated/DISTRIBUTION.json` holds."""
        return json.loads((self.folder / "generated" / f"{distribution}.json").read_text())

    def write(self, relative: str, text: str) -> Path:
        path = self.folder / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


class Follower(Watch):
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.begun: list[tuple[str, int]] = []
        self.steps = 0

    def begin(self, what: str, total: int) -> None:
        self.begun.append((what, total))

    def step(self, what: str) -> None:
        self.steps += 1

    def say(self, text: str) -> None:
        self.said.append(text)


def _table(kind: str, row: dict[str, Any]) -> str:
    return f"[[{kind}]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in row.items())
