"""What it means here that a program of `verify` failed: what it said, and what was seen of its end."""

from __future__ import annotations

from functools import cached_property

from msgspec.structs import replace

from dlsetup.catalog.load import Places
from dlsetup.commands.explained import Known, Looked, Together, answer, told_by
from dlsetup.intake.texts import Text
from dlsetup.model.capability import Proved
from dlsetup.model.machine import Machine
from dlsetup.model.record import Unknown
from dlsetup.model.use import MemoryUse, Seen
from dlsetup.probe.host import Host
from dlsetup.probe.memory_use import grown, memory_use
from dlsetup.probe.programs import signal_name
from dlsetup.probe.use import use
from dlsetup.show.words import size
from dlsetup.verify.prove import Trial

OUTPUT = "output"
"""What the words of a program are cited as."""


class Causes:
    """Follows the programs one after the other: what the kernel did meanwhile, it did to the last one."""

    def __init__(self, host: Host, machine: Machine, places: Places) -> None:
        self._host, self._machine, self._places = host, machine, places
        self._memory = memory_use(host)

    @cached_property
    def _known(self) -> Known:
        return Known.of(self._places)

    def told(self, trial: Trial) -> Proved:
        """What was proved; of a failure also what it means here, and what the doctor finds in its words."""
        before, self._memory = self._memory, memory_use(self._host)
        if trial.proved.verdict != "no":
            return trial.proved
        kills = grown(before.oom_kills, self._memory.oom_kills)
        told = told_by([Text(OUTPUT, trial.words.encode("utf-8", "replace"))], self._known)
        together = Together.of(told, Looked(self._machine, use(self._host)), self._known)
        found = answer(together, self._known, _seen(trial, self._memory, kills))
        spoken = together.spoken() if found.findings else frozenset()
        return replace(
            trial.proved,
            because="; ".join(filter(None, (trial.proved.because, _of_kernel(kills, self._memory)))),
            explained=found.explained,
            findings=tuple(item for item in found.findings if item.id in spoken),
        )


def _seen(trial: Trial, memory: MemoryUse, kills: int | Unknown) -> Seen:
    """The program as a command that is watched."""
    proved, code = trial.proved, trial.code
    return Seen(
        command=(proved.id,),
        exit_code=128 - code if code is not None and code < 0 else code or 1,
        signal=signal_name(-code) if code is not None and code < 0 else "",
        seconds=0.0 if isinstance(proved.seconds, Unknown) else proved.seconds,
        memory_peak_bytes=proved.peak_bytes,
        memory_limit_bytes=memory.limit_bytes,
        oom_kills=kills,
    )


def _of_kernel(kills: int | Unknown, memory: MemoryUse) -> str:
    """Empty where the kernel ended nothing for want of memory."""
    if isinstance(kills, Unknown) or not kills:
        return ""
    limit = memory.limit_bytes
    bound = f", of which {size(limit)} are allowed here" if isinstance(limit, int) else ""
    killed = "a process" if kills == 1 else f"{kills} processes"
    return f"meanwhile the kernel ended {killed} for want of memory{bound}"
