"""torch, what is built in step with it, and the extensions that hang on its release and its CUDA."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from packaging.version import Version

from dlsetup.catalog.load import load
from dlsetup.catalog.platforms import families
from dlsetup.intake.target import parse
from dlsetup.intake.wish import parse_wanted
from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.record import Unknown
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.model.target import Interpreter
from dlsetup.model.versions import ComputeCapability, CudaVersion
from dlsetup.model.wish import Wish
from dlsetup.resolve import resolve
from dlsetup.resolve.refusals import specifier_admits
from dlsetup.rules.libraries import libraries_of
from dlsetup.rules.wheels import platform_target

PYTHON = Interpreter(version=Version("3.11"))
FAMILY = ("torchtext", "torchao", "torch-tensorrt", "flash-attn", "xformers", "bitsandbytes", "deepspeed")
EXTENSIONS = (*FAMILY, "vllm", "torch-npu")
LINUX = "os=linux,arch=x86_64,glibc=2.35"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load(["torch", "triton", *EXTENSIONS])


def framework(catalog: Catalog, name: str) -> Framework:
    found = catalog.framework(name)
    assert found is not None, name
    return found


def family_of(build: Build) -> str:
    """The family of platforms that a build is for."""
    return families(build.wheels[0].platform)[0]


def torches(catalog: Catalog, build: Build) -> Iterator[Build]:
    """The builds of torch for the platform of a build that its requirements admit."""
    asked = libraries_of(build, PYTHON, platform_target(build.wheels[0].platform))["torch"]
    anywhere = family_of(build) == "any"
    for torch in framework(catalog, "torch").builds:
        if specifier_admits(asked, torch) and (anywhere or family_of(torch) == family_of(build)):
            yield torch


@pytest.mark.parametrize("name", EXTENSIONS)
def test_every_extension_has_a_torch_to_go_with(catalog: Catalog, name: str) -> None:
    for build in framework(catalog, name).builds:
        found = list(torches(catalog, build))
        assert found, (build.requirements, family_of(build))
        if build.cuda is not None:
            majors = {torch.cuda.major for torch in found if torch.cuda is not None}
            assert build.cuda.major in majors, (build.requirements, family_of(build))


def test_vllm_goes_with_the_default_torch_of_its_variant(catalog: Catalog) -> None:
    for build in framework(catalog, "vllm").builds:
        beside = {(torch.variant, torch.index) for torch in torches(catalog, build)}
        assert (build.variant, "default") in beside, (build.requirements, family_of(build))


def test_the_triton_that_torch_pins_is_there(catalog: Catalog) -> None:
    triton = framework(catalog, "triton")
    pins = 0
    for torch in framework(catalog, "torch").builds:
        asked = libraries_of(torch, PYTHON, platform_target(torch.wheels[0].platform)).get("triton")
        if asked is not None and torch.index == "default":
            pins += 1
            assert any(
                family_of(build) == family_of(torch) and asked.contains(build.version)
                for build in triton.builds
            ), torch.requirements
    assert pins > 20


def test_torchtext_has_ended_and_its_last_release_keeps_to_torch_2_3(catalog: Catalog) -> None:
    torchtext = framework(catalog, "torchtext")
    assert torchtext.ended is not None
    assert torchtext.ended.last == max(build.version for build in torchtext.builds)
    for build in torchtext.of(torchtext.ended.last):
        assert {torch.version.release[:2] for torch in torches(catalog, build)} == {(2, 3)}


def test_each_torchao_goes_with_the_torch_its_compiled_parts_are_made_for(catalog: Catalog) -> None:
    pairs = {"0.16.0": "2.10.0", "0.15.0": "2.9.1", "0.14.1": "2.9.0", "0.13.0": "2.8.0"}
    for release, counterpart in pairs.items():
        (build,) = framework(catalog, "torchao").of(Version(release))
        assert {str(torch.version) for torch in torches(catalog, build)} == {counterpart}
    (stable,) = framework(catalog, "torchao").of(Version("0.18.0"))
    assert min(torch.version for torch in torches(catalog, stable)) == Version("2.11.0")


def test_bitsandbytes_has_a_library_for_every_line_of_torch_it_admits(catalog: Catalog) -> None:
    (newest,) = {build.version for build in framework(catalog, "bitsandbytes").builds[:1]}
    have = {(family_of(build), build.cuda) for build in framework(catalog, "bitsandbytes").of(newest)}
    lines = {
        (family_of(torch), torch.cuda)
        for torch in framework(catalog, "torch").builds
        if torch.cuda is not None and torch.version >= Version("2.4")
    }
    # From 0.50 on it takes the next line of the same major where it has none for this one.
    assert {line for line in lines - have if line[1] != CudaVersion("12.9")} == set()


@pytest.mark.parametrize("name", ["flash-attn", "deepspeed"])
def test_what_has_no_wheel_says_what_it_is_built_with(catalog: Catalog, name: str) -> None:
    built = [build for build in framework(catalog, name).builds if build.from_source]
    assert len({build.version for build in built}) > 20
    for build in built:
        assert {"torch", "setuptools"} <= set(build.build_requires)
        assert not isinstance(build.released, Unknown)
        if name == "flash-attn":
            assert build.min_capability == ComputeCapability("8.0")
            assert build.expects[0] == "nvcc"


def test_torch_npu_expects_the_cann_that_the_table_of_the_hardware_names(catalog: Catalog) -> None:
    table = {row.version: row for row in catalog.hardware.ascend if row.distribution == "torch-npu"}
    named = 0
    for build in framework(catalog, "torch-npu").builds:
        (expected,) = build.expects
        row = table.get(build.version)
        assert (expected != "cann") == (row is not None), build.requirements
        if row is not None:
            named += 1
            assert Version(expected.removeprefix("cann==")) == Version(row.cann)
            assert {torch.version for torch in torches(catalog, build)} == {row.torch}
    assert named > 40


def test_torch_serves_ascend_with_its_build_for_the_cpu_alone(catalog: Catalog) -> None:
    ascend = [item for item in framework(catalog, "torch").builds if item.accelerator == "ascend"]
    assert {build.variant for build in ascend} == {"cpu"}
    assert all("torch-npu" in build.requires for build in ascend)


@pytest.mark.parametrize("name", ["torch", "bitsandbytes"])
def test_rocm_builds_say_for_which_gpus_they_hold_code(catalog: Catalog, name: str) -> None:
    told = 0
    for build in framework(catalog, name).builds:
        if build.accelerator == "rocm" and not isinstance(build.gfx, Unknown):
            told += 1
            assert all(re.fullmatch(r"gfx(9|1[0-2])[0-9a-f]{2}|gfx9[0-9a-f]{2}", gfx) for gfx in build.gfx)
            assert len(set(build.gfx)) == len(build.gfx)
            assert "gfx90a" in build.gfx or build.wheels[0].platform == "win_amd64"
    assert told > 20


@pytest.mark.parametrize(
    ("wanted", "target", "picks"),
    [
        (("vllm==0.33.0",), "driver=580.65.06,gpu=RTX 4090", {"torch==2.14.0": "cu130"}),
        (("vllm==0.19.1",), "driver=535.129.03,gpu=A100", {"torch==2.10.0": "cu128"}),
        (("xformers==0.0.33.post2",), "driver=570.86,gpu=RTX 4090", {"torch==2.9.1": "cu128"}),
        (("torchao==0.16.0", "triton"), "driver=570.86,gpu=RTX 4090", {"triton==3.6.0": "any"}),
        (("torchtext",), "driver=535.129.03,gpu=T4", {"torch==2.3.1": "cu121"}),
        (("xformers==0.0.33",), "driver=580.65.06,gpu=RTX 4090", {"torch==2.9.0+cu130": "cu130"}),
        (("torch-tensorrt==2.9.0",), "driver=580.65.06,gpu=T4", {"torch==2.9.1+cu130": "cu130"}),
        (("torch==2.13.0",), "gpu=RX 7900 XTX", {"torch==2.13.0+rocm7.2": "rocm7.2"}),
        (("torch-npu==2.11.0",), "gpu=Ascend 910B", {"torch==2.11.0+cpu": "cpu"}),
        (("torch==2.7.1",), "gpu=Ascend 910B", {"torch-npu==2.7.1.post11": "ascend"}),
    ],
)
def test_what_it_is_installed_with(
    catalog: Catalog, wanted: tuple[str, ...], target: str, picks: dict[str, str]
) -> None:
    found = resolve(
        Wish(wanted=tuple(map(parse_wanted, wanted))), parse(f"{LINUX},{target},python=3.11"), catalog
    )
    assert isinstance(found, Plan), found
    chosen = {pick.requirement: pick.variant for pick in found.picks}
    assert picks.items() <= chosen.items(), chosen


@pytest.mark.parametrize(
    ("wanted", "target", "why"),
    [
        ("flash-attn", "driver=580.65.06,gpu=T4", "needs a GPU of sm_80 or newer"),
        ("flash-attn==2.6.3", "driver=580.65.06,gpu=RTX 5090", "holds no code for sm_120"),
        ("vllm==0.33.0", "driver=570.86,gpu=RTX 4090", "CUDA 13 needs NVIDIA driver 580"),
        ("xformers==0.0.35", "driver=570.86,gpu=GTX 1080", "holds no code for sm_61"),
        ("torch==2.0.1", "gpu=RX 7900 XTX", "holds no code for gfx1100"),
    ],
)
def test_what_it_cannot_do(catalog: Catalog, wanted: str, target: str, why: str) -> None:
    wish = Wish(wanted=(parse_wanted(wanted),))
    found = resolve(wish, parse(f"{LINUX},{target},python=3.11"), catalog)
    assert isinstance(found, Conflict), found
    assert why in " ".join(clause.text for clause in found.core)
