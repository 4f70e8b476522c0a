"""What is preferred, against brute force over small random catalogs; the order of rows is nothing."""

from __future__ import annotations

import random
from datetime import date

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from packaging.version import Version
from test_resolve_oracle import HARDWARE, NAMES, TARGET, Way, every_way, make, questions, told

from dlsetup.intake.target import parse
from dlsetup.intake.wish import parse_wanted
from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.record import UNKNOWN
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.model.wish import Kept, Prefer, Wanted, Wish
from dlsetup.resolve import resolve
from dlsetup.resolve.choose import best
from dlsetup.resolve.compose import plan_of
from dlsetup.resolve.pieces import PYTHON
from dlsetup.resolve.preference import RECENT_DAYS, SETTLED_DAYS, order_in_words
from dlsetup.resolve.question import Question
from dlsetup.resolve.reasons import picked

CHECKED = "2026-12-02"
DAYS = ("2026-11-20", "2026-11-02", "2026-10-01", "2025-12-01", "2024-01-01")
PREFERENCES: tuple[Prefer, ...] = ("newest", "stable", "smallest", "keep")


@st.composite
def weighed(draw: st.DrawFn, prefer: Prefer) -> Question:
    """A question whose releases have a day, whose wheels have a size, and which has something to keep."""
    base = draw(questions())
    found = []
    for framework in base.catalog.frameworks:
        days = {text: draw(st.sampled_from([*DAYS, UNKNOWN])) for text in ("1.0", "2.0", "3.0")}
        builds = []
        for build in framework.builds:
            size = draw(st.sampled_from([1, 2, 3, 5, 8, UNKNOWN]))
            wheels = tuple(replace(item, size_bytes=size) for item in build.wheels)
            builds.append(replace(build, wheels=wheels, released=days[str(build.version)]))
        found.append(replace(framework, builds=tuple(builds)))
    kept = tuple(
        Kept(
            framework=name,
            version=Version(draw(st.sampled_from(["1.0", "2.0", "3.0", "4.0"]))),
            variant=draw(st.sampled_from(["", "cpu", "cu126", "cu130"])),
        )
        for name in draw(st.lists(st.sampled_from(NAMES), unique=True))
    )
    python = draw(st.sampled_from([None, Version("3.11"), Version("3.12")]))
    wish = replace(base.wish, prefer=prefer, kept=kept, kept_python=python)
    return Question(wish, TARGET, replace(base.catalog, frameworks=tuple(found), checked=CHECKED))


def day(build: Build) -> date | None:
    return date.fromisoformat(build.released) if isinstance(build.released, str) else None


def framework_of(question: Question, build: Build) -> Framework:
    return question.frameworks[build.framework]


def steadiness(question: Question, build: Build) -> int:
    released = day(build)
    if released is not None and (date.fromisoformat(CHECKED) - released).days < SETTLED_DAYS:
        return -2
    newest = max(item.version for item in framework_of(question, build).builds)
    return -1 if newest.release[:2] == build.version.release[:2] else 0


def recent(question: Question, build: Build) -> bool:
    days = [found for item in framework_of(question, build).builds if (found := day(item)) is not None]
    own = day(build)
    return own is None or not days or (max(days) - own).days <= RECENT_DAYS


def weight(question: Question, way: Way) -> tuple[object, ...]:
    """The order of preference, told anew; bigger is better."""
    python, chosen = way
    order = [chosen[name] for name in question.wanted]
    on_gpu = tuple(build.accelerator == "cuda" for build in order)
    versions = tuple(build.version for build in order)
    if question.wish.prefer == "stable":
        return on_gpu, tuple((steadiness(question, build), build.version) for build in order)
    if question.wish.prefer == "smallest":
        sizes = [build.wheels[0].size_bytes for build in order]
        known = [size for size in sizes if isinstance(size, int)]
        young = tuple(recent(question, build) for build in order)
        return on_gpu, young, -(len(sizes) - len(known)), -sum(known), versions
    if question.wish.prefer == "keep":
        return on_gpu, *kept_weight(question, python.version, chosen)
    return on_gpu, versions


def kept_weight(question: Question, python: Version, chosen: dict[str, Build]) -> tuple[object, ...]:
    kept = {item.framework: item for item in question.wish.kept}
    there = [name for name in question.frameworks if name in kept and name in chosen]
    own = question.wish.kept_python
    releases = [own is None or python == own, *(chosen[name].version == kept[name].version for name in there)]
    variants = [kept[name].variant in ("", chosen[name].variant) for name in there]
    return sum(releases) - len(releases), sum(variants) - len(variants)


@pytest.mark.parametrize("prefer", PREFERENCES)
def test_the_best_by_what_is_preferred_is_that_of_brute_force(prefer: Prefer) -> None:
    @settings(max_examples=200, deadline=None)
    @given(weighed(prefer))
    def check(question: Question) -> None:
        note(told(question))
        note(f"{question.wish.kept} {question.wish.kept_python}")
        ways = list(every_way(question))
        found = best(question)
        assert (found is not None) == bool(ways)
        if found is None:
            return
        chosen = {choice.key: choice.build for choice in picked(question, found)}
        python = found[PYTHON].facets["python"]
        mine = [way for way in ways if way[1] == chosen and f"3.{way[0].version.minor}" == python]
        assert mine
        assert weight(question, mine[0]) == max(weight(question, way) for way in ways)

    check()


ASKED = (
    (),
    ("numpy<2",),
    ("numpy>=2",),
    ("lib-a",),
    ("lib-b",),
    ("two>=2.0",),
    ("three<3.0",),
    ("one!=1.0",),
)


@st.composite
def quarrelling(draw: st.DrawFn) -> Question:
    """Three frameworks with many sizes, whose light releases often exclude each other."""
    made = []
    for name in NAMES:
        builds = []
        for version in ("1.0", "2.0", "3.0", "4.0"):
            asked = [text for text in draw(st.sampled_from(ASKED)) if not text.startswith(name)]
            build = make(name, version, None, "default", ("cp311", "cp312"), asked)
            wheels = tuple(replace(item, size_bytes=draw(st.integers(1, 20))) for item in build.wheels)
            builds.append(replace(build, wheels=wheels))
        made.append(
            Framework(name=name, title=name, distributions=(name,), imports=name, builds=tuple(builds))
        )
    libraries = {"numpy": (Version("1.5"), Version("2.1"))}
    catalog = Catalog(frameworks=tuple(made), hardware=HARDWARE, libraries=libraries)
    wanted = tuple(Wanted(framework=name) for name in draw(st.permutations(NAMES)))
    return Question(Wish(wanted=wanted, prefer="smallest"), TARGET, catalog)


@settings(max_examples=300, deadline=None)
@given(quarrelling())
def test_the_fewest_bytes_together_where_the_lightest_exclude_each_other(question: Question) -> None:
    note(told(question))
    sums = [sum(build.wheels[0].size_bytes for build in chosen.values()) for _, chosen in every_way(question)]
    found = best(question)
    assert (found is not None) == bool(sums)
    if found is not None:
        builds = [choice.build for choice in picked(question, found)]
        assert sum(build.wheels[0].size_bytes for build in builds) == min(sums)


@pytest.mark.parametrize("prefer", PREFERENCES)
def test_the_order_of_rows_changes_nothing(prefer: Prefer) -> None:
    @settings(max_examples=75, deadline=None)
    @given(weighed(prefer), st.randoms(use_true_random=False))
    def check(question: Question, order: random.Random) -> None:
        catalog = question.catalog
        shuffled = [
            replace(item, builds=tuple(order.sample(list(item.builds), len(item.builds))))
            for item in order.sample(list(catalog.frameworks), len(catalog.frameworks))
        ]
        names = order.sample(list(catalog.libraries), len(catalog.libraries))
        libraries = {name: catalog.libraries[name] for name in names}
        other = replace(catalog, frameworks=tuple(shuffled), libraries=libraries)
        again = Question(question.wish, TARGET, other)
        one, two = best(question), best(again)
        assert (one is None) == (two is None)
        if one is not None and two is not None:
            assert plan_of(question, one) == plan_of(again, two)

    check()


LINUX = "os=linux,arch=x86_64,glibc=2.31,driver=580.65.06,gpu=RTX 4090"


def asked(world: Catalog, *frameworks: str, target: str = LINUX, **parts: object) -> Plan | Conflict:
    wish = Wish(wanted=tuple(map(parse_wanted, frameworks)), **parts)  # type: ignore[arg-type]
    return resolve(wish, parse(target), world)


def planned(world: Catalog, *frameworks: str, target: str = LINUX, **parts: object) -> Plan:
    found = asked(world, *frameworks, target=target, **parts)
    assert isinstance(found, Plan), found
    return found


def picks(plan: Plan) -> list[tuple[str, str, str]]:
    return [(pick.framework, str(pick.version), pick.variant) for pick in plan.picks]


def test_stable_leaves_the_newest_line_and_says_so(world: Catalog) -> None:
    plan = planned(world, "torch", prefer="stable")
    assert picks(plan) == [("torch", "2.14.1", "cu130")]
    assert plan.picks[0].because == (
        "newest stable release with CUDA 13.0, which driver 580.65.06 runs; "
        "torch 2.15.0: 2.15 is the newest line"
    )


def test_stable_takes_what_is_asked_for_and_says_why_it_is_not_stable(world: Catalog) -> None:
    plan = planned(world, "torch>=2.15", prefer="stable")
    assert picks(plan) == [("torch", "2.15.0", "cu130")]
    assert plan.picks[0].because.startswith("newest that fits, no stable release does")


def test_keep_changes_one_release_where_one_is_enough(world: Catalog) -> None:
    kept = (
        Kept(framework="torch", version=Version("2.14.1"), variant="cu126"),
        Kept(framework="jax", version=Version("0.10.0"), variant="cu12"),
    )
    plan = planned(world, "torch", "jax", prefer="keep", kept=kept)
    assert picks(plan) == [("torch", "2.14.1", "cu126"), ("jax", "0.10.0", "cu12")]
    assert plan.picks[0].because.startswith("it may stay")
    plan = planned(world, "torch", "jax>=0.12", prefer="keep", kept=kept)
    assert picks(plan) == [("torch", "2.14.1", "cu126"), ("jax", "0.12.0", "cu12")]
    assert "jax 0.10.0: jax>=0.12 is asked for" in plan.picks[1].because


def test_keep_takes_the_nearest_release_to_one_that_is_not_there(world: Catalog) -> None:
    kept = (Kept(framework="torch", version=Version("2.14.0")),)
    plan = planned(world, "torch", prefer="keep", kept=kept)
    assert picks(plan)[0][1] == "2.14.1"
    assert "the catalog has no such release" in plan.picks[0].because


def test_smallest_weighs_the_picks_together_and_names_what_is_not_known(world: Catalog) -> None:
    plan = planned(world, "torch", prefer="smallest")
    assert "fewest known bytes" in plan.picks[0].because
    unsized = tuple(
        replace(item, builds=tuple(replace(build, wheels=_unsized(build)) for build in item.builds))
        for item in world.frameworks
    )
    plan = planned(replace(world, frameworks=unsized), "torch", prefer="smallest")
    assert plan.unknown == ("how many bytes torch 2.15.0 (cu130) has is not known",)


def _unsized(build: Build) -> tuple[object, ...]:
    return tuple(replace(item, size_bytes=UNKNOWN) for item in build.wheels)


@pytest.mark.parametrize("prefer", PREFERENCES)
def test_the_order_is_stated_in_the_plan(world: Catalog, prefer: Prefer) -> None:
    kept = (Kept(framework="torch", version=Version("2.14.1")),)
    plan = planned(world, "torch", "jax", prefer=prefer, kept=kept)
    wish = Wish(wanted=(parse_wanted("torch"), parse_wanted("jax")), prefer=prefer)
    assert plan.preference == order_in_words(wish)
    assert plan.preference[:3] == (
        "what is asked for",
        "a GPU for every framework, where there is one",
        "one CUDA family",
    )


def test_an_extra_chooses_the_device_and_the_family(world: Catalog) -> None:
    assert picks(planned(world, "jax[cuda12]"))[0][2] == "cu12"
    assert picks(planned(world, "jax[cuda13]"))[0][2] == "cu13"
    assert picks(planned(world, "jax[cpu]"))[0][2] == "cpu"
    together = planned(world, "torch", "jax[cuda12]")
    assert picks(together) == [("torch", "2.14.1", "cu126"), ("jax", "0.12.0", "cu12")]


def test_an_extra_that_no_build_has_is_refused_with_those_that_are_known(world: Catalog) -> None:
    found = asked(world, "jax[cuda]")
    assert isinstance(found, Conflict)
    assert [clause.text for clause in found.core] == [
        "jax[cuda] is asked for, and the catalog knows the extras cpu, cuda12, cuda13"
    ]
    assert found.ways_out[0].text == "take jax without its extra"
    assert found.ways_out[0].command.startswith("dlsetup resolve jax --target")


def test_an_extra_of_another_kind_goes_to_the_installer(world: Catalog) -> None:
    plan = planned(world, "jax[k8s,cuda12]")
    assert plan.requirements == ("jax[cuda12,k8s]==0.12.0",)
    assert "what `k8s` of jax brings along is left to the installer" in plan.unknown


def test_a_cpu_build_that_is_named_is_taken_on_a_machine_with_a_gpu(world: Catalog) -> None:
    plan = planned(world, "torch==2.14.1+cpu")
    assert picks(plan) == [("torch", "2.14.1", "cpu")]
    assert "torch runs on the CPU, as it is asked for" in plan.because


def test_a_bound_on_a_library_keeps_out_what_asks_for_another(world: Catalog) -> None:
    plan = planned(world, "jax", packages=("numpy<2.2",))
    assert picks(plan)[0][1] == "0.10.0"
    assert "numpy<2.2" in plan.requirements
    found = asked(world, "jax", packages=("numpy<2",))
    assert isinstance(found, Conflict)
    assert "numpy<2 is asked for" in [clause.text for clause in found.core]
    assert "take another numpy" in [way.text for way in found.ways_out]


def test_keep_with_nothing_known_of_variants_still_answers(world: Catalog) -> None:
    kept = (Kept(framework="jax", version=Version("0.10.0")),)
    asked = Wish(wanted=(Wanted(framework="jax"), Wanted(framework="tensorflow")), prefer="keep", kept=kept)
    target = parse("os=linux,arch=x86_64,glibc=2.31,driver=580.65.06,gpu=RTX 4090")
    answer = resolve(asked, target, world)
    assert isinstance(answer, Plan)
    assert answer.picks[0].version == Version("0.10.0")
