"""What the shipped catalog has to answer for the machines that people ask about most."""

from __future__ import annotations

import re

import pytest
from packaging.version import Version

from dlsetup.catalog.load import load
from dlsetup.intake.target import parse
from dlsetup.intake.wish import parse_cuda, parse_python, parse_wanted
from dlsetup.model.framework import Build, Catalog
from dlsetup.model.resolution import Conflict, Pick, Plan
from dlsetup.model.wish import Wish
from dlsetup.resolve import resolve

LINUX = "os=linux,arch=x86_64,glibc=2.35"
ARM = "os=linux,arch=aarch64,glibc=2.35"
THREE = ("torch", "tensorflow", "jax")


class Answer:
    """What is answered for frameworks on a target."""

    def __init__(self, target: str, *frameworks: str, python: str | None = None) -> None:
        names = [re.split("[=<>~]", text)[0] for text in frameworks]
        self.catalog: Catalog = load(names)
        wish = Wish(wanted=tuple(map(parse_wanted, frameworks)))
        if python:
            wish = Wish(wanted=wish.wanted, python=parse_python(python))
        self.found = resolve(wish, parse(target), self.catalog)

    @property
    def plan(self) -> Plan:
        assert isinstance(self.found, Plan), self.core
        return self.found

    @property
    def conflict(self) -> Conflict:
        assert isinstance(self.found, Conflict), self.found
        assert self.found.core
        return self.found

    @property
    def core(self) -> str:
        return "; ".join(clause.text for clause in self.conflict.core)

    @property
    def ways(self) -> list[str]:
        assert all(way.plans for way in self.conflict.ways_out)
        return [way.text for way in self.conflict.ways_out]

    def pick(self, name: str) -> Pick:
        return next(pick for pick in self.plan.picks if pick.framework == name)

    def build(self, name: str) -> Build:
        pick, framework = self.pick(name), self.catalog.framework(name)
        assert framework is not None
        alike = (
            (item.variant, item.index) == (pick.variant, pick.index) for item in framework.of(pick.version)
        )
        return next(item for item, same in zip(framework.of(pick.version), alike, strict=True) if same)

    def cuda(self) -> set[int]:
        """The CUDA families of all picks."""
        builds = (self.build(pick.framework) for pick in self.plan.picks)
        return {build.cuda.major for build in builds if build.cuda}

    def accelerators(self) -> set[str]:
        return {self.build(pick.framework).accelerator for pick in self.plan.picks}


def newest(answer: Answer, name: str, variant: str) -> Version:
    framework = answer.catalog.framework(name)
    assert framework is not None
    finished = (item for item in framework.builds if not (item.prerelease or item.yanked))
    return max(item.version for item in finished if item.variant == variant)


def test_rtx_4090_under_driver_535_gets_the_newest_cuda_12_build() -> None:
    answer = Answer(f"{LINUX},driver=535.129.03,gpu=RTX 4090", "torch")
    torch = answer.pick("torch")
    assert answer.accelerators() == {"cuda"}
    assert answer.cuda() == {12}
    assert torch.version == newest(answer, "torch", torch.variant)
    assert torch.index == f"pytorch-{torch.variant}"
    assert "CUDA 13 needs NVIDIA driver 580" in torch.because


@pytest.mark.parametrize("gpu", ["GTX 1080 Ti", "Tesla V100"])
def test_gpus_without_cuda_13_under_driver_580(gpu: str) -> None:
    answer = Answer(f"{LINUX},driver=580.65.06,gpu={gpu}", *THREE)
    assert answer.accelerators() == {"cuda"}
    assert answer.cuda() == {12}
    assert answer.pick("torch").variant == "cu126"
    assert answer.pick("torch").version == newest(answer, "torch", "cu126")
    assert "supports GPUs from sm_75 on" in answer.pick("torch").because
    assert answer.plan.unknown == ()


def test_rtx_5090_under_driver_570() -> None:
    answer = Answer(f"{LINUX},driver=570.86.10,gpu=RTX 5090", "torch")
    build = answer.build("torch")
    assert build.variant in ("cu128", "cu129")
    assert not isinstance(build.kernels, type(None))
    assert "12.0" in map(str, build.kernels or ())
    assert answer.pick("torch").version == max(newest(answer, "torch", name) for name in ("cu128", "cu129"))


def test_tesla_k80_under_driver_470() -> None:
    answer = Answer(f"{LINUX},driver=470.82.01,gpu=Tesla K80", "torch")
    assert answer.cuda() == {11}
    assert "3.7" in map(str, answer.build("torch").kernels or ())
    three = Answer(f"{LINUX},driver=470.82.01,gpu=Tesla K80", *THREE)
    assert "jax is asked for" in three.core
    assert "Tesla K80 (sm_37)" in three.core
    assert three.ways[0] == "let jax run on the CPU"
    assert not any("driver" in way for way in three.ways)


def test_gtx_1080_ti_beside_rtx_4090() -> None:
    both = f"{LINUX},driver=580.65.06,gpu=GTX 1080 Ti,gpu=RTX 4090"
    assert Answer(both, "torch").pick("torch").variant == "cu126"
    refused = Answer(both, "torch==2.15.0")
    assert "GTX 1080 Ti (sm_61)" in refused.core
    assert "4090" not in refused.core
    assert refused.ways[0] == f"take torch {newest(refused, 'torch', 'cu126')}"
    alone = "use only RTX 4090 (sm_89): `CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1`"
    assert alone in refused.ways


@pytest.mark.parametrize("driver", ["535.129.03", "580.65.06"])
def test_three_frameworks_share_cuda_12(driver: str) -> None:
    answer = Answer(f"{LINUX},driver={driver},gpu=RTX 4090", *THREE)
    assert answer.accelerators() == {"cuda"}
    assert answer.cuda() == {12}
    assert answer.pick("jax").requirement.startswith("jax[cuda12]==")
    assert any("one CUDA family for all, CUDA 12" in reason for reason in answer.plan.because)


def test_tensorflow_on_native_windows() -> None:
    windows = "os=windows,arch=x86_64,driver=580.88,gpu=RTX 4090"
    last = Answer(windows, "tensorflow")
    assert last.pick("tensorflow").version == Version("2.10.1")
    assert last.plan.python == Version("3.10")
    assert last.cuda() == {11}
    assert "has no wheel for Windows" in last.pick("tensorflow").because
    newer = Answer(windows, "tensorflow>=2.11")
    assert "runs Windows x86_64" in newer.core
    assert newer.ways == [
        "take tensorflow 2.10.1",
        "run on the CPU",
        "work inside WSL2 (`wsl --install`), which uses the Windows driver",
    ]


def test_tensorflow_on_python_3_14() -> None:
    answer = Answer(f"{LINUX},driver=580.65.06,gpu=RTX 4090", "tensorflow<2.22", python="3.14")
    assert "Python 3.14 is asked for" in answer.core
    assert "has no wheel for Python 3.14" in answer.core
    assert answer.ways[0].startswith("take Python 3.1")
    assert {
        pick.variant for way in answer.conflict.ways_out for plan in way.plans for pick in plan.picks
    } != {"cpu"}


def test_glibc_2_17() -> None:
    old = "os=linux,arch=x86_64,glibc=2.17,driver=580.65.06,gpu=RTX 4090"
    answer = Answer(old, "torch")
    assert answer.pick("torch").version == Version("2.6.0")
    assert answer.accelerators() == {"cuda"}
    assert "with glibc 2.17" in answer.pick("torch").because
    refused = Answer(old, "torch==2.15.0")
    assert "glibc 2.17" in refused.core
    assert refused.ways == ["take torch 2.6.0", "use a system or a container with glibc 2.28 or newer"]


def test_macos_on_intel() -> None:
    answer = Answer("macos=13.0,arch=x86_64", *THREE)
    assert [str(answer.pick(name).version) for name in THREE] == ["2.2.2", "2.16.2", "0.4.34"]
    assert answer.accelerators() == {"cpu"}
    assert "GPU" not in answer.pick("jax").because
    assert "library versions that do not go with the rest" in answer.pick("jax").because


def test_macos_on_apple_silicon() -> None:
    answer = Answer("macos=14.5,arch=arm64", *THREE)
    assert answer.build("torch").accelerator == "mps"
    assert answer.pick("torch").version == newest(answer, "torch", "mps")


def test_gb200_on_aarch64() -> None:
    answer = Answer(f"{ARM},driver=580.65.06,gpu=GB200", "torch", "jax")
    assert answer.accelerators() == {"cuda"}
    assert answer.cuda() == {13}
    assert "10.0" in map(str, answer.build("torch").kernels or ())
    three = Answer(f"{ARM},driver=580.65.06,gpu=GB200", *THREE)
    assert "has no wheel for Linux aarch64" in three.core
    assert "tensorflow" in three.core
    assert three.ways[0] == "let tensorflow run on the CPU"


def test_jetson_orin_gets_no_cuda_12_build_for_servers() -> None:
    answer = Answer(f"{ARM},driver=540.4.0,gpu=Jetson AGX Orin", "torch>=2.7,<2.15")
    assert "sm_87" in answer.core
    assert "run on the CPU" in answer.ways
    assert not any(
        pick.version == Version("2.14.1") and pick.variant == "cu126"
        for way in answer.conflict.ways_out
        for plan in way.plans
        for pick in plan.picks
    )


def test_mi300x_gets_rocm() -> None:
    answer = Answer(f"{LINUX},gpu=MI300X", "torch", "jax")
    assert answer.accelerators() == {"rocm"}
    assert "gfx942" in (answer.build("torch").gfx or ())
    assert not any("torch" in text for text in answer.plan.unknown)


def test_ascend_910b() -> None:
    target = "os=linux,arch=aarch64,glibc=2.28,gpu=Ascend 910B"
    answer = Answer(target, "torch-npu", "mindspore")
    assert {answer.pick(name).variant for name in ("torch-npu", "mindspore")} == {"ascend"}
    npu, torch = answer.pick("torch-npu").version, answer.pick("torch").version
    assert (npu.major, npu.minor) == (torch.major, torch.minor)
    assert "cann" in answer.pick("torch-npu").expects
    assert "torch-npu" in {pick.framework for pick in Answer(target, "torch").plan.picks}


def test_tpu_v5e() -> None:
    tpu = f"{LINUX},gpu=TPU v5e"
    assert Answer(tpu, "jax").pick("jax").requirement.startswith("jax[tpu]==")
    refused = Answer(tpu, "jax", "torch")
    assert "no build of torch for Google TPUs" in refused.core
    assert refused.ways[0] == "let torch run on the CPU"


def test_vllm_with_flash_attn_shares_its_torch() -> None:
    answer = Answer(f"{LINUX},driver=580.65.06,gpu=A100", "vllm", "flash-attn")
    assert len(answer.cuda()) == 1
    asked = [text for text in answer.build("vllm").requires if text.startswith("torch==")]
    assert asked[0].split(";")[0].strip() == f"torch=={answer.pick('torch').version}"
    assert "nvcc" in answer.pick("flash-attn").expects


def test_onnxruntime_gpu_beside_torch_shares_cudnn() -> None:
    answer = Answer(f"{LINUX},driver=580.65.06,gpu=A100", "torch", "onnxruntime")
    assert answer.accelerators() == {"cuda"}
    assert len(answer.cuda()) == 1
    assert answer.pick("onnxruntime").requirement.startswith("onnxruntime-gpu")


def test_horovod_brings_the_last_torch_it_knows() -> None:
    answer = Answer(f"{LINUX},driver=580.65.06,gpu=A100", "horovod", "torch", "tensorflow")
    assert answer.cuda() == {11}
    assert answer.pick("torch").version == Version("2.0.1")
    assert answer.pick("horovod").compiled is not None
    assert "horovod 0.28.1 asks for torch<2.1" in answer.pick("torch").because
    assert any("has ended" in reason for reason in answer.plan.because)


def test_two_that_exclude_each_other_in_every_release_are_refused_with_a_smallest_core() -> None:
    answer = Answer(f"{LINUX},driver=580.65.06,gpu=RTX 4090", "flax", "torchtext", "optax")
    text = answer.core
    assert "flax is asked for" in text
    assert "torchtext is asked for" in text
    assert "optax is asked for" not in text
    assert any("environments" in way.text for way in answer.conflict.ways_out)


@pytest.mark.parametrize(
    ("gpu", "variant"),
    [("RTX 4090", "cpu"), ("MI300X", "rocm"), ("", "cpu")],
    ids=["nvidia", "amd", "unknown"],
)
def test_without_cuda_another_device_is_served_or_the_cpu(gpu: str, variant: str) -> None:
    where = f'{LINUX},gpu="{gpu}"' if gpu else LINUX
    answer = resolve(
        Wish(wanted=(parse_wanted("torch"),), cuda=parse_cuda("none")), parse(where), load(["torch"])
    )
    assert isinstance(answer, Plan)
    assert answer.picks[0].variant.startswith(variant)


def test_what_is_made_with_cuda_alone_is_refused_without_it() -> None:
    wish = Wish(wanted=(parse_wanted("vllm"),), cuda="none")
    answer = resolve(wish, parse(f'{LINUX},gpu="RTX 4090"'), load(["vllm"]))
    assert isinstance(answer, Conflict)
    assert "builds without CUDA are asked for" in [clause.text for clause in answer.core]
    assert [way.text for way in answer.ways_out][:1] == ["take another CUDA"]


def test_an_old_release_leads_to_an_old_python() -> None:
    answer = Answer(f'{LINUX},gpu="A100",driver=535.129.03', "torch==1.10.1")
    assert "take Python 3.9, which uv fetches if it is missing" in answer.ways
