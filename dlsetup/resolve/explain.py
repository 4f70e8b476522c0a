"""A core of clauses in sentences, read off the plan that each clause alone stands against."""

from __future__ import annotations

from itertools import chain, combinations

from msgspec.structs import replace
from packaging.version import Version

from dlsetup.model.machine import Libc
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.resolution import Clause
from dlsetup.model.wish import WITHOUT_CUDA
from dlsetup.resolve.choose import best_while
from dlsetup.resolve.companions import PINS_RULE
from dlsetup.resolve.pieces import PYTHON, BuildChoice, Choice, Force, Refusal
from dlsetup.resolve.pythons import SPECIAL, USUAL
from dlsetup.resolve.quarrels import QUARRELS, asked_of_others
from dlsetup.resolve.question import Question
from dlsetup.resolve.reasons import picked
from dlsetup.resolve.refusals import DRIVER_RULE, GPU_RULE, KERNELS_RULE, WHEEL_RULE, specifier_admits
from dlsetup.resolve.rule_words import named, nearest, of_devices, pythons_apart, refused_within
from dlsetup.resolve.search import Settled
from dlsetup.resolve.shapes import SHAPES, shape_words
from dlsetup.resolve.words import python_words
from dlsetup.rules.kernels import name_of
from dlsetup.rules.wheels import platform_of

_ORDER = ("wish", "bound", *SHAPES, "package", "fact", "gpu", "rule")


def clauses_of(question: Question, core: frozenset[str]) -> tuple[Clause, ...]:
    """The core in words: what is asked for, what is so, and the rules that forbid it."""
    kept = [clause for clause in core if not _said_by_another(clause, core)]
    kept.sort(key=lambda clause: (_ORDER.index(clause.partition(" ")[0]), clause))
    return tuple(_clause(question, clause, core) for clause in kept)


def _said_by_another(clause: str, core: frozenset[str]) -> bool:
    """`torch==2.15.0` says already that torch is asked for, and each GPU that there is one."""
    if clause == "fact gpus":
        return any(other.startswith("gpu ") for other in core)
    kind, _, name = clause.partition(" ")
    return kind == "wish" and any(f"{other} {name}" in core for other in ("bound", *SHAPES))


def _clause(question: Question, clause: str, core: frozenset[str]) -> Clause:
    kind, _, name = clause.partition(" ")
    if kind in ("wish", "bound"):
        return Clause(kind="wish", text=wish_of(question, kind, name))
    if kind == "package" or kind in SHAPES:
        return Clause(kind="wish", text=shape_words(question, kind, name))
    if kind in ("fact", "gpu"):
        return Clause(kind="fact", text=fact_of(question, clause))
    text, source = _rule(question, clause, core)
    return Clause(kind="rule", text=text, source=source)


def wish_of(question: Question, kind: str, name: str) -> str:
    """What is asked for, as a sentence: of `wish torch` the kind is `wish` and the name `torch`."""
    wish = question.wish
    if name == "python":
        return f"Python {python_words(wish.python)} is asked for{_no_such_python(question)}"
    if name == "cuda":
        return (
            "builds without CUDA are asked for"
            if wish.cuda == WITHOUT_CUDA
            else f"CUDA {wish.cuda} is asked for"
        )
    if name == "accelerator":
        return f"builds for {wish.accelerator} are asked for"
    wanted = question.wanted.get(name)
    if not question.frameworks[name].builds:
        return (
            f"{name} is asked for, and the catalog has no build of it "
            f"(`dlsetup catalog refresh {name}` asks the package index for its releases)"
        )
    if wanted is None or kind == "wish":
        return f"{name} is asked for"
    asked = f"{wanted.text or f'{name}{wanted.specifier}'} is asked for"
    builds = question.frameworks[name].builds
    if any(specifier_admits(wanted.specifier, build) for build in builds):
        return asked
    known = [build.version for build in builds if not build.prerelease] or [item.version for item in builds]
    return f"{asked}, and the catalog has no such release: it has {min(known)} to {max(known)}"


def _no_such_python(question: Question) -> str:
    """What is known, where no Python that anybody knows is one of those asked for."""
    against = [list(question.refusals(choice)) for choice in question.choices(PYTHON)]
    if not all(any("wish python" in refusal.clauses for refusal in refusals) for refusals in against):
        return ""
    known = sorted(map(Version, (*USUAL, *SPECIAL)))
    return f", and the Pythons known are {known[0]} to {known[-1]}"


def fact_of(question: Question, clause: str) -> str:
    """What is so of the target, as a sentence."""
    target = question.target
    name = target.name
    if clause.startswith("gpu "):
        return f"{name} has {clause.removeprefix('gpu ')}"
    if clause == "fact driver":
        return _driver(question)
    if clause == "fact platform":
        return f"{name} runs {platform_of(replace(target, libc=UNKNOWN, release=UNKNOWN))}"
    if clause == "fact libc" and isinstance(target.libc, Libc):
        return f"{name} has {target.libc.name} {target.libc.version}"
    if clause == "fact libc":
        return f"{name} runs macOS {target.release}"
    if clause == "fact pythons" and not isinstance(target.pythons, Unknown):
        found = {(item.version, item.free_threaded) for item in target.pythons}
        versions = " and ".join(f"{version}{'t' * threads}" for version, threads in sorted(found))
        return f"{name} has Python {versions} only" if versions else f"{name} has no Python"
    return question.devices.because or f"a GPU of {name} is to be used"


def _driver(question: Question) -> str:
    target = question.target
    if target.driver is None:
        return f"{target.name} has no NVIDIA driver"
    if isinstance(target.driver, Unknown):
        return f"the driver of {target.name} knows CUDA up to {target.cuda_ceiling}"
    return f"{target.name} has NVIDIA driver {target.driver}"


def _rule(question: Question, clause: str, core: frozenset[str]) -> tuple[str, str]:
    """The rule as it meets the plans that would stand without it, and its source."""
    if clause == GPU_RULE:
        return of_devices(question, core), ""
    if clause == WHEEL_RULE and (apart := pythons_apart(question, core)):
        return apart, ""
    gpus = [other for other in sorted(core) if other.startswith("gpu ")] if clause == KERNELS_RULE else []
    told: dict[str, str] = {}
    for taken in gpus or [clause]:
        against = _standing(question, taken, core)
        text, source = _against(question, {clause, taken}, against, core)
        told.setdefault(text, source)
    return ", and ".join(told), next(filter(None, told.values()), "")


def _standing(question: Question, taken: str, core: frozenset[str]) -> Settled:
    """The plan that would stand without one clause, if possible with all that lies outside the core."""
    everything = best_while(question, Force(without=frozenset({taken})))
    return everything or best_while(question, Force(only=core - {taken})) or {}


def _against(
    question: Question, clauses: set[str], against: Settled, core: frozenset[str]
) -> tuple[str, str]:
    """What the rule says of the plan that stands without one of the clauses, first of what is in the core."""
    choices = sorted(picked(question, against), key=lambda choice: not core & named(choice.key))
    for one, other in combinations(choices, 2):
        for rule in sorted(clauses & QUARRELS.keys()):
            quarrel = QUARRELS[rule](question, one, other)
            if quarrel is not None:
                return quarrel
    candidates = [*choices, *against.values()]
    for choice, refusal in chain(refused_within(question, candidates, core), nearest(question, core)):
        if clauses <= refusal.clauses:
            return _link(choice, refusal) + refusal.because, next(iter(refusal.sources), "")
    asking = (asked_of_others(question, choice) for choice in choices) if PINS_RULE in clauses else ()
    return next(filter(None, asking), f"the rule `{min(clauses)}` forbids it"), ""


def _link(choice: Choice, refusal: Refusal) -> str:
    """What the build has to do with the CUDA that the rule speaks of, where it does not speak of a GPU."""
    of_gpu = any(clause.startswith("gpu ") for clause in refusal.clauses)
    driven = DRIVER_RULE in refusal.clauses and not of_gpu
    if driven and isinstance(choice, BuildChoice) and choice.build.cuda is not None:
        return f"{name_of(choice.build)} is made with CUDA {choice.build.cuda}, and "
    return ""
