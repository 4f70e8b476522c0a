"""What a build has to run on: the few facts of a machine that rules ask about."""

from __future__ import annotations

from packaging.version import Version

from dlsetup.model.machine import Gpu, Libc, Machine, Os, System
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.versions import CudaVersion, DriverRelease, OsRelease


class Interpreter(Record, frozen=True, kw_only=True):
    """A Python that the target has or can have."""

    version: Version
    path: str | None = None
    """None: not on disk yet; uv would fetch it."""
    free_threaded: bool = False


class Target(Record, frozen=True, kw_only=True):
    """Where an environment has to work. Said in words, or taken from a machine."""

    name: str = "this machine"
    os: Os | Unknown = UNKNOWN
    arch: str | Unknown = UNKNOWN
    release: OsRelease | Unknown = UNKNOWN
    libc: Libc | None | Unknown = UNKNOWN
    wsl: bool | Unknown = UNKNOWN
    driver: DriverRelease | None | Unknown = UNKNOWN
    """Release of the NVIDIA driver; None: there is none."""
    cuda_ceiling: CudaVersion | Unknown = UNKNOWN
    gpus: tuple[Gpu, ...] | Unknown = UNKNOWN
    """Every GPU that will be used: a build must serve them all."""
    pythons: tuple[Interpreter, ...] | Unknown = UNKNOWN
    """The Pythons that can be had; unknown: any that uv can fetch."""

    @classmethod
    def of(cls, machine: Machine, *, name: str = "this machine") -> Target:
        """What rules need of a machine."""
        system: System = machine.system
        driver = machine.driver
        return cls(
            name=name,
            os=system.os,
            arch=system.arch,
            release=system.release,
            libc=system.libc,
            wsl=UNKNOWN if isinstance(system.wsl, Unknown) else system.wsl is not None,
            driver=driver if driver is None or isinstance(driver, Unknown) else driver.release,
            cuda_ceiling=(UNKNOWN if driver is None or isinstance(driver, Unknown) else driver.cuda_ceiling),
            gpus=machine.gpus,
            pythons=_pythons(machine),
        )


def _pythons(machine: Machine) -> tuple[Interpreter, ...] | Unknown:
    """Base interpreters only: a virtual environment is not a Python to build on."""
    if isinstance(machine.environments, Unknown):
        return UNKNOWN
    return tuple(
        Interpreter(
            version=item.python,
            path=item.path,
            free_threaded=item.free_threaded is True,
        )
        for item in machine.environments
        if item.kind in ("system", "pyenv", "uv") and not isinstance(item.python, Unknown)
    )
