"""Windows Subsystem for Linux with a GPU: what is done on which side."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.checks.wsl import DRIVER_PACKAGE, linux_driver_inside
from dlsetup.judge.evidence import of_driver
from dlsetup.model.finding import Evidence
from dlsetup.model.machine import Docker
from dlsetup.model.note import NoteStep, NotOfKind
from dlsetup.model.record import Unknown
from dlsetup.plan.notes.compiling import compiled_here
from dlsetup.plan.notes.containers import container_steps
from dlsetup.plan.notes.kinds.cuda_toolkit import for_compiling
from dlsetup.plan.notes.registry import Kind
from dlsetup.plan.notes.steps import ask, found_by, mending, needed, optional, refuse, right
from dlsetup.plan.notes.subject import Subject
from dlsetup.plan.notes.wsl_windows import driver_steps, memory_step, windows_steps

NAME = "wsl"
FOLDER = "/usr/lib/wsl/lib"
LOADER_FILE = "/etc/ld.so.conf.d/ld.wsl.conf"


def concerns(subject: Subject) -> NotOfKind | None:
    """Windows, or a distribution inside it."""
    scene = subject.scene
    if scene.in_wsl or scene.target.os == "windows" or scene.messages("wsl-foreign-libcuda"):
        return None
    if isinstance(scene.target.wsl, Unknown) and scene.target.os != "macos":
        unknown = "nothing tells whether this is inside WSL"
        return refuse(NAME, unknown, "uname -r     (ends in `WSL2` inside WSL)")
    other = "dlsetup notes driver" if subject.nvidia else "dlsetup notes"
    return refuse(NAME, "this is neither Windows nor inside WSL", other)


def steps(subject: Subject) -> Iterator[NoteStep]:
    """The Windows side first; then what is inside; then toolkit and containers, where they are wanted."""
    yield from windows_steps(subject)
    yield from driver_steps(subject)
    if subject.scene.in_wsl:
        yield from _inside(subject)
    yield memory_step(subject)
    yield from _toolkit(subject)
    yield from _containers(subject)


def _inside(subject: Subject) -> Iterator[NoteStep]:
    """No driver of Linux, and the libraries of Windows on the way of the loader."""
    findings = tuple(found_by(linux_driver_inside, subject.scene))
    for finding in findings:
        yield mending(
            finding,
            id="driver-inside",
            check=("dpkg -l 'libnvidia-compute-*' 'nvidia-driver-*'", "ls -l /usr/lib/wsl/lib/libcuda.so.1"),
            sign="no package in state `ii`; the library of Windows is there",
            undo_words="none is wanted: the driver of Windows serves WSL",
        )
    if not findings:
        yield _no_driver(subject)
    yield _loader(subject, shadowed=bool(findings))


def _no_driver(subject: Subject) -> NoteStep:
    why = (
        "Inside WSL a driver of Linux hides the one of Windows: `apt install nvidia-driver-…`, "
        "`cuda` and `cuda-drivers` bring one."
    )
    if isinstance(subject.scene.machine.packages, Unknown) or subject.scene.machine.partial:
        return ask(
            "driver-inside", "See that no driver of Linux is inside", why, ("dpkg -l | grep -i nvidia",)
        )
    others = [item.name for item in subject.scene.packages if DRIVER_PACKAGE.fullmatch(item.name)]
    evidence = Evidence(
        fact="driver packages", value=", ".join(others) or "none", source="the system's package list"
    )
    return right(
        "driver-inside", "No driver of Linux is installed inside, and none must be", [evidence], why=why
    )


def _loader(subject: Subject, *, shadowed: bool) -> NoteStep:
    """Whether the loader finds the libraries of the Windows driver."""
    if subject.driver_works and not shadowed:
        return right(
            "loader", f"The loader finds the driver's libraries ({FOLDER})", of_driver(subject.scene)
        )
    return needed(
        "loader",
        f"Let the loader find {FOLDER}",
        "There lie libcuda and NVML of the Windows driver; WSL writes this file itself, unless "
        "somebody changed it.",
        (f"echo {FOLDER} | sudo tee {LOADER_FILE}", "sudo ldconfig"),
        only_if="`ldconfig -p | grep libcuda.so.1` does not name that folder first",
        check=("ldconfig -p | grep libcuda.so.1", f"{FOLDER}/nvidia-smi"),
        sign=f"{FOLDER}/libcuda.so.1, and a table with the GPU",
        undo=(f"sudo rm {LOADER_FILE}", "sudo ldconfig"),
        sources=subject.sources("wsl-gpu-guide"),
    )


def _toolkit(subject: Subject) -> Iterator[NoteStep]:
    """Only where something is compiled; otherwise one line that none is needed."""
    if compiled_here(subject):
        yield from for_compiling(subject)
        return
    yield next(iter(for_compiling(subject)))


def _containers(subject: Subject) -> Iterator[NoteStep]:
    docker = subject.scene.machine.docker
    if docker is None or (isinstance(docker, Unknown) and not subject.scene.in_wsl):
        yield optional(
            "docker",
            "Install Docker Desktop, or an engine inside WSL",
            "Docker Desktop (Settings, General: `Use the WSL 2 based engine`; Resources, WSL "
            "integration: this "
            "distribution) hands the GPU over by itself. An engine inside needs NVIDIA's container toolkit: "
            "`dlsetup notes container-toolkit` then has the steps. Take one of the two.",
            place="screen",
            only_if="containers are wanted",
            check=("docker run --rm --gpus all ubuntu nvidia-smi",),
            sign="the GPU of Windows",
        )
    elif isinstance(docker, Docker) or subject.scene.in_wsl:
        yield from container_steps(subject)


KIND = Kind(name=NAME, title="Windows Subsystem for Linux with a GPU", concerns=concerns, steps=steps)
