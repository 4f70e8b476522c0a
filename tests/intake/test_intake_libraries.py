"""Reports of frameworks and CUDA libraries, read and judged whole: the cause, and no false alarm."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from dlsetup.catalog.messages import knowledge
from dlsetup.commands.pasted import catalog_of_report, ways
from dlsetup.intake.report import Ways, report_of
from dlsetup.judge.registry import judge
from dlsetup.model.finding import Diagnosis

REPORTS = Path(__file__).parent / "reports" / "libraries"
PRIMARY = {
    "ctranslate2-4.4-torch-2.4": "cudnn-major-mismatch",
    "ctranslate2-4.5-torch-2.3": "cudnn-major-mismatch",
    "ctranslate2-windows-cudnn-9": "cudnn-major-mismatch",
    "cu12-and-cu13-wheels": "mixed-cuda-majors",
    "cudart-13-beside-cu128": "mixed-cuda-majors",
    "cudnn-from-two-folders": "cudnn-parts-from-two-versions",
    "healthy-factories": "",
    "healthy-ldd": "",
    "healthy-tensorflow-2.10-log": "",
    "healthy-tensorflow-2.13-log": "",
    "hpc-sdk-cublaslt": "ld-library-path-shadows-wheel-libs",
    "jax-cuda-path-cudnn": "ld-library-path-shadows-wheel-libs",
    "jax-plugin-older": "jax-plugin-mismatch",
    "jax-system-cudnn-8.2": "cudnn-too-old-at-runtime",
    "jax-torch-cudnn-8.5": "two-frameworks-share-cudnn",
    "jax-without-cuda": "cpu-only-jax",
    "jaxlib-newer": "jax-jaxlib-mismatch",
    "mindspore-link-to-cuda-11.2": "toolkit-path-points-to-wrong-cuda",
    "onnxruntime-1.17-cuda-12": "onnxruntime-gpu-cuda-version",
    "onnxruntime-1.20-cuda-11": "onnxruntime-gpu-cuda-version",
    "onnxruntime-windows-126": "onnxruntime-gpu-cuda-version",
    "paddle-2.6-cudnn-9": "cudnn-major-mismatch",
    "pip-conflict-tensorflow-torch": "two-frameworks-share-cudnn",
    "tensorflow-1.12-cuda-9.2": "tensorflow-wants-other-cuda-version",
    "tensorflow-2.10-system-cudnn": "cudnn-too-old-at-runtime",
    "tensorflow-2.12-windows-session": "tensorflow-no-gpu-on-native-windows",
    "tensorflow-2.15-windows": "tensorflow-no-gpu-on-native-windows",
    "tensorflow-2.3-cuda-11.0-windows": "tensorflow-wants-other-cuda-version",
    "tensorflow-cudart-missing-no-gpu": "",
    "tensorflow-torch-cudnn-8.5": "two-frameworks-share-cudnn",
    "tensorrt-plan-8.5-8.6": "tensorrt-engine-version-mismatch",
    "tensorrt-version-tag": "tensorrt-engine-version-mismatch",
    "torch-cudnn-path": "ld-library-path-shadows-wheel-libs",
    "torch-cudnn-says-path": "ld-library-path-shadows-wheel-libs",
    "tpu-accel-glob": "tpu-device-node-missing",
    "tpu-libtpu-in-use": "tpu-held-by-other-process",
    "tpu-no-accel-node": "tpu-device-node-missing",
    "tpu-vfio-busy": "tpu-held-by-other-process",
}
"""The primary finding of each report; empty: nothing is wrong."""


@cache
def ready() -> Ways:
    return ways(knowledge())


@cache
def diagnosis_of(name: str) -> Diagnosis:
    text = (REPORTS / f"{name}.txt").read_bytes()
    machine = report_of([("report.txt", text)], ready()).machine
    return judge(machine, catalog_of_report(machine, knowledge(), ()))


@pytest.mark.parametrize("name", PRIMARY)
def test_the_cause(name: str) -> None:
    primary = [item.id for item in diagnosis_of(name).findings if item.role == "primary"]
    assert primary == [PRIMARY[name]] * bool(PRIMARY[name])


@pytest.mark.parametrize("name", [name for name, cause in PRIMARY.items() if not cause])
def test_a_harmless_log_raises_no_alarm(name: str) -> None:
    assert diagnosis_of(name).well


@pytest.mark.parametrize("name", PRIMARY)
def test_every_finding_points_to_the_report(name: str) -> None:
    for finding in diagnosis_of(name).findings:
        assert any(item.source.startswith("report.txt:") for item in finding.evidence), finding.id


def test_a_library_path_is_no_fault_where_no_wheel_lies_behind_it() -> None:
    found = [item.id for item in diagnosis_of("tensorflow-2.10-system-cudnn").findings]
    assert found == ["cudnn-too-old-at-runtime"]


def test_every_harmless_line_gets_a_word_of_its_own() -> None:
    titles = {item.title for item in diagnosis_of("healthy-tensorflow-2.13-log").findings}
    assert len(titles) == 3


def test_which_framework_to_take_instead_is_said() -> None:
    finding = diagnosis_of("ctranslate2-4.5-torch-2.3").findings[0]
    commands = [command for remedy in finding.remedies for command in remedy.commands]
    assert any("torch>=2.4" in command for command in commands)
    assert any("ctranslate2==4.4.0" in command for command in commands)


def test_who_holds_the_tpu_is_in_the_command() -> None:
    text = b"RuntimeError: ABORTED: The TPU is already in use by process with pid 4711."
    machine = report_of([("run.log", text)], ready()).machine
    found = judge(machine, catalog_of_report(machine, knowledge(), ())).findings[0]
    assert "ps -fp 4711" in [command for remedy in found.remedies for command in remedy.commands]
