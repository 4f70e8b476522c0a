"""A core of clauses in sentences, read off the plan that each clause alone stands against."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from msgspec.structs import replace

from dlsetup.model.machine import Libc
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.resolution import Clause
from dlsetup.resolve.companions import FILES_RULE, PINS_RULE
from dlsetup.resolve.pieces import BuildChoice, Force
from dlsetup.resolve.question import FAMILY_RULE, VARIANT_RULE, Question
from dlsetup.resolve.reasons import picked
from dlsetup.resolve.refusals import DRIVER_RULE, GPU_RULE, KERNELS_RULE
from dlsetup.resolve.search import Settled, settle
from dlsetup.resolve.words import python_words
from dlsetup.rules.kernels import name_of
from dlsetup.rules.libraries import files_apart, pins_agree
from dlsetup.rules.wheels import platform_of

_ORDER = ("wish", "bound", "fact", "gpu", "rule")


def clauses_of(question: Question, core: frozenset[str]) -> tuple[Clause, ...]:
    """The core in words: what is asked for, what is so, and the rules that forbid it."""
    kept = [clause for clause in core if not _said_by_another(clause, core)]
    kept.sort(key=lambda clause: (_ORDER.index(clause.partition(" ")[0]), clause))
    return tuple(_clause(question, clause, core) for clause in kept)


def _said_by_another(clause: str, core: frozenset[str]) -> bool:
    """`torch==2.15.0` says already that torch is asked for, and each GPU that there is one."""
    if clause == "fact gpus":
        return any(other.startswith("gpu ") for other in core)
    return clause.startswith("wish ") and f"bound {clause.removeprefix('wish ')}" in core


def _clause(question: Question, clause: str, core: frozenset[str]) -> Clause:
    kind, _, name = clause.partition(" ")
    if kind in ("wish", "bound"):
        return Clause(kind="wish", text=_wish(question, kind, name))
    if kind in ("fact", "gpu"):
        return Clause(kind="fact", text=_fact(question, clause))
    text, source = _rule(question, clause, core)
    return Clause(kind="rule", text=text, source=source)


def _wish(question: Question, kind: str, name: str) -> str:
    wish = question.wish
    if name == "python":
        return f"Python {python_words(wish.python)} is asked for"
    if name == "cuda":
        return f"CUDA {wish.cuda} is asked for"
    if name == "accelerator":
        return f"builds for {wish.accelerator} are asked for"
    wanted = question.wanted.get(name)
    bound = wanted.text or f"{name}{wanted.specifier}" if wanted and kind == "bound" else name
    return f"{bound} is asked for"


def _fact(question: Question, clause: str) -> str:
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
        versions = sorted({item.version for item in target.pythons})
        return (
            f"{name} has Python {' and '.join(map(str, versions))} only"
            if versions
            else f"{name} has no Python"
        )
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
        return "a CPU build is not taken in place of a GPU build unless `--cpu` or `--allow-cpu` says so", ""
    gpus = [other for other in sorted(core) if other.startswith("gpu ")] if clause == KERNELS_RULE else []
    told: dict[str, str] = {}
    for taken in gpus or [clause]:
        against = _standing(question, taken, core)
        text, source = _against(question, {clause, taken}, against)
        told.setdefault(text, source)
    return ", and ".join(told), next(filter(None, told.values()), "")


def _standing(question: Question, taken: str, core: frozenset[str]) -> Settled:
    """The plan that would stand without one clause, if possible with all that lies outside the core."""
    everything = settle(question, Force(without=frozenset({taken})))
    return everything or settle(question, Force(only=core - {taken})) or {}


def _against(question: Question, clauses: set[str], against: Settled) -> tuple[str, str]:
    """What the rule says of the plan that stands without one of the clauses."""
    choices = picked(question, against)
    for rule in sorted(clauses):
        joint = next(_joint(question, rule, choices), None)
        if joint is not None:
            return joint
    for choice in (*choices, *against.values()):
        for refusal in question.refusals(choice):
            if clauses <= refusal.clauses:
                source = next(iter(refusal.sources), "")
                return _link(choice, clauses) + refusal.because, source
    return f"the rule `{min(clauses)}` forbids it", ""


def _link(choice: object, clauses: set[str]) -> str:
    """What the build has to do with the CUDA that the rule speaks of."""
    if DRIVER_RULE in clauses and isinstance(choice, BuildChoice) and choice.build.cuda is not None:
        return f"{name_of(choice.build)} is made with CUDA {choice.build.cuda}, and "
    return ""


def _joint(question: Question, clause: str, choices: list[BuildChoice]) -> Iterator[tuple[str, str]]:
    """How two builds of the plan fall out with each other over a rule."""
    for one, other in combinations(choices, 2):
        if (
            clause == FAMILY_RULE
            and one.facets["family"]
            and other.facets["family"] not in (0, one.facets["family"])
        ):
            yield _families(one, other), ""
        if clause == VARIANT_RULE and _of_one_family(question, one, other) and _apart(one, other):
            text = f"{name_of(one.build)} and {name_of(other.build)} are not of one variant and index"
            yield text, ""
        if clause == PINS_RULE:
            yield from _pins(question, one, other)
        if clause == FILES_RULE:
            mine, yours = (
                question.companions.specifiers(item.build, item.interpreter) for item in (one, other)
            )
            verdict = files_apart(mine, yours, question.catalog.hardware)
            if verdict.refused:
                yield (
                    f"{name_of(one.build)} and {name_of(other.build)}: {verdict.because}",
                    verdict.sources[0],
                )


def _families(one: BuildChoice, other: BuildChoice) -> str:
    brings = " and ".join(f"{name_of(item.build)} brings CUDA {item.build.cuda}" for item in (one, other))
    return f"{brings}, and one environment holds one CUDA family"


def _pins(question: Question, one: BuildChoice, other: BuildChoice) -> Iterator[tuple[str, str]]:
    for first, second in ((one, other), (other, one)):
        asked = question.companions.specifiers(first.build, first.interpreter).get(second.key)
        if asked is not None and not asked.contains(second.build.version, prereleases=True):
            build = second.build
            yield f"{name_of(first.build)} asks for {second.key}{asked}, not {build.version}", ""
    verdict = pins_agree(one.build, other.build, one.interpreter, question.target, question.catalog)
    if verdict.refused:
        yield verdict.because, next(iter(verdict.sources), "")


def _of_one_family(question: Question, one: BuildChoice, other: BuildChoice) -> bool:
    families = [question.frameworks[item.key].family for item in (one, other)]
    return bool(families[0]) and families[0] == families[1]


def _apart(one: BuildChoice, other: BuildChoice) -> bool:
    pairs = {(item.build.variant, item.build.index) for item in (one, other) if item.build.variant != "any"}
    return len(pairs) > 1
