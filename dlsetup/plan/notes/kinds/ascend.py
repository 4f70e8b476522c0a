"""Huawei's Ascend NPUs: driver, firmware, CANN, and the framework that goes with it."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.evidence import of_framework, of_gpus
from dlsetup.judge.installers import version_of
from dlsetup.judge.scene import Installed
from dlsetup.model.hardware import AscendPair
from dlsetup.model.note import NoteStep, NotOfKind
from dlsetup.plan.notes.cann import CannSeen, cann_seen, cann_steps
from dlsetup.plan.notes.registry import Kind
from dlsetup.plan.notes.steps import ask, needed, optional, refuse, right
from dlsetup.plan.notes.subject import Subject

NAME = "ascend"
FRAMEWORKS = ("torch-npu", "mindspore")
CHECKS = {
    "mindspore": "python -c \"import mindspore as m; m.set_context(device_target='Ascend'); m.run_check()\"",
    "torch-npu": 'python -c "import torch, torch_npu; print(torch.npu.is_available())"',
}
SIGNS = {"mindspore": "`MindSpore has been installed on platform [Ascend] successfully`", "torch-npu": "True"}
ENVIRONMENT = "/usr/local/Ascend/ascend-toolkit/set_env.sh"


def concerns(subject: Subject) -> NotOfKind | None:
    """An NPU, or CANN."""
    if subject.scene.gpus("ascend") or cann_seen(subject) or subject.scene.framework("torch-npu"):
        return None
    if subject.scene.messages("mindspore-ascend-library-missing"):
        return None
    return refuse(
        NAME, "no Ascend NPU is known here", "lspci -nn | grep -i -e ascend -e 19e5", "npu-smi info"
    )


def steps(subject: Subject) -> Iterator[NoteStep]:
    """From the hardware up: driver and firmware, groups, CANN, its environment, the framework."""
    framework = _framework(subject)
    seen = cann_seen(subject)
    wanted = _wanted(subject, framework, seen)
    yield from _driver(subject, wanted)
    if not subject.scene.in_container:
        yield _group()
    yield from cann_steps(subject, seen, wanted)
    yield _environment()
    yield from _pair(subject, framework, seen)


def _framework(subject: Subject) -> Installed | None:
    found = (subject.scene.framework(name) for name in FRAMEWORKS)
    return next((item for item in found if item), None)


def _row(subject: Subject, framework: Installed | None) -> AscendPair | None:
    """The row of the installed release, else of its minor line."""
    if framework is None:
        return None
    version, name = framework.distribution.version, framework.distribution.name
    rows = [row for row in subject.scene.catalog.hardware.ascend if row.distribution == name]
    exact = [row for row in rows if row.version == version]
    base = [row for row in rows if row.version.base_version == version.base_version]
    return next(iter(exact or base), None)


def _wanted(subject: Subject, framework: Installed | None, seen: CannSeen | None) -> str:
    """The CANN that the framework is built against; else the one that is there; else the newest known."""
    row = _row(subject, framework)
    if row is not None:
        return row.cann
    if seen is not None:
        return seen.version
    if framework is not None:
        return ""
    return next((item.cann for item in subject.facts.ascend_drivers), "")


def _driver(subject: Subject, cann: str) -> Iterator[NoteStep]:
    npus = subject.scene.gpus("ascend")
    rows = [row for row in subject.facts.ascend_drivers if row.cann == cann]
    goes = f" CANN {cann} goes with HDK {', '.join(rows[0].hdk)}." if rows else ""
    sources = subject.sources(rows[0].source) if rows else ()
    if any("davinci" in gpu.found_via for gpu in npus):
        yield right("driver", "The driver of the NPU is loaded", of_gpus(subject.scene, npus))
        why = (
            "`Version` in the first line is the driver's; the second command tells the firmware and "
            f"whether both fit.{goes}"
        )
        commands = ("npu-smi info", "npu-smi info -t board -i 0")
        yield ask("versions", "See the releases of driver and firmware", why, commands, sources=sources)
        return
    why = (
        f"There is no /dev/davinci0.{goes} Install the driver first, then the firmware, both as root, from "
        "https://www.hiascend.com/hardware/firmware-drivers for exactly this card: "
        "`./Ascend-hdk-TYPE-npu-driver_VERSION_linux-ARCH.run --full --install-for-all`, then "
        "`./Ascend-hdk-TYPE-npu-firmware_VERSION.run --full`; restart."
    )
    yield ask("driver", "See whether driver and firmware are there", why, ("npu-smi info",), sources=sources)


def _group() -> NoteStep:
    return needed(
        "group",
        "Let this user compute: group `HwHiAiUser`",
        "/dev/davinci* belongs to the group of the user that the driver was installed for.",
        ('sudo usermod -a -G HwHiAiUser "$(id -un)"',),
        only_if="`id -nG` does not list it, and `ls -l /dev/davinci0` does",
        check=("id -nG", "npu-smi info"),
        sign="the group, and a table with the NPUs",
        after="a new login",
        undo=('sudo gpasswd -d "$(id -un)" HwHiAiUser',),
    )


def _environment() -> NoteStep:
    return needed(
        "environment",
        "Let the shell find CANN",
        "Programs find its libraries through variables that this file sets; each new shell needs them.",
        (f". {ENVIRONMENT}",),
        place="shell",
        only_if="`printenv ASCEND_HOME_PATH` prints nothing; what a user installed lies in `$HOME/Ascend`",
        check=("printenv ASCEND_HOME_PATH",),
        sign="the folder of CANN",
        undo_words="open another shell",
    )


def _pair(subject: Subject, framework: Installed | None, seen: CannSeen | None) -> Iterator[NoteStep]:
    """Framework and CANN go by pairs."""
    if framework is None:
        yield from _choices(subject, seen)
        return
    name, row = framework.distribution.name, _row(subject, framework)
    check, sign = (CHECKS[name],), SIGNS[name]
    evidence = (of_framework(framework), *((seen.evidence,) if seen else ()))
    if row is None:
        why = f"No row of the catalog names the CANN of {framework.title}: its release notes do."
        yield ask("pair", "Find the CANN of this release", why, check, evidence=evidence)
        return
    sources = subject.scene.sources((row.source,))
    if seen is not None and version_of(seen.version) != version_of(row.cann):
        others = [item for item in subject.scene.catalog.hardware.ascend if item.distribution == name]
        fitting = next((item for item in others if version_of(item.cann) == version_of(seen.version)), None)
        instead = f" {name} {fitting.version} goes with CANN {seen.version}." if fitting else ""
        yield needed(
            "pair",
            f"Bring {framework.title} and CANN together",
            f"{framework.title} is built against CANN {row.cann}, and {seen.version} is here.{instead}",
            place="screen",
            evidence=evidence,
            check=check,
            sign=sign,
            sources=sources,
        )
        return
    title = f"{framework.title} goes with CANN {row.cann}"
    yield right("pair", title, evidence, check=check, sign=sign, sources=sources)


def _choices(subject: Subject, seen: CannSeen | None) -> Iterator[NoteStep]:
    rows = [
        row
        for row in subject.scene.catalog.hardware.ascend
        if seen and version_of(row.cann) == version_of(seen.version)
    ]
    words = ", ".join(f"{row.distribution} {row.version}" for row in rows)
    known = (
        f"With CANN {seen.version} go {words}."
        if seen and rows
        else "`dlsetup catalog show ascend` lists the pairs."
    )
    yield optional(
        "pair",
        "Choose a framework that goes with the CANN",
        known,
        place="screen",
        only_if="none is installed yet",
    )


KIND = Kind(name=NAME, title="Huawei Ascend NPUs", concerns=concerns, steps=steps)
