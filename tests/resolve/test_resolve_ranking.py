"""The ranking: defaults of scenarios, what overrules them, and what holds whatever somebody says."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dlsetup.catalog.choosing import choosing
from dlsetup.catalog.load import load
from dlsetup.intake.target import parse
from dlsetup.intake.wish import parse_wanted
from dlsetup.model.choosing import Fit, How, Ranked, Ranking, Said
from dlsetup.model.framework import Accelerator
from dlsetup.model.wish import Wish
from dlsetup.resolve.fitting import fit_of
from dlsetup.resolve.ranking import ranking

KNOWN = choosing()
CATALOG = load(KNOWN.frameworks)
LINUX = "os=linux,arch=x86_64,glibc=2.35"
GPU = f'{LINUX},driver=550.54.14,gpu="RTX 4090"'
WINDOWS = 'os=windows,arch=x86_64,driver=560.94,gpu="RTX 4090"'
TASKS = {item.id: item for item in KNOWN.tasks}
DOMAINS = {item.id: item for item in KNOWN.domains}
SKILLS = {item.id: item for item in KNOWN.skills}


def said(task: str, domain: str | None = None, *skills: str) -> Said:
    about = None if domain is None else DOMAINS[domain]
    return Said(task=TASKS[task], domain=about, skills=tuple(SKILLS[name] for name in skills))


@cache
def fits_on(words: str, accelerator: Accelerator | None) -> dict[str, Fit]:
    target = parse(words)
    wishes = {name: Wish(wanted=(parse_wanted(name),), accelerator=accelerator) for name in KNOWN.frameworks}
    return {name: fit_of(wish, target, CATALOG) for name, wish in wishes.items()}


def ranked(words: str, what: Said, accelerator: Accelerator | None = None) -> Ranking:
    return ranking(what, KNOWN, fits_on(words, accelerator), CATALOG)


def place(found: Ranking, name: str) -> Ranked:
    return next(item for item in found.places if item.framework == name)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("target", [GPU, f"{LINUX},driver=none,gpu=none"])
def test_the_default_comes_first_where_it_runs(task: str, target: str) -> None:
    found = ranked(target, said(task))
    assert found.places[0].framework == found.default == TASKS[task].default
    assert found.overruled == ""
    assert found.places[0].reasons[0] == TASKS[task].because


def test_jax_gives_way_on_windows_with_the_resolvers_reason() -> None:
    found = ranked(WINDOWS, said("hpc"))
    assert found.places[0].framework == "torch"
    assert "has no wheel for Windows x86_64" in found.overruled
    jax = place(found, "jax")
    assert (jax.fit.how, jax.fit.conflict is not None, jax.fit.plan is not None) == ("cpu", True, True)


def test_tensorflow_of_2022_gives_way_on_windows() -> None:
    found = ranked(WINDOWS, said("production"))
    tensorflow = place(found, "tensorflow")
    assert tensorflow.fit.how == "old"
    assert "2.10.1 of 2022-11-16" in found.overruled
    assert found.places[0].fit.how == "works"


def test_on_a_tpu_only_what_is_built_for_it_works() -> None:
    found = ranked(LINUX, said("research"), accelerator="tpu")
    assert [item.framework for item in found.places if item.fit.how == "works"] == ["jax"]
    assert "no build of torch for Google TPUs" in found.overruled


def test_what_somebody_knows_or_works_on_overrules_a_default_and_is_told() -> None:
    knows = ranked(GPU, said("production", None, "torch"))
    assert knows.places[0].framework == "torch"
    assert SKILLS["torch"].because in knows.overruled
    about = ranked(GPU, said("production", "language"))
    assert about.places[0].framework == "torch"
    assert "Transformers 5" in about.overruled
    assert ranked(GPU, said("research", "scientific", "numpy")).places[0].framework == "jax"


def test_the_cpu_is_no_drawback_where_models_run_elsewhere() -> None:
    edge = ranked(GPU, said("edge"))
    assert (edge.places[0].framework, edge.places[0].fit.how) == ("ai-edge-litert", "works")
    assert place(ranked(GPU, said("research")), "ai-edge-litert").fit.how == "cpu"
    assert place(ranked(WINDOWS, said("edge")), "jax").fit.how == "cpu"


def test_an_old_release_beneath_another_framework_is_seen() -> None:
    kepler = ranked('os=linux,arch=x86_64,glibc=2.17,driver=470.82.01,gpu="Tesla K80"', said("research"))
    assert kepler.places[0].framework == "torch"
    for name in ("torch", "lightning"):
        assert place(kepler, name).fit.because.startswith("the newest release of torch that fits is 2.")


def test_what_a_beginner_needs_speaks_only_for_what_has_it() -> None:
    found = ranked(GPU, said("teaching", None, "beginner"))
    told = {item.framework for item in found.places if SKILLS["beginner"].because in item.reasons}
    assert told == {"lightning", "torch", "tensorflow"}


def test_what_has_ended_comes_after_all_that_lives_and_says_so() -> None:
    found = ranked(GPU, said("research", None, "torch"))
    running = [item for item in found.places if item.fit.plan is not None]
    assert running[-1].framework == "oneflow"
    assert running[-1].fit.how == "works"
    assert running[-1].declining[0].startswith("no release since 0.9.0 of 2023-01-07")
    assert [item.framework for item in running if item.quiet] == ["oneflow"]
    assert place(found, "tensorflow").declining


def test_facts_without_a_gpu_are_not_held_against_anybody() -> None:
    found = ranked(LINUX, said("research"))
    assert place(found, "tensorflow").fit.how == "works"
    none = ranked(f"{LINUX},driver=none,gpu=none", said("research"))
    assert [item.framework for item in none.places if item.fit.how != "works"] == ["oneflow"]
    assert none.places[-1].fit.because == "the catalog has no build of oneflow for the CPU"


HOWS: tuple[How, ...] = ("works", "old", "cpu", "none")
PLAN = fit_of(Wish(wanted=(parse_wanted("jax"),)), parse(GPU), CATALOG)


@settings(max_examples=60)
@given(
    task=st.sampled_from(sorted(TASKS)),
    domain=st.none() | st.sampled_from(sorted(DOMAINS)),
    skills=st.lists(st.sampled_from(sorted(SKILLS)), unique=True),
    hows=st.lists(st.sampled_from(HOWS), min_size=8, max_size=8),
)
def test_whatever_is_said(task: str, domain: str | None, skills: list[str], hows: list[How]) -> None:
    fits = {
        name: replace(PLAN, how=how, because="a reason", plan=None if how == "none" else PLAN.plan)
        for name, how in zip(KNOWN.frameworks, hows, strict=True)
    }
    what = said(task, domain, *skills)
    found = ranking(what, KNOWN, fits, CATALOG)
    assert {item.framework for item in found.places} == set(KNOWN.frameworks)
    runs = [item.fit.how != "none" for item in found.places]
    assert runs == sorted(runs, reverse=True)
    assert (found.overruled == "") == (found.places[0].framework == found.default)
    if domain is None and not skills and fits[found.default].how == "works":
        assert found.places[0].framework == found.default
    assert ranking(what, KNOWN, dict(reversed(fits.items())), CATALOG) == found


def test_knowing_a_framework_never_moves_it_down() -> None:
    fits: dict[str, Fit] = {name: Fit(how="works", plan=PLAN.plan) for name in KNOWN.frameworks}
    for task in TASKS:
        before = [item.framework for item in ranking(said(task), KNOWN, fits, CATALOG).places]
        for skill in SKILLS.values():
            after = ranking(said(task, None, skill.id), KNOWN, fits, CATALOG)
            for name in skill.frameworks:
                others = [item.framework for item in after.places if item.framework not in skill.frameworks]
                ahead = [item.framework for item in after.places]
                assert set(others[: ahead.index(name)]) >= set(ahead[: ahead.index(name)]) - set(
                    skill.frameworks
                )
                beaten = {item for item in others if ahead.index(item) > ahead.index(name)}
                assert {item for item in others if before.index(item) > before.index(name)} <= beaten
