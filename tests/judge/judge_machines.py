"""A healthy Linux machine with an RTX 4090, and ways to change it."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from packaging.version import Version

from dlsetup.model.finding import Diagnosis, Finding
from dlsetup.model.machine import (
    Distribution,
    Docker,
    Driver,
    Environment,
    Gpu,
    Libc,
    Library,
    Machine,
    Owner,
    SharedFiles,
    System,
    SystemPackage,
    Tool,
    Variable,
    Wsl,
)
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease, LibcVersion, OsRelease

PATH = "/home/ada/env"
SITE = f"{PATH}/lib/python3.11/site-packages"


def dist(name: str, version: str, variant: str | None = None, **parts: Any) -> Distribution:
    if variant is not None:
        parts["variant"] = variant
    parts.setdefault("location", SITE)
    parts.setdefault("installer", "pip")
    parts.setdefault("requires", ())
    return Distribution(name=name, version=Version(version), **parts)


def environment(*distributions: Distribution, **parts: Any) -> Environment:
    whole = {
        "path": PATH,
        "kind": "venv",
        "python": Version("3.11.9"),
        "arch": "x86_64",
        "examined": True,
        "shared_files": (),
        **parts,
    }
    return Environment(distributions=distributions, **whole)


def nvidia(name: str = "NVIDIA GeForce RTX 4090", capability: str = "8.9", **parts: Any) -> Gpu:
    return Gpu(
        vendor="nvidia",
        name=name,
        compute_capability=ComputeCapability(capability),
        found_via="nvml",
        **parts,
    )


def driver(release: str = "550.120", ceiling: str = "12.4", **parts: Any) -> Driver:
    whole = {
        "module": DriverRelease(release),
        "userland": DriverRelease(release),
        "nvml_error": None,
        **parts,
    }
    return Driver(cuda_ceiling=CudaVersion(ceiling), found_via="nvml", **whole)


def system(**parts: Any) -> System:
    whole = {
        "os": "linux",
        "name": "Ubuntu 22.04.5 LTS",
        "kernel": "6.8.0-45-generic",
        "arch": "x86_64",
        "libc": Libc(name="glibc", version=LibcVersion("2.35")),
        "wsl": None,
        "container": None,
        **parts,
    }
    return System(**whole)


def machine(*distributions: Distribution, **parts: Any) -> Machine:
    """The healthy machine with these distributions; keyword arguments replace its parts."""
    whole = {
        "system": system(),
        "driver": driver(),
        "gpus": (nvidia(),),
        "toolkits": (),
        "libraries": (),
        "environments": (environment(*distributions),),
        "tools": (),
        "docker": None,
        "packages": (),
        "variables": (),
        **parts,
    }
    return Machine(**whole)


def mac(*distributions: Distribution, release: str = "14.5", python: str = "aarch64") -> Machine:
    apple = Gpu(vendor="apple", name="Apple M2", arch="apple-m2", compute_capability=None)
    return machine(
        system=System(
            os="macos",
            name=f"macOS {release}",
            release=OsRelease(release),
            arch="aarch64",
            wsl=None,
            libc=None,
            container=None,
        ),
        driver=None,
        gpus=(apple,),
        environments=(environment(*distributions, arch=python),),
    )


def windows(*distributions: Distribution, **parts: Any) -> Machine:
    path = "C:/Users/Ada Lovelace/env"
    parts.setdefault("environments", (environment(*distributions, path=path),))
    return machine(
        system=System(os="windows", name="Windows 11", arch="x86_64", wsl=None, libc=None, container=None),
        driver=driver("555.85", "12.5"),
        **parts,
    )


def wsl(*distributions: Distribution, version: int = 2, **parts: Any) -> Machine:
    parts.setdefault("gpus", (nvidia(),))
    words = Wsl(version=2 if version == 2 else 1, distribution="Ubuntu-22.04")
    lent = driver("552.44", "12.4", module=DriverRelease("552.44"))
    return machine(*distributions, system=system(wsl=words), driver=lent if parts["gpus"] else None, **parts)


def container(*distributions: Distribution, given: bool = True, **parts: Any) -> Machine:
    seen = driver() if given else driver(userland=None, nvml_error="LIBRARY_NOT_FOUND")
    parts.setdefault("driver", seen)
    shm = parts.pop("shm_bytes", 2**30)
    return machine(*distributions, system=system(container="docker", shm_bytes=shm), **parts)


def gpu_host_with(docker: Docker, **parts: Any) -> Machine:
    return machine(docker=docker, **parts)


def docker(**parts: Any) -> Docker:
    whole = {
        "engine": "27.5.1",
        "runtimes": ("runc", "io.containerd.runc.v2"),
        "cdi_devices": (),
        "nvidia_toolkit": None,
        "snap": False,
        "desktop": False,
        **parts,
    }
    return Docker(**whole)


def package(name: str, version: str = "1.0", state: str = "installed") -> SystemPackage:
    return SystemPackage(name=name, version=version, state=state)


def library(name: str, version: str | None, path: str, soname: str, **parts: Any) -> Library:
    if version is not None:
        parts["version"] = Version(version)
    parts.setdefault("owner", Owner(kind="toolkit", name="cuda"))
    return Library(library=name, soname=soname, path=path, **parts)


def wheel_library(name: str, version: str, soname: str) -> Library:
    owner = Owner(kind="wheel", name=f"nvidia-{name}-cu12")
    path = f"{SITE}/nvidia/{name}/lib/{soname}"
    return library(name, version, path, soname, owner=owner, environment=PATH)


def variables(**values: str) -> tuple[Variable, ...]:
    return tuple(Variable(name=name, value=value) for name, value in values.items())


def shared(*owners: str, count: int = 40, damaged: tuple[str, ...] = ()) -> SharedFiles:
    return SharedFiles(owners=owners, count=count, example=f"{owners[0]}/__init__.py", damaged=damaged)


def tool(name: str) -> Tool:
    return Tool(name=name, path=f"/usr/bin/{name}")


def with_environment(base: Machine, **parts: Any) -> Machine:
    """The machine with parts of its examined environment replaced."""
    assert base.environment is not None
    return replace(base, environments=(replace(base.environment, **parts),))


def ids(diagnosis: Diagnosis, *severities: str) -> list[str]:
    wanted = severities or ("error", "warning", "note")
    return [finding.id for finding in diagnosis.findings if finding.severity in wanted]


def found(diagnosis: Diagnosis, finding_id: str) -> Finding:
    return next(finding for finding in diagnosis.findings if finding.id == finding_id)


def commands(finding: Finding) -> list[str]:
    return [command for remedy in finding.remedies for command in remedy.commands]
