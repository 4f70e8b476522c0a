"""ONNX, ONNX Runtime, TensorRT and CuPy: what every build says, and what is chosen."""

from __future__ import annotations

import pytest
from catalog_answers import AMD, NOTHING, NVIDIA, asked, chosen, framework, resolved
from packaging.requirements import Requirement
from packaging.version import Version

from dlsetup.intake.wish import parse_python
from dlsetup.model.framework import Catalog
from dlsetup.model.resolution import Conflict

OLD_DRIVER = "os=linux,arch=x86_64,glibc=2.31,driver=470.82.01,gpu=T4"
A100 = "os=linux,arch=x86_64,glibc=2.31,driver=535.129.03,gpu=A100"


def variants(catalog: Catalog, name: str, version: str) -> set[str]:
    return {build.variant for build in framework(catalog, name).of(Version(version))}


# ONNX and ONNX Runtime


def test_onnx_needs_no_gpu() -> None:
    pick = chosen(NVIDIA, "onnx", python=parse_python("3.13"))["onnx"]
    assert (pick.variant, pick.expects) == ("any", ())


@pytest.mark.parametrize(
    ("version", "variant", "brought"),
    [
        ("1.31.1", "cu130", True),
        ("1.28.0", "cu130", True),
        ("1.27.0", "cu130", False),
        ("1.26.0", "cu128", True),
        ("1.23.2", "cu122", True),
        ("1.20.2", "cu12", False),
        ("1.18.1", "cu118", False),
        ("1.14.1", "cu116", False),
        ("1.12.1", "cu114", False),
    ],
)
def test_onnxruntime_brings_its_libraries_or_expects_them(
    shipped: Catalog, version: str, variant: str, brought: bool
) -> None:
    builds = framework(shipped, "onnxruntime").of(Version(version))
    cuda = [item for item in builds if item.accelerator == "cuda"]
    assert {item.variant for item in cuda} == {variant}
    for build in cuda:
        assert any(text.startswith("nvidia-cudnn") for text in build.requires) == brought
        assert bool(build.expects) != brought
        assert ("[cuda,cudnn]" in build.requirements[0]) == brought


def test_onnxruntime_before_1_19_keeps_numpy_1(shipped: Catalog) -> None:
    for build in framework(shipped, "onnxruntime").builds:
        numpy = asked(build, "numpy")
        if numpy is not None:
            assert numpy.contains("2.0.0") == (build.version >= Version("1.19")), build.requirements


@pytest.mark.parametrize(
    ("target", "parts", "asked_for"),
    [
        (NVIDIA, {}, "onnxruntime-gpu[cuda,cudnn]"),
        (A100, {}, "onnxruntime-gpu[cuda,cudnn]"),
        (AMD, {}, "onnxruntime-migraphx"),
        (NOTHING, {}, "onnxruntime"),
        ("os=windows,arch=aarch64,gpu=none,driver=none", {}, "onnxruntime"),
        ("os=windows,arch=x86_64", {"accelerator": "directml"}, "onnxruntime-directml"),
    ],
)
def test_onnxruntime_is_asked_for_by_the_device(
    target: str, parts: dict[str, object], asked_for: str
) -> None:
    pick = chosen(target, "onnxruntime", python=parse_python("3.12"), **parts)["onnxruntime"]
    assert pick.requirement == f"{asked_for}=={pick.version}"


def test_openvino_is_taken_only_where_it_is_named() -> None:
    assert chosen(NOTHING, "onnxruntime==1.24.1")["onnxruntime"].variant == "cpu"
    named = chosen(NOTHING, "onnxruntime==1.24.1+openvino")["onnxruntime"]
    assert named.requirement == "onnxruntime-openvino==1.24.1"


# TensorRT


@pytest.mark.parametrize(
    ("target", "asked_for", "newest"),
    [(NVIDIA, "tensorrt-cu13", True), (A100, "tensorrt-cu12", True), (OLD_DRIVER, "tensorrt-cu11", False)],
)
def test_tensorrt_is_asked_for_by_the_cuda_of_the_driver(
    shipped: Catalog, target: str, asked_for: str, newest: bool
) -> None:
    pick = chosen(target, "tensorrt", python=parse_python("3.11"))["tensorrt"]
    assert pick.requirement == f"{asked_for}=={pick.version}"
    assert (pick.version == framework(shipped, "tensorrt").known_to) == newest


@pytest.mark.parametrize(("gpu", "version"), [("V100", "10.4.0"), ("T4", "11.4.0.106")])
def test_tensorrt_ends_for_old_gpus(gpu: str, version: str) -> None:
    target = f"os=linux,arch=x86_64,glibc=2.31,driver=535.129.03,gpu={gpu}"
    assert str(chosen(target, "tensorrt")["tensorrt"].version) == version


def test_tensorrt_does_not_serve_pascal() -> None:
    target = "os=linux,arch=x86_64,glibc=2.31,driver=535.129.03,gpu=GTX 1080"
    conflict = resolved(target, "tensorrt>=10")
    assert isinstance(conflict, Conflict)
    assert any("sm_75" in clause.text or "sm_70" in clause.text for clause in conflict.core)


# CuPy


def test_cupy_brings_cuda_along_since_14(shipped: Catalog) -> None:
    for build in framework(shipped, "cupy").builds:
        if build.accelerator == "cuda":
            brings = any(text.startswith("cuda-toolkit[") for text in build.requires)
            assert brings == (build.version >= Version("14.0.0"))
            assert brings != bool(build.expects)
            assert brings == ("[ctk]" in build.requirements[0])


def test_cupy_has_one_distribution_for_each_runtime(shipped: Catalog) -> None:
    assert variants(shipped, "cupy", "14.2.0") == {"cu13", "cu12", "rocm7.0"}
    assert variants(shipped, "cupy", "13.6.0") == {"cu13", "cu12", "cu11"}
    assert {"cu12", "cu11", "cu111", "cu110", "cu102", "rocm5.0", "rocm4.3"} == variants(
        shipped, "cupy", "12.3.0"
    )
    (twins,) = framework(shipped, "cupy").twins
    asked_for = {Requirement(build.requirements[0]).name for build in framework(shipped, "cupy").builds}
    assert asked_for < set(twins)


@pytest.mark.parametrize(
    ("target", "asked_for"),
    [
        (NVIDIA, "cupy-cuda13x[ctk]"),
        (A100, "cupy-cuda12x[ctk]"),
        (OLD_DRIVER, "cupy-cuda11x"),
        (AMD, "cupy-rocm-7-0"),
    ],
)
def test_cupy_is_asked_for_by_the_device(target: str, asked_for: str) -> None:
    pick = chosen(target, "cupy", python=parse_python("3.11"))["cupy"]
    assert pick.requirement == f"{asked_for}=={pick.version}"
