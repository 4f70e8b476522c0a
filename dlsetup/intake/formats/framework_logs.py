"""Lines in which TensorFlow and Paddle name the GPU, the driver and cuDNN.

I tensorflow/core/common_runtime/gpu/gpu_device.cc:1929] Created device /job:localhost/device:GPU:0 with 13775
MB memory:  -> device: 0, name: Tesla T4, pci bus id: 0000:00:04.0, compute capability: 7.5
pciBusID: 0000:01:00.0 name: GeForce GTX 1070 computeCapability: 6.1
name: GeForce GTX 1650 Ti major: 7 minor: 5 memoryClockRate(GHz): 1.485
Num GPUs Available:  1
GPU is NOT AVAILABLE
W0321 device_context.cc:404] Please NOTE: device: 0, GPU Compute Capability: 8.6, Driver API Version: 11.4,
Runtime API Version: 11.2
W0321 device_context.cc:422] device: 0, cuDNN Version: 8.1.
PaddlePaddle works well on 1 GPU.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, observed, shown, told
from dlsetup.intake.packages import cudnn
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.model.machine import Gpu
from dlsetup.model.record import UNKNOWN
from dlsetup.model.versions import ComputeCapability, CudaVersion

_DEVICE = re.compile(
    r"(?:device: \d{1,2}, |\d{4}:[0-9a-fA-F:.]{7,12} )?name: (?P<name>[A-Z][\w .()/-]{2,60}?)"
    r"(?:, pci bus id: [0-9a-fA-F:.]{7,16}, compute capability:| computeCapability:) (?P<code>\d{1,2}\.\d)\b"
)
_FIRST_DEVICE = re.compile(
    r"^name: (?P<name>[A-Z][\w .()/-]{2,60}?) major: (?P<major>\d{1,2}) minor: (?P<minor>\d)\b"
)
_OF_TENSORFLOW = re.compile(r"tensor ?flow", re.IGNORECASE)
_COUNT = re.compile(r"^\W{0,3}Num(?:ber of)? GPUs(?: [Aa]vailable)?\W{1,6}(\d{1,3})\s*$")
_IS_THERE = re.compile(r"^\W{0,3}GPU\s(?:is|:)\s{1,3}(NOT AVAILABLE|not available|available|AVAILABLE)\s*$")
"""What a script that tells its TensorFlow and Keras prints after them."""
_PADDLE_GPU = re.compile(r"device: (\d{1,2}), (?:GPU|CUDA) Compute Capability: (\d{1,2}\.\d)")
_PADDLE_DRIVER = re.compile(r"Driver API Version: (\d{1,2}\.\d{1,2})")
_PADDLE_CUDNN = re.compile(r"device: \d{1,2}, cuDNN Version: (\d{1,2}\.\d{1,2})")
_PADDLE_WELL = re.compile(r"PaddlePaddle works well on (\d{1,3}) GPU")


@reads("TensorFlow log", "ompute capability: ", "computeCapability: ", " major: ", "GPUs", "GPU is ")
def tensorflow_devices(page: Page) -> Iterator[Fact]:
    """GPUs that TensorFlow created devices for, and how many a script counted."""
    for line in page.lines:
        if found := _DEVICE.search(line.text):
            yield _gpu(found["code"], line, f"tensorflow {page.file}", found["name"].strip())
            if "Created device" in line.text or "Created TensorFlow device" in line.text:
                yield observed("tensorflow.created_device", found["name"].strip(), line)
        elif found := _FIRST_DEVICE.match(line.text):
            code = f"{found['major']}.{found['minor']}"
            yield _gpu(code, line, f"tensorflow {page.file}", found["name"].strip())
        elif found := _COUNT.match(line.text):
            yield observed("tensorflow.gpus", found[1], line)
        elif (found := _IS_THERE.match(line.text)) and _OF_TENSORFLOW.search(page.text):
            yield observed("tensorflow.gpus", "0" if found[1].lower().startswith("not") else "1", line)


@reads("Paddle log", "Driver API Version", "cuDNN Version: ", "PaddlePaddle works well")
def paddle(page: Page) -> Iterator[Fact]:
    """What Paddle says of the device when it starts, and the end of its self-check."""
    for line in page.lines:
        if found := _PADDLE_GPU.search(line.text):
            yield _gpu(found[2], line, f"paddle {page.file}")
        if found := _PADDLE_DRIVER.search(line.text):
            yield told("driver.cuda_ceiling", CudaVersion(found[1]), line)
        if found := _PADDLE_CUDNN.search(line.text):
            yield shown("library", cudnn(found[1]), line)
        if found := _PADDLE_WELL.search(line.text):
            yield observed("paddle.run_check", f"works well on {found[1]} GPU", line)


def _gpu(code: str, line: Line, group: str, name: str = "") -> Fact:
    gpu = Gpu(
        vendor="nvidia",
        name=name or UNKNOWN,
        compute_capability=ComputeCapability(code),
        found_via=line.place,
    )
    return shown("gpu", gpu, line, group=group)
