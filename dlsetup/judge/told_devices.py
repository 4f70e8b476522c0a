"""What frameworks were seen to list and to use, and whether somebody looks for a GPU."""

from __future__ import annotations

import re

from dlsetup.judge.scene import Scene
from dlsetup.judge.told_libraries import cuda_at_hand
from dlsetup.model.record import Unknown
from dlsetup.model.report import Observation

_LISTS = ("tensorflow.config.list_physical_devices", "tensorflow.config.experimental.list_physical_devices")

_DEVICES = {
    "paddlepaddle": ("paddle.run_check", "paddlepaddle.device.get_device", "paddlepaddle.get_device"),
    "jax": ("jax.devices", "jax.local_devices", "jax.default_backend", "jax.lib.xla_bridge.get_backend"),
    "mindspore": ("mindspore.run_check", "mindspore.get_context"),
    "oneflow": ("oneflow.cuda.get_device_name",),
}
"""Questions whose answer names the device that is used."""


def no_gpu_listed(scene: Scene) -> Observation | None:
    """TensorFlow's own empty list of GPUs."""
    seen = next((item for name in _LISTS if (item := scene.observed(name))), None)
    if seen and (seen.value.strip() == "[]" or not re.search(r"GPU", seen.value)):
        return seen
    counted = scene.observed("tensorflow.gpus")
    built = scene.observed("tensorflow.test.is_built_with_cuda")
    if counted and counted.value == "0":
        return counted
    return built if built and built.value == "False" else None


def sees_gpu(scene: Scene) -> bool:
    """Whether TensorFlow was seen to use a GPU."""
    counted = scene.observed("tensorflow.gpus")
    listed = any("GPU:" in item.value for name in _LISTS if (item := scene.observed(name)))
    created = scene.observed("tensorflow.created_device") is not None
    return listed or created or (counted is not None and counted.value != "0")


def torch_uses_gpu(scene: Scene) -> Observation | None:
    """torch's own word that it sees a GPU."""
    seen = scene.observed("torch.cuda.is_available")
    return seen if seen is not None and seen.value == "True" else None


def uses_gpu(scene: Scene, framework: str) -> bool:
    """Whether a framework itself was seen to use an NVIDIA GPU, which no rule on its build outweighs."""
    if framework == "torch":
        return torch_uses_gpu(scene) is not None
    if framework == "tensorflow":
        return sees_gpu(scene)
    answers = (scene.observed(subject) for subject in _DEVICES.get(framework, ()))
    return any(re.search(r"\bgpu\b|Cuda|CUDA", item.value, re.IGNORECASE) for item in answers if item)


def without_cuda_provider(scene: Scene) -> Observation | None:
    """ONNX Runtime's own list of providers, where CUDA is not in it."""
    seen = scene.observed("onnxruntime.get_available_providers")
    return seen if seen is not None and "CUDAExecutionProvider" not in seen.value else None


def wants_gpu(scene: Scene) -> bool:
    """Whether something shows a GPU, or that one is looked for."""
    if not isinstance(scene.machine.gpus, Unknown) and not scene.gpus("nvidia"):
        return False
    asked = bool(scene.copies("tensorflow-gpu"))
    known = asked or bool(scene.gpus("nvidia")) or scene.driver is not None or bool(cuda_at_hand(scene))
    broken = bool(scene.messages("tf-import-of-native-part"))
    return known or broken or any((torch_uses_gpu(scene), no_gpu_listed(scene)))
