"""Does an explicit lock of conda packages serve a target? Only what its file names tell is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from dlsetup.catalog.conda import conda_packages
from dlsetup.intake.pixi_file import SUBDIRS
from dlsetup.judge.locked_files import Answer, error, said, without_device
from dlsetup.model.conda import SolvedPackage
from dlsetup.model.finding import Diagnosis, Finding
from dlsetup.model.framework import Catalog
from dlsetup.model.locked import CondaLocked
from dlsetup.model.machine import Gap, Libc
from dlsetup.model.record import Unknown
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.variants import conda_variant
from dlsetup.model.versions import ComputeCapability, CudaVersion
from dlsetup.rules.driver import driver_serves
from dlsetup.rules.gpus import capability_of, title_of
from dlsetup.rules.kernels import driver_drives_every_gpu, has_device, toolkit_of
from dlsetup.rules.libraries import marker_environment


class _Ground(NamedTuple):
    locked: CondaLocked
    target: Target
    catalog: Catalog

    @property
    def packages(self) -> tuple[SolvedPackage, ...]:
        return self.locked.solution.packages

    @property
    def built_for_cuda(self) -> list[SolvedPackage]:
        return [item for item in self.packages if _variant(item).startswith("cu")]


def judge_conda_lock(locked: CondaLocked, target: Target, catalog: Catalog) -> Diagnosis:
    """What speaks against the lock on a target. Whatever is not known refuses nothing and is named."""
    ground = _Ground(locked, target, catalog)
    answers = [*_platform(ground)]
    if not answers:
        answers += [*_system(ground), *_devices(ground)]
    return Diagnosis(
        findings=tuple(item for item in answers if isinstance(item, Finding)),
        unknown=tuple(item for item in answers if isinstance(item, Gap)),
    )


def _platform(ground: _Ground) -> Iterator[Answer]:
    subdir, target = ground.locked.solution.subdir, ground.target
    environment = marker_environment(Interpreter(version=Version("3.12")), target)
    if environment is None:
        yield Gap(
            fact="whether it is for this platform",
            reason=f"nothing tells the system and the processor of {target.name}",
        )
        return
    here = (environment["sys_platform"], environment["platform_machine"])
    if subdir != "noarch" and SUBDIRS.get(subdir) != here:
        because = f"Its packages are for {subdir}, and {target.name} is {' on '.join(here)}."
        yield error("lock-platform", "The lock is for another platform", because)


def _system(ground: _Ground) -> Iterator[Gap]:
    """What was told to the solver and is newer than what the target has: some package may need it."""
    told = {item.name: item.version for item in ground.locked.solution.virtual}
    target = ground.target
    libc = target.libc.version if isinstance(target.libc, Libc) else None
    for name, words, there in (("__glibc", "glibc", libc), ("__osx", "macOS", target.release)):
        if name not in told or there is None or isinstance(there, Unknown) or not target.os:
            continue
        if _version(told[name]) > _version(str(there)):
            yield Gap(
                fact=f"whether every package runs with {words} {there}",
                reason=f"it was solved for {words} {told[name]}",
            )


def _devices(ground: _Ground) -> Iterator[Answer]:
    target, hardware = ground.target, ground.catalog.hardware
    device = has_device("cuda", target)
    built = ground.built_for_cuda
    if not built:
        yield from _idle(ground) if device.ok else ()
        return
    title = _title(built[0])
    if device.refused:
        yield without_device(title, device)
        return
    cuda = _cuda(ground)
    yield from said(
        "lock-driver", f"The driver is too old for {title}", driver_serves(target, cuda, hardware)
    )
    drives = driver_drives_every_gpu(target, hardware)
    yield from said("lock-driver", "The driver does not support every GPU", drives)
    yield from _code(ground, cuda, title)


def _code(ground: _Ground, cuda: CudaVersion, title: str) -> Iterator[Answer]:
    """That a toolkit makes no code for a GPU any more is certain; for which it did, no name tells."""
    hardware = ground.catalog.hardware
    row = toolkit_of(cuda, hardware)
    gpus = () if isinstance(ground.target.gpus, Unknown) else ground.target.gpus
    for gpu in (gpu for gpu in gpus if gpu.vendor == "nvidia"):
        code = capability_of(gpu, hardware)
        least = None if row is None else row.min_capability
        if isinstance(code, ComputeCapability) and isinstance(least, ComputeCapability) and code < least:
            because = f"CUDA {cuda} makes code from {least.sm} on, and {title_of(gpu, hardware)} is older."
            yield error("lock-gpu", f"{title} does not serve every GPU", because)
            return
    yield Gap(
        fact=f"whether {title} holds code for every GPU", reason="the name of a conda package does not tell"
    )


def _idle(ground: _Ground) -> Iterator[Finding]:
    """A CPU build of something that conda-forge builds for CUDA as well."""
    known = {item.built or item.name for item in conda_packages() if item.cuda and item.cuda != item.cpu}
    for item in ground.packages:
        if item.name in known and _variant(item) == "cpu":
            title = f"{_title(item)} leaves the GPU idle"
            because = f"{ground.target.name} has an NVIDIA GPU, and conda-forge builds {item.name} for CUDA."
            yield Finding(id="lock-gpu-idle", severity="warning", title=title, because=because)


def _cuda(ground: _Ground) -> CudaVersion:
    """That of the package which all CUDA packages follow, else of the build that says the newest."""
    told = [item.version for item in ground.packages if item.name == "cuda-version"]
    told += [f"{text[2:-1]}.{text[-1]}" for text in map(_variant, ground.built_for_cuda)]
    return CudaVersion(told[0]) if _is_cuda(told[0]) else CudaVersion(told[-1])


def _is_cuda(text: str) -> bool:
    parts = text.split(".")
    return len(parts) > 1 and all(part.isdecimal() for part in parts)


def _variant(package: SolvedPackage) -> str:
    found = conda_variant(package.build)
    return "" if isinstance(found, Unknown) else found


def _title(package: SolvedPackage) -> str:
    return f"{package.name} {package.version} ({package.build})"


def _version(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        return Version("0")
