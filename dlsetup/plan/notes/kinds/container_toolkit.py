"""GPUs inside containers of this host."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.evidence import of_driver
from dlsetup.model.machine import Docker
from dlsetup.model.note import NoteStep, NotOfKind
from dlsetup.plan.notes.containers import container_steps
from dlsetup.plan.notes.registry import Kind
from dlsetup.plan.notes.steps import ask, needed, refuse, right
from dlsetup.plan.notes.subject import Subject

NAME = "container-toolkit"


def concerns(subject: Subject) -> NotOfKind | None:
    """A Linux host with an NVIDIA GPU."""
    scene = subject.scene
    if scene.in_container:
        here = "it belongs to the host, and this is a container"
        return refuse(NAME, here, "dlsetup notes container-toolkit     (on the host)")
    if scene.target.os in ("macos", "windows"):
        desktop = isinstance(scene.machine.docker, Docker) and scene.machine.docker.desktop is True
        words = (
            "Docker Desktop brings it along" if desktop else "it is for Linux; on Windows WSL 2 has the GPU"
        )
        return refuse(NAME, words, "dlsetup notes wsl" if scene.target.os == "windows" else "dlsetup doctor")
    if not subject.nvidia and scene.machine.driver is None:
        because = (
            "no NVIDIA GPU is known here; AMD's devices are handed over with `--device /dev/kfd "
            "--device /dev/dri`"
        )
        return refuse(
            NAME,
            because if scene.gpus("amd") else "no NVIDIA GPU is known here",
            "lspci -nn | grep -i nvidia",
        )
    return None


def steps(subject: Subject) -> Iterator[NoteStep]:
    """The driver of the host first, which every container uses."""
    if subject.driver_works:
        yield right("driver", "The driver of the host works", of_driver(subject.scene))
    elif not subject.scene.nvml_refuses:
        why = "Containers use the driver of the host: `dlsetup notes driver` has the steps."
        yield ask("driver", "See that the driver of the host works", why, ("nvidia-smi",))
    else:
        yield needed(
            "driver",
            "Mend the driver of the host first",
            "Containers use it, and it does not answer.",
            ("dlsetup notes driver",),
            evidence=of_driver(subject.scene),
            check=("nvidia-smi",),
            sign="a table with each GPU",
        )
    yield from container_steps(subject)


KIND = Kind(name=NAME, title="NVIDIA GPUs in containers", concerns=concerns, steps=steps)
