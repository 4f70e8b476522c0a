"""Whether something is compiled against CUDA here, for which CUDA, and with which compiler."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.evidence import of_framework, of_message
from dlsetup.model.finding import Evidence
from dlsetup.model.framework import Build
from dlsetup.model.hardware import CudaToolkit
from dlsetup.model.machine import Tool
from dlsetup.model.record import Unknown
from dlsetup.model.versions import ComputeCapability, CudaVersion
from dlsetup.plan.notes.subject import Subject
from dlsetup.rules.driver import ceiling_of


def compiled_here(subject: Subject) -> tuple[Evidence, ...]:
    """What tells that something is compiled: an installed build from source, a message, a request."""
    return tuple(_signs(subject))


def _signs(subject: Subject) -> Iterator[Evidence]:
    for item in subject.scene.installed:
        build = item.build
        if isinstance(build, Build) and (build.from_source or "nvcc" in build.expects):
            yield of_framework(item)
    yield from map(of_message, subject.scene.messages("no-cuda-home", "gcc-too-new"))
    for asked in subject.scene.machine.report.asked:
        framework = subject.scene.catalog.framework(asked.name)
        builds = framework.builds if framework else ()
        if any(build.from_source and build.accelerator == "cuda" for build in builds):
            yield Evidence(fact="asked for", value=f"{asked.name}{asked.specifier}", source=asked.source)


def wanted_cuda(subject: Subject) -> tuple[CudaVersion, str] | None:
    """The CUDA line to compile for, and why that: torch's own, another framework's, or the driver's."""
    torch = subject.scene.framework("torch")
    if torch is not None and isinstance(torch.cuda, CudaVersion):
        return torch.cuda.line, f"{torch.title} was built with it, and its extensions need the same major"
    for installed, cuda in subject.cuda_frameworks:
        return cuda.line, f"{installed.title} was built with it"
    ceiling = ceiling_of(subject.scene.target, subject.scene.catalog.hardware)
    if isinstance(ceiling, Unknown):
        return None
    lines = {row.version.line for row in subject.scene.catalog.hardware.toolkits}
    fitting = [line for line in lines if line <= ceiling and _serves_gpus(subject, line)]
    if not fitting:
        return None
    return max(
        fitting
    ), f"it is the newest that the driver knows (up to {ceiling}) and that makes code for the GPU"


def _serves_gpus(subject: Subject, line: CudaVersion) -> bool:
    row = toolkit_row(subject, line)
    return row is not None and not lacking_code(row, subject.capabilities)


def toolkit_row(subject: Subject, line: CudaVersion) -> CudaToolkit | None:
    """The newest release of a line."""
    rows = [row for row in subject.scene.catalog.hardware.toolkits if row.version.line == line.line]
    return max(rows, key=lambda row: row.version, default=None)


def lacking_code(
    row: CudaToolkit, capabilities: tuple[ComputeCapability, ...]
) -> tuple[ComputeCapability, ...]:
    """The GPUs that this toolkit makes no code for."""
    low, high = row.min_capability, row.max_capability
    return tuple(
        item
        for item in capabilities
        if (not isinstance(low, Unknown) and item < low) or (not isinstance(high, Unknown) and item > high)
    )


def newest_gcc(row: CudaToolkit) -> int | None:
    """The newest major of gcc that its compiler takes; None: unknown."""
    if isinstance(row.gcc, Unknown):
        return None
    known = [major for major in range(4, 40) if row.gcc.contains(f"{major}.1")]
    return max(known, default=None)


def present_gcc(subject: Subject) -> tuple[Tool, int] | None:
    """The gcc on PATH and its major."""
    tools = subject.scene.machine.tools
    for item in () if isinstance(tools, Unknown) else tools:
        if item.name == "gcc" and isinstance(item.version, str):
            major = item.version.partition(".")[0]
            if major.isdecimal():
                return item, int(major)
    return None


def nvcc_wheels(line: CudaVersion) -> str:
    """The requirement on the wheel that holds nvcc of that line: each major has a name of its own."""
    name = "nvidia-cuda-nvcc" if line.major >= 13 else f"nvidia-cuda-nvcc-cu{line.major}"
    return f"{name}=={line.major}.{line.minor}.*"
