"""A CUDA toolkit beside the others: where it comes from on this system, and how builds find it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from dlsetup.judge.commands import conda, line
from dlsetup.judge.host_compilers import in_conda
from dlsetup.judge.linux_families import FAMILIES, Family, foreign_name, install_packages, remove_packages
from dlsetup.model.finding import Evidence
from dlsetup.model.machine import Toolkit
from dlsetup.model.note import NoteStep
from dlsetup.model.note_facts import OwnToolkit
from dlsetup.model.record import Unknown
from dlsetup.model.versions import CudaVersion
from dlsetup.plan.notes.compiling import nvcc_wheels
from dlsetup.plan.notes.repositories import PAGE, repository_steps
from dlsetup.plan.notes.steps import (
    ask,
    into_environment,
    needed,
    optional,
    out_of_environment,
    right,
)
from dlsetup.plan.notes.subject import Subject, of_toolkits

_NVCC = (
    "python -c \"import glob, nvidia; print(*glob.glob(list(nvidia.__path__)[0] + '/**/bin/nvcc', "
    'recursive=True))"'
)
_NEVER = "never `cuda` or `cuda-drivers`, which bring a driver"


def toolkit_steps(subject: Subject, cuda: CudaVersion, why: str, only_if: str = "") -> Iterator[NoteStep]:
    """The toolkit of one line, unless it is there; then the variables that lead builds to it."""
    there = _present(subject, cuda)
    if there is not None:
        yield right("toolkit", f"The toolkit of CUDA {cuda.line} is there", of_toolkits((there,)))
        yield from _leading(subject, there, cuda, only_if)
        return
    if subject.scene.target.os == "windows":
        yield _of_windows(cuda, why, only_if)
    elif in_conda(subject.scene):
        yield _of_conda(subject, cuda, why, only_if)
    elif _own(subject, cuda) is not None:
        yield _of_distribution(subject, cuda, why, only_if)
    else:
        yield from _of_nvidia(subject, cuda, why, only_if)
        yield _of_wheels(subject, cuda)


def _present(subject: Subject, cuda: CudaVersion) -> Toolkit | None:
    return next(
        (
            item
            for item in subject.toolkits
            if isinstance(item.version, CudaVersion) and item.version.line == cuda.line
        ),
        None,
    )


def _leading(subject: Subject, there: Toolkit, cuda: CudaVersion, only_if: str) -> Iterator[NoteStep]:
    """Where several lie side by side, variables choose; the link of the system is left alone."""
    if there.default or not there.path:
        return
    path = shlex.quote(there.path)
    others = tuple(item for item in subject.toolkits if item is not there)
    yield needed(
        "toolkit-path",
        f"Let builds take the toolkit of CUDA {cuda.line}",
        "Another one comes first. Variables change it for one shell; `update-alternatives` would for "
        "everybody.",
        (f"export CUDA_HOME={path}", f'export PATH={path}/bin:"$PATH"'),
        place="shell",
        only_if=only_if,
        evidence=tuple(of_toolkits(others)),
        check=("nvcc --version",),
        sign=f"`release {cuda.line}`",
        undo=("unset CUDA_HOME",),
    )
    if others and subject.family in ("ubuntu", "debian"):
        yield _for_everybody(there.path, cuda)


def _for_everybody(path: str, cuda: CudaVersion) -> NoteStep:
    """NVIDIA's packages for apt keep /usr/local/cuda as one of the system's alternatives."""
    return optional(
        "toolkit-default",
        f"Or make CUDA {cuda.line} the default of the whole system",
        "NVIDIA's packages let /usr/local/cuda lead to one of several; every user gets the new one.",
        (f"sudo update-alternatives --set cuda {shlex.quote(path)}",),
        only_if="`update-alternatives --display cuda` lists it",
        check=("ls -l /usr/local/cuda /etc/alternatives/cuda",),
        sign=f"a link to cuda-{cuda.line}",
        undo=("sudo update-alternatives --auto cuda",),
    )


def _paths(folder: str, cuda: CudaVersion, only_if: str) -> NoteStep:
    return needed(
        "toolkit-path",
        f"Let builds find the toolkit of CUDA {cuda.line}",
        "Other toolkits stay where they are: each has a folder of its own, and these variables choose.",
        (f"export CUDA_HOME={folder}", f'export PATH={folder}/bin:"$PATH"'),
        place="shell",
        only_if=only_if,
        check=("nvcc --version",),
        sign=f"`release {cuda.line}`",
        undo=("unset CUDA_HOME",),
    )


def _of_nvidia(subject: Subject, cuda: CudaVersion, why: str, only_if: str) -> Iterator[NoteStep]:
    name = f"cuda-toolkit-{cuda.major}-{cuda.minor}"
    families: dict[Family, tuple[str, ...]] = {item: (name,) for item in FAMILIES if item != "arch"}
    commands = install_packages(subject.scene, families)
    if not commands:
        yield _by_hand(subject, cuda, why, only_if)
        return
    yield from repository_steps(subject, f"The toolkit of CUDA {cuda.line}")
    wsl = " from the repository for WSL, which has no driver" if subject.scene.in_wsl else ""
    yield needed(
        "toolkit",
        f"Install `{name}`{wsl}",
        f"{why} Take this package alone, {_NEVER}.",
        commands,
        only_if=only_if,
        check=(f"/usr/local/cuda-{cuda.line}/bin/nvcc --version",),
        sign=f"`release {cuda.line}`",
        undo=remove_packages(subject.scene, (name,)),
        sources=(PAGE, *_other(subject, cuda)),
    )
    yield _paths(f"/usr/local/cuda-{cuda.line}", cuda, only_if)


def _by_hand(subject: Subject, cuda: CudaVersion, why: str, only_if: str) -> NoteStep:
    if subject.family == "arch":
        return optional(
            "toolkit",
            f"Install the toolkit of CUDA {cuda.line} from conda-forge or from {PAGE}",
            f"{why} Arch's own `cuda` is the newest line only, and moves.",
            only_if=only_if,
            place="screen",
            sign=f"`nvcc --version` says `release {cuda.line}`",
        )
    return ask(
        "toolkit",
        f"Look up the toolkit of CUDA {cuda.line} for this system",
        f"{why} {PAGE} has it for each system{_which(subject)}.",
        ("cat /etc/os-release",),
    )


def _which(subject: Subject) -> str:
    name = foreign_name(subject.scene)
    return (
        f" that NVIDIA has packages for, and {name} may have its own"
        if name
        else "; nothing tells which this is"
    )


def _other(subject: Subject, cuda: CudaVersion) -> tuple[str, ...]:
    """What the distribution has instead, so that nobody takes it by mistake."""
    row = _row(subject)
    if row is None:
        return ()
    text = f"`{row.package}` of this system is CUDA {row.cuda}, not {cuda.line}"
    return (f"{text}: {''.join(subject.sources(row.source))}",)


def _row(subject: Subject) -> OwnToolkit | None:
    rows = subject.facts.own_toolkits
    return next((row for row in rows if (row.family, row.release) == (subject.family, subject.release)), None)


def _own(subject: Subject, cuda: CudaVersion) -> OwnToolkit | None:
    """The distribution's own toolkit, where it is of that very line; inside WSL NVIDIA's is taken."""
    row = _row(subject)
    return row if row is not None and row.cuda.line == cuda.line and not subject.scene.in_wsl else None


def _of_distribution(subject: Subject, cuda: CudaVersion, why: str, only_if: str) -> NoteStep:
    row = _own(subject, cuda)
    names = (row.package,) if row else ()
    return needed(
        "toolkit",
        f"Install `{' '.join(names)}`, which is CUDA {cuda.line} here",
        f"{why} The distribution's own package needs no other repository.",
        line(subject.scene, ["sudo", "apt", "install", *names]),
        only_if=only_if,
        check=("nvcc --version",),
        sign=f"`release {cuda.line}`",
        undo=line(subject.scene, ["sudo", "apt", "remove", *names]),
        sources=subject.sources(row.source) if row else (),
    )


def _of_conda(subject: Subject, cuda: CudaVersion, why: str, only_if: str) -> NoteStep:
    packages = ["cuda-nvcc", "cuda-libraries-dev"]
    channel = ["-c", "conda-forge", *packages, f"cuda-version={cuda.line}"]
    return needed(
        "toolkit",
        f"Install the compiler of CUDA {cuda.line} from conda-forge into the environment",
        f"{why} It needs no root, and lies beside nothing else.",
        conda(subject.scene, "install", channel) or line(subject.scene, ["conda", "install", *channel]),
        only_if=only_if,
        check=("nvcc --version",),
        sign=f"`release {cuda.line}`",
        after="the environment is activated anew",
        undo=conda(subject.scene, "remove", packages) or line(subject.scene, ["conda", "remove", *packages]),
    )


def _of_wheels(subject: Subject, cuda: CudaVersion) -> NoteStep:
    return optional(
        "toolkit-wheels",
        f"Or install the compiler of CUDA {cuda.line} as wheels into the environment",
        "It needs no root. Builds that look for a whole toolkit under CUDA_HOME may want the "
        "packages instead.",
        into_environment(subject.scene, [nvcc_wheels(cuda)]),
        only_if="there are no rights to install packages of the system",
        check=(_NVCC,),
        sign="the path of `nvcc`",
        undo=out_of_environment(subject.scene, nvcc_wheels(cuda).partition("=")[0]),
    )


def _of_windows(cuda: CudaVersion, why: str, only_if: str) -> NoteStep:
    return needed(
        "toolkit",
        f"Install the toolkit of CUDA {cuda.line} from {PAGE} beside Visual C++",
        f"{why} Take `Custom` and leave the driver out.",
        place="windows",
        only_if=only_if,
        check=("nvcc --version",),
        sign=f"`release {cuda.line}`",
        after="a new prompt is opened",
        undo_words=f"Settings, Apps: uninstall the entries of CUDA {cuda.line}",
    )


def default_toolkit(subject: Subject) -> tuple[Evidence, ...]:
    """Every toolkit on disk, as evidence."""
    known = subject.scene.machine.toolkits
    return () if isinstance(known, Unknown) else tuple(of_toolkits(known))
