"""Reports of frameworks and CUDA libraries: one that trips each finding, and a near miss."""

from __future__ import annotations

from judge_machines import dist, machine, package, windows
from msgspec.structs import replace

from dlsetup.model.machine import Machine, Toolkit
from dlsetup.model.report import Message, Observation, Report
from dlsetup.model.versions import CudaVersion


def reported(base: Machine, *told: Message | Observation) -> Machine:
    """A machine as a report tells of it: with messages and answers, its lists not whole."""
    report = Report(
        messages=tuple(item for item in told if isinstance(item, Message)),
        observations=tuple(item for item in told if isinstance(item, Observation)),
        lines=20,
    )
    return replace(base, report=report)


def said(signature: str, **values: str) -> Message:
    return Message(
        signature=signature, values=tuple(values.items()), text="as it was printed", source="run.log:1"
    )


def seen(subject: str, value: str) -> Observation:
    return Observation(subject=subject, value=value, source="run.log:2")


def toolkit(version: str) -> Toolkit:
    return Toolkit(version=CudaVersion(version), path="/usr/local/cuda", default=True)


CUDART = said("tf-library-missing", file="cudart64_101.dll", library="cudart", windows="101")
TF23 = dist("tensorflow", "2.3.0")
ORT = dist("onnxruntime-gpu", "1.17.1")
NO_CUBLAS = said("ort-provider-library-missing", provider="cuda", file="libcublasLt.so.11")
TWO_PLACES = (
    seen("loaded.library", "/usr/lib/x86_64-linux-gnu/libcudnn_cnn_infer.so.8"),
    seen("loaded.library", "/opt/env/lib/python3.11/site-packages/nvidia/cudnn/lib/libcudnn.so.8"),
)
NO_CUDNN9 = said("cudnn-part-not-loaded", file="libcudnn_ops.so.9", linux="9")
MINDSPORE = dist("mindspore", "2.0.0")

LIBRARY_CASES: dict[str, tuple[Machine, Machine]] = {
    "tensorflow-wants-other-cuda-version": (
        reported(windows(TF23, toolkits=(toolkit("11.0"),)), CUDART),
        reported(windows(TF23, toolkits=(toolkit("10.1"),)), CUDART),
    ),
    "onnxruntime-gpu-cuda-version": (
        reported(machine(ORT, toolkits=(toolkit("12.2"),)), NO_CUBLAS),
        reported(machine(ORT, toolkits=(toolkit("11.8"),))),
    ),
    "cudnn-parts-from-two-versions": (
        reported(machine(), *TWO_PLACES),
        reported(machine(), TWO_PLACES[0]),
    ),
    "cudnn-not-on-search-path": (
        reported(machine(dist("nvidia-cudnn-cu12", "9.1.0.70")), NO_CUDNN9),
        reported(machine(dist("nvidia-cudnn-cu12", "8.9.7.29")), NO_CUDNN9),
    ),
    "framework-cann-version-mismatch": (
        reported(machine(MINDSPORE, packages=(package("ascend-cann-toolkit", "5.0.4"),))),
        reported(machine(MINDSPORE, packages=(package("ascend-cann-toolkit", "6.3.RC1"),))),
    ),
}
