"""What a rule of a core says of the builds that the core speaks of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from packaging.version import Version

from dlsetup.model.framework import Accelerator
from dlsetup.model.wish import WITHOUT_CUDA
from dlsetup.resolve.pieces import PYTHON, Choice, Refusal
from dlsetup.resolve.question import Question
from dlsetup.resolve.refusals import of_line
from dlsetup.resolve.requirements import names_asked
from dlsetup.rules.gpus import DEVICES
from dlsetup.rules.kernels import VENDOR_OF

Core = frozenset[str]
DEVICE_WORDS: dict[Accelerator, str] = {
    "directml": "DirectML",
    "cpu": "the CPU",
    **{accelerator: f"{DEVICES[vendor]}s" for accelerator, vendor in VENDOR_OF.items()},
}
KEEPS_GPU = "a CPU build is not taken in place of a GPU build unless `--cpu` or `--allow-cpu` says so"
_OF_PYTHON = frozenset({"wish python", "fact pythons", "fact platform", "fact libc"})
"""Where one of these is in a core, a rule about wheels speaks of it and not of two frameworks."""


def named(framework: str) -> set[str]:
    """The clauses by which a core names a framework."""
    return {f"wish {framework}", f"bound {framework}"}


def of_devices(question: Question, core: Core) -> str:
    """That frameworks have no build for the device at all, or else that another is not taken unasked."""
    wish, devices = question.wish, question.devices
    kind = DEVICE_WORDS[devices.accelerator]
    if devices.clause == "wish cuda" and wish.cuda != WITHOUT_CUDA:
        kind = f"CUDA {wish.cuda}"
    asked = [name for name in question.wanted if core & named(name)]
    lacking = [
        name
        for name in dict.fromkeys(item for name in asked for item in _computing(question, name))
        if not any(
            devices.prefers(build) and (wish.cuda is None or of_line(build, wish.cuda))
            for build in question.frameworks[name].builds
        )
    ]
    if not lacking:
        return KEEPS_GPU
    missing = f"the catalog has no build of {' or '.join(lacking)} for {kind}"
    return missing if devices.accelerator == "cpu" else f"{missing}, and {KEEPS_GPU}"


def _computing(question: Question, name: str) -> list[str]:
    """The framework itself; in place of one that is the same for every device those that it asks for."""
    framework = question.frameworks[name]
    if any(build.variant != "any" for build in framework.builds):
        return [name]
    asked = names_asked(framework)
    return [item for item in question.frameworks if item in asked]


def pythons_apart(question: Question, core: Core) -> str:
    """Which Pythons each framework of the core has wheels for, where none has them for all; else nothing."""
    names = [name for name in question.wanted if core & named(name)]
    if len(names) < 2 or core & _OF_PYTHON:
        return ""
    pythons = {name: _pythons_of(question, name, core) for name in names}
    if not all(pythons.values()) or set.intersection(*map(set, pythons.values())):
        return ""
    asked = {name: question.wanted[name].text or name for name in names}
    return " and ".join(f"{asked[name]} has wheels for Python {_listed(pythons[name])}" for name in names)


def refused_within(
    question: Question, choices: Iterable[Choice], core: Core
) -> Iterator[tuple[Choice, Refusal]]:
    """The refusals of these choices that rest on nothing outside the core."""
    for choice in choices:
        for refusal in question.refusals(choice):
            if refusal.clauses <= core:
                yield choice, refusal


def nearest(question: Question, core: Core) -> Iterator[tuple[Choice, Refusal]]:
    """Refusals of builds that the core names, on a Python that it admits, with nothing else against them."""
    admitted = {choice.facets["python"] for choice in _within(question, PYTHON, core)}
    for name in question.wanted:
        if core & named(name):
            for choice in question.choices(name):
                refusals = list(question.refusals(choice))
                if choice.facets["python"] in admitted and all(item.clauses <= core for item in refusals):
                    yield from ((choice, refusal) for refusal in refusals)


def _within(question: Question, key: str, core: Core) -> Iterator[Choice]:
    """The choices that nothing in the core forbids."""
    for choice in question.choices(key):
        if not any(refusal.clauses <= core for refusal in question.refusals(choice)):
            yield choice


def _pythons_of(question: Question, name: str, core: Core) -> list[str]:
    found = {str(choice.facets["python"]) for choice in _within(question, name, core)}
    return sorted(found, key=lambda python: Version(python.rstrip("t")))


def _listed(words: list[str]) -> str:
    return ", ".join(words[:-1]) + " or " * (len(words) > 1) + words[-1]
