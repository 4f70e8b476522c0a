"""A small world of builds, true to the real one in kind: families, lines, pins, shared files, companions."""

from __future__ import annotations

from typing import Any

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version
from small_hardware import driver_branches, driver_floors, gpu_models, newer_cudnn

from dlsetup.model.framework import Build, Catalog, Framework, Index, Wheels
from dlsetup.model.hardware import Hardware, Overlap
from dlsetup.model.versions import ComputeCapability, CudaVersion

LINUX = "manylinux_2_28_x86_64"
LINES = ("cpu", "cu118", "cu126", "cu130", "cu132")


def capabilities(text: str) -> tuple[ComputeCapability, ...]:
    return tuple(map(ComputeCapability, text.split()))


def make_build(
    framework: str,
    version: str,
    variant: str,
    *requires: str,
    cuda: str | None = None,
    pythons: str = "cp310 cp311 cp312 cp313",
    platform: str = LINUX,
    **parts: Any,
) -> Build:
    index = parts.pop("index", "default")
    local = "" if index == "default" else f"+{variant}"
    return Build(
        framework=framework,
        version=Version(version),
        variant=variant,
        accelerator=parts.pop("accelerator", "cuda" if cuda else "cpu"),
        cuda=CudaVersion(cuda) if cuda else None,
        wheels=(Wheels(pythons=tuple(pythons.split()), platform=platform, size_bytes=1000),),
        requires_python=SpecifierSet(parts.pop("python", "")),
        index=index,
        requirements=(parts.pop("asks", f"{framework}=={version}{local}"),),
        requires=requires,
        sources=(f"{framework}-rows",),
        **parts,
    )


def make_framework(name: str, *builds: Build, family: str = "") -> Framework:
    distributions = ("jax", "jaxlib") if name == "jax" else (name,)
    return Framework(
        name=name, title=name, distributions=distributions, imports=name, builds=builds, family=family
    )


def torch_builds() -> list[Build]:
    new, old = capabilities("7.5 8.0 8.6 9.0 12.0"), capabilities("5.0 6.0 7.0 7.5 8.0 8.6 9.0")
    builds = []
    many = "cp310 cp311 cp312 cp313 cp314"
    usual = {("2.15.0", "cu132"), ("2.14.1", "cu130")}
    for version, pythons in (("2.15.0", "cp311 cp312 cp313 cp314"), ("2.14.1", many)):
        for variant, cuda in (("cu130", "13.0"), ("cu132", "13.2")):
            index = "default" if (version, variant) in usual else f"pytorch-{variant}"
            builds.append(
                make_build(
                    *("torch", version, variant, "nvidia-cudnn-cu13==9.24.0.43", "numpy>=1.26"),
                    cuda=cuda,
                    pythons=pythons,
                    index=index,
                    kernels=new,
                    ptx=(),
                )
            )
        builds.append(make_build("torch", version, "cpu", pythons=pythons, index="pytorch-cpu"))
    builds.append(
        make_build(
            *("torch", "2.14.1", "cu126", "nvidia-cudnn-cu12==9.10.2.21", "numpy>=1.26"),
            cuda="12.6",
            pythons=many,
            index="pytorch-cu126",
            kernels=old,
            ptx=(),
        )
    )
    builds.append(
        make_build(
            *("torch", "2.6.0", "cu118", "numpy"),
            cuda="11.8",
            platform="manylinux2014_x86_64",
            index="pytorch-cu118",
            kernels=old,
            ptx=(),
        )
    )
    builds.append(
        make_build("torch", "2.16.0rc1", "cu132", cuda="13.2", prerelease=True, kernels=new, ptx=())
    )
    return builds


def vision_builds() -> list[Build]:
    builds = []
    for build in torch_builds():
        version = {"2.15.0": "0.30.0", "2.14.1": "0.29.0"}.get(str(build.version))
        if version and build.variant != "cu132":
            cuda = str(build.cuda) if build.cuda else None
            kernels = {} if build.cuda is None else {"kernels": build.kernels, "ptx": ()}
            builds.append(
                make_build(
                    *("torchvision", version, build.variant, f"torch=={build.version}"),
                    cuda=cuda,
                    index=build.index,
                    **kernels,
                )
            )
    return builds


def tensorflow_builds() -> list[Build]:
    kernels, ptx = capabilities("6.0 7.0 8.0 8.9"), capabilities("9.0")
    builds = []
    for version, cudnn, numpy in (("2.21.0", ">=9.3,<10", ">=1.26"), ("2.19.0", "==9.3.0.75", ">=1.26,<2.2")):
        builds.append(
            make_build(
                *("tensorflow", version, "cu125", f"nvidia-cudnn-cu12{cudnn}", f"numpy{numpy}"),
                cuda="12.5",
                kernels=kernels,
                ptx=ptx,
                asks=f"tensorflow[and-cuda]=={version}",
            )
        )
        builds.append(make_build("tensorflow", version, "cpu", f"numpy{numpy}"))
        builds.append(make_build("tensorflow", version, "cpu", f"numpy{numpy}", platform="win_amd64"))
    return builds


def jax_builds() -> list[Build]:
    builds = []
    for version, numpy in (("0.12.0", ">=2.2"), ("0.10.0", ">=2.0")):
        for major in ("12", "13"):
            builds.append(
                make_build(
                    *("jax", version, f"cu{major}", f"nvidia-cudnn-cu{major}>=9.8,<10", f"numpy{numpy}"),
                    cuda=f"{major}.0",
                    pythons="cp312 cp313 cp314",
                    min_capability=ComputeCapability("5.2" if major == "12" else "7.5"),
                    asks=f"jax[cuda{major}]=={version}",
                )
            )
        builds.append(make_build("jax", version, "cpu", f"numpy{numpy}", pythons="cp312 cp313 cp314"))
    return builds


def make_hardware() -> Hardware:
    floors = ((11, "450.80.02", "452.39"), (12, "525.60.13", "528.33"), (13, "580", "580"))
    branches = (
        *((470, "11.4", "3.5"), (525, "12.0", "5.0"), (535, "12.2", "5.0"), (570, "12.8", "5.0")),
        *((580, "13.0", "5.0"), (590, "13.1", "7.5"), (595, "13.2", "7.5")),
    )
    gpus = (("GTX 1080 Ti", "6.1"), ("V100", "7.0"), ("RTX 4090", "8.9"), ("RTX 5090", "12.0"))
    return Hardware(
        floors=driver_floors(floors, "floors"),
        branches=driver_branches(branches),
        gpus=gpu_models(gpus, "gpus"),
        libraries=(newer_cudnn("cudnn"),),
        overlaps=(
            Overlap(
                distributions=("nvidia-cudnn-cu12", "nvidia-cudnn-cu13"), path="nvidia/cudnn", source="files"
            ),
        ),
    )


@pytest.fixture(scope="session")
def world() -> Catalog:
    return Catalog(
        frameworks=(
            make_framework("torch", *torch_builds(), family="torch"),
            make_framework("torchvision", *vision_builds(), family="torch"),
            make_framework("tensorflow", *tensorflow_builds()),
            make_framework("jax", *jax_builds()),
            make_framework("litert", make_build("litert", "2.0", "any", "numpy")),
        ),
        hardware=make_hardware(),
        indexes=tuple(
            Index(name=name, url=None if name == "default" else f"https://wheels.example/{name}")
            for name in (
                "default",
                "pytorch-cpu",
                "pytorch-cu118",
                "pytorch-cu126",
                "pytorch-cu130",
                "pytorch-cu132",
            )
        ),
        libraries={
            "nvidia-cudnn-cu12": tuple(map(Version, ("9.3.0.75", "9.8.0.87", "9.10.2.21", "9.24.0.43"))),
            "nvidia-cudnn-cu13": (Version("9.24.0.43"),),
            "numpy": tuple(map(Version, ("1.26.4", "2.0.2", "2.1.3", "2.2.6"))),
        },
    )
