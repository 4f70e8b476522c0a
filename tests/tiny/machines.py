"""Machines by hand: a driver, GPUs, and an environment with distributions that are only named."""

from __future__ import annotations

from collections.abc import Iterable

from packaging.version import Version

from dlsetup.model.finding import Finding
from dlsetup.model.machine import Distribution, Driver, Environment, Gpu, Libc, Machine, SharedFiles, System
from dlsetup.model.record import UNKNOWN
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease, LibcVersion

RTX_4090 = ("NVIDIA GeForce RTX 4090", "8.9")
RTX_5090 = ("NVIDIA GeForce RTX 5090", "12.0")
GTX_1080 = ("NVIDIA GeForce GTX 1080 Ti", "6.1")


def installed(*words: str) -> tuple[Distribution, ...]:
    """`torch==2.8.0+cu126`, or `torch==2.8.0/cu128` where only the files tell the variant."""
    found = []
    for word in words:
        name, _, rest = word.partition("==")
        version, _, variant = rest.partition("/")
        variant = variant or version.partition("+")[2]
        found.append(Distribution(name=name, version=Version(version), variant=variant or UNKNOWN))
    return tuple(found)


def machine(
    distributions: tuple[Distribution, ...],
    *,
    driver: str | None = "580.65.06",
    ceiling: str = "13.0",
    gpus: Iterable[tuple[str, str]] = (RTX_4090,),
    python: str = "3.12.4",
    shared: tuple[SharedFiles, ...] = (),
) -> Machine:
    environment = Environment(
        path="/home/me/env",
        kind="venv",
        python=Version(python),
        examined=True,
        distributions=distributions,
        shared_files=shared,
    )
    return Machine(
        system=System(
            os="linux", arch="x86_64", libc=Libc(name="glibc", version=LibcVersion("2.36")), wsl=None
        ),
        driver=None
        if driver is None
        else Driver(module=DriverRelease(driver), cuda_ceiling=CudaVersion(ceiling)),
        gpus=tuple(
            Gpu(vendor="nvidia", name=name, compute_capability=ComputeCapability(number))
            for name, number in gpus
        ),
        environments=(environment,),
    )


def fault(finding_id: str, severity: str = "error") -> Finding:
    return Finding(id=finding_id, severity=severity, title=finding_id, because="")  # type: ignore[arg-type]
