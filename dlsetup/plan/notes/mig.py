"""GPUs cut into slices (MIG): what that allows, and how a slice is chosen or given up."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.visible import VISIBLE
from dlsetup.model.finding import Evidence
from dlsetup.model.machine import Gpu
from dlsetup.model.note import NoteStep
from dlsetup.plan.notes.steps import optional, right
from dlsetup.plan.notes.subject import Subject
from dlsetup.rules.gpus import title_of


def sliced(subject: Subject) -> tuple[tuple[int, Gpu], ...]:
    """The GPUs in MIG mode, with their numbers."""
    return tuple((number, gpu) for number, gpu in enumerate(subject.nvidia) if gpu.mig is True)


def mig_steps(subject: Subject) -> Iterator[NoteStep]:
    """Nothing where no GPU is cut."""
    for number, gpu in sliced(subject):
        count = f", {gpu.mig_instances} slices" if isinstance(gpu.mig_instances, int) else ""
        title = title_of(gpu, subject.scene.catalog.hardware)
        evidence = Evidence(fact=f"MIG of GPU {number}", value=f"on{count}", source=gpu.found_via)
        yield right(f"mig-{number}", f"GPU {number} ({title}) is cut into slices", [evidence])
        yield from _of_one(number, subject)


def _of_one(number: int, subject: Subject) -> Iterator[NoteStep]:
    sources = subject.scene.sources(("mig-guide",))
    yield optional(
        f"mig-{number}-slice",
        f"Give each process one slice of GPU {number}",
        "A process sees one slice only, and NCCL does not join slices: take the id of the slice from "
        "the list.",
        ("nvidia-smi -L", f"export {VISIBLE}=MIG-ID-OF-THE-SLICE"),
        place="shell",
        check=("nvidia-smi -L",),
        sign="the slice with the id that was chosen",
        undo=(f"unset {VISIBLE}",),
        sources=sources,
    )
    yield optional(
        f"mig-{number}-off",
        f"Or make GPU {number} whole again",
        "Training over the whole GPU, and NCCL with other GPUs, need it whole. Every program on it ends.",
        (f"sudo nvidia-smi -i {number} -mig 0",),
        only_if="one program is to have all of its memory",
        check=(f"nvidia-smi -i {number} --query-gpu=mig.mode.current --format=csv,noheader",),
        sign="`Disabled`",
        undo=(f"sudo nvidia-smi -i {number} -mig 1",),
        sources=sources,
    )
