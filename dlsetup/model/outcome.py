"""What a framework did when it was really used, and what came of building an environment."""

from __future__ import annotations

from typing import Literal

from dlsetup.model.framework import Accelerator
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Plan

Tool = Literal["uv", "venv", "conda", "rattler"]


class Expected(Record, frozen=True, kw_only=True):
    """One framework that an environment has to have."""

    framework: str
    module: str
    """What is imported: `torch`."""
    accelerator: Accelerator | Unknown = UNKNOWN
    """What its build was chosen for."""


class Outcome(Record, frozen=True, kw_only=True):
    """What one framework did in a child of the environment: imported, looked for devices, computed.

    A module without a program of its own is only imported: then `devices` and `device` stay unknown.
    """

    framework: str
    ok: bool
    version: str | Unknown = UNKNOWN
    devices: tuple[str, ...] | Unknown = UNKNOWN
    """As the framework names them: `cuda:0 NVIDIA A100`."""
    device: str | Unknown = UNKNOWN
    """Where the computation ran: `cuda`, `mps`, `cpu`, …"""
    seconds: float | Unknown = UNKNOWN
    """From the start of the import to the end of the computation."""
    because: str = ""
    """Why it is not well, or what is remarkable."""
    hint: str = ""


class Creation(Record, frozen=True, kw_only=True):
    """An environment that was built, checked and put into place."""

    path: str
    tool: Tool
    plan: Plan
    packages: int | Unknown = UNKNOWN
    download_bytes: int | Unknown = UNKNOWN
    """Sizes of the wheels in the lock; what uv's cache had already is counted too."""
    outcomes: tuple[Outcome, ...] = ()
    activate: str
    """The command that activates it."""
    lock: str | None = None
    """Path of the lock: PEP 751, or explicit addresses of conda packages; None: a conda tool writes none."""
    kernel: str | None = None
    """Folder of the Jupyter kernel that was registered; None: none was asked for."""
    notes: tuple[str, ...] = ()


class Passport(Record, frozen=True, kw_only=True):
    """`dlsetup.json` in an environment: what it was made for, and why it is as it is."""

    schema: Literal["dlsetup.environment/1"] = "dlsetup.environment/1"
    dlsetup: str
    """Version of dlsetup that made it."""
    tool: Tool
    plan: Plan
    catalog_checked: str = ""
    """ISO date of the oldest catalog file the plan rests on."""
