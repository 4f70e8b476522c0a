"""Builds that people know, as the shipped catalog has them."""

from __future__ import annotations

import pytest
from packaging.version import Version

from dlsetup.model.framework import Build, Catalog
from dlsetup.model.record import UNKNOWN, Unknown


def found(catalog: Catalog, framework: str, version: str, variant: str, index: str, platform: str) -> Build:
    """The one build of these properties; a GPU build has machine code, so it never is just a default."""
    owner = catalog.framework(framework)
    assert owner is not None
    (build,) = (
        item
        for item in owner.builds
        if item.version == Version(version)
        and (item.variant, item.index) == (variant, index)
        and item.wheels[0].platform.endswith(platform)
    )
    return build


def test_torch_as_people_know_it(shipped: Catalog) -> None:
    default = found(shipped, "torch", "2.14.1", "cu130", "default", "manylinux_2_28_x86_64")
    assert default.requirements == ("torch==2.14.1",)
    assert 'nvidia-cudnn-cu13==9.24.0.43; platform_system == "Linux"' in default.requires
    assert any(item.startswith("nvidia-cublas==13.1.") for item in default.requires)
    older = found(shipped, "torch", "2.14.1", "cu126", "pytorch-cu126", "x86_64")
    assert [str(item) for item in older.kernels] == ["5.0", "6.0", "7.0", "7.5", "8.0", "8.6", "9.0"]
    assert older.ptx == ()
    assert "nvidia-cudnn-cu12==9.10.2.21" in older.requires
    assert not any("cu13" in item for item in older.requires)
    assert older.wheels[0].size_bytes is UNKNOWN
    assert found(shipped, "torch", "2.14.1", "cpu", "default", "win_amd64").cuda is None
    assert found(shipped, "torch", "2.14.1", "mps", "default", "arm64").accelerator == "mps"
    assert found(shipped, "torch", "2.2.2", "cpu", "default", "macosx_10_9_x86_64").requirements


def test_torch_is_not_built_where_it_is_not(shipped: Catalog) -> None:
    torch = shipped.framework("torch")
    assert torch is not None
    lines = {(str(build.version), build.variant) for build in torch.builds}
    assert ("2.15.0", "cu126") not in lines
    assert ("2.14.1", "cu128") not in lines
    newer = [build for build in torch.builds if build.version > Version("2.2.2")]
    assert not [build for build in newer if build.wheels[0].platform.startswith("macosx_10")]


def test_vision_and_audio_pin_their_torch(shipped: Catalog) -> None:
    vision = found(shipped, "torchvision", "0.29.0", "cu126", "pytorch-cu126", "x86_64")
    assert "torch==2.14.0" in vision.requires
    assert vision.requirements == ("torchvision==0.29.0+cu126",)
    audio = found(shipped, "torchaudio", "2.11.0", "cu130", "default", "x86_64")
    assert audio.requires == ("torch>=2.11",)


def test_tensorflow_with_its_cuda_extra_and_without(shipped: Catalog) -> None:
    gpu = found(shipped, "tensorflow", "2.21.0", "cu125", "default", "x86_64")
    assert gpu.requirements == ("tensorflow[and-cuda]==2.21.0",)
    assert "nvidia-cudnn-cu12<10.0,>=9.3.0.75" in gpu.requires
    cpu = found(shipped, "tensorflow", "2.21.0", "cpu", "default", "manylinux_2_27_x86_64")
    assert not any(item.startswith("nvidia-") for item in cpu.requires)
    tensorflow = shipped.framework("tensorflow")
    assert tensorflow is not None
    cuda = [build for build in tensorflow.builds if build.accelerator == "cuda" and not build.expects]
    assert {build.wheels[0].platform.rpartition("_")[2] for build in cuda} == {"64"}
    assert all("manylinux" in build.wheels[0].platform for build in cuda)
    assert min(build.version for build in cuda) == Version("2.14.0")


@pytest.mark.parametrize(
    ("version", "platform", "part"),
    [
        ("2.15.0", "win_amd64", "tensorflow-intel"),
        ("2.14.0", "macosx_12_0_arm64", "tensorflow-macos"),
        ("2.12.0", "aarch64", "tensorflow-cpu-aws"),
    ],
)
def test_tensorflow_wheels_without_content_count_what_they_bring(
    shipped: Catalog, version: str, platform: str, part: str
) -> None:
    """Their own wheel is a few kilobytes that ask for one other distribution, which has all the pins."""
    shell = found(shipped, "tensorflow", version, "cpu", "default", platform)
    assert any(item.startswith(f"{part}=={version}") for item in shell.requires)
    assert any(item.startswith("numpy") for item in shell.requires)
    size = shell.wheels[0].size_bytes
    assert not isinstance(size, Unknown)
    assert size > 100_000_000


def test_tensorflow_release_whose_part_was_never_published_is_no_build(shipped: Catalog) -> None:
    tensorflow = shipped.framework("tensorflow")
    assert tensorflow is not None
    platforms = {
        item.platform
        for build in tensorflow.builds
        if build.version == Version("2.11.1")
        for item in build.wheels
    }
    assert "win_amd64" in platforms
    assert not any(item.endswith("aarch64") for item in platforms)


def test_jax_takes_pythons_and_pins_from_its_parts(shipped: Catalog) -> None:
    gpu = found(shipped, "jax", "0.12.0.1", "cu12", "default", "x86_64")
    assert gpu.requirements == ("jax[cuda12]==0.12.0.1",)
    assert gpu.wheels[0].pythons[0] == "cp312"
    assert gpu.wheels[0].platform == "manylinux_2_27_x86_64"
    assert "jax-cuda12-pjrt==0.12.0.1" in gpu.requires
    assert any(item.startswith("nvidia-cudnn-cu12<10.0,>=9.10") for item in gpu.requires)
    assert str(gpu.min_capability) == "5.2"
    cpu = found(shipped, "jax", "0.12.0.1", "cpu", "default", "win_amd64")
    assert "cp314-cp314t" not in cpu.wheels[0].pythons


def test_jax_extras_that_cannot_be_resolved_are_no_builds(shipped: Catalog) -> None:
    """0.7.0 names an extra `cuda13` whose plugin begins with 0.7.2."""
    jax = shipped.framework("jax")
    assert jax is not None
    assert min(build.version for build in jax.builds if build.variant == "cu13") == Version("0.7.2")


def test_torchaudio_before_its_first_cuda_code_goes_with_every_torch(shipped: Catalog) -> None:
    """No index ever had `torchaudio==0.9.1+cu111`."""
    torchaudio = shipped.framework("torchaudio")
    assert torchaudio is not None
    old = [build for build in torchaudio.builds if build.version < Version("0.10")]
    assert {build.requirements[0] for build in old} == {f"torchaudio=={build.version}" for build in old}
    assert {(build.variant, build.index) for build in old} == {("any", "default")}
    arm = found(shipped, "torchaudio", "0.9.1", "any", "default", "arm64")
    assert "torch==1.9.1" in arm.requires
    assert found(shipped, "torchaudio", "0.10.2", "cu111", "pytorch-cu111", "x86_64").requirements == (
        "torchaudio==0.10.2+cu111",
    )


def test_yanked_and_prereleases_are_marked(shipped: Catalog) -> None:
    every = [build for framework in shipped.frameworks for build in framework.builds]
    assert {str(build.version) for build in every if build.yanked and build.framework == "torchvision"} >= {
        "0.11.0"
    }
    for build in every:
        assert build.prerelease == build.version.is_prerelease
