"""The Windows side of WSL: build, version of WSL, driver, memory."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.checks.wsl import first_version
from dlsetup.judge.driver_ways import DOWNLOADS
from dlsetup.judge.evidence import of_driver, of_framework
from dlsetup.model.hardware import WindowsFloor
from dlsetup.model.machine import Wsl
from dlsetup.model.note import NoteStep
from dlsetup.model.record import Unknown
from dlsetup.model.versions import OsRelease
from dlsetup.plan.notes.driver_branch import floors
from dlsetup.plan.notes.steps import ask, blocked, found_by, mending, needed, optional, right
from dlsetup.plan.notes.subject import Subject, of_system
from dlsetup.rules.driver import driver_serves

GIB = 1 << 30
RESTART_WSL = "wsl --shutdown"
RAM = 'powershell.exe -NoProfile -Command "(Get-CimInstance Win32_ComputerSystem).TotalPhysicalMemory"'
_LEFT = 4 * GIB
"""What Windows itself is left at least."""


def windows_steps(subject: Subject) -> Iterator[NoteStep]:
    """Build of Windows, version and kernel of WSL."""
    yield from _build(subject)
    yield from _version(subject)
    yield from _kernel(subject)
    yield from _old_gpu(subject)


def _floors(subject: Subject) -> tuple[WindowsFloor, ...]:
    return tuple(sorted(subject.scene.catalog.hardware.windows, key=lambda row: row.build))


def _build(subject: Subject) -> Iterator[NoteStep]:
    floor = next(iter(_floors(subject)), None)
    if floor is None:
        return
    sources = subject.scene.sources((floor.source,))
    words = f"{floor.edition} (build {floor.build.text.rpartition('.')[2]}) or newer"
    release = subject.scene.target.release
    if subject.scene.target.os != "windows" or isinstance(release, Unknown):
        why = (
            f"GPUs inside WSL need {words}, or Windows 11: the last number of the version is the build. "
            "`wsl.exe --version` answers where WSL is the one of the Store, which `wsl --update` keeps new."
        )
        commands = ("cmd.exe /c ver", "wsl.exe --version")
        title = "See the build of Windows and the version of WSL"
        yield ask("windows-build", title, why, commands, sources=sources)
    elif release >= floor.build:
        evidence = of_system("Windows build", release)
        yield right("windows-build", f"Windows is new enough: {words}", [evidence], sources=sources)
    else:
        yield needed(
            "windows-build",
            f"Bring Windows up to {words}: Settings, Windows Update",
            "Older builds do not hand the GPU to WSL.",
            place="screen",
            evidence=(of_system("Windows build", release),),
            check=("cmd.exe /c ver",),
            sign=f"build {floor.build.text.rpartition('.')[2]} or a higher one",
            after="a restart",
            sources=sources,
        )


def _version(subject: Subject) -> Iterator[NoteStep]:
    wsl = subject.scene.machine.system.wsl
    for finding in found_by(first_version, subject.scene):
        check = ("wsl --list --verbose",)
        yield mending(finding, id="wsl-version", check=check, sign="2 in the column VERSION")
        return
    if isinstance(wsl, Wsl) and wsl.version == 2:
        name = "" if isinstance(wsl.distribution, Unknown) else f" ({wsl.distribution})"
        evidence = of_system("WSL", f"2{name}", "the kernel")
        yield right("wsl-version", "This distribution runs under WSL 2", [evidence])
        return
    why = (
        "Only WSL 2 has a GPU. Where no WSL is there, `wsl --install` brings it with Ubuntu; "
        "`wsl --set-version NAME 2` converts a distribution."
    )
    commands = ("wsl --version", "wsl --list --verbose")
    yield ask(
        "wsl-version", "See the versions of WSL and of its distributions", why, commands, place="windows"
    )


def _kernel(subject: Subject) -> Iterator[NoteStep]:
    text, sources = subject.bound("wsl-kernel"), subject.sources("wsl-gpu-guide")
    found = re.match(r"\d{1,4}(\.\d{1,6}){1,3}", subject.kernel)
    own = subject.scene.observed("wsl.kernel")
    if not text or not subject.scene.in_wsl:
        return
    if own is not None:
        yield needed(
            "wsl-kernel",
            "Take the line `kernel=` out of `.wslconfig`",
            "A kernel of one's own may lack the driver `dxgkrnl`, through which the GPU comes.",
            place="screen",
            evidence=(of_system("kernel in .wslconfig", own.value, own.source),),
            check=("uname -r",),
            sign="a release that ends in `microsoft-standard-WSL2`",
            undo_words="put the line back",
        )
    elif found is None:
        why = f"The kernel of WSL has to be {text} or newer."
        yield ask("wsl-kernel", "See the kernel of WSL", why, ("uname -r",), sources=sources)
    elif OsRelease(found[0]) >= OsRelease(text):
        evidence = of_system("kernel", subject.kernel)
        yield right("wsl-kernel", f"The kernel of WSL is {text} or newer", [evidence], sources=sources)
    else:
        yield needed(
            "wsl-kernel",
            "Bring WSL up to date",
            f"The kernel of WSL has to be {text} or newer, and this one is {found[0]}.",
            ("wsl --update", RESTART_WSL),
            place="windows",
            evidence=(of_system("kernel", subject.kernel),),
            check=("uname -r",),
            sign=f"{text} or newer",
            undo_words="`wsl --update --rollback` on the Windows side",
            sources=sources,
        )


def _old_gpu(subject: Subject) -> Iterator[NoteStep]:
    """GPUs before Pascal are not handed over."""
    for row in _floors(subject)[:1]:
        old = [
            item
            for item in subject.capabilities
            if not isinstance(row.min_capability, Unknown) and item < row.min_capability
        ]
        if old:
            why = f"Inside WSL only GPUs of {row.min_capability} and newer compute; here is {old[0]}."
            sources = subject.scene.sources((row.source,))
            yield blocked("wsl-gpu", "This GPU is not handed to WSL", why, sources=sources)


def driver_steps(subject: Subject) -> Iterator[NoteStep]:
    """The driver of Windows: there, and new enough for what is installed inside."""
    scene = subject.scene
    wanted = [(title, release) for title, _, release, _ in floors(subject)]
    floor = max((release for _, release in wanted), default=None)
    titles = " and ".join(title for title, _ in wanted)
    words = f"{floor} or newer, for {titles}" if floor else "a current one"
    too_old = any(
        driver_serves(scene.target, cuda, scene.catalog.hardware).refused
        for _, cuda in subject.cuda_frameworks
    )
    inside = subject.scene.nvml_refuses
    if subject.driver_works and not too_old:
        served = tuple(of_framework(item) for item, _ in subject.cuda_frameworks)
        title = f"The driver of Windows, {scene.driver}, {'serves what is installed' if served else 'works'}"
        yield right("windows-driver", title, (*of_driver(scene), *served))
    elif scene.driver is None or inside or isinstance(scene.target.driver, Unknown):
        why = (
            f"It has to be {words}: {DOWNLOADS}, `Game Ready` or `Studio` for GeForce. Nothing is "
            "installed inside."
        )
        yield ask("windows-driver", "See the driver of Windows", why, ("nvidia-smi",), place="windows")
    else:
        yield needed(
            "windows-driver",
            f"Install a newer driver on the Windows side ({DOWNLOADS}): {words}",
            f"Here is {scene.driver}; inside WSL programs use the driver of Windows.",
            (RESTART_WSL,),
            place="windows",
            evidence=of_driver(scene),
            check=("nvidia-smi",),
            sign=f"Driver Version {floor} or newer" if floor else "a table with the GPU",
            undo_words="Device Manager, display adapter, Driver, `Roll Back Driver`",
        )


def memory_step(subject: Subject) -> NoteStep:
    """How much of the memory WSL gets, for exactly this RAM."""
    size = subject.scene.machine.system.memory_bytes
    share = float(subject.bound("wsl-memory-share") or 0.5)
    inside = subject.scene.in_wsl
    if isinstance(size, Unknown):
        why = f"WSL gets {share:.0%} of the memory unless `.wslconfig` says otherwise; the number decides."
        return ask("wsl-memory", "See how much memory Windows has, in bytes", why, (RAM,), place="windows")
    whole = round(size / share) if inside else size
    gives, swap = _split(subject, whole)
    seen = of_system("memory inside WSL" if inside else "memory of Windows", f"{size / GIB:.1f} GiB")
    assumed = f"Windows has {round(whole / GIB)} GiB (`{RAM}` says it)" if inside else ""
    return optional(
        "wsl-memory",
        f"Give WSL {gives} GB of the memory, and {swap} GB of swap",
        f"WSL gets {share:.0%} of the memory by default. Loading models takes more than that for a "
        "moment, and "
        "the kernel then ends the program with `Killed`. Keep what else is in the file.",
        only_if=assumed,
        place="windows",
        evidence=(seen,),
        commands=('notepad "$env:USERPROFILE\\.wslconfig"', RESTART_WSL),
        file="%UserProfile%\\.wslconfig",
        lines=("[wsl2]", f"memory={gives}GB", f"swap={swap}GB"),
        check=("free -h",),
        sign=f"nearly {gives} GiB in the row `Mem`",
        undo_words="take the two lines out of the file, then `wsl --shutdown`",
        sources=subject.sources("wsl-config"),
    )


def _split(subject: Subject, whole: int) -> tuple[int, int]:
    """Three quarters for WSL, and at least 4 GiB for Windows; swap by the share of the facts. In GiB."""
    gives = max(1, int(min(whole * 3 // 4, max(whole - _LEFT, whole // 2)) // GIB))
    swap = max(1, round(whole * float(subject.bound("wsl-swap-share") or 0.25) / GIB))
    return gives, swap
