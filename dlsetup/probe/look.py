"""One look at a machine: all probes at once, their answers in a fixed order."""

from __future__ import annotations

from dlsetup.model.framework import Clue
from dlsetup.model.machine import Environment, Machine, System, Toolkit
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.probe.devices import devices
from dlsetup.probe.docker import docker
from dlsetup.probe.environments import environments
from dlsetup.probe.host import Host
from dlsetup.probe.libraries import libraries
from dlsetup.probe.notes import Notes
from dlsetup.probe.nvidia import Nvidia, nvidia
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
    driver = Probe("driver", lambda own: nvidia(host, own), deadline=LATER, ask="nvidia-smi")
    pythons = Probe(
        "environments",
        lambda own: environments(host, own, asked=environment, clues=clues),
        deadline=LATER,
    )
    engine = Probe("docker", lambda own: docker(host, own), deadline=SOON, ask="docker info")
    programs = Probe("tools", lambda own: tools(host, own), deadline=SOON)
    base = Probe("system", lambda own: system(host, own), deadline=SOON)
    kits = Probe("toolkits", lambda own: toolkits(host, own), deadline=SOON)
    installed = Probe("packages", lambda own: packages(host, own), deadline=SOON)

    notes = Notes()
    found_system = base.answer(notes)
    known = _known(driver.answer(notes))
    gpus = Probe("gpus", lambda own: devices(host, own, known), deadline=LATER, ask="nvidia-smi -L")
    found_pythons, found_kits = pythons.answer(notes), kits.answer(notes)
    chosen, folders = _examined(found_pythons), _folders(found_kits)
    copies = Probe("libraries", lambda own: libraries(host, own, chosen, folders), deadline=LATER)
    return Machine(
        system=System() if isinstance(found_system, Unknown) else found_system,
        driver=known.driver,
        gpus=gpus.answer(notes),
        toolkits=found_kits,
        libraries=copies.answer(notes),
        environments=found_pythons,
        tools=programs.answer(notes),
        docker=engine.answer(notes),
        packages=installed.answer(notes),
        variables=variables(host),
        sightings=tuple(notes.sightings),
        gaps=tuple(notes.gaps),
    )


def _known(found: Nvidia | Unknown) -> Nvidia:
    return Nvidia(driver=UNKNOWN) if isinstance(found, Unknown) else found


def _examined(found: tuple[Environment, ...] | Unknown) -> Environment | None:
    if isinstance(found, Unknown):
        return None
    return next((item for item in found if item.examined), None)


def _folders(found: tuple[Toolkit, ...] | Unknown) -> tuple[str, ...]:
    return () if isinstance(found, Unknown) else tuple(item.path for item in found)
