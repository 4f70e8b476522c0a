"""The free driver `nouveau`, which keeps NVIDIA's module from taking the GPU."""

from __future__ import annotations

from dlsetup.judge.module_loading import NOUVEAU, NOUVEAU_FILE, first_file_system
from dlsetup.model.finding import Evidence
from dlsetup.model.note import NoteStep
from dlsetup.plan.notes.steps import needed
from dlsetup.plan.notes.subject import Subject


def nouveau_step(subject: Subject) -> NoteStep:
    """Keep it from being loaded; a condition where nobody knows whether it is."""
    seen = subject.bound_driver == "nouveau"
    anew = first_file_system(subject.scene)
    return needed(
        "nouveau",
        "Keep `nouveau` from taking the GPU",
        "One GPU has one kernel driver; while `nouveau` has it, the module of NVIDIA does not load.",
        (NOUVEAU, anew),
        only_if="" if seen else "`lsmod | grep nouveau` prints a line, and the packages do not see to it",
        evidence=(Evidence(fact="kernel driver of the GPU", value="nouveau", source="the PCI bus"),)
        if seen
        else (),
        check=("lsmod | grep nouveau",),
        sign="nothing, after the restart",
        later=True,
        undo=(f"sudo rm {NOUVEAU_FILE}", anew),
    )
