"""The cases that matter, with the catalog as it is shipped: versions move, what must hold does not."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from packaging.requirements import Requirement
from packaging.version import Version

from dlsetup.catalog.load import load
from dlsetup.intake.target import parse
from dlsetup.intake.wish import parse_python, parse_wanted
from dlsetup.model.framework import Build, Catalog
from dlsetup.model.resolution import Conflict, Pick, Plan
from dlsetup.model.wish import Wish
from dlsetup.resolve import resolve

LINUX = "os=linux,arch=x86_64,glibc=2.31"
FRAMEWORKS = ("torch", "torchvision", "torchaudio", "tensorflow", "jax", "lightning", "ai-edge-litert")


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load(FRAMEWORKS)


def answer(catalog: Catalog, target: str, *frameworks: str, **parts: object) -> Plan | Conflict:
    wish = Wish(wanted=tuple(map(parse_wanted, frameworks)), **parts)  # type: ignore[arg-type]
    return resolve(wish, parse(target), catalog)


def planned(catalog: Catalog, target: str, *frameworks: str, **parts: object) -> dict[str, Pick]:
    found = answer(catalog, target, *frameworks, **parts)
    assert isinstance(found, Plan), found
    return {pick.framework: pick for pick in found.picks}


def refused(catalog: Catalog, target: str, *frameworks: str, **parts: object) -> Conflict:
    found = answer(catalog, target, *frameworks, **parts)
    assert isinstance(found, Conflict), found
    assert found.core
    assert found.ways_out
    return found


def build(catalog: Catalog, pick: Pick) -> Build:
    framework = catalog.framework(pick.framework)
    assert framework is not None
    return next(
        item
        for item in framework.builds
        if (item.version, item.variant, item.index) == (pick.version, pick.variant, pick.index)
    )


def cuda_major(catalog: Catalog, pick: Pick) -> int | None:
    cuda = build(catalog, pick).cuda
    return cuda.major if cuda else None


def newest(catalog: Catalog, name: str, **facets: object) -> Version:
    framework = catalog.framework(name)
    assert framework is not None
    return max(
        item.version
        for item in framework.builds
        if not item.prerelease and all(getattr(item, key) == value for key, value in facets.items())
    )


def test_rtx_4090_with_driver_535(catalog: Catalog) -> None:
    torch = planned(catalog, f"{LINUX},driver=535.129.03,gpu=RTX 4090", "torch")["torch"]
    assert cuda_major(catalog, torch) == 12
    assert torch.version >= Version("2.14")
    assert "needs NVIDIA driver 580" in torch.because


@pytest.mark.parametrize("gpu", ["GTX 1080 Ti", "Tesla V100"])
def test_gpus_that_cuda_13_dropped(catalog: Catalog, gpu: str) -> None:
    picks = planned(catalog, f"{LINUX},driver=580.65.06,gpu={gpu}", "torch", "jax")
    assert cuda_major(catalog, picks["torch"]) == cuda_major(catalog, picks["jax"]) == 12
    assert picks["torch"].variant == "cu126"
    assert picks["torch"].version == newest(catalog, "torch", variant="cu126")


def test_cudnn_is_kept_below_what_dropped_volta(catalog: Catalog) -> None:
    found = answer(catalog, f"{LINUX},driver=580.65.06,gpu=Tesla V100", "jax")
    assert isinstance(found, Plan)
    bounds = [Requirement(text) for text in found.constraints if text.startswith("nvidia-cudnn-cu12")]
    assert len(bounds) == 1
    assert Version("9.10.2.21") in bounds[0].specifier
    assert Version("9.11.0.98") not in bounds[0].specifier


def test_rtx_5090_with_driver_570(catalog: Catalog) -> None:
    torch = planned(catalog, f"{LINUX},driver=570.26,gpu=RTX 5090", "torch")["torch"]
    assert torch.variant in ("cu128", "cu129")


def test_gtx_1080_ti_beside_rtx_4090(catalog: Catalog) -> None:
    torch = planned(catalog, f"{LINUX},driver=580.65.06,gpu=RTX 4090,gpu=GTX 1080 Ti", "torch")["torch"]
    assert torch.variant == "cu126"


def test_k80_with_driver_470(catalog: Catalog) -> None:
    torch = planned(catalog, f"{LINUX},driver=470.82.01,gpu=Tesla K80", "torch")["torch"]
    assert cuda_major(catalog, torch) == 11


@pytest.mark.parametrize("driver", ["535.129.03", "580.65.06"])
def test_three_frameworks(catalog: Catalog, driver: str) -> None:
    picks = planned(catalog, f"{LINUX},driver={driver},gpu=RTX 4090", "torch", "tensorflow", "jax")
    assert {cuda_major(catalog, pick) for pick in picks.values()} == {12}
    assert picks["torch"].index == "pytorch-cu126"
    assert picks["tensorflow"].requirement.startswith("tensorflow[and-cuda]==")
    assert picks["jax"].requirement.startswith("jax[cuda12]==")


def test_torch_family_shares_one_index(catalog: Catalog) -> None:
    target = f"{LINUX},driver=580.65.06,gpu=RTX 4090"
    picks = planned(catalog, target, "torch", "torchvision", "torchaudio")
    assert len({(pick.variant, pick.index) for pick in picks.values()}) == 1


def test_tensorflow_on_native_windows(catalog: Catalog) -> None:
    found = refused(catalog, "os=windows,arch=x86_64,driver=560.94,gpu=RTX 4090", "tensorflow>=2.11")
    texts = [way.text for way in found.ways_out]
    assert any("CPU" in text for text in texts)
    assert any("WSL2" in text for text in texts)


def test_tensorflow_on_python_3_14(catalog: Catalog) -> None:
    found = refused(
        catalog, f"{LINUX},driver=535.129.03,gpu=RTX 4090", "tensorflow<2.22", python=parse_python("3.14")
    )
    assert any(way.text.startswith("take Python 3.1") for way in found.ways_out)


def test_glibc_2_17(catalog: Catalog) -> None:
    old = "os=linux,arch=x86_64,glibc=2.17,driver=535.129.03,gpu=RTX 4090"
    assert planned(catalog, old, "torch")["torch"].version < Version("2.7")
    found = refused(catalog, old, "torch>=2.7")
    assert any("glibc 2.28" in way.text for way in found.ways_out)


def test_macos(catalog: Catalog) -> None:
    intel = planned(catalog, "macos=12.5,arch=x86_64", "torch", "tensorflow", "jax")
    assert {pick.variant for pick in intel.values()} == {"cpu"}
    assert intel["torch"].version < Version("2.3")
    apple = planned(catalog, "macos=14.5,arch=arm64", "torch", "tensorflow", "jax")
    assert apple["torch"].variant == "mps"
    assert apple["torch"].version == newest(catalog, "torch", variant="mps")


def test_gb200_on_aarch64(catalog: Catalog) -> None:
    target = "os=linux,arch=aarch64,glibc=2.35,driver=580.65.06,gpu=GB200"
    picks = planned(catalog, target, "torch", "jax")
    assert cuda_major(catalog, picks["torch"]) == cuda_major(catalog, picks["jax"]) == 13


def test_no_gpu(catalog: Catalog) -> None:
    picks = planned(catalog, f"{LINUX},driver=none,gpu=none", "torch", "tensorflow", "jax")
    assert {pick.variant for pick in picks.values()} == {"cpu"}


def test_mi300x(catalog: Catalog) -> None:
    found = answer(catalog, f"{LINUX},gpu=MI300X", "torch")
    assert isinstance(found, Plan)
    assert found.picks[0].variant.startswith("rocm")
    assert all("gfx942" in text for text in found.unknown)


def test_profiles_of_many_frameworks(catalog: Catalog) -> None:
    picks = planned(catalog, f"{LINUX},driver=580.65.06,gpu=RTX 4090", *FRAMEWORKS)
    assert set(picks) == set(FRAMEWORKS)


def test_companion_that_was_not_named_comes_from_the_same_index(catalog: Catalog) -> None:
    picks = planned(catalog, f"{LINUX},driver=535.129.03,gpu=RTX 4090", "torchvision")
    assert picks["torch"].index == picks["torchvision"].index
    assert picks["torch"].variant == picks["torchvision"].variant


def test_pinned_release_that_the_driver_cannot_run(catalog: Catalog) -> None:
    found = refused(catalog, f"{LINUX},driver=535.129.03,gpu=RTX 4090", "torch==2.15.0")
    assert [way.text for way in found.ways_out] == [
        "take torch 2.14.1",
        "run on the CPU",
        "update to NVIDIA driver 580 or newer",
    ]


def test_pins_that_no_environment_satisfies(catalog: Catalog) -> None:
    target = f"{LINUX},driver=535.129.03,gpu=RTX 4090"
    found = refused(catalog, target, "torch==2.7.0", "tensorflow==2.19.0")
    assert any("2 environments" in way.text and len(way.plans) == 2 for way in found.ways_out)
    assert any("12.5.3.2" in clause.text or "9.3.0.75" in clause.text for clause in found.core)


def test_a_release_that_nobody_knows_is_said_to_be_unknown(catalog: Catalog) -> None:
    conflict = refused(catalog, f"{LINUX},gpu=none", "torch==99")
    known = [build.version for build in catalog.frameworks[0].builds if not build.prerelease]
    assert [clause.text for clause in conflict.core] == [
        f"torch==99 is asked for, and the catalog has no such release: it has {min(known)} to {max(known)}"
    ]


def test_a_framework_that_has_ended_says_what_to_take_instead() -> None:
    catalog = load(["tflite-runtime"])
    fits = answer(catalog, f"{LINUX},python=3.10,driver=none,gpu=none", "tflite-runtime")
    assert isinstance(fits, Plan)
    assert any("has ended" in text and "ai-edge-litert" in text for text in fits.because)
    refused = answer(catalog, f"{LINUX},python=3.13,driver=none,gpu=none", "tflite-runtime")
    assert isinstance(refused, Conflict)
    assert any("ai-edge-litert" in text for text in refused.remarks)


def test_what_is_the_same_for_every_device_does_not_run_on_the_cpu_alone() -> None:
    catalog = load(["keras", "torch", "onnx"])
    found = answer(catalog, f"{LINUX},driver=580.65.06,gpu=RTX 4090", "torch", "onnx")
    assert isinstance(found, Plan)
    assert not any("runs on the CPU" in text for text in found.because)


def test_the_pick_that_holds_a_release_back_is_named() -> None:
    catalog = load(["torchtext"])
    found = answer(catalog, f"{LINUX},python=3.11,driver=580.65.06,gpu=RTX 4090", "torchtext")
    assert isinstance(found, Plan)
    torch = next(pick for pick in found.picks if pick.framework == "torch")
    assert "torchtext 0.18.0 asks for torch" in torch.because


def test_libraries_that_have_no_wheel_for_an_old_system_bring_an_older_release(catalog: Catalog) -> None:
    """NVIDIA builds newer cuDNN for glibc 2.27 and later; jax itself would install on 2.17."""
    words = "os=linux,arch=x86_64,glibc={},driver=580.65.06,gpu=RTX 4090,python=3.12"
    new = planned(catalog, words.format("2.35"), "jax[cuda12]")["jax"]
    old = planned(catalog, words.format("2.17"), "jax[cuda12]")["jax"]
    assert old.version < new.version
    assert "no wheel for a system as old as the target" in old.because
    assert (new.variant, old.variant) == ("cu12", "cu12")


def test_a_library_without_a_wheel_refuses_the_release_that_asks_for_it() -> None:
    """Newer vLLM asks for PyNvVideoCodec, whose wheels for aarch64 and newer Pythons need glibc 2.34."""
    world = load(["vllm"])
    place = "os=linux,arch=aarch64,glibc={},driver=590.44.01,gpu=GB200,python=3.13"
    new = planned(world, place.format("2.39"), "vllm")["vllm"]
    old = planned(world, place.format("2.31"), "vllm")["vllm"]
    assert old.version < new.version
    assert "pynvvideocodec" in old.because
    found = refused(world, place.format("2.31"), f"vllm=={new.version}")
    assert any("glibc 2.31" in clause.text for clause in found.core)


def test_every_newer_release_is_told_with_its_reason(catalog: Catalog) -> None:
    target = parse(f"{LINUX},driver=535.129.03,gpu=RTX 4090,python=3.12")
    found = resolve(Wish(wanted=(parse_wanted("torch<2.14.1"),)), target, catalog, explain=True)
    assert isinstance(found, Plan)
    (pick,) = found.picks
    told = [line.partition(": ") for line in pick.passed_over]
    releases = {build.version for build in catalog.frameworks[0].builds if not build.prerelease}
    newest = max(releases)
    assert told[0][0].split(" to ")[0] == str(newest)
    assert all(reason for _, _, reason in told)
    assert min(Version(span.split(" to ")[-1]) for span, _, _ in told) > pick.version
    assert resolve(Wish(wanted=(parse_wanted("torch<2.14.1"),)), target, catalog) == replace(
        found, picks=(replace(pick, passed_over=()),)
    )


@pytest.mark.parametrize(
    "target",
    ["gpu=sm_35", "gpu=K40", "gpu=K40,driver=470.82", "os=windows,gpu=sm_35", "arch=x86_64,gpu=sm_35"],
)
def test_what_is_unknown_of_the_system_does_not_swallow_what_the_gpu_refuses(
    catalog: Catalog, target: str
) -> None:
    refused(catalog, target, "torch")
