"""One look at a machine: all probes at once, their answers in a fixed order."""

from __future__ import annotations

from dlsetup.model.framework import Clue
from dlsetup.model.machine import Environment, Machine, System
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.probe.devices import devices
from dlsetup.probe.docker import docker
from dlsetup.probe.environments import environments
from dlsetup.probe.host import Host
from dlsetup.probe.libraries import libraries
from dlsetup.probe.notes import Notes
from dlsetup.probe.nvidia import nvidia
from dlsetup.probe.packages import packages
from dlsetup.probe.parallel import Probe
from dlsetup.probe.system import system
from dlsetup.probe.toolkits import toolkits
from dlsetup.probe.tools import tools
from dlsetup.probe.variables import variables

SOON, LATER = 5.0, 15.0
"""Seconds. The driver may wake its GPUs one by one; a folder may lie on a network file system."""


def look(host: Host, *, environment: str | None = None, clues: tuple[Clue, ...] = ()) -> Machine:
    """The machine as it is now; nothing is changed and no framework is imported.

    `environment` is the path or name of the one to examine (None: the active one). Raises `UsageError`
    if there is none of that name; everything else that goes wrong is a gap.
    """
    gpus = Probe("driver", lambda notes: nvidia(host, notes), deadline=LATER, ask="nvidia-smi")
    places = Probe(
        "environments",
        lambda notes: environments(host, notes, asked=environment, clues=clues),
        deadline=LATER,
    )
    engine = Probe("docker", lambda notes: docker(host, notes), deadline=SOON, ask="docker info")
    programs = Probe("tools", lambda notes: tools(host, notes), deadline=SOON)
    base = Probe("system", lambda notes: system(host, notes), deadline=SOON)
    kits = Probe("toolkits", lambda notes: toolkits(host, notes), deadline=SOON)
    installed = Probe("packages", lambda notes: packages(host, notes), deadline=SOON)

    notes = Notes()
    found_system = base.answer(notes)
    found_nvidia = gpus.answer(notes)
    known = found_nvidia if not isinstance(found_nvidia, Unknown) else None
    found_places = places.answer(notes)
    copies = Probe(
        "libraries",
        lambda own: libraries(host, own, _examined(found_places)),
        deadline=LATER,
    )
    return Machine(
        system=System() if isinstance(found_system, Unknown) else found_system,
        driver=known.driver if known else UNKNOWN,
        gpus=devices(host, notes, known),
        toolkits=kits.answer(notes),
        libraries=copies.answer(notes),
        environments=found_places,
        tools=programs.answer(notes),
        docker=engine.answer(notes),
        packages=installed.answer(notes),
        variables=variables(host),
        sightings=tuple(notes.sightings),
        gaps=tuple(notes.gaps),
    )


def _examined(found: tuple[Environment, ...] | Unknown) -> Environment | None:
    if isinstance(found, Unknown):
        return None
    return next((item for item in found if item.examined), None)
