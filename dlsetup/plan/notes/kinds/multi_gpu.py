"""Several NVIDIA GPUs in one machine: how they are joined, and what programs need to use them together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.checks.fabric import PACKAGE, SERVICE, install_manager, other_release
from dlsetup.judge.checks.peers import IOMMU, ways_around
from dlsetup.judge.evidence import of_gpus, of_observation, of_package
from dlsetup.model.note import NoteStep, NotOfKind
from dlsetup.model.note_facts import Switched
from dlsetup.plan.notes.mig import mig_steps, sliced
from dlsetup.plan.notes.processes import process_steps
from dlsetup.plan.notes.registry import Kind
from dlsetup.plan.notes.steps import ask, found_by, mending, needed, of_remedy, refuse, right
from dlsetup.plan.notes.subject import Subject, of_sighting
from dlsetup.rules.gpus import title_of

NAME = "multi-gpu"
_NVLINK = re.compile(r"\bNV\d{1,2}\b")


def concerns(subject: Subject) -> NotOfKind | None:
    """Two NVIDIA GPUs or more, or one that is cut into slices."""
    if len(subject.nvidia) > 1 or sliced(subject):
        return None
    if subject.scene.machine.gpus == () or subject.nvidia:
        many = "one NVIDIA GPU is here" if subject.nvidia else "no NVIDIA GPU is here"
        return refuse(NAME, many, "nvidia-smi -L")
    if subject.scene.gpus("amd") or subject.scene.gpus("ascend"):
        return refuse(NAME, "the GPUs here are not NVIDIA's", "dlsetup notes")
    return refuse(NAME, "how many GPUs there are is not known", "nvidia-smi -L")


def steps(subject: Subject) -> Iterator[NoteStep]:
    """What is there; how it is joined; services; then what processes need."""
    yield from _gpus(subject)
    yield from mig_steps(subject)
    if len(subject.nvidia) < 2:
        return
    inside = subject.scene.in_container or subject.scene.in_wsl
    yield _topology(subject)
    if not inside:
        yield from _peers(subject)
        yield from _fabric(subject)
        yield _persistence()
    yield from process_steps(subject)


def _gpus(subject: Subject) -> Iterator[NoteStep]:
    evidence = of_gpus(subject.scene, subject.nvidia)
    kinds = {title_of(gpu, subject.scene.catalog.hardware) for gpu in subject.nvidia}
    if len(kinds) < 2:
        yield right("gpus", f"{len(subject.nvidia)} GPUs of one kind", evidence)
        return
    yield right("gpus", f"{len(subject.nvidia)} GPUs of {len(kinds)} kinds", evidence)
    yield needed(
        "order",
        "Number the GPUs as the bus does, and choose those of one kind for one task",
        "CUDA puts the fastest GPU first, nvidia-smi goes by the bus; in data-parallel training all "
        "wait for the "
        "slowest, and a build needs code for each of them.",
        ("export CUDA_DEVICE_ORDER=PCI_BUS_ID", "export CUDA_VISIBLE_DEVICES=0"),
        place="shell",
        check=("nvidia-smi -L",),
        sign="the same numbers as in the program",
        undo=("unset CUDA_DEVICE_ORDER CUDA_VISIBLE_DEVICES",),
    )


def _topology(subject: Subject) -> NoteStep:
    seen = subject.scene.observed("nvidia-smi.topo")
    if seen is None:
        why = (
            "`NV` and a number is NVLink; PIX and PXB are one PCIe switch; PHB and NODE go through "
            "the host bridge, "
            "SYS through the link between processors, which is the slowest. The second table says "
            "where P2P is allowed."
        )
        commands = ("nvidia-smi topo -m", "nvidia-smi topo -p2p r")
        return ask("topology", "See how the GPUs are joined", why, commands)
    kind = "NVLink" if _NVLINK.search(seen.value) else "PCI Express alone"
    return right("topology", f"The GPUs are joined by {kind}", [of_observation(seen)])


def _peers(subject: Subject) -> Iterator[NoteStep]:
    """ACS and the IOMMU send direct traffic a long way, or lose it."""
    seen = subject.sighted(IOMMU)
    if seen is not None and seen.value.endswith(("=on", "=force")):
        first, *others = ways_around()
        why = "The IOMMU translates addresses of devices: direct traffic between GPUs is redirected or lost."
        sources = subject.scene.sources(("nccl-acs",))
        yield of_remedy(
            first, "peers", why=why, evidence=(of_sighting(seen),), sources=sources, after="a restart"
        )
        yield of_remedy(others[-1], "peers-off", place="shell", undo=("unset NCCL_P2P_DISABLE",))
        return
    if seen is not None:
        yield right("peers", "The IOMMU leaves addresses of devices as they are", [of_sighting(seen)])
        return
    why = (
        "`iommu=on` without `pt`, or `SrcValid+` of a bridge between two GPUs, redirects direct "
        "traffic: programs "
        "then hang or compute wrong, without a message. `iommu=pt` on the kernel's command line mends it."
    )
    commands = ("cat /proc/cmdline", "sudo lspci -vvv | grep ACSCtl")
    yield ask("peers", "See whether the IOMMU or ACS stands between the GPUs", why, commands)


def _fabric(subject: Subject) -> Iterator[NoteStep]:
    """Machines with NVSwitch need the fabric manager of exactly the driver's release."""
    for finding in found_by(other_release, subject.scene):
        yield mending(finding, id="fabric", check=(f"systemctl is-active {SERVICE}",), sign="`active`")
        return
    there = next((item for item in subject.scene.packages if PACKAGE.fullmatch(item.name)), None)
    row = _switched(subject)
    if there is not None:
        title = "The fabric manager is of the driver's release"
        yield right(
            "fabric", title, [of_package(there)], check=(f"systemctl is-active {SERVICE}",), sign="`active`"
        )
        return
    if row is None or subject.scene.driver is None:
        return
    only_if = "" if len(subject.nvidia) >= row.least else "`lspci | grep -i nvswitch` prints a line"
    for remedy in install_manager(subject.scene, subject.scene.driver):
        yield of_remedy(
            remedy,
            "fabric",
            why="NVSwitch joins these GPUs; until its manager has set it up, CUDA answers 802.",
            only_if=only_if,
            check=(f"systemctl is-active {SERVICE}", "nvidia-smi -q | grep -A 2 Fabric"),
            sign="`active`; state `Completed`",
            undo=(f"sudo systemctl disable --now {SERVICE}",),
            sources=subject.sources("fabric-manager"),
        )


def _switched(subject: Subject) -> Switched | None:
    names = [title_of(gpu, subject.scene.catalog.hardware) for gpu in subject.nvidia]
    return next(
        (row for row in subject.facts.switched if any(re.search(row.pattern, name) for name in names)), None
    )


def _persistence() -> NoteStep:
    return needed(
        "persistence",
        "Let the driver stay loaded between programs",
        "Without it the driver shuts the GPUs down when the last program ends, and the next one "
        "waits for seconds.",
        ("sudo systemctl enable --now nvidia-persistenced",),
        only_if="`nvidia-smi --query-gpu=persistence_mode --format=csv,noheader` says `Disabled`",
        check=("nvidia-smi --query-gpu=persistence_mode --format=csv,noheader",),
        sign="`Enabled` for each GPU",
        undo=("sudo systemctl disable --now nvidia-persistenced",),
    )


KIND = Kind(name=NAME, title="Several NVIDIA GPUs in one machine", concerns=concerns, steps=steps)
