"""PaddlePaddle, MindSpore, OneFlow and Horovod: what every build says, and what is chosen."""

from __future__ import annotations

import re

import pytest
from catalog_answers import NOTHING, NVIDIA, asked, chosen, framework, resolved
from packaging.requirements import Requirement
from packaging.version import Version

from dlsetup.intake.wish import parse_python
from dlsetup.model.framework import Build, Catalog
from dlsetup.model.record import Unknown
from dlsetup.model.resolution import Conflict, Plan

OLD_DRIVER = "os=linux,arch=x86_64,glibc=2.31,driver=470.82.01,gpu=T4"
A100 = "os=linux,arch=x86_64,glibc=2.31,driver=535.129.03,gpu=A100"
ARM = "os=linux,arch=aarch64,glibc=2.35,driver=none,gpu=none"
WINDOWS = "os=windows,arch=x86_64,driver=580.88,gpu=RTX 4090"
FRAMEWORKS = ("paddlepaddle", "mindspore", "oneflow", "horovod", "onnx", "onnxruntime", "tensorrt", "cupy")
SPECIFIED = re.compile(r"[a-z]+((==|>=|<)[0-9][0-9a-z.*]*(,<[0-9.]+)?)?")


def platforms(build: Build) -> set[str]:
    return {wheels.platform for wheels in build.wheels}


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_build_without_end_is_known_to_somebody(shipped: Catalog, name: str) -> None:
    known = framework(shipped, name).known_to
    assert not isinstance(known, Unknown)
    builds = framework(shipped, name).builds
    assert known in {build.version for build in builds}
    assert not [build for build in builds if build.beyond and build.version <= known]


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_what_a_build_expects_has_a_name_and_a_specifier(shipped: Catalog, name: str) -> None:
    for build in framework(shipped, name).builds:
        for text in build.expects:
            assert SPECIFIED.fullmatch(text), text
            assert Requirement(text).name == re.match("[a-z]+", text)[0]  # type: ignore[index]


# PaddlePaddle


def test_paddle_takes_gpu_builds_from_its_own_indexes() -> None:
    pick = chosen(NVIDIA, "paddlepaddle", python=parse_python("3.12"))["paddlepaddle"]
    assert pick.requirement == f"paddlepaddle-gpu=={pick.version}"
    assert pick.index == f"paddle-{pick.variant}" == "paddle-cu130"
    plan = resolved(NVIDIA, "paddlepaddle")
    assert isinstance(plan, Plan)
    assert ("paddlepaddle-gpu", "paddle-cu130") in plan.sources
    (index,) = plan.indexes
    assert index.url == "https://www.paddlepaddle.org.cn/packages/stable/cu130"


@pytest.mark.parametrize(("target", "variant"), [(A100, "cu118"), (OLD_DRIVER, "cu118"), (NOTHING, "cpu")])
def test_paddle_takes_the_line_that_the_driver_runs(target: str, variant: str) -> None:
    assert chosen(target, "paddlepaddle")["paddlepaddle"].variant == variant


def test_paddle_for_arm_ends_with_the_last_wheel() -> None:
    pick = chosen(ARM, "paddlepaddle")["paddlepaddle"]
    assert (str(pick.version), pick.variant, pick.index) == ("3.2.2", "cpu", "default")


def test_paddle_on_the_registry_expects_cuda_and_cudnn(shipped: Catalog) -> None:
    builds = framework(shipped, "paddlepaddle").builds
    own = [item for item in builds if item.accelerator == "cuda" and item.index == "default"]
    assert max(item.version for item in own) == Version("2.6.2")
    for build in own:
        assert build.requirements == (f"paddlepaddle-gpu=={build.version}",)
        assert [text.rstrip("0123456789.*,<>=") for text in build.expects] == ["cuda", "cudnn"]
    lines = {str(item.version): str(item.cuda) for item in own}
    assert (lines["2.6.2"], lines["2.5.1"], lines["2.5.0"]) == ("11.8", "11.8", "11.2")
    assert (lines["2.4.2"], lines["2.2.0"]) == ("10.2", "10.2")


def test_paddle_brings_one_cudnn_for_each_line(shipped: Catalog) -> None:
    """Its wheels on its own indexes require other NVIDIA libraries than the CPU wheel of that release."""
    by_variant = {
        (item.variant, item.wheels[0].platform.startswith("win")): item
        for item in framework(shipped, "paddlepaddle").of(Version("3.3.1"))
    }
    assert str(asked(by_variant["cu126", False], "nvidia-cudnn-cu12")) == "==9.5.1.17"
    assert str(asked(by_variant["cu129", False], "nvidia-cudnn-cu12")) == "==9.9.0.52"
    assert str(asked(by_variant["cu118", False], "nvidia-cudnn-cu11")) == "==8.9.6.50"
    assert str(asked(by_variant["cu118", True], "nvidia-cudnn-cu11")) == "==8.9.4.19"
    assert asked(by_variant["cu126", True], "nvidia-nccl-cu12") is None
    assert asked(by_variant["cpu", False], "nvidia-cudnn-cu12") is None
    assert all(asked(item, "numpy") is not None for item in by_variant.values())


# MindSpore


def test_mindspore_wheels_for_any_platform_are_for_linux_on_arm(shipped: Catalog) -> None:
    for build in framework(shipped, "mindspore").builds:
        assert not any(wheels.platform == "any" for wheels in build.wheels)
    new = framework(shipped, "mindspore").of(Version("2.10.0"))
    cpu = [platform for item in new if item.variant == "cpu" for platform in platforms(item)]
    assert sorted(cpu) == [
        "linux_aarch64",
        "macosx_10_15_x86_64",
        "macosx_11_0_arm64",
        "manylinux_2_5_x86_64",
        "win_amd64",
    ]
    windows_on_arm = resolved("os=windows,arch=aarch64,gpu=none,driver=none", "mindspore")
    assert isinstance(windows_on_arm, Conflict)


@pytest.mark.parametrize(
    ("version", "cann"),
    [
        ("2.10.0", "cann"),
        ("2.9.0", "cann==9.0.0"),
        ("2.8.0", "cann"),
        ("2.7.2", "cann==8.5.0"),
        ("2.7.1", "cann==8.3rc1"),
    ],
)
def test_mindspore_says_which_cann_goes_with_it_where_somebody_does(
    shipped: Catalog, version: str, cann: str
) -> None:
    builds = [
        item for item in framework(shipped, "mindspore").of(Version(version)) if item.accelerator == "ascend"
    ]
    assert len(builds) == 2
    assert {item.expects for item in builds} == {(cann,)}


def test_mindspore_for_nvidia_gpus_ended_with_python_3_9(shipped: Catalog) -> None:
    builds = [item for item in framework(shipped, "mindspore").builds if item.accelerator == "cuda"]
    assert max(item.version for item in builds) == Version("2.0.0")
    assert {item.variant for item in builds} == {"cu116", "cu111", "cu101"}
    conflict = resolved(NVIDIA, "mindspore", python=parse_python("3.11"))
    assert isinstance(conflict, Conflict)
    assert any("--cpu" in way.command for way in conflict.ways_out)
    old = chosen(OLD_DRIVER, "mindspore", python=parse_python("3.9"))["mindspore"]
    assert (str(old.version), old.variant) == ("2.0.0", "cu111")
    assert old.expects == ("cuda==11.1.*", "cudnn>=8.0,<8.1")


# OneFlow and Horovod: they have ended


def test_oneflow_says_the_last_python_and_system(shipped: Catalog) -> None:
    ended = framework(shipped, "oneflow").ended
    assert ended is not None
    assert str(ended.last) == "0.9.0"
    pick = chosen(NVIDIA, "oneflow")["oneflow"]
    assert (str(pick.version), pick.variant) == ("0.9.0", "cu117")
    newer = resolved(NVIDIA, "oneflow", python=parse_python("3.12"))
    assert isinstance(newer, Conflict)
    assert any("has no wheel for Python 3.12" in clause.text for clause in newer.core)
    assert next(str(way.plans[0].python) for way in newer.ways_out if way.plans) == "3.10"
    assert isinstance(resolved(WINDOWS, "oneflow"), Conflict)
    assert isinstance(resolved(NOTHING, "oneflow"), Conflict)


def test_oneflow_keeps_numpy_1(shipped: Catalog) -> None:
    for build in framework(shipped, "oneflow").builds:
        numpy = asked(build, "numpy")
        assert numpy is not None
        assert numpy.contains("1.26.4")
        assert not numpy.contains("2.0.0")


@pytest.mark.parametrize(
    ("beside", "last"), [("torch", "2.0.1"), ("tensorflow", "2.12.1"), ("torchvision", "0.15.2")]
)
def test_horovod_is_built_for_the_framework_that_is_asked_for(beside: str, last: str) -> None:
    picks = chosen(NVIDIA, "horovod", beside)
    assert str(picks[beside].version) == last
    assert ("tensorflow" in picks) == (beside == "tensorflow")
    assert picks["horovod"].compiled is not None
    assert picks["horovod"].compiled.variables == ("HOROVOD_GPU_OPERATIONS=NCCL",)
    assert {"nvcc", "nccl>=2"} < set(picks["horovod"].expects)


def test_horovod_alone_brings_torch_along() -> None:
    picks = chosen(NOTHING, "horovod")
    assert set(picks) == {"horovod", "torch"}
    assert picks["horovod"].compiled is not None
    assert picks["horovod"].compiled.variables == ()
    assert picks["horovod"].expects == ("gcc>=8", "cmake>=3.13")


def test_horovod_refuses_newer_frameworks_and_newer_pythons() -> None:
    assert isinstance(resolved(NVIDIA, "horovod", "torch>=2.1"), Conflict)
    assert isinstance(resolved(NVIDIA, "horovod", "tensorflow>=2.13"), Conflict)
    assert isinstance(resolved(NVIDIA, "horovod", python=parse_python("3.12")), Conflict)
    assert isinstance(resolved(WINDOWS, "horovod", "torch"), Conflict)


# Together


@pytest.mark.parametrize("target", [NVIDIA, A100])
def test_frameworks_of_one_environment_share_one_cuda(target: str) -> None:
    plan = resolved(target, "torch", "onnxruntime", "cupy", python=parse_python("3.12"))
    assert isinstance(plan, Plan)
    majors = {re.sub(r"^cu(\d\d).*", r"\1", pick.variant) for pick in plan.picks}
    assert plan.cuda is not None
    assert majors == ({"13"} if target == NVIDIA else {"12"})


def test_paddle_and_torch_with_other_cudnn_do_not_go_together() -> None:
    """Both pin another cuDNN 9, and one environment holds one."""
    wish = ("paddlepaddle==3.3.1+cu126", "torch==2.14.1+cu126")
    assert isinstance(resolved(NVIDIA, *wish), Conflict)
