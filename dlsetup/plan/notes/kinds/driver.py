"""The NVIDIA driver of a Linux or Windows machine: what is right, what is missing, in which order."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.checks.dkms import not_built
from dlsetup.judge.checks.driver_packages import packages_of_two_branches
from dlsetup.judge.checks.kernel_module import driver_halves_differ, module_not_loaded
from dlsetup.judge.driver_ways import DOWNLOADS
from dlsetup.judge.evidence import of_driver, of_framework, of_gpus, of_package
from dlsetup.model.finding import Evidence
from dlsetup.model.note import NoteStep, NotOfKind
from dlsetup.model.record import Unknown
from dlsetup.model.versions import ComputeCapability
from dlsetup.plan.notes.driver_branch import (
    branch_for,
    ended,
    first_branch,
    floors,
    last_branch,
    wants_open,
)
from dlsetup.plan.notes.driver_hold import hold_steps
from dlsetup.plan.notes.driver_install import CHECK, SIGN, install_steps, planned_packages
from dlsetup.plan.notes.driver_obstacles import nouveau_step, secure_boot_steps
from dlsetup.plan.notes.registry import Kind
from dlsetup.plan.notes.steps import RESTART, ask, blocked, found_by, mending, needed, optional, refuse, right
from dlsetup.plan.notes.subject import Subject
from dlsetup.rules.driver import driver_drives, driver_serves

NAME = "driver"
LIST = "lspci -nn | grep -i nvidia"


def concerns(subject: Subject) -> NotOfKind | None:
    """A machine with an NVIDIA GPU that has a driver of its own."""
    scene = subject.scene
    if scene.target.os == "macos":
        return refuse(NAME, "there is no NVIDIA driver for macOS", "system_profiler SPDisplaysDataType")
    if scene.on_tegra is True:
        return refuse(NAME, "the driver of a Jetson is a part of JetPack", "dlsetup notes jetson")
    if scene.in_wsl:
        return refuse(NAME, "inside WSL the driver is the one of Windows", "dlsetup notes wsl")
    if scene.in_container:
        return refuse(
            NAME, "a container has the driver of its host", "dlsetup notes driver     (on the host)"
        )
    if not subject.nvidia and (scene.machine.driver is None or scene.machine.gpus == ()):
        return refuse(NAME, "no NVIDIA GPU and no driver of one are known here", LIST)
    return None


def steps(subject: Subject) -> Iterator[NoteStep]:
    """What is known of the GPUs first; then faults of what is there, or the way to a driver."""
    faults = () if subject.scene.target.os == "windows" else tuple(_faults(subject))
    restart = any(step.restarts for step in faults)
    yield from (step for step in _gpus(subject) if not restart or step.state != "ask")
    yield from _modules(subject)
    if subject.scene.target.os == "windows":
        yield from _windows(subject)
        return
    yield from faults
    if restart:
        yield from hold_steps(subject)
        return
    lacking = _lacking(subject)
    if lacking and subject.capabilities and None in (wants_open(subject), branch_for(subject)):
        return
    if lacking:
        yield from _installed(subject, lacking)
        return
    if not faults:
        yield from _well(subject)
    yield from hold_steps(subject)


def _gpus(subject: Subject) -> Iterator[NoteStep]:
    if not subject.nvidia:
        why = (
            "Its architecture decides about branch and modules: 470 is the last one for Kepler, 580 "
            "for Maxwell to Volta."
        )
        yield ask("gpu", "Find out which GPU it is", why, (LIST,))
        return
    last = last_branch(subject)
    words = f"; branch {last.branch} is the last one that drives all of them" if last else ""
    if not subject.capabilities:
        why = "Its architecture is not known, which decides about branch and modules."
        evidence = of_gpus(subject.scene, subject.nvidia)
        yield ask("gpu", "Find out which GPU it is", why, (LIST,), evidence=evidence)
        return
    yield right(
        "gpu",
        f"The GPUs are known{words}",
        of_gpus(subject.scene, subject.nvidia),
        sources=subject.sources(last.source) if last else (),
    )
    if subject.capabilities and branch_for(subject) is None:
        yield blocked("branch", "No branch of the driver serves all of this together", _clash(subject))


def _clash(subject: Subject) -> str:
    last = last_branch(subject)
    parts = [f"{title} needs driver {release} or newer" for title, _, release, _ in floors(subject)]
    parts += [f"the newest GPU needs branch {first_branch(subject.capabilities[-1], subject)} or newer"]
    old = (
        f"branch {last.branch} is the last one for the oldest GPU" if last else "no row drives the oldest GPU"
    )
    return f"{'; '.join(parts)}; {old}: take an older build of the framework, or the older GPU out."


def _modules(subject: Subject) -> Iterator[NoteStep]:
    """Open or proprietary kernel modules, as far as the GPUs leave a choice."""
    since, only = subject.bound("open-modules-since"), subject.bound("open-modules-only-since")
    if not subject.capabilities or subject.scene.target.os != "linux" or not since or not only:
        return
    opened = wants_open(subject)
    sources = subject.sources("open-kernel-modules")
    if opened is None:
        why = "The newest GPU runs with the open modules alone, the oldest with the proprietary ones alone."
        yield blocked("modules", "No kernel module drives both kinds of GPU", why, sources=sources)
        return
    closed = [item for item in subject.driver_packages if _is_closed(item.name)]
    if subject.capabilities[-1] >= ComputeCapability(only) and closed:
        yield needed(
            "modules",
            "Exchange the proprietary kernel modules for the open ones",
            "GPUs of Blackwell and newer run with the open modules alone.",
            evidence=tuple(map(of_package, closed)),
            place="screen",
            sign="`modinfo -F license nvidia` says `Dual MIT/GPL`",
            check=("modinfo -F license nvidia",),
            after="a restart",
            sources=sources,
        )
        return
    newest = subject.capabilities[-1] >= ComputeCapability(only)
    title = "These GPUs run with the open kernel modules, and with the proprietary ones"
    if newest or not opened:
        kind = "open" if opened else "proprietary"
        title = f"These GPUs run with the {kind} kernel modules alone"
    oldest = Evidence(fact="oldest GPU", value=subject.capabilities[0].sm, source="the GPUs")
    yield right("modules", title, [oldest], sources=sources)


def _is_closed(name: str) -> bool:
    """Packages that bring the proprietary module."""
    return name.startswith(("nvidia-dkms", "nvidia-kernel-dkms", "kmod-nvidia-latest")) and "open" not in name


def _windows(subject: Subject) -> Iterator[NoteStep]:
    lacking = _lacking(subject)
    if not lacking:
        yield from _well(subject)
        return
    yield needed(
        "driver",
        f"Install the driver from {DOWNLOADS}, and restart Windows",
        lacking,
        place="windows",
        check=CHECK,
        sign=SIGN,
        after="a restart",
        undo_words="Settings, Apps: uninstall `NVIDIA Graphics Driver`",
    )


def _faults(subject: Subject) -> Iterator[NoteStep]:
    """What the doctor finds of a driver that is there, in the order in which it is mended."""
    for check in (packages_of_two_branches, driver_halves_differ):
        for finding in found_by(check, subject.scene):
            yield mending(finding, check=CHECK, sign=SIGN)
            return
    driver = subject.driver
    if driver is None or driver.userland is None:
        return
    for check in (module_not_loaded, not_built):
        for finding in found_by(check, subject.scene):
            if subject.secure_boot is not True:
                yield from secure_boot_steps(subject)
            yield mending(finding, check=CHECK, sign=SIGN)
            return


def _lacking(subject: Subject) -> str:
    """Why a driver has to be installed; empty: none has to."""
    scene = subject.scene
    if isinstance(scene.machine.driver, Unknown) and isinstance(scene.target.driver, Unknown):
        return ""
    if scene.target.driver is None and (subject.driver is None or subject.driver.userland is None):
        return "There is an NVIDIA GPU here, and no driver of NVIDIA."
    if scene.driver is None:
        return ""
    hardware = scene.catalog.hardware
    for gpu in subject.nvidia:
        verdict = driver_drives(scene.target, gpu, hardware)
        if verdict.refused:
            return f"{verdict.because}, and here is {scene.driver}."
    for installed, cuda in subject.cuda_frameworks:
        verdict = driver_serves(scene.target, cuda, hardware)
        if verdict.refused:
            return f"{installed.title} is installed; {verdict.because}, and here is {scene.driver}."
    return ""


def _installed(subject: Subject, lacking: str) -> Iterator[NoteStep]:
    yield from install_steps(subject, lacking)
    yield from secure_boot_steps(subject)
    yield from hold_steps(subject, planned_packages(subject))
    yield RESTART
    if subject.driver is None and subject.bound_driver in ("", "nouveau"):
        yield nouveau_step(subject)


def _well(subject: Subject) -> Iterator[NoteStep]:
    if subject.scene.driver is None:
        why = "Its release decides which builds run here."
        yield ask("driver", "See whether there is a driver, and which", why, CHECK)
        return
    served = tuple(of_framework(item) for item, _ in subject.cuda_frameworks)
    words = " and serves what is installed" if served else ""
    title = f"The driver {subject.scene.driver} drives every GPU here{words}"
    yield right("driver", title, (*of_driver(subject.scene), *served))
    yield from _ended(subject, subject.scene.driver.major)


def _ended(subject: Subject, branch: int) -> Iterator[NoteStep]:
    """A branch that works and gets no repairs any more, where there is a later one for all GPUs."""
    over, best = ended(branch, subject), branch_for(subject)
    if not over or best is None or best.branch <= branch:
        return
    installing = [step for step in install_steps(subject, "") if step.id == "driver"]
    found = next(iter(installing), None)
    until = f", which is mended until {best.ends}" if isinstance(best.ends, str) else ""
    yield optional(
        "branch-ended",
        f"Move on to branch {best.branch}{until}",
        f"NVIDIA has stopped mending branch {branch} in {over}; what is installed runs with it all the same.",
        found.commands if found and found.state == "needed" else (),
        place="here" if found and found.commands else "screen",
        check=CHECK,
        sign=SIGN,
        after="a restart",
        undo_words=f"install the packages of branch {branch} again",
        sources=subject.scene.sources((best.source,)),
    )


KIND = Kind(name=NAME, title="The NVIDIA driver", concerns=concerns, steps=steps)
