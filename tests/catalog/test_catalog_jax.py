"""JAX and its companions: what every build says, and what is chosen."""

from __future__ import annotations

import pytest
from catalog_answers import NOTHING, NVIDIA, answer, asked, framework, planned
from packaging.version import Version

from dlsetup.intake.wish import parse_python
from dlsetup.model.framework import Catalog
from dlsetup.model.resolution import Conflict


def test_jax_for_the_cpu_begins_with_what_is_left_in_the_registry(shipped: Catalog) -> None:
    cpu = {build.version: build for build in framework(shipped, "jax").builds if build.variant == "cpu"}
    assert min(cpu) == Version("0.4.18")
    assert cpu[Version("0.4.29")].requirements == ("jax[cpu]==0.4.29",)
    assert cpu[Version("0.4.30")].requirements == ("jax==0.4.30",)


def test_jax_on_cuda_begins_with_the_plugins(shipped: Catalog) -> None:
    cuda = {build.version for build in framework(shipped, "jax").builds if build.accelerator == "cuda"}
    assert min(cuda) == Version("0.4.30")
    refused = answer(shipped, NVIDIA, "jax==0.4.25")
    assert isinstance(refused, Conflict)
    assert any(plan.picks[0].variant == "cpu" for way in refused.ways_out for plan in way.plans)


def test_jax_for_tpus_needs_a_libtpu_that_the_registry_has(shipped: Catalog) -> None:
    tpu = [build for build in framework(shipped, "jax").builds if build.accelerator == "tpu"]
    assert min(build.version for build in tpu) == Version("0.5.1")
    assert not any(asked(build, "libtpu-nightly") for build in tpu)


@pytest.mark.parametrize(
    ("version", "variant", "expects", "plugin"),
    [
        ("0.12.0", "rocm7", "rocm==7.14.*", "jax-rocm7-plugin"),
        ("0.11.1", "rocm7", "rocm>=7,<8", "jax-rocm7-plugin"),
        ("0.9.2", "rocm7", "rocm==7.2.*", "jax-rocm7-plugin"),
        ("0.9.1", "rocm7", "rocm>=7,<8", "jax-rocm7-plugin"),
        ("0.5.0", "rocm6", "rocm>=6,<7", "jax-rocm60-plugin"),
    ],
)
def test_jax_on_rocm(shipped: Catalog, version: str, variant: str, expects: str, plugin: str) -> None:
    builds = framework(shipped, "jax").of(Version(version))
    (rocm,) = (build for build in builds if build.accelerator == "rocm")
    assert (rocm.variant, rocm.expects) == (variant, (expects,))
    assert asked(rocm, plugin) is not None


def test_releases_whose_extra_names_a_plugin_that_was_never_published_are_no_builds(shipped: Catalog) -> None:
    """0.6.0 asks for a plugin of ROCm 6, 0.9.0 for one with a local version, 0.12.0 for one of oneAPI."""
    for version, accelerator in (("0.6.0", "rocm"), ("0.9.0", "rocm"), ("0.12.0", "xpu")):
        builds = framework(shipped, "jax").of(Version(version))
        assert builds
        assert not [build for build in builds if build.accelerator == accelerator]


def test_jax_on_an_intel_gpu_says_why_nothing_newer(shipped: Catalog) -> None:
    pick = planned(shipped, "os=linux,arch=x86_64,glibc=2.35,gpu=Intel Arc A770", "jax<=0.12.0")["jax"]
    assert (str(pick.version), pick.variant) == ("0.11.2", "xpu")
    assert pick.because.endswith("no build of it is for the GPU")


def test_flax_and_optax_bring_a_jax_for_the_gpu(shipped: Catalog) -> None:
    picks = planned(shipped, NVIDIA, "flax")
    assert picks["jax"].variant.startswith("cu")
    older = planned(shipped, NVIDIA, "optax", python=parse_python("3.10"))
    assert older["jax"].version < Version("0.7")
    pinned = planned(shipped, NOTHING, "flax", "jax==0.4.30")
    assert pinned["flax"].version == Version("0.10.4")
