"""What is chosen, and what is refused with which ways out, in a small world."""

from __future__ import annotations

import random

import msgspec
import pytest
from packaging.version import Version

from dlsetup.intake.target import parse
from dlsetup.intake.wish import parse_python, parse_wanted
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Build, Catalog
from dlsetup.model.record import UNKNOWN
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.versions import CudaVersion
from dlsetup.model.wish import Wish
from dlsetup.resolve import resolve

LINUX = "os=linux,arch=x86_64,glibc=2.31"
RTX = f"{LINUX},driver=535.129.03,gpu=RTX 4090"
NEW = f"{LINUX},driver=580.65.06,gpu=RTX 4090"


def wish(*frameworks: str, **parts: object) -> Wish:
    return Wish(wanted=tuple(map(parse_wanted, frameworks)), **parts)  # type: ignore[arg-type]


def plan(answer: Plan | Conflict) -> Plan:
    assert isinstance(answer, Plan), answer
    return answer


def conflict(answer: Plan | Conflict) -> Conflict:
    assert isinstance(answer, Conflict), answer
    return answer


def picks(answer: Plan | Conflict) -> list[tuple[str, str, str]]:
    return [(pick.framework, str(pick.version), pick.variant) for pick in plan(answer).picks]


def texts(answer: Plan | Conflict) -> list[str]:
    return [clause.text for clause in conflict(answer).core]


def test_driver_535_gets_the_newest_cuda_12_build(world: Catalog) -> None:
    answer = plan(resolve(wish("torch"), parse(RTX), world))
    assert picks(answer) == [("torch", "2.14.1", "cu126")]
    assert answer.requirements == ("torch==2.14.1+cu126",)
    assert answer.sources == (("torch", "pytorch-cu126"),)
    assert [index.name for index in answer.indexes] == ["pytorch-cu126"]
    assert answer.picks[0].because == (
        "newest release that fits with CUDA 12.6, which driver 535.129.03 runs; "
        "torch 2.15.0: CUDA 13 needs NVIDIA driver 580 or newer on Linux"
    )
    assert answer.unknown == ()


def test_variant_nearest_to_the_driver_from_below(world: Catalog) -> None:
    answer = plan(resolve(wish("torch"), parse(NEW), world))
    assert picks(answer) == [("torch", "2.15.0", "cu130")]
    newer = parse(f"{LINUX},driver=595.58.03,gpu=RTX 4090")
    answer = plan(resolve(wish("torch"), newer, world))
    assert picks(answer) == [("torch", "2.15.0", "cu132")]
    assert answer.picks[0].index == "default"


def test_old_gpu_under_a_new_driver_keeps_the_last_line_with_code_for_it(world: Catalog) -> None:
    target = parse(f"{LINUX},driver=580.65.06,gpu=GTX 1080 Ti")
    answer = plan(resolve(wish("torch", "jax"), target, world))
    assert picks(answer) == [("torch", "2.14.1", "cu126"), ("jax", "0.12.0", "cu12")]
    assert "nvidia-cudnn-cu12<=9.10.2.21" in answer.constraints


def test_weakest_gpu_decides(world: Catalog) -> None:
    both = parse(f"{LINUX},driver=580.65.06,gpu=RTX 4090,gpu=GTX 1080 Ti")
    assert picks(resolve(wish("torch"), both, world)) == [("torch", "2.14.1", "cu126")]


@pytest.mark.parametrize("target", [RTX, NEW])
def test_three_frameworks_share_cuda_12(world: Catalog, target: str) -> None:
    answer = plan(resolve(wish("torch", "tensorflow", "jax"), parse(target), world))
    assert picks(answer) == [
        ("torch", "2.14.1", "cu126"),
        ("tensorflow", "2.21.0", "cu125"),
        ("jax", "0.12.0", "cu12"),
    ]
    assert answer.python in (Version("3.12"), Version("3.13"))
    assert any("one CUDA family for all, CUDA 12" in reason for reason in answer.because)


def test_two_frameworks_of_cuda_13_stay_with_it(world: Catalog) -> None:
    answer = resolve(wish("torch", "jax"), parse(NEW), world)
    assert picks(answer) == [("torch", "2.15.0", "cu130"), ("jax", "0.12.0", "cu13")]


def test_family_shares_variant_and_index(world: Catalog) -> None:
    target = parse(f"{LINUX},driver=595.58.03,gpu=RTX 4090")
    answer = plan(resolve(wish("torch", "torchvision"), target, world))
    assert picks(answer) == [("torch", "2.15.0", "cu130"), ("torchvision", "0.30.0", "cu130")]
    assert {pick.index for pick in answer.picks} == {"pytorch-cu130"}


def test_companion_is_picked_from_the_same_index(world: Catalog) -> None:
    answer = plan(resolve(wish("torchvision"), parse(RTX), world))
    assert picks(answer) == [("torchvision", "0.29.0", "cu126"), ("torch", "2.14.1", "cu126")]
    assert answer.requirements == ("torchvision==0.29.0+cu126", "torch==2.14.1+cu126")
    assert "needed by torchvision 0.29.0" in answer.picks[1].because


def test_pins_of_libraries_decide_versions(world: Catalog) -> None:
    answer = resolve(wish("tensorflow==2.19.0", "jax"), parse(RTX), world)
    assert isinstance(answer, Conflict)
    assert any("nvidia-cudnn-cu12" in text for text in texts(answer))
    fitting = plan(resolve(wish("tensorflow", "jax"), parse(RTX), world))
    assert picks(fitting) == [("tensorflow", "2.21.0", "cu125"), ("jax", "0.12.0", "cu12")]


def test_no_gpu_gets_cpu_builds_with_the_reason(world: Catalog) -> None:
    target = parse(f"{LINUX},driver=none,gpu=none")
    answer = plan(resolve(wish("torch", "tensorflow", "jax"), target, world))
    assert [variant for _, _, variant in picks(answer)] == ["cpu", "cpu", "cpu"]
    assert answer.because[0] == "the target has no GPU that a framework could use"


def test_framework_without_accelerated_builds_needs_no_leave(world: Catalog) -> None:
    assert picks(resolve(wish("litert"), parse(RTX), world)) == [("litert", "2.0", "any")]


def test_unknown_gpu_is_said(world: Catalog) -> None:
    answer = plan(resolve(wish("torch"), parse(f"{LINUX},driver=535.129.03"), world))
    assert picks(answer) == [("torch", "2.14.1", "cu126")]
    assert answer.unknown == ("which GPUs the target has is not known",)
    blank = plan(resolve(wish("torch"), parse(LINUX), world))
    assert blank.picks[0].variant.startswith("cu")
    assert any("driver" in text for text in blank.unknown)


def test_wishes_for_cuda_and_cpu(world: Catalog) -> None:
    assert picks(resolve(wish("torch", cuda="12"), parse(NEW), world)) == [("torch", "2.14.1", "cu126")]
    assert picks(resolve(wish("torch", accelerator="cpu"), parse(NEW), world)) == [("torch", "2.15.0", "cpu")]


def test_prerelease_only_if_asked(world: Catalog) -> None:
    target = parse(f"{LINUX},driver=595.58.03,gpu=RTX 4090")
    assert picks(resolve(wish("torch==2.16.0rc1"), target, world)) == [("torch", "2.16.0rc1", "cu132")]


def test_local_version_asks_for_a_variant(world: Catalog) -> None:
    assert picks(resolve(wish("torch==2.14.1+cu126"), parse(NEW), world)) == [("torch", "2.14.1", "cu126")]


def test_python_on_disk_is_preferred_among_equals(world: Catalog) -> None:
    found = (Interpreter(version=Version("3.11.4"), path="/usr/bin/python3.11"),)
    fetched = tuple(Interpreter(version=Version(text)) for text in ("3.10", "3.12", "3.13"))
    target = msgspec.structs.replace(parse(RTX), pythons=(*fetched, *found))
    answer = plan(resolve(wish("torch"), target, world))
    assert (answer.python, answer.interpreter) == (Version("3.11"), "/usr/bin/python3.11")
    newest = plan(resolve(wish("torch", "jax"), target, world))
    assert (newest.python, newest.interpreter) == (Version("3.13"), None)


def test_pinned_driver_conflict_names_wish_fact_and_rule(world: Catalog) -> None:
    answer = conflict(resolve(wish("torch==2.15.0"), parse(RTX), world))
    assert texts(answer) == [
        "torch==2.15.0 is asked for",
        "the target has NVIDIA driver 535.129.03",
        "the target has an NVIDIA GPU",
        "torch 2.15.0 (cu130) is made with CUDA 13.0, and CUDA 13 needs NVIDIA driver 580 or newer on Linux",
        "a CPU build is not taken in place of a GPU build unless `--cpu` or `--allow-cpu` says so",
    ]
    assert [(way.text, way.command.partition(" --target")[0]) for way in answer.ways_out] == [
        ("take torch 2.14.1", "dlsetup resolve torch==2.14.1"),
        ("run on the CPU", "dlsetup resolve torch==2.15.0 --cpu"),
        ("update to NVIDIA driver 580 or newer", "dlsetup resolve torch==2.15.0"),
    ]
    assert answer.ways_out[2].command.endswith('driver=580,glibc=2.31,gpu="RTX 4090"\'')


def test_native_windows_has_no_gpu_build_of_tensorflow(world: Catalog) -> None:
    target = parse("os=windows,arch=x86_64,driver=560.94,gpu=RTX 4090")
    answer = conflict(resolve(wish("tensorflow"), target, world))
    assert "the target runs Windows x86_64" in texts(answer)
    assert [way.text.partition(" (")[0] for way in answer.ways_out] == ["run on the CPU", "work inside WSL2"]
    assert picks(answer.ways_out[1].plans[0]) == [("tensorflow", "2.21.0", "cu125")]


def test_python_that_no_release_supports(world: Catalog) -> None:
    answer = conflict(resolve(wish("tensorflow", python=parse_python("3.14")), parse(RTX), world))
    assert "Python 3.14 is asked for" in texts(answer)
    assert answer.ways_out[0].text.startswith("take Python 3.1")
    assert "--python 3.1" in answer.ways_out[0].command


def test_old_glibc(world: Catalog) -> None:
    old = parse("os=linux,arch=x86_64,glibc=2.17,driver=535.129.03,gpu=RTX 4090")
    assert picks(resolve(wish("torch"), old, world)) == [("torch", "2.6.0", "cu118")]
    answer = conflict(resolve(wish("torch>=2.7"), old, world))
    assert "the target has glibc 2.17" in texts(answer)
    assert [way.text for way in answer.ways_out] == [
        "take torch 2.6.0",
        "use a system or a container with glibc 2.28 or newer",
    ]


def test_gpus_that_no_build_serves_together(world: Catalog) -> None:
    target = parse(f"{LINUX},driver=580.65.06,gpu=GTX 1080 Ti,gpu=RTX 5090")
    answer = conflict(resolve(wish("torch"), target, world))
    assert texts(answer) == [
        "torch is asked for",
        "the target has GTX 1080 Ti (sm_61)",
        "the target has RTX 5090 (sm_120)",
        "a CPU build is not taken in place of a GPU build unless `--cpu` or `--allow-cpu` says so",
        "torch 2.15.0 (cu130) holds no code for sm_61, and torch 2.14.1 (cu126) holds no code for sm_120",
    ]
    chosen = {way.text: picks(way.plans[0]) for way in answer.ways_out if "CUDA_VISIBLE_DEVICES" in way.text}
    setting = "CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES"
    assert chosen == {
        f"use only GTX 1080 Ti (sm_61): `{setting}=0`": [("torch", "2.14.1", "cu126")],
        f"use only RTX 5090 (sm_120): `{setting}=1`": [("torch", "2.15.0", "cu130")],
    }


def test_separate_environments(world: Catalog) -> None:
    answer = conflict(resolve(wish("torch==2.15.0", "tensorflow==2.19.0"), parse(NEW), world))
    way = next(way for way in answer.ways_out if "environments" in way.text)
    assert [picks(item) for item in way.plans] == [
        [("torch", "2.15.0", "cu130")],
        [("tensorflow", "2.19.0", "cu125")],
    ]
    assert way.command.count("dlsetup resolve") == 2


def test_one_framework_on_the_cpu(world: Catalog) -> None:
    answer = conflict(resolve(wish("torch==2.15.0", "tensorflow"), parse(NEW), world))
    way = next(way for way in answer.ways_out if way.text == "let tensorflow run on the CPU")
    assert picks(way.plans[0]) == [("torch", "2.15.0", "cu130"), ("tensorflow", "2.21.0", "cpu")]
    assert "--allow-cpu" in way.command


def test_no_driver_on_a_gpu_machine_is_no_reason_for_a_cpu_build(world: Catalog) -> None:
    target = parse(f"{LINUX},driver=none,gpu=RTX 4090")
    answer = conflict(resolve(wish("torch"), target, world))
    assert "the target has no NVIDIA driver" in texts(answer)
    assert [way.text for way in answer.ways_out] == ["run on the CPU", "install NVIDIA driver 580 or newer"]
    pascal = conflict(resolve(wish("torch"), parse(f"{LINUX},driver=none,gpu=GTX 1080 Ti"), world))
    assert pascal.ways_out[1].text == (
        "install NVIDIA driver 525.60.13 or newer but older than 590, which does not support the GPU"
    )


def test_every_way_out_is_a_plan_for_what_it_says(world: Catalog) -> None:
    answer = conflict(resolve(wish("torch==2.15.0", "tensorflow==2.19.0"), parse(RTX), world))
    assert answer.ways_out
    assert all(way.plans and way.command for way in answer.ways_out)
    for way in answer.ways_out:
        for found in way.plans:
            again = wish(*(f"{pick.framework}=={pick.version}" for pick in found.picks), allow_cpu=True)
            assert isinstance(resolve(again, found.target, world), Plan)


@pytest.mark.parametrize(
    "frameworks", [("torch", "tensorflow", "jax"), ("torch==2.15.0", "tensorflow==2.19.0")]
)
def test_order_of_rows_changes_nothing(world: Catalog, frameworks: tuple[str, ...]) -> None:
    first = resolve(wish(*frameworks), parse(RTX), world)
    for seed in range(5):
        assert resolve(wish(*frameworks), parse(RTX), shuffled(world, seed)) == first


def shuffled(catalog: Catalog, seed: int) -> Catalog:
    draw = random.Random(seed)
    frameworks = [
        msgspec.structs.replace(item, builds=tuple(draw.sample(item.builds, len(item.builds))))
        for item in catalog.frameworks
    ]
    draw.shuffle(frameworks)
    libraries = {
        name: tuple(draw.sample(versions, len(versions))) for name, versions in catalog.libraries.items()
    }
    hardware = catalog.hardware
    branches = tuple(draw.sample(hardware.branches, len(hardware.branches)))
    return msgspec.structs.replace(
        catalog,
        frameworks=tuple(frameworks),
        libraries=libraries,
        hardware=msgspec.structs.replace(hardware, branches=branches),
    )


def test_usage_errors(world: Catalog) -> None:
    with pytest.raises(UsageError, match="no framework"):
        resolve(Wish(wanted=()), Target(), world)
    with pytest.raises(UsageError, match="`keras`"):
        resolve(wish("keras"), Target(), world)


def test_what_is_said_twice_must_hold_together(world: Catalog) -> None:
    assert picks(resolve(wish("torch>=2.7", "torch<2.15"), parse(NEW), world)) == [
        ("torch", "2.14.1", "cu130")
    ]


def test_free_threaded_python_needs_wheels_of_its_own(world: Catalog) -> None:
    threaded = (Interpreter(version=Version("3.13"), path="/opt/python3.13t", free_threaded=True),)
    target = msgspec.structs.replace(parse(RTX), pythons=threaded)
    answer = conflict(resolve(wish("torch"), target, world))
    assert any(way.text.startswith("take Python 3.") for way in answer.ways_out)


def test_python_of_the_target_that_no_release_supports(world: Catalog) -> None:
    only = (Interpreter(version=Version("3.14.1"), path="/usr/bin/python3.14"),)
    target = msgspec.structs.replace(parse(RTX), pythons=only)
    answer = conflict(resolve(wish("tensorflow"), target, world))
    assert "the target has Python 3.14.1 only" in texts(answer)
    assert answer.ways_out[0].text.endswith("which uv fetches if it is missing")


def test_wish_for_a_line_of_cuda_that_one_framework_lacks(world: Catalog) -> None:
    answer = conflict(resolve(wish("torch", "tensorflow", cuda="13"), parse(NEW), world))
    assert texts(answer)[:2] == ["CUDA 13 is asked for", "tensorflow is asked for"]
    assert answer.ways_out[0].text == "take another CUDA"


def test_amd_gpu_is_no_reason_for_a_cpu_build(world: Catalog) -> None:
    answer = conflict(resolve(wish("torch"), parse(f"{LINUX},gpu=gfx1100"), world))
    assert "the target has an AMD GPU" in texts(answer)
    assert [way.text for way in answer.ways_out] == ["run on the CPU"]


def test_within_a_release_what_is_known_comes_first_and_before_that_the_newest_release(
    world: Catalog,
) -> None:
    torch = world.frameworks[0]
    known = next(
        build for build in torch.builds if (build.variant, build.cuda) == ("cu126", CudaVersion("12.6"))
    )
    change = msgspec.structs.replace
    untold = change(known, variant="cu129", cuda=CudaVersion("12.9"), kernels=UNKNOWN, ptx=UNKNOWN)
    newer = change(untold, version=Version("2.20.0"))

    def picked(*builds: Build) -> Plan:
        frameworks = (change(torch, builds=builds),)
        return plan(resolve(wish("torch"), parse(NEW), change(world, frameworks=frameworks)))

    assert picks(picked(untold, known)) == [("torch", "2.14.1", "cu126")]
    answer = picked(newer, untold, known)
    assert picks(answer) == [("torch", "2.20.0", "cu129")]
    assert answer.unknown == ("no row tells whether torch 2.20.0 (cu129) holds code for sm_89",)
