"""One call of `fix`: what it is about, and how it speaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dlsetup.act.journal import Journal
from dlsetup.commands.repairs import Request, Seen
from dlsetup.plan.kinds import KINDS, Kind, by_hand, mendable
from dlsetup.plan.repair import anew
from dlsetup.probe.host import Host
from dlsetup.show import json
from dlsetup.show.agreement import meanwhile
from dlsetup.show.lines import Line
from dlsetup.show.repair import FixDocument


@dataclass(frozen=True)
class Task:
    request: Request
    host: Host
    journal: Journal
    seen: Seen
    notes: tuple[str, ...]
    """What had to be put right first."""
    kinds: tuple[Kind, ...] = KINDS
    """What is asked for."""

    @property
    def path(self) -> str:
        return self.seen.environment.path

    @property
    def anew(self) -> str:
        """The command that makes another environment with the same frameworks."""
        return anew(self.seen.environment, self.seen.catalog)

    def say(self, *lines: Line) -> None:
        """What happens meanwhile."""
        asks = not (self.request.yes or self.request.dry_run or self.request.name is None)
        meanwhile(lines, as_json=self.request.as_json, asks=asks)

    def tell(self, **words: Any) -> None:
        """The one document, for those who asked for it."""
        if self.request.as_json:
            findings = mendable(self.seen.diagnosis, self.kinds)
            steps = by_hand(self.seen.diagnosis)
            json.write(
                FixDocument(
                    environment=self.path, findings=findings, by_hand=steps, notes=self.notes, **words
                )
            )
