"""How one build stands: the same rules as the resolver's, so it can never say otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.catalog.load import load
from dlsetup.intake.target import parse
from dlsetup.model.framework import Build, Catalog
from dlsetup.model.standing import Standing
from dlsetup.model.versions import ComputeCapability
from dlsetup.model.wish import Wanted, Wish
from dlsetup.resolve import fitting_plan
from dlsetup.resolve.nearby import nearby
from dlsetup.resolve.pieces import BuildChoice
from dlsetup.resolve.question import Question
from dlsetup.resolve.refusals import GPU_RULE, RELEASE_RULE
from dlsetup.resolve.standing import (
    brief,
    brought_by,
    capabilities_served,
    pythons_served,
    standings,
)

LINUX = "os=linux,arch=x86_64,glibc=2.35"
TARGETS = tuple(
    f"{LINUX},driver={driver},gpu={gpu},python={python}"
    for driver, gpu in (
        ("535.65.06", "RTX 4090"),
        ("580.65.06", "V100"),
        ("580.65.06", "RTX 5090"),
        ("450.80.02", "T4"),
    )
    for python in ("3.9", "3.12")
)


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load(["torch", "jax", "tensorflow"])


def all_of(catalog: Catalog, name: str, words: str) -> list[Standing]:
    framework = catalog.framework(name)
    assert framework is not None
    return list(standings(framework.builds, parse(words), catalog))


def one(catalog: Catalog, words: str, version: str, variant: str, platform: str = "manylinux") -> Standing:
    return next(
        item
        for item in all_of(catalog, "torch", words)
        if (str(item.build.version), item.build.variant) == (version, variant)
        and item.build.wheels[0].platform.startswith(platform)
        and item.build.wheels[0].platform.endswith(("x86_64", "amd64", "arm64"))
    )


@pytest.mark.parametrize("words", TARGETS)
@pytest.mark.parametrize("name", ["torch", "jax", "tensorflow"])
def test_the_resolver_refuses_just_what_is_said_not_to_work(name: str, words: str, catalog: Catalog) -> None:
    target = parse(words)
    minor = str(target.pythons[0].version)  # type: ignore[union-attr]
    question = Question(
        Wish(wanted=(Wanted(framework=name),), python=SpecifierSet(f"=={minor}.*")), target, catalog
    )
    choices = {
        id(choice.build): choice
        for choice in question.choices(name)
        if isinstance(choice, BuildChoice) and choice.facets["python"] == minor
    }
    framework = catalog.framework(name)
    assert framework is not None
    builds = [item for item in nearby(framework.builds, target) if item.accelerator in ("cpu", "cuda")]
    compared = 0
    for standing in standings(builds, target, catalog):
        choice = choices[id(standing.build)]
        refused = list(_against(question, choice))
        if standing.rule in ("library", "expected"):
            continue
        assert (standing.answer == "no") == bool(refused), (standing.build, standing.because, refused)
        compared += 1
    assert compared > 20


def _against(question: Question, choice: BuildChoice) -> Iterator[str]:
    """What keeps a build out by itself, whatever device is preferred."""
    for refusal in question.refusals(choice):
        withdrawn = RELEASE_RULE in refusal.clauses and choice.build.yanked
        if withdrawn or not refusal.clauses & {GPU_RULE, RELEASE_RULE}:
            yield refusal.because


def test_what_works_leads_to_a_plan(catalog: Catalog) -> None:
    words = TARGETS[1]
    working = [
        item.build for item in all_of(catalog, "torch", words) if item.answer == "yes" and item.build.cuda
    ]
    assert len(working) > 10
    for build in working[::7]:
        pinned = Wanted(framework="torch", specifier=SpecifierSet(f"=={build.version.public}"))
        plan = fitting_plan(Wish(wanted=(pinned,), cuda=str(build.cuda)), parse(words), catalog)
        assert plan is not None, build
        assert plan.picks[0].variant == build.variant


def test_a_driver_that_is_too_old_decides_with_its_row(catalog: Catalog) -> None:
    found = one(catalog, TARGETS[1], "2.14.1", "cu130")
    assert (found.answer, found.rule) == ("no", "driver")
    assert found.because == "CUDA 13 needs NVIDIA driver 580 or newer on Linux"
    verdict = next(item for item in found.verdicts if item.refused)
    assert all(catalog.source(source) for source in verdict.sources)
    assert verdict.sources


def test_a_cpu_build_works_beside_a_gpu_and_a_gpu_build_needs_one(catalog: Catalog) -> None:
    assert one(catalog, f"{LINUX},gpu=RTX 4090,driver=580.65.06", "2.14.1", "cpu").answer == "yes"
    lonely = one(catalog, f"{LINUX},gpu=none,driver=none", "2.14.1", "cu126")
    assert (lonely.answer, lonely.because) == ("no", "the target has no NVIDIA GPU")


def test_the_build_for_apple_silicon_needs_no_word_about_its_gpu(catalog: Catalog) -> None:
    assert one(catalog, "macos=15.1,arch=arm64", "2.14.1", "mps", "macosx").answer == "yes"


def test_what_nobody_said_is_unknown_and_names_the_missing_fact(catalog: Catalog) -> None:
    found = one(catalog, "os=linux,gpu=A100,driver=580.65.06", "2.14.1", "cu126")
    assert found.answer == "unknown"
    assert found.because == (
        "whether a wheel of it fits is not known: nothing tells the processor and the C library of the target"
    )


def test_one_python_is_told_by_its_own_reason(catalog: Catalog) -> None:
    found = one(catalog, f"{LINUX},gpu=none,python=3.8", "2.14.1", "cpu")
    assert (found.answer, found.rule, found.pythons) == ("no", "python", ())
    assert found.because == "has no wheel for Python 3.8"
    several = one(catalog, f"{LINUX},gpu=none,python=3.8,python=3.9", "2.14.1", "cpu")
    assert (
        several.because
        == "is for Python 3.10, 3.11, 3.12, 3.13, 3.14, 3.14t, and the target can have 3.8, 3.9"
    )


def test_a_withdrawn_release_does_not_work_and_an_expectation_is_unknown(catalog: Catalog) -> None:
    build = one(catalog, TARGETS[1], "2.14.1", "cu126").build
    withdrawn, wanting = replace(build, yanked=True), replace(build, expects=("cudnn>=9,<10", "nvcc"))
    first, second = standings([withdrawn, wanting], parse(TARGETS[1]), catalog)
    assert (first.answer, first.because) == ("no", "was withdrawn by its authors")
    assert (second.answer, second.rule) == ("unknown", "expected")
    assert "cudnn>=9,<10, nvcc" in second.because


def test_a_library_that_left_the_gpu_out_decides(catalog: Catalog) -> None:
    target = parse(f"{LINUX},driver=580.65.06,gpu=V100,python=3.12")
    build = one(catalog, TARGETS[1], "2.14.1", "cu126").build
    pinned = replace(build, kernels=(ComputeCapability("7.0"),), requires=("nvidia-cudnn-cu12==9.12.0.46",))
    (found,) = standings([pinned], target, catalog)
    assert (found.answer, found.rule) == ("no", "library")
    assert "sm_75" in found.because
    older = replace(pinned, requires=("nvidia-cudnn-cu12==9.10.2.21",))
    (found,) = standings([older], target, catalog)
    assert found.answer == "yes"


def test_all_pythons_that_a_build_has_wheels_for(catalog: Catalog) -> None:
    build = one(catalog, TARGETS[1], "2.14.1", "cpu").build
    assert pythons_served(build) == ("3.10", "3.11", "3.12", "3.13", "3.14", "3.14t")
    anywhere = replace(
        build,
        wheels=(replace(build.wheels[0], pythons=("py3",)),),
        requires_python=SpecifierSet(">=3.9,<3.12"),
    )
    assert pythons_served(anywhere) == ("3.9", "3.10", "3.11")


def test_gpus_that_a_build_holds_code_for(catalog: Catalog) -> None:
    build = one(catalog, TARGETS[1], "2.14.1", "cu126").build
    served = {str(item) for item in capabilities_served(build, catalog.hardware)}
    assert {"8.0", "8.6", "8.9", "9.0"} <= served
    assert not {"10.0", "12.0", "3.5"} & served
    assert capabilities_served(one(catalog, TARGETS[1], "2.14.1", "cpu").build, catalog.hardware) == ()


def test_what_comes_along_is_that_of_its_own_platform(catalog: Catalog) -> None:
    linux = one(catalog, TARGETS[1], "2.14.1", "cu130").build
    assert any(item.startswith("nvidia-cudnn-cu13 ") for item in brought_by(linux))
    windows = replace(linux, wheels=(replace(linux.wheels[0], platform="win_amd64"),))
    marked = "nvidia-cudnn-cu13==9.24.0.43; sys_platform == 'linux'"
    assert brought_by(replace(windows, requires=(marked, "numpy>=1.26", "filelock==3.1"))) == (
        "filelock 3.1",
    )


@given(st.text(max_size=60))
@settings(max_examples=50)
def test_a_reason_without_a_name_stays_as_it_is(text: str) -> None:
    build = _BUILD[0]
    if build.framework not in text:
        assert brief(text, build) == text
    assert (
        brief(f"torch 2.14.1 ({build.variant}) holds no code for sm_89", build) == "holds no code for sm_89"
    )


_BUILD: list[Build] = []


@pytest.fixture(autouse=True, scope="module")
def _a_build(catalog: Catalog) -> None:
    framework = catalog.framework("torch")
    assert framework is not None
    _BUILD.append(next(iter(framework.of(Version("2.14.1")))))
