"""What is known of a machine, in the words that explanations are filled with (`model.facts`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dlsetup.model.machine import Driver, Environment, Gpu, Machine, System
from dlsetup.model.record import Unknown
from dlsetup.model.use import GpuUse, Holder, Seen, Use
from dlsetup.model.watched import WATCHED
from dlsetup.show.words import listed, size


def facts_of(machine: Machine, use: Use, seen: Seen | None = None) -> dict[str, str]:
    """Every fact that is known; the others are left out."""
    return dict(
        (
            *_of_system(machine.system, use),
            *_of_driver(machine),
            *_of_gpus(machine.gpus, use.gpus),
            *_of_environment(machine.environment),
            *(
                (f"variable.{name}", value)
                for name in WATCHED
                if isinstance(value := machine.variable(name), str)
            ),
            *(_of_run(seen) if seen else ()),
        )
    )


def _of_system(system: System, use: Use) -> Iterator[tuple[str, str]]:
    memory = use.memory
    words = {"system.name": system.name, "system.container": system.container}
    yield from ((name, value) for name, value in words.items() if isinstance(value, str))
    sizes = {
        "system.memory": system.memory_bytes,
        "system.memory_free": memory.free_bytes,
        "system.memory_limit": memory.limit_bytes,
        "shm.size": system.shm_bytes,
        "shm.free": memory.shm_free_bytes,
        "disk.free": system.disk_free_bytes,
    }
    yield from ((name, size(value)) for name, value in sizes.items() if isinstance(value, int))


def _of_driver(machine: Machine) -> Iterator[tuple[str, str]]:
    driver = machine.driver
    if isinstance(driver, Driver):
        if driver.release is not None and not isinstance(driver.release, Unknown):
            yield "driver.release", str(driver.release)
        if not isinstance(driver.cuda_ceiling, Unknown):
            yield "driver.cuda", str(driver.cuda_ceiling)
    kits = () if isinstance(machine.toolkits, Unknown) else machine.toolkits
    default = next((kit for kit in kits if kit.default), None)
    if default and not isinstance(default.version, Unknown):
        yield "toolkit.default", f"CUDA {default.version} in {default.path}"


def _of_gpus(
    gpus: tuple[Gpu, ...] | Unknown, uses: tuple[GpuUse, ...] | Unknown
) -> Iterator[tuple[str, str]]:
    known = [] if isinstance(gpus, Unknown) else [gpu for gpu in gpus if isinstance(gpu.name, str)]
    if known:
        yield "gpu.names", _grouped([str(gpu.name) for gpu in known])
        archs = dict.fromkeys(gpu.arch for gpu in known if isinstance(gpu.arch, str))
        if archs:
            yield "gpu.archs", listed(list(archs))
        sized = [
            f"{gpu.name} with {size(gpu.memory_bytes)}" for gpu in known if isinstance(gpu.memory_bytes, int)
        ]
        if sized:
            yield "gpu.memory", _grouped(sized)
    if not isinstance(uses, Unknown) and uses:
        yield "gpu.free", listed([_free(item) for item in uses])
        held = [words for item in uses if (words := _held(item))]
        if held:
            yield "gpu.held", listed(held)


def _grouped(names: Sequence[str]) -> str:
    """`NVIDIA L4`, `4 × NVIDIA L4`."""
    kinds = dict.fromkeys(names)
    return listed([f"{count} × {name}" if (count := names.count(name)) > 1 else name for name in kinds])


def _free(item: GpuUse) -> str:
    return f"{size(item.total_bytes - item.used_bytes)} of {size(item.total_bytes)} on GPU {item.index}"


def _held(item: GpuUse) -> str:
    holders = () if isinstance(item.holders, Unknown) else item.holders
    return f"{listed([_holder(one) for one in holders])} on GPU {item.index}" if holders else ""


def _holder(item: Holder) -> str:
    amount = f"{size(item.bytes)} by " if isinstance(item.bytes, int) else ""
    return f"{amount}{item.name or 'a process'} (pid {item.pid})"


def _of_environment(environment: Environment | None) -> Iterator[tuple[str, str]]:
    if environment is None:
        return
    yield "environment.path", environment.path
    if not isinstance(environment.python, Unknown):
        yield "environment.python", f"Python {environment.python}"
    for item in () if isinstance(environment.distributions, Unknown) else environment.distributions:
        variant = f" ({item.variant})" if isinstance(item.variant, str) and item.variant else ""
        yield f"installed.{item.name}", f"{item.name} {item.version}{variant}"


def _of_run(seen: Seen) -> Iterator[tuple[str, str]]:
    if not isinstance(seen.gpus, Unknown) and seen.gpus:
        peaks = (
            f"{size(item.peak_bytes)} of {size(item.total_bytes)} on GPU {item.index}"
            f" ({size(item.before_bytes)} before it)"
            for item in seen.gpus
        )
        yield "run.gpu", listed(list(peaks))
    if isinstance(seen.memory_peak_bytes, int):
        yield "run.memory", size(seen.memory_peak_bytes)
    if isinstance(seen.memory_limit_bytes, int):
        yield "run.memory_limit", size(seen.memory_limit_bytes)
    if isinstance(seen.oom_kills, int) and seen.oom_kills:
        yield "run.oom_kills", "1 process" if seen.oom_kills == 1 else f"{seen.oom_kills} processes"
    if isinstance(seen.shm_bytes, int) and isinstance(seen.shm_peak_bytes, int):
        yield "run.shm", f"{size(seen.shm_peak_bytes)} of {size(seen.shm_bytes)}"
    yield "run.end", f"signal {seen.signal}" if seen.signal else f"exit code {seen.exit_code}"
