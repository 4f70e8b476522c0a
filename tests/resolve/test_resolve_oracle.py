"""Against brute force over small random catalogs: the same answer, the best plan, smallest cores."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from functools import reduce
from itertools import takewhile
from operator import and_
from random import Random

from hypothesis import given, note, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.intake.wish import parse_wanted
from dlsetup.model.framework import Build, Catalog, Framework, Wheels
from dlsetup.model.hardware import DriverFloor, Hardware, Overlap
from dlsetup.model.machine import Gpu
from dlsetup.model.resolution import Plan
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease
from dlsetup.model.wish import Wanted, Wish
from dlsetup.resolve import resolve
from dlsetup.resolve.choose import best
from dlsetup.resolve.core import smallest_core
from dlsetup.resolve.pieces import PYTHON, Choice, Force
from dlsetup.resolve.question import Question
from dlsetup.resolve.reasons import picked
from dlsetup.resolve.search import settle
from dlsetup.rules.driver import driver_serves
from dlsetup.rules.libraries import files_apart, libraries_of, versions_exist, versions_of
from dlsetup.rules.wheels import has_wheel

PYTHONS = tuple(Interpreter(version=Version(text)) for text in ("3.11", "3.12"))
TARGET = Target(
    name="the target",
    os="linux",
    arch="x86_64",
    driver=DriverRelease("535.10"),
    gpus=(Gpu(vendor="nvidia", compute_capability=ComputeCapability("8.0")),),
    pythons=PYTHONS,
)
HARDWARE = Hardware(
    floors=tuple(
        DriverFloor(major=major, linux=DriverRelease(text), windows=DriverRelease(text), source="floor")
        for major, text in ((11, "450"), (12, "525"), (13, "580"))
    ),
    overlaps=(Overlap(distributions=("lib-a", "lib-b"), path="lib", source="files"),),
)
NAMES = ("one", "two", "three")

requirements = st.sampled_from(
    [
        *(
            "numpy<2",
            "numpy>=2",
            "numpy==1.5",
            "lib-a",
            "lib-b",
            "lib-a==1",
            "lib-a>=2",
            "dense>=2",
            "dense<2",
        ),
        *("one==1.0", "one>=2", "two<3", "two==2.0", "three!=1.0"),
    ]
)


@st.composite
def frameworks(draw: st.DrawFn, name: str) -> Framework:
    builds = []
    seen = set()
    for _ in range(draw(st.integers(1, 5))):
        version = draw(st.sampled_from(["1.0", "2.0", "3.0"]))
        cuda = draw(st.sampled_from([None, "11.8", "12.6", "13.0"]))
        index = draw(st.sampled_from(["default", "other"]))
        if (version, cuda, index) in seen:
            continue
        seen.add((version, cuda, index))
        tags = draw(st.sampled_from([("cp311",), ("cp312",), ("cp311", "cp312")]))
        asked = draw(st.lists(requirements, max_size=2, unique=True))
        builds.append(make(name, version, cuda, index, tags, [text for text in asked if name not in text]))
    family = draw(st.sampled_from(["", "", "kin"]))
    return Framework(
        name=name, title=name, family=family, distributions=(name,), imports=name, builds=tuple(builds)
    )


def make(
    name: str, version: str, cuda: str | None, index: str, tags: tuple[str, ...], asked: list[str]
) -> Build:
    variant = f"cu{cuda.replace('.', '')}" if cuda else "cpu"
    return Build(
        framework=name,
        version=Version(version),
        variant=variant,
        accelerator="cuda" if cuda else "cpu",
        cuda=CudaVersion(cuda) if cuda else None,
        wheels=(Wheels(pythons=tags, platform="any"),),
        requires_python=SpecifierSet(),
        index=index,
        requirements=(f"{name}=={version}+{variant}.{index}",),
        requires=tuple(asked),
    )


@st.composite
def questions(draw: st.DrawFn) -> Question:
    catalog = Catalog(
        frameworks=tuple(draw(frameworks(name)) for name in NAMES),
        hardware=HARDWARE,
        libraries={
            "numpy": tuple(map(Version, ("1.5", "2.1"))),
            "lib-a": (Version("1"),),
            "lib-b": (Version("1"),),
        },
    )
    wanted = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    bounds = draw(st.lists(st.sampled_from(["", "", ">=2", "==1.0"]), min_size=3, max_size=3))
    wish = Wish(
        wanted=tuple(
            Wanted(framework=name, specifier=SpecifierSet(bound), text=f"{name}{bound}")
            for name, bound in zip(wanted, bounds, strict=False)
        ),
        allow_cpu=draw(st.booleans()),
    )
    return Question(wish, TARGET, catalog)


def told(question: Question) -> str:
    """The question in a few lines, for a failing test."""
    builds = [build for item in question.catalog.frameworks for build in item.builds]
    rows = [f"{item.requirements[0]} {item.wheels[0].pythons} {item.requires}" for item in builds]
    families = {item.name: item.family for item in question.catalog.frameworks}
    return "\n".join([f"{[item.text for item in question.wish.wanted]} {families}", *rows])


Way = tuple[Interpreter, dict[str, Build]]


def every_way(question: Question) -> Iterator[Way]:
    """All ways to answer, by trying all combinations and asking the rules alone."""
    wanted = list(question.wanted)
    for interpreter in PYTHONS:
        yield from extended(question, interpreter, {}, wanted)


def extended(
    question: Question, interpreter: Interpreter, chosen: dict[str, Build], waiting: list[str]
) -> Iterator[Way]:
    if not waiting:
        if fits_together(question, interpreter, chosen):
            yield interpreter, chosen
        return
    name, *rest = waiting
    framework = question.catalog.framework(name)
    assert framework is not None
    for build in framework.builds:
        if fits_alone(question, build, interpreter):
            needed = [
                other
                for other in libraries_of(build, interpreter, TARGET)
                if other in NAMES and other not in chosen and other not in rest and other != name
            ]
            yield from extended(question, interpreter, {**chosen, name: build}, [*rest, *needed])


def fits_alone(question: Question, build: Build, interpreter: Interpreter) -> bool:
    wanted = question.wanted.get(build.framework)
    framework = question.catalog.framework(build.framework)
    assert framework is not None
    accelerated = any(item.accelerator == "cuda" for item in framework.builds)
    return (
        (wanted is None or build.version in wanted.specifier)
        and has_wheel(build, interpreter, TARGET).ok
        and (build.cuda is None or driver_serves(TARGET, build.cuda, HARDWARE).ok)
        and (build.cuda is not None or question.wish.allow_cpu or not accelerated)
    )


def fits_together(question: Question, interpreter: Interpreter, chosen: dict[str, Build]) -> bool:
    builds = list(chosen.values())
    asked = [libraries_of(build, interpreter, TARGET) for build in builds]
    together = {name: [item[name] for item in asked if name in item] for item in asked for name in item}
    joined = {name: reduce(and_, specifiers) for name, specifiers in together.items()}
    kin = {
        (build.variant, build.index)
        for name, build in chosen.items()
        if question.frameworks[name].family == "kin"
    }
    return (
        len({build.cuda.major for build in builds if build.cuda}) <= 1
        and len(kin) <= 1
        and all(agreed(question, chosen, name, specifiers) for name, specifiers in together.items())
        and files_apart(joined, joined, Catalog(hardware=HARDWARE)).ok
    )


def agreed(question: Question, chosen: dict[str, Build], name: str, asked: list[SpecifierSet]) -> bool:
    if name in chosen:
        return all(chosen[name].version in item for item in asked)
    return versions_exist(asked, versions_of(name, question.catalog)) != "no"


def weight(question: Question, way: Way) -> tuple[object, ...]:
    """The order of preference, told anew: device, releases, then variants; bigger is better."""
    _, chosen = way
    order = [chosen[name] for name in question.wanted]
    return (
        tuple(build.accelerator == "cuda" for build in order),
        tuple(build.version for build in order),
    )


@settings(max_examples=400, deadline=None)
@given(questions())
def test_same_answer_and_same_best_as_brute_force(question: Question) -> None:
    note(told(question))
    ways = list(every_way(question))
    found = best(question)
    assert (found is not None) == bool(ways)
    if found is not None:
        chosen = {choice.key: choice.build for choice in picked(question, found)}
        python = found[PYTHON].facets["python"]
        mine = [way for way in ways if way[1] == chosen and f"3.{way[0].version.minor}" == python]
        assert mine
        assert weight(question, mine[0]) == max(weight(question, way) for way in ways)


@settings(max_examples=200, deadline=None)
@given(questions())
def test_cores_conflict_and_need_every_clause(question: Question) -> None:
    if settle(question) is not None:
        return
    core = smallest_core(question)
    assert settle(question, Force(only=core)) is None
    for clause in core:
        assert settle(question, Force(only=core - {clause})) is not None


@settings(max_examples=100, deadline=None)
@given(questions())
def test_what_is_chosen_is_accepted_when_it_is_asked_for(question: Question) -> None:
    found = best(question)
    if found is None:
        return
    wanted = tuple(
        Wanted(framework=choice.key, specifier=SpecifierSet(f"=={choice.build.version}"))
        for choice in picked(question, found)
    )
    again = best(Question(Wish(wanted=wanted, allow_cpu=question.wish.allow_cpu), TARGET, question.catalog))
    assert again is not None
    assert shape(again) == shape(found)


@settings(max_examples=150, deadline=None)
@given(questions(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(question: Question, random: Random) -> None:
    note(told(question))
    frameworks = [
        replace(item, builds=tuple(random.sample(tuple(item.builds), len(item.builds))))
        for item in question.catalog.frameworks
    ]
    random.shuffle(frameworks)
    libraries = dict(random.sample(sorted(question.catalog.libraries.items()), 3))
    shuffled = replace(question.catalog, frameworks=tuple(frameworks), libraries=libraries)
    one, other = (resolve(question.wish, TARGET, item) for item in (question.catalog, shuffled))
    assert one == other


@settings(max_examples=250, deadline=None)
@given(questions())
def test_ways_out_are_truly_solvable(question: Question) -> None:
    """Each is asked for by the words that it names, and gives the plan that it promises."""
    note(told(question))
    answer = resolve(question.wish, TARGET, question.catalog)
    if isinstance(answer, Plan):
        return
    for way in answer.ways_out:
        commands = way.command.split(" && ")
        assert len(commands) == len(way.plans) >= 1
        for command, plan in zip(commands, way.plans, strict=True):
            wish = wish_in(command)
            again = resolve(wish, plan.target, question.catalog)
            assert isinstance(again, Plan), way.text
            assert (again.python, again.requirements) == (plan.python, plan.requirements)
            assert any(True for _ in every_way(Question(wish, TARGET, question.catalog))) or on_another(plan)
    named = {pick.framework for way in answer.ways_out for plan in way.plans for pick in plan.picks}
    assert not answer.ways_out or named >= set(question.wanted)


def wish_in(command: str) -> Wish:
    """The wish that a command line of `dlsetup resolve` states."""
    words = shlex.split(command)[2:]
    names = list(takewhile(lambda word: not word.startswith("--"), words))
    return Wish(
        wanted=tuple(map(parse_wanted, names)),
        allow_cpu="--allow-cpu" in words,
        accelerator="cpu" if "--cpu" in words else None,
    )


def on_another(plan: Plan) -> bool:
    """Whether a plan is for a changed target, or for the CPU, which the brute force here leaves aside."""
    return plan.target != TARGET or all(pick.variant == "cpu" for pick in plan.picks)


@settings(max_examples=100, deadline=None)
@given(questions())
def test_frameworks_that_fit_alone_have_separate_environments(question: Question) -> None:
    """Where only being together is refused, setting apart is among the ways out."""
    note(told(question))
    answer = resolve(question.wish, TARGET, question.catalog)
    alone = [replace(question.wish, wanted=(item,)) for item in question.wish.wanted]
    together = Question(question.wish, TARGET, question.catalog)
    if isinstance(answer, Plan) or any(
        settle(Question(wish, TARGET, question.catalog)) is None for wish in alone
    ):
        return
    families = {together.frameworks[name].family or name for name in question.wanted}
    if len(families) == len(question.wanted):
        assert any("environments" in way.text for way in answer.ways_out)


def shape(settled: dict[str, Choice]) -> dict[str, object]:
    return {key: choice.facets.get("version") for key, choice in settled.items() if key in NAMES}
