"""What the search settled, as a plan with its reasons."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from dlsetup.model.framework import Build
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.resolution import Compiled, Pick, Plan
from dlsetup.model.versions import CudaVersion
from dlsetup.resolve.pieces import BuildChoice, VersionChoice, library_key
from dlsetup.resolve.preference import order_in_words
from dlsetup.resolve.preferred import preference_unknowns
from dlsetup.resolve.question import Question
from dlsetup.resolve.reasons import interpreter_of, pick_reason, picked, plan_reasons, plan_unknowns
from dlsetup.resolve.search import Settled
from dlsetup.resolve.sources import other_extras, with_extras
from dlsetup.rules.libraries import lines_of, versions_of
from dlsetup.rules.wheels import fitting_wheels

_TRITON = re.compile(r"pytorch-triton.*|triton-.+")
"""Names under which an index of PyTorch ships its own Triton."""


def plan_of(question: Question, settled: Settled) -> Plan:
    """The plan that a settled question stands for."""
    choices = picked(question, settled)
    builds = [choice.build for choice in choices]
    interpreter = interpreter_of(settled)
    used = {build.index for build in builds}
    cuda = max((build.cuda for build in builds if build.cuda is not None), default=None)
    return Plan(
        target=question.target,
        python=Version(f"{interpreter.version.major}.{interpreter.version.minor}"),
        interpreter=interpreter.path,
        picks=tuple(_pick(question, settled, choice, cuda) for choice in choices),
        cuda=cuda,
        requirements=_requirements(question, builds),
        constraints=tuple(sorted({*_constraints(question, settled, choices), *question.wish.constraints})),
        indexes=tuple(index for index in question.catalog.indexes if index.name in used),
        sources=tuple(dict.fromkeys(_sources(question, choices))),
        because=plan_reasons(question, settled),
        unknown=(*plan_unknowns(question, choices), *preference_unknowns(question, choices)),
        preference=order_in_words(question.wish),
    )


def _requirements(question: Question, builds: list[Build]) -> tuple[str, ...]:
    """What the picks are asked for by, what those that are compiled need for it, and what else is wished."""
    asked = [text for build in builds for text in _asked(question, build)]
    tools = [text for build in builds for text in build.build_requires if text not in question.frameworks]
    return (*asked, *dict.fromkeys(tools), *question.wish.packages)


def _asked(question: Question, build: Build) -> list[str]:
    """How an installer is asked for a build, with the extras that are wished beside those for the device."""
    framework = question.frameworks[build.framework]
    extras = other_extras(question.wanted.get(build.framework), framework)
    return [with_extras(text, extras if place == 0 else []) for place, text in enumerate(build.requirements)]


def _pick(question: Question, settled: Settled, choice: BuildChoice, cuda: CudaVersion | None) -> Pick:
    build = choice.build
    return Pick(
        framework=build.framework,
        version=build.version,
        variant=build.variant,
        index=build.index,
        requirement=next(iter(_asked(question, build)), f"{build.framework}=={build.version}"),
        because=pick_reason(question, settled, choice),
        sources=build.sources,
        size_bytes=_size(question, choice),
        expects=_expects(build, cuda),
        compiled=_compiled(build) if build.from_source else None,
    )


def _expects(build: Build, cuda: CudaVersion | None) -> tuple[str, ...]:
    """What is compiled beside a framework needs the toolkit of that one's own CUDA major."""
    if cuda is None or not build.from_source:
        return build.expects
    return tuple(f"{text},=={cuda.major}.*" if text.startswith("cuda>=") else text for text in build.expects)


def _compiled(build: Build) -> Compiled:
    requirement = build.requirements[0]
    return Compiled(
        distribution=canonicalize_name(Requirement(requirement).name),
        version=build.version,
        requires=build.requires,
        variables=build.build_variables,
    )


def _size(question: Question, choice: BuildChoice) -> int | Unknown:
    wheels = fitting_wheels(choice.build, choice.interpreter, question.known)
    return wheels.size_bytes if wheels else UNKNOWN


def _constraints(question: Question, settled: Settled, choices: list[BuildChoice]) -> Iterator[str]:
    """What the GPUs forbid of libraries, which no installer knows, and the picks' upper bounds on the
    libraries of the catalog. Exact pins stay with the installer, which reads them from the wheels.
    """
    yield from _limited(question, settled)
    own = (
        "nvidia-",
        "cuda-",
        *(name for item in question.frameworks.values() for name in item.distributions),
    )
    for choice in choices:
        for name, specifier in question.companions.specifiers(choice.build, choice.interpreter).items():
            bounded = any(item.operator in ("<", "<=") for item in specifier)
            if bounded and versions_of(name, question.catalog) is not None and not name.startswith(own):
                yield f"{name}{specifier}"


def _limited(question: Question, settled: Settled) -> Iterator[str]:
    """The newest version that serves the GPUs, of libraries of which they forbid newer ones."""
    for key in settled:
        name = key.removeprefix(library_key(""))
        if name == key or not lines_of(name, question.catalog.hardware):
            continue
        serving = [item for item in question.choices(key) if not any(question.refusals(item))]
        if len(serving) < len(question.choices(key)) and isinstance(serving[0], VersionChoice):
            yield f"{name}<={serving[0].version}"


def _sources(question: Question, choices: list[BuildChoice]) -> Iterator[tuple[str, str]]:
    """Every distribution of a pick belongs to the index of that pick, and to no other."""
    for choice in choices:
        for distribution in _distributions(question, choice.build):
            yield distribution, choice.build.index
        for name in question.companions.specifiers(choice.build, choice.interpreter):
            if _TRITON.fullmatch(name) and choice.build.index != "default":
                yield name, choice.build.index


def _distributions(question: Question, build: Build) -> list[str]:
    own = question.frameworks[build.framework].distributions
    asked = [
        canonicalize_name(re.split(r"[^A-Za-z0-9._-]", text, maxsplit=1)[0]) for text in build.requirements
    ]
    return list(dict.fromkeys((*asked, *own)))
