"""How two builds fall out with each other: for each joint rule the sentence, and its source."""

from __future__ import annotations

from collections.abc import Callable

from dlsetup.resolve.companions import FILES_RULE, PINS_RULE
from dlsetup.resolve.pieces import BuildChoice
from dlsetup.resolve.question import FAMILY_RULE, VARIANT_RULE, Question
from dlsetup.rules.kernels import name_of
from dlsetup.rules.libraries import files_apart, pins_agree

Quarrel = tuple[str, str] | None


def _families(question: Question, one: BuildChoice, other: BuildChoice) -> Quarrel:
    if one.build.cuda is None or other.build.cuda is None or one.build.cuda.major == other.build.cuda.major:
        return None
    brings = " and ".join(f"{name_of(item.build)} brings CUDA {item.build.cuda}" for item in (one, other))
    return f"{brings}, and one environment holds one CUDA family", ""


def _variants(question: Question, one: BuildChoice, other: BuildChoice) -> Quarrel:
    families = {question.frameworks[item.key].family for item in (one, other)}
    pairs = {(item.build.variant, item.build.index) for item in (one, other) if item.build.variant != "any"}
    if len(families) > 1 or not all(families) or len(pairs) < 2:
        return None
    return f"{name_of(one.build)} and {name_of(other.build)} are not of one variant and index", ""


def _pins(question: Question, one: BuildChoice, other: BuildChoice) -> Quarrel:
    for first, second in ((one, other), (other, one)):
        asked = question.companions.specifiers(first.build, first.interpreter).get(second.key)
        version = second.build.version
        if asked is not None and not asked.contains(version, prereleases=True):
            return f"{name_of(first.build)} asks for {second.key}{asked}, not {version}", ""
    verdict = pins_agree(one.build, other.build, one.interpreter, question.target, question.catalog)
    return (verdict.because, next(iter(verdict.sources), "")) if verdict.refused else None


def _files(question: Question, one: BuildChoice, other: BuildChoice) -> Quarrel:
    mine, yours = (question.companions.specifiers(item.build, item.interpreter) for item in (one, other))
    verdict = files_apart(mine, yours, question.catalog)
    if not verdict.refused:
        return None
    names = f"{name_of(one.build)} and {name_of(other.build)}"
    return f"{names} do not go together: {verdict.because}", next(iter(verdict.sources), "")


def asked_of_others(question: Question, choice: BuildChoice) -> str:
    """What a build asks of frameworks that it brings along: `keras 2.15.0 (any) asks for tensorflow<2.16`."""
    asked = question.companions.specifiers(choice.build, choice.interpreter)
    others = [f"{name}{asked[name]}" for name in sorted(asked.keys() & question.frameworks.keys())]
    return f"{name_of(choice.build)} asks for {' and '.join(others)}" if others else ""


QUARRELS: dict[str, Callable[[Question, BuildChoice, BuildChoice], Quarrel]] = {
    FAMILY_RULE: _families,
    VARIANT_RULE: _variants,
    PINS_RULE: _pins,
    FILES_RULE: _files,
}
