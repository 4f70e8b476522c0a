"""AMD GPUs: the kernel's driver, the groups, the build with code for the GPU."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.checks.rocm import OVERRIDE, STAND_INS
from dlsetup.judge.evidence import of_framework, of_gpus, of_variable
from dlsetup.judge.hints import resolve
from dlsetup.judge.scene import Installed
from dlsetup.model.framework import Build
from dlsetup.model.note import NoteStep, NotOfKind
from dlsetup.model.record import Unknown
from dlsetup.plan.notes.registry import Kind
from dlsetup.plan.notes.rocm_system import gfx_list, matrix_steps, system_steps
from dlsetup.plan.notes.steps import ask, blocked, needed, optional, refuse, right
from dlsetup.plan.notes.subject import Subject
from dlsetup.rules.kernels import kernels_run_on

NAME = "rocm"
WSL = "https://rocm.docs.amd.com/projects/radeon"
CHECK = 'python -c "import torch; print(torch.version.hip, torch.cuda.is_available())"'


def concerns(subject: Subject) -> NotOfKind | None:
    """Linux with an AMD GPU, or with a build for ROCm."""
    scene = subject.scene
    if scene.in_wsl:
        return refuse(
            NAME, f"inside WSL AMD's GPUs come another way, which {WSL} describes", "dlsetup doctor"
        )
    builds = [item for item in scene.installed if str(item.variant).startswith("rocm")]
    if scene.target.os in ("macos", "windows"):
        return refuse(
            NAME, "these steps are for Linux; on Windows AMD has an installer of its own", "dlsetup doctor"
        )
    if scene.gpus("amd") or builds or scene.messages("hip-no-binary"):
        return None
    return refuse(NAME, "no AMD GPU is known here", "lspci -nn | grep -i -e amd/ati -e display")


def steps(subject: Subject) -> Iterator[NoteStep]:
    """Who supports the GPU; the kernel's side; then the framework; a stand-in at the very last."""
    yield from _gpus(subject)
    yield from matrix_steps(subject)
    yield from system_steps(subject)
    torch = subject.scene.framework("torch")
    yield from _build(subject, torch)
    yield from _override(subject, torch)


def _gpus(subject: Subject) -> Iterator[NoteStep]:
    known = gfx_list(subject)
    if not known:
        why = "The architecture (`gfx1100`) decides which builds have code for it."
        yield ask("gpu", "Find out the architecture of the GPU", why, ("rocminfo | grep gfx", "lspci -nn"))
        return
    yield right(
        "gpu",
        f"The GPU is of architecture {' and '.join(known)}",
        of_gpus(subject.scene, subject.scene.gpus("amd")),
    )


def _build(subject: Subject, torch: Installed | None) -> Iterator[NoteStep]:
    """Whether the installed torch has code for the GPU."""
    commands = resolve(subject.scene, ["torch"])
    if torch is None:
        why = "Wheels for ROCm bring ROCm's libraries; they come from PyTorch's own index."
        yield optional(
            "torch", "Choose a build of torch for this GPU", why, commands, check=(CHECK,), sign="True"
        )
        return
    build = torch.build
    if not isinstance(build, Build):
        why = "The version alone does not tell for which GPUs it was built."
        yield ask("torch", "See what torch was built for", why, (CHECK,), evidence=(of_framework(torch),))
        return
    gpus = subject.scene.gpus("amd")
    verdicts = [
        kernels_run_on(build, gpu, subject.scene.target, subject.scene.catalog.hardware) for gpu in gpus
    ]
    if build.accelerator == "rocm" and not any(verdict.refused for verdict in verdicts):
        certain = verdicts and all(verdict.ok for verdict in verdicts)
        title = f"{torch.title} has code for the GPU" if certain else f"{torch.title} is a build for ROCm"
        sources = subject.scene.sources(source for verdict in verdicts for source in verdict.sources)
        yield right("torch", title, [of_framework(torch)], check=(CHECK,), sign="True", sources=sources)
        return
    because = next(
        (verdict.because for verdict in verdicts if verdict.refused), f"{torch.title} is no build for ROCm"
    )
    yield needed(
        "torch",
        "Choose a build of torch that has code for this GPU",
        f"{because}.",
        commands,
        evidence=(of_framework(torch),),
        check=(CHECK,),
        sign="True",
    )


def _override(subject: Subject, torch: Installed | None) -> Iterator[NoteStep]:
    """A sibling's code as the last resort; and away with it where it is not needed."""
    known = gfx_list(subject)
    build = torch.build if torch else None
    held = build.gfx if isinstance(build, Build) and not isinstance(build.gfx, Unknown) else ()
    row = next(
        (
            row
            for row in STAND_INS
            for gfx in known
            if row[0].fullmatch(gfx) and row[1] != gfx and gfx not in held
        ),
        None,
    )
    if isinstance(subject.scene.machine.variable(OVERRIDE), str):
        if row is None and known:
            yield needed(
                "override",
                f"Take `{OVERRIDE}` away",
                "It makes ROCm run code for another architecture, which this GPU does not need.",
                (f"unset {OVERRIDE}",),
                place="shell",
                evidence=(of_variable(subject.scene, OVERRIDE),),
                check=(f'printenv {OVERRIDE} || echo "not set"',),
                sign="`not set`",
            )
        return
    if row is None:
        return
    if held and row[1] not in held:
        yield blocked("override", "No sibling's code is in this build either", f"It has none for {row[1]}.")
        return
    yield optional(
        "override",
        f"Last resort: let ROCm run the code for {row[1]}",
        "AMD does not support it: it may compute wrong, hang or crash. Take it only where no build "
        "has code for "
        f"{' and '.join(known)}.",
        (f"export {OVERRIDE}={row[2]}",),
        place="shell",
        only_if="every build that has code for the GPU was tried",
        check=(CHECK,),
        sign="True",
        undo=(f"unset {OVERRIDE}",),
    )


KIND = Kind(name=NAME, title="AMD GPUs with ROCm", concerns=concerns, steps=steps)
