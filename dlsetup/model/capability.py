"""What a framework is asked to prove in its environment, and what came of it."""

from __future__ import annotations

from typing import Literal

from dlsetup.model.explanation import Explained
from dlsetup.model.finding import Finding
from dlsetup.model.record import UNKNOWN, Record, Unknown

Verdict = Literal["yes", "no", "unknown"]


class Capability(Record, frozen=True, kw_only=True):
    """One thing that a framework can do, and the program that proves it."""

    framework: str
    """As the catalog names it."""
    name: str
    """`amp`, `export-onnx`: one word for what several frameworks can."""
    title: str
    """What is true where the program ends well."""
    program: str
    """File in `verify/capabilities`, without its ending; empty: the framework's own in `verify/programs`."""
    needs: tuple[str, ...] = ()
    """Distributions that it takes beside the framework's own."""
    seconds: float = 120.0
    """Its deadline."""

    @property
    def id(self) -> str:
        return f"{self.framework}-{self.name}"

    def answers_to(self, word: str) -> bool:
        """Whether somebody who says this word means it too."""
        return word in (self.framework, self.name, self.id)


class Proved(Record, frozen=True, kw_only=True):
    """What one program did in a child of the environment.

    `unknown`: it could not be tried, and `because` says what is missing; that is no failure.
    """

    id: str
    framework: str
    name: str
    title: str
    verdict: Verdict
    device: str | Unknown = UNKNOWN
    """Where it computed: `cuda`, `mps`, `cpu` …"""
    seconds: float | Unknown = UNKNOWN
    """Of the program, without the start of its Python."""
    peak_bytes: int | Unknown = UNKNOWN
    """Most memory that its process had in RAM at once."""
    gpu_peak_bytes: int | Unknown = UNKNOWN
    """Most memory of the GPU that the framework had allocated at once."""
    evidence: tuple[str, ...] = ()
    """What was seen: devices, numbers, losses."""
    because: str = ""
    hint: str = ""
    explained: tuple[Explained, ...] = ()
    """What its words, and the way in which it ended, mean on this machine."""
    findings: tuple[Finding, ...] = ()
    """What the doctor makes of the words that the program left."""


class Absent(Record, frozen=True, kw_only=True):
    """A capability that nobody asked the environment for: something is not installed."""

    id: str
    framework: str
    name: str
    needs: tuple[str, ...]
    """What is not there."""
