"""Why this and not a newer one, in one sentence for each pick; what holds for the plan; what is not known."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.version import Version

from dlsetup.model.framework import Build
from dlsetup.model.record import Unknown
from dlsetup.model.target import Interpreter
from dlsetup.model.verdict import Verdict
from dlsetup.resolve.companions import FILES_RULE, PINS_RULE
from dlsetup.resolve.pieces import ALL, PYTHON, Ask, BuildChoice, Force, PythonChoice, Refusal, python_name
from dlsetup.resolve.preferred import reason_to_prefer
from dlsetup.resolve.question import FAMILY_RULE, VARIANT_RULE, Question
from dlsetup.resolve.refusals import GPU_RULE, LIBRARY_RULE, RELEASE_RULE
from dlsetup.resolve.search import Settled, settle
from dlsetup.resolve.sources import asks_for_cpu
from dlsetup.rules.driver import driver_serves
from dlsetup.rules.kernels import serves_every_gpu
from dlsetup.rules.wheels import has_wheel

NOT_FOR_GPU = "no build of it is for the GPU"
JOINT = (
    (frozenset({LIBRARY_RULE}), "the libraries it asks for do not support the GPU"),
    (frozenset({FAMILY_RULE, FILES_RULE}), "it would bring a second CUDA family"),
    (frozenset({FILES_RULE}), "its libraries would overwrite files of the rest"),
    (frozenset({"fact libc"}), "the libraries it asks for have no wheel for a system as old as the target"),
    (frozenset({"fact platform"}), "the libraries it asks for have no wheel for the target"),
    (frozenset({PINS_RULE}), "it asks for library versions that do not go with the rest"),
    (frozenset({VARIANT_RULE}), "it has no companions of the same variant"),
)


def picked(question: Question, settled: Settled) -> list[BuildChoice]:
    """The builds, in the order of the wish, then those that others brought along."""
    found = [settled[name] for name in question.frameworks if name in settled]
    return [choice for choice in found if isinstance(choice, BuildChoice)]


def interpreter_of(settled: Settled) -> Interpreter:
    """The Python that was settled on."""
    choice = settled[PYTHON]
    if not isinstance(choice, PythonChoice):
        raise TypeError(f"{choice} is no Python")
    return choice.interpreter


def pick_reason(question: Question, settled: Settled, choice: BuildChoice) -> str:
    """`newest release that fits; torch 2.15.0: CUDA 13 needs NVIDIA driver 580 or newer on Linux`."""
    build = choice.build
    role = (
        "" if build.framework in question.wanted else f"needed by {_needed_by(question, settled, choice)}; "
    )
    if (preferred := reason_to_prefer(question, choice)) is not None:
        reason, against = preferred
        return f"{role}{reason}{of_variant(build, question)}{'; ' * bool(against)}{against}"
    newer = next_newer(question, build)
    if newer is None:
        return f"{role}newest release{of_variant(build, question)}"
    why = why_not(question, settled, choice, newer)
    return f"{role}newest release that fits{of_variant(build, question)}; {build.framework} {newer}: {why}"


def plan_reasons(question: Question, settled: Settled) -> tuple[str, ...]:
    """Reasons that concern the plan as a whole."""
    return tuple(_plan_reasons(question, settled))


def plan_unknowns(question: Question, choices: list[BuildChoice]) -> tuple[str, ...]:
    """What could not be confirmed, each thing once."""
    found = [question.devices.unknown] if question.devices.unknown else []
    found += [_beyond(choice.build, question) for choice in choices if choice.build.beyond]
    for choice in choices:
        found += [verdict.because for verdict in _verdicts(question, choice) if verdict.answer == "unknown"]
    return tuple(dict.fromkeys(found))


def _beyond(build: Build, question: Question) -> str:
    known = question.frameworks[build.framework].known_to
    name = f"{build.framework} {build.version}"
    return f"{name} is newer than what the catalog was checked for ({known}): only its metadata speaks of it"


def endings(question: Question) -> Iterator[str]:
    """What to take instead of frameworks that are not released any more."""
    for name in question.wanted:
        framework = question.frameworks[name]
        if framework.ended:
            last = f"{framework.ended.last} of {framework.ended.when}"
            yield f"{framework.title} has ended with {last}; take instead: {framework.ended.instead}"


def _plan_reasons(question: Question, settled: Settled) -> Iterator[str]:
    if question.devices.because:
        yield question.devices.because
    builds = [choice.build for choice in picked(question, settled)]
    families = [build.cuda.major for build in builds if build.cuda is not None]
    if len(families) > 1:
        yield f"one CUDA family for all, CUDA {families[0]}: libraries of two overwrite each other's files"
    for build in builds:
        only_cpu = build.accelerator == "cpu" and build.variant != "any"
        if not only_cpu or question.devices.accelerator == "cpu":
            continue
        if asks_for_cpu(question.wanted.get(build.framework), build):
            yield f"{build.framework} runs on the CPU, as it is asked for"
        else:
            yield f"{build.framework} runs on the CPU: it has no other build that fits {question.target.name}"
    yield from endings(question)
    interpreter = interpreter_of(settled)
    place = f"is at {interpreter.path}" if interpreter.path else "is fetched by uv if it is missing"
    yield f"Python {python_name(interpreter)} {place}"


def of_variant(build: Build, question: Question) -> str:
    """` with CUDA 12.6, which driver 535.129.03 runs`; empty for a build without CUDA."""
    if build.cuda is None:
        return ""
    driver = question.target.driver
    runs = "" if driver is None or isinstance(driver, Unknown) else f", which driver {driver} runs"
    return f" with CUDA {build.cuda.line}{runs}"


def next_newer(question: Question, build: Build) -> Version | None:
    """The release after the chosen one."""
    return min(newer_releases(question, build), default=None)


def newer_releases(question: Question, build: Build) -> list[Version]:
    """Newest first, prereleases left aside, and those for other accelerators alone."""
    builds = question.frameworks[build.framework].builds
    offered = (item for item in builds if item.accelerator == "cpu" or question.devices.prefers(item))
    newer = {item.version for item in offered if item.version > build.version and not item.prerelease}
    return sorted(newer, reverse=True)


def why_not(question: Question, settled: Settled, choice: BuildChoice, version: Version) -> str:
    """What keeps the next newer release out: by itself, or only beside the others."""
    choices = [item for item in question.choices(choice.key) if item.facets["version"] == version]
    refused = [tuple(question.refusals(item)) for item in choices]
    if all(refused):
        return _weightiest(refused)
    if choice.facets["preferred"] and not any(item.facets["preferred"] for item in choices):
        return NOT_FOR_GPU
    here = [
        found
        for item, found in zip(choices, refused, strict=True)
        if item.facets["python"] == choice.facets["python"]
    ]
    if here and all(here) and not _python_may_change(question, choice):
        return _weightiest(here)
    pinned = _pinned_by(question, settled, choice, version)
    if pinned:
        return pinned
    before = _decided_before(question, settled, choice)
    limit = Ask(choice.key, "version", frozenset({version}))
    for clauses, text in JOINT:
        limits = [limit, *before]
        if settle(question, Force(without=clauses), limits) is not None:
            return text
    return "it does not go with the rest"


def _decided_before(question: Question, settled: Settled, choice: BuildChoice) -> list[Ask]:
    """What weighs more than the release of this pick: a GPU for each, and releases of those named before."""
    order = [name for name in (*question.wanted, *question.frameworks) if name in settled]
    earlier = order[: order.index(choice.key)]
    asks = [Ask(name, "version", frozenset({settled[name].facets["version"]})) for name in earlier]
    named = [name for name in order if name in question.wanted]
    return asks + [Ask(name, "preferred", frozenset({settled[name].facets["preferred"]})) for name in named]


def _pinned_by(question: Question, settled: Settled, choice: BuildChoice, version: Version) -> str:
    """What another pick asks of this framework, where that excludes the release."""
    for other in picked(question, settled):
        specifier = question.companions.specifiers(other.build, other.interpreter).get(choice.key)
        if other.key != choice.key and specifier is not None and version not in specifier:
            return f"{other.key} {other.build.version} asks for {choice.key}{specifier}"
    return ""


def _python_may_change(question: Question, choice: BuildChoice) -> bool:
    """Whether another Python than the one settled on is admitted."""
    others = (item for item in question.choices(PYTHON) if item.facets["python"] != choice.facets["python"])
    return any(question.admitted(item, ALL) for item in others)


def _weightiest(refused: list[tuple[Refusal, ...]]) -> str:
    """The reason against the choice that came nearest: the one with the fewest refusals."""
    nearest = min(refused, key=lambda refusals: (max(map(_kind, refusals)), len(refusals)))
    reason = min(nearest, key=_kind)
    return NOT_FOR_GPU if GPU_RULE in reason.clauses else reason.because


def _kind(refusal: Refusal) -> int:
    """A withdrawn release explains all, then a fact; a wish, or that it is no GPU build, least."""
    if RELEASE_RULE in refusal.clauses:
        return 0
    if GPU_RULE in refusal.clauses or any(clause.startswith(("bound", "wish")) for clause in refusal.clauses):
        return 2
    return 1


def _needed_by(question: Question, settled: Settled, choice: BuildChoice) -> str:
    for other in picked(question, settled):
        if any(ask.key == choice.key for ask in question.asks(other)):
            return f"{other.key} {other.build.version}"
    return "the rest"


def _verdicts(question: Question, choice: BuildChoice) -> Iterator[Verdict]:
    build, target, hardware = choice.build, question.known, question.catalog.hardware
    yield has_wheel(build, choice.interpreter, target)
    if build.cuda is not None:
        yield driver_serves(target, build.cuda, hardware)
    # A CPU build that serves a device through another package (torch with torch-npu) holds no code for it.
    if not isinstance(target.gpus, Unknown) and build.variant != "cpu":
        yield serves_every_gpu(build, target, hardware)
