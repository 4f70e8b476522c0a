"""A machine in a few lines: system, driver, GPUs, environment, Docker."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from dlsetup.model.machine import Docker, Driver, Environment, Gpu, Machine, System
from dlsetup.model.record import Unknown
from dlsetup.show.lines import Line
from dlsetup.show.words import counted, said, size

LABEL_WIDTH = 11
_TOLD = {
    "tensorrt.version": "TensorRT",
    "nccl.version": "NCCL",
    "nvidia-smi.topo": "links",
    "wsl.kernel": "WSL with a kernel of its own,",
    "docker.default_runtime": "Docker's default runtime",
    "docker.features.cdi": "CDI in Docker:",
    "docker.cgroup_driver": "cgroups by",
    "pixi.system-requirements.cuda": "pixi is told of CUDA",
    "conda.platform": "locked for",
    "jax.devices": "JAX sees",
}
"""Answers of programs that no part of a machine has a place for, and how they are called."""


def machine_lines(machine: Machine, frameworks: Collection[str] = ()) -> Iterator[Line]:
    """What is known, a line a subject. `frameworks` are the distributions worth naming.

    Of a report only what it tells: most of the machine is unknown there.
    """
    lines = _lines(machine, frameworks)
    yield from (line for line in lines if not machine.partial or _tells(line.text))


def _tells(text: str) -> bool:
    """Whether anything in it is known."""
    return bool(re.sub(r"unknown|memory|disk free|toolkits|[, ]", "", text))


def _lines(machine: Machine, frameworks: Collection[str]) -> Iterator[Line]:
    yield fact("system", _system(machine.system))
    yield fact("hardware", _hardware(machine.system))
    yield fact("driver", _driver(machine.driver))
    yield from _gpus(machine.gpus)
    yield fact("CUDA", _toolkits(machine))
    yield fact("environment", _environment(machine, frameworks))
    yield fact("Docker", _docker(machine.docker))
    if told := _told(machine):
        yield fact("also", told)


def fact(label: str, text: str, *, indent: int = 2) -> Line:
    """A labelled fact; following rows stand under its text."""
    return Line(mark=label.ljust(LABEL_WIDTH), text=text, indent=indent, style="faint")


def _system(system: System) -> str:
    parts = [said(system.name if not isinstance(system.name, Unknown) else system.os)]
    if not isinstance(system.kernel, Unknown):
        parts.append(f"kernel {system.kernel}")
    parts.append(said(system.arch))
    if system.libc and not isinstance(system.libc, Unknown):
        parts.append(f"{system.libc.name} {said(system.libc.version)}")
    if system.wsl and not isinstance(system.wsl, Unknown):
        parts.append(f"WSL{said(system.wsl.version)}")
    if system.container and not isinstance(system.container, Unknown):
        parts.append(f"inside {system.container}")
    return ", ".join(parts)


def _hardware(system: System) -> str:
    parts = []
    if not isinstance(system.cpu, Unknown):
        parts.append(said(system.cpu.model))
        if not isinstance(system.cpu.cores, Unknown):
            parts.append(counted(system.cpu.cores, "core"))
    parts.append(f"{size(system.memory_bytes)} memory")
    parts.append(f"{size(system.disk_free_bytes)} disk free")
    return ", ".join(parts)


def _driver(driver: Driver | None | Unknown) -> str:
    if driver is None:
        return "no NVIDIA driver"
    if isinstance(driver, Unknown):
        return "unknown"
    parts = [f"NVIDIA {said(driver.release)}"]
    if driver.release is None:
        parts = ["NVIDIA, its kernel module is not loaded"]
    if not isinstance(driver.cuda_ceiling, Unknown):
        parts.append(f"CUDA ceiling {driver.cuda_ceiling}")
    if driver.nvml_error and not isinstance(driver.nvml_error, Unknown):
        parts.append(f"NVML refuses: {driver.nvml_error}")
    return ", ".join(parts) + (f" (from {driver.found_via})" if driver.found_via else "")


def _gpus(gpus: tuple[Gpu, ...] | Unknown) -> Iterator[Line]:
    if isinstance(gpus, Unknown):
        yield fact("GPU", "unknown")
    elif not gpus:
        yield fact("GPU", "none")
    else:
        for number, gpu in enumerate(gpus):
            yield fact("GPU" if len(gpus) == 1 else f"GPU {number}", _gpu(gpu))


def _gpu(gpu: Gpu) -> str:
    parts = [gpu.vendor if isinstance(gpu.name, Unknown) else gpu.name]
    if not isinstance(gpu.arch, Unknown):
        parts.append(gpu.arch)
    if not isinstance(gpu.memory_bytes, Unknown):
        parts.append(size(gpu.memory_bytes))
    if gpu.mig is True:
        parts.append(f"MIG on, {said(gpu.mig_instances)} instances")
    return ", ".join(parts)


def _toolkits(machine: Machine) -> str:
    if isinstance(machine.toolkits, Unknown):
        return "toolkits unknown"
    if not machine.toolkits:
        return "no toolkit on disk (none is needed to run wheels)"
    places = [(said(item.version), f" at {item.path}" if item.path else "") for item in machine.toolkits]
    return "; ".join(f"toolkit {version}{place}" for version, place in dict.fromkeys(places))


def _environment(machine: Machine, frameworks: Collection[str]) -> str:
    environment = machine.environment
    if environment is None:
        return "unknown" if isinstance(machine.environments, Unknown) else "none examined"
    name = environment.name or environment.path
    kind = (
        f"{name} ({environment.kind}), "
        if name
        else ""
        if environment.kind == "other"
        else f"{environment.kind}, "
    )
    parts = [f"{kind}Python {said(environment.python)}"]
    if environment.free_threaded is True:
        parts[0] += " free-threaded"
    return f"{parts[0]}: {_installed(environment, frameworks)}"


def _installed(environment: Environment, frameworks: Collection[str]) -> str:
    if isinstance(environment.distributions, Unknown):
        return "what is installed is unknown"
    named = [
        f"{item.name} {item.version.public}"
        + ("" if isinstance(item.variant, Unknown) else f" ({item.variant})")
        for item in environment.distributions
        if item.name in frameworks
    ]
    return ", ".join(named) if named else "no framework"


def _docker(docker: Docker | None | Unknown) -> str:
    if docker is None:
        return "none"
    if isinstance(docker, Unknown):
        return "unknown"
    parts = ["no engine answers" if docker.engine is None else f"engine {said(docker.engine)}"]
    if docker.nvidia_toolkit is None:
        parts.append("no NVIDIA container toolkit")
    elif not isinstance(docker.nvidia_toolkit, Unknown):
        parts.append(f"NVIDIA container toolkit {docker.nvidia_toolkit}")
    return ", ".join(parts)


def _told(machine: Machine) -> str:
    """What a report tells beside the parts of a machine; of several answers the last."""
    answers = {item.subject: item.value for item in machine.report.observations}
    return "; ".join(f"{title} {answers[subject]}" for subject, title in _TOLD.items() if subject in answers)
