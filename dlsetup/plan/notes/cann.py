"""CANN, the toolkit of Ascend NPUs: whether it is there, of which release, and how it is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.evidence import of_package
from dlsetup.judge.installers import version_of
from dlsetup.model.finding import Evidence
from dlsetup.model.note import NoteStep
from dlsetup.model.note_facts import CannFiles
from dlsetup.model.record import Record, Unknown
from dlsetup.plan.notes.steps import ask, needed, right
from dlsetup.plan.notes.subject import Subject

ASK = "cat /usr/local/Ascend/ascend-toolkit/latest/version.cfg"
_CHIP = re.compile(r"(?:ascend[ _-]?)(\d{3})([a-z]?)", re.IGNORECASE)


class CannSeen(Record, frozen=True, kw_only=True):
    """A CANN that is installed."""

    version: str
    evidence: Evidence


def cann_seen(subject: Subject) -> CannSeen | None:
    """The CANN among the packages of the system; its own installer leaves none there."""
    package = subject.package("ascend-cann", "Ascend-cann", "cann")
    return CannSeen(version=package.version, evidence=of_package(package)) if package else None


def cann_steps(subject: Subject, seen: CannSeen | None, wanted: str) -> Iterator[NoteStep]:
    """What is there; the installers of the release that the framework wants."""
    if seen is not None and (not wanted or version_of(seen.version) == version_of(wanted)):
        yield right("cann", f"CANN {seen.version} is installed", [seen.evidence])
        return
    named = f" It has to be {wanted}." if wanted else ""
    if seen is None:
        why = f"CANN has the libraries that frameworks for Ascend load.{named}"
        yield ask(
            "cann",
            "See whether CANN is there, and which",
            why,
            (ASK, "cat /usr/local/Ascend/cann/*-linux/ascend_toolkit_install.info"),
        )
    row = _files(subject, wanted)
    if not wanted or row is None:
        return
    files = tuple(_named(subject, file, wanted) for file in row.files)
    yield needed(
        "cann-install",
        f"Install CANN {wanted}: toolkit, then operators",
        "Download the two files from https://www.hiascend.com/software/cann, for exactly this "
        "processor and chip.",
        tuple(text for file in files for text in (f"chmod +x {file}", f"sudo ./{file} --install")),
        only_if="" if seen else f"the step before shows none, or another one than {wanted}",
        evidence=(seen.evidence,) if seen else (),
        check=(ASK,),
        sign=wanted,
        undo=tuple(f"sudo ./{file} --uninstall" for file in reversed(files)),
        sources=subject.sources(row.source),
    )


def _files(subject: Subject, wanted: str) -> CannFiles | None:
    version = version_of(wanted) if wanted else None
    return next((row for row in subject.facts.cann_files if version and row.holds_for(version)), None)


def _named(subject: Subject, file: str, wanted: str) -> str:
    """The file's name; what is unknown stands in capitals, which no file has."""
    arch = subject.scene.target.arch
    chips = (_CHIP.search(f"{gpu.arch} {gpu.name}") for gpu in subject.scene.gpus("ascend"))
    chip = next((f"{found[1]}{found[2]}".lower() for found in chips if found), "CHIP")
    words = {"cann": wanted, "arch": "ARCH" if isinstance(arch, Unknown) else arch, "chip": chip}
    for name, value in words.items():
        file = file.replace(f"{{{name}}}", re.sub(r"[^\w.+-]", "_", value))
    return file
