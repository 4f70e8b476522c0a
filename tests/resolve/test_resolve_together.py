"""One lock for several targets: what is chosen, what is refused, and whose fault it is."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from packaging.specifiers import SpecifierSet

from dlsetup.intake.target import parse
from dlsetup.intake.wish import parse_wanted
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.resolution import Conflict, Together
from dlsetup.model.target import Target
from dlsetup.model.wish import Wanted, Wish
from dlsetup.resolve import fitting_plan, resolve, resolve_each, resolve_together
from dlsetup.resolve.core import smallest_core
from dlsetup.resolve.pieces import Force
from dlsetup.resolve.search import settle
from dlsetup.resolve.together import joint

LINUX = "os=linux,arch=x86_64,glibc=2.31"
LOGIN = f"{LINUX},driver=none,gpu=none"
OLD = f"{LINUX},driver=535.129.03,gpu=RTX 4090"
NEW = f"{LINUX},driver=580.65.06,gpu=RTX 5090"
PASCAL = f"{LINUX},driver=580.65.06,gpu=GTX 1080 Ti"
ANCIENT = f"{LINUX},driver=470.82.01,gpu=RTX 4090"
WINDOWS = "os=windows,arch=x86_64,driver=580.65,gpu=none"


def wish(*frameworks: str, **parts: object) -> Wish:
    return Wish(wanted=tuple(map(parse_wanted, frameworks)), **parts)  # type: ignore[arg-type]


def targets(*words: str) -> tuple[Target, ...]:
    return tuple(replace(parse(text), name=f"node {number}") for number, text in enumerate(words, start=1))


def together(answer: Together | Conflict) -> Together:
    assert isinstance(answer, Together), answer
    return answer


def conflict(answer: Together | Conflict) -> Conflict:
    assert isinstance(answer, Conflict), answer
    return answer


def builds(answer: Together | Conflict) -> list[list[tuple[str, str, str]]]:
    plans = together(answer).plans
    return [[(pick.framework, str(pick.version), pick.variant) for pick in plan.picks] for plan in plans]


def test_a_login_node_gets_the_build_of_the_gpu_node(world: Catalog) -> None:
    answer = resolve_together(wish("torch"), targets(LOGIN, OLD), world)
    assert builds(answer) == [[("torch", "2.14.1", "cu126")]] * 2
    assert "node 1 has no device for cuda: there it runs on the CPU, if at all" in together(answer).because
    assert together(answer).plans[0].unknown == ()


def test_the_oldest_driver_decides_and_is_named(world: Catalog) -> None:
    new = f"{LINUX},driver=580.65.06,gpu=RTX 4090"
    answer = resolve_together(wish("torch"), targets(new, OLD), world)
    assert builds(answer) == [[("torch", "2.14.1", "cu126")]] * 2
    because = together(answer).plans[0].picks[0].because
    assert "torch 2.15.0: on node 2: CUDA 13 needs NVIDIA driver 580" in because


def test_two_gpus_that_no_build_serves_are_both_named(world: Catalog) -> None:
    answer = conflict(resolve_together(wish("torch==2.14.1"), targets(PASCAL, NEW), world))
    text = " ".join(clause.text for clause in answer.core)
    assert "node 1 has GTX 1080 Ti" in text
    assert "node 2 has RTX 5090" in text
    assert "one lock holds one build" in text
    locks = next(way for way in answer.ways_out if way.text.startswith("use 2 locks"))
    assert [plan.picks[0].variant for plan in locks.plans] == ["cu126", "cu130"]


def test_a_target_that_nothing_serves_is_told_alone(world: Catalog) -> None:
    answer = conflict(resolve_together(wish("torch==2.15.0"), targets(NEW, ANCIENT), world))
    text = " ".join(clause.text for clause in answer.core)
    assert "node 2 has NVIDIA driver 470.82.01" in text
    assert "node 1" not in text
    assert any(way.text.startswith("node 2: update to NVIDIA driver") for way in answer.ways_out)


def test_each_platform_has_its_own_builds_of_the_same_release(world: Catalog) -> None:
    answer = resolve_together(wish("tensorflow"), targets(OLD, WINDOWS), world)
    assert builds(answer) == [[("tensorflow", "2.21.0", "cu125")], [("tensorflow", "2.21.0", "cpu")]]
    assert len({plan.python for plan in together(answer).plans}) == 1


def test_a_release_that_one_platform_lacks_is_taken_by_none(world: Catalog) -> None:
    answer = conflict(resolve_together(wish("torch"), targets(OLD, WINDOWS), world))
    assert "node 2 runs Windows x86_64" in " ".join(clause.text for clause in answer.core)


def test_one_python_for_all(world: Catalog) -> None:
    narrow = (f"{LOGIN},python=3.11", f"{LOGIN},python=3.11,python=3.12")
    plans = together(resolve_together(wish("torch"), targets(*narrow), world)).plans
    assert {str(plan.python) for plan in plans} == {"3.11"}
    apart = (f"{LOGIN},python=3.11", f"{LOGIN},python=3.12")
    text = " ".join(
        clause.text for clause in conflict(resolve_together(wish("torch"), targets(*apart), world)).core
    )
    assert "node 1 has Python 3.11 only" in text
    assert "node 2 has Python 3.12 only" in text


def test_the_order_of_targets_changes_no_build(world: Catalog) -> None:
    named = targets(LOGIN, OLD, f"{LINUX},driver=580.65.06,gpu=RTX 4090")
    found = {
        str(builds(resolve_together(wish("torch", "jax"), order, world))[0]) for order in permutations(named)
    }
    assert len(found) == 1


@pytest.mark.parametrize("pair", list(product((OLD, NEW, PASCAL, ANCIENT), repeat=2)), ids=str)
def test_as_by_trying_every_build(world: Catalog, pair: tuple[str, str]) -> None:
    """On one platform there is a lock where some release and CUDA line serve each target by itself."""
    asked = targets(*pair)
    torch = world.framework("torch")
    assert torch is not None
    serving = []
    for build in torch.builds:
        pinned = Wanted(framework="torch", specifier=SpecifierSet(f"=={build.version}"))
        line = None if build.cuda is None else str(build.cuda)
        if line and not build.prerelease:
            plans = [fitting_plan(Wish(wanted=(pinned,), cuda=line), target, world) for target in asked]
            if all(plans):
                serving.append(build.version)
    answer = resolve_together(wish("torch"), asked, world)
    assert isinstance(answer, Together) == bool(serving)
    if isinstance(answer, Together):
        assert answer.plans[0].picks[0].version == max(serving)


def test_of_one_target_the_same_as_alone(world: Catalog) -> None:
    (target,) = targets(OLD)
    alone = resolve(wish("torch", "jax"), target, world)
    answer = together(resolve_together(wish("torch", "jax"), (target,), world))
    assert not isinstance(alone, Conflict)
    assert [pick.requirement for pick in answer.plans[0].picks] == [pick.requirement for pick in alone.picks]


NODES = (LOGIN, OLD, NEW, PASCAL, ANCIENT, WINDOWS, f"{LOGIN},python=3.11", f"{OLD},python=3.12")
ASKED = ("torch", "torch==2.15.0", "torch==2.14.1", "tensorflow", "jax", "jax>=0.12", "torchvision")


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(NODES), min_size=2, max_size=3),
    st.lists(st.sampled_from(ASKED), min_size=1, max_size=3, unique_by=lambda text: text.split("=")[0][:5]),
)
def test_joint_cores_conflict_and_need_every_clause(
    world: Catalog, nodes: list[str], asked: list[str]
) -> None:
    question = joint(wish(*asked), targets(*nodes), world).question
    if settle(question) is not None:
        return
    core = smallest_core(question)
    assert settle(question, Force(only=core)) is None
    for clause in core:
        assert settle(question, Force(only=core - {clause})) is not None, clause


def test_each_platform_may_be_asked_for_something_of_its_own(world: Catalog) -> None:
    wishes = (wish("tensorflow[and-cuda]==2.21.0"), wish("tensorflow==2.21.0"))
    answer = resolve_each(wishes, targets(OLD, WINDOWS), world)
    assert builds(answer) == [[("tensorflow", "2.21.0", "cu125")], [("tensorflow", "2.21.0", "cpu")]]


def test_a_framework_that_one_platform_alone_is_asked_for(world: Catalog) -> None:
    answer = resolve_each((wish("torch", "tensorflow"), wish("tensorflow")), targets(OLD, WINDOWS), world)
    assert [[pick[0] for pick in plan] for plan in builds(answer)] == [
        ["torch", "tensorflow"],
        ["tensorflow"],
    ]
    other = resolve_each((wish("tensorflow"), wish("tensorflow", "torch")), targets(WINDOWS, OLD), world)
    assert [[pick[0] for pick in plan] for plan in builds(other)] == [["tensorflow"], ["tensorflow", "torch"]]


def test_releases_are_the_same_whoever_asks(world: Catalog) -> None:
    answer = resolve_each((wish("tensorflow<2.21"), wish("tensorflow")), targets(OLD, WINDOWS), world)
    first, second = builds(answer)
    assert first[0][1] == second[0][1]
    assert first[0][1] != "2.21.0"


def test_wishes_that_do_not_go_together_are_refused(world: Catalog) -> None:
    with pytest.raises(UsageError, match="serves node 1 and node 2 together"):
        resolve_each((wish("tensorflow==2.21.0"), wish("tensorflow<2.21")), targets(OLD, WINDOWS), world)
    with pytest.raises(UsageError, match="something else on node 2 than on node 1"):
        resolve_each((wish("torch==2.14.1"), wish("torch")), targets(OLD, LOGIN), world)


def test_the_same_wish_for_each_is_the_same_as_one_for_all(world: Catalog) -> None:
    for frameworks, words in ((("tensorflow",), (OLD, WINDOWS)), (("torch", "jax"), (LOGIN, OLD))):
        asked = wish(*frameworks)
        each = resolve_each([asked] * len(words), targets(*words), world)
        assert each == resolve_together(asked, targets(*words), world)
