"""Lines in which TensorFlow, Paddle and JAX name devices, a sample of each generation."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dlsetup.intake.fact import Fact
from dlsetup.intake.formats import framework_logs, jax_environment
from dlsetup.intake.page import Page
from dlsetup.intake.reading import facts_of
from dlsetup.model.machine import Gpu
from dlsetup.model.versions import ComputeCapability, CudaVersion

KNOWN = (
    framework_logs.tensorflow_devices,
    framework_logs.paddle,
    jax_environment.environment_info,
    jax_environment.devices,
)

NEW = (
    "I0000 00:00:17 gpu_device.cc:2022] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 139 "
    "MB memory:  -> device: 0, name: Tesla T4, pci bus id: 0000:00:04.0, compute capability: 7.5"
)
OLD = (
    "2019-05-01 10:00:00.1: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1326] Created TensorFlow "
    "device (/job:localhost/replica:0/task:0/device:GPU:0 with 7535 MB memory) -> physical GPU (device: 0, "
    "name: Tesla T4, pci bus id: 0000:00:04.0, compute capability: 7.5)"
)
OLDEST = "pciBusID: 0000:01:00.0 name: Tesla T4 computeCapability: 7.5"
JAX = """
jax:    0.4.31
jaxlib: 0.4.30
numpy:  1.26.4
python: 3.11.9 (main, Apr 19 2024, 16:48:06) [GCC 11.2.0]
device info: NVIDIA A100-SXM4-40GB-2, 2 local devices"
process_count: 1
platform: uname_result(system='Linux', node='box', release='6.5.0-41-generic', version='#4', machine='x86_64')
"""
PADDLE = """
W1118 device_context.cc:404] Please NOTE: device: 0, GPU Compute Capability: 8.6, Driver API Version: 11.4, R
W1118 device_context.cc:422] device: 0, cuDNN Version: 8.1.
PaddlePaddle works well on 1 GPU.
"""


def facts(text: str) -> list[Fact]:
    return [item for item in facts_of(Page(text, "run.log"), KNOWN) if isinstance(item, Fact)]


def values(text: str, about: str) -> list[object]:
    return [item.value for item in facts(text) if item.about == about]


def observed(text: str) -> dict[str, str]:
    return {item.value.subject: item.value.value for item in facts(text) if item.about == "observation"}


@pytest.mark.parametrize("line", [NEW, OLD, OLDEST])
def test_a_gpu_of_tensorflow(line: str) -> None:
    gpus = [item for item in values(line, "gpu") if isinstance(item, Gpu)]
    assert [(gpu.name, gpu.compute_capability) for gpu in gpus] == [("Tesla T4", ComputeCapability("7.5"))]


def test_a_created_device_was_seen_to_work() -> None:
    assert observed(NEW)["tensorflow.created_device"] == "Tesla T4"
    assert "tensorflow.created_device" not in observed(OLDEST)


@pytest.mark.parametrize(("line", "count"), [("Num GPUs Available:  1", "1"), ("Num GPUs Available: 0", "0")])
def test_a_count_of_gpus(line: str, count: str) -> None:
    assert observed(line) == {"tensorflow.gpus": count}


def test_paddle_names_driver_and_cudnn() -> None:
    assert values(PADDLE, "driver.cuda_ceiling") == [CudaVersion("11.4")]
    assert [str(getattr(item, "version", "")) for item in values(PADDLE, "library")] == ["8.1"]
    assert observed(PADDLE) == {"paddle.run_check": "works well on 1 GPU"}


def test_the_environment_of_jax() -> None:
    found = values(JAX, "distribution")
    assert [(getattr(item, "name", ""), str(getattr(item, "version", ""))) for item in found] == [
        ("jax", "0.4.31"),
        ("jaxlib", "0.4.30"),
        ("numpy", "1.26.4"),
    ]
    assert values(JAX, "system.os") == ["linux"]
    assert values(JAX, "system.kernel") == ["6.5.0-41-generic"]
    assert len(values(JAX, "gpu")) == 2


@pytest.mark.parametrize(
    "line",
    ["[cuda(id=0)]", "[CudaDevice(id=0), CudaDevice(id=1)]", "Found local devices: [CudaDevice(id=0)]"],
)
def test_devices_of_jax(line: str) -> None:
    assert observed(line) == {"jax.devices": line}


def test_words_that_only_look_alike_say_nothing() -> None:
    assert (
        facts("my name: Tesla T4 and the compute capability: high\nGPUs are nice (id=x)\njaxlib: old") == []
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([NEW, OLD, *JAX.splitlines(), *PADDLE.splitlines()]) | st.text(max_size=60)))
def test_no_text_breaks_it(lines: list[str]) -> None:
    assert all(item.source for item in facts("\n".join(lines)))
