"""Environments that work, and every manner in which one does not: seen from outside."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny.index import TinyIndex
from tiny.plans import base_python

from dlsetup.act.uv import find_uv
from dlsetup.model.outcome import Expected, Outcome
from dlsetup.model.record import Unknown
from dlsetup.probe.host import Host
from dlsetup.verify.run import verify

Check = Callable[..., Outcome]
TORCH = Expected(framework="torch", module="torch", accelerator="cuda")


@pytest.fixture(scope="module")
def python(tiny_world: TinyIndex, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The Python of an environment with a few tiny frameworks."""
    folder = tmp_path_factory.mktemp("verified") / "env"
    environ = {**os.environ, "UV_DEFAULT_INDEX": tiny_world.address("default"), "UV_NO_CONFIG": "1"}
    environ.pop("VIRTUAL_ENV", None)
    environ["UV_CACHE_DIR"] = str(folder.parent / "cache")
    uv = find_uv(environ)
    subprocess.run([uv, "venv", "-q", "--python", base_python(), str(folder)], check=True, env=environ)
    wanted = ["torch", "jax", "numpy", "torchvision", "onnxruntime"]
    target = str(folder / "bin/python")
    subprocess.run([uv, "pip", "install", "-q", "--python", target, *wanted], check=True, env=environ)
    return target


@pytest.fixture
def check(python: str) -> Check:
    def look(
        expected: Expected = TORCH, *, deadline: float = 60, gpu_here: bool = True, **variables: str
    ) -> Outcome:
        host = Host.here({**os.environ, **variables})
        return verify(host, python, (expected,), gpu_here=gpu_here, deadline=deadline)[0]

    return look


def test_computes_on_the_gpu(check: Check) -> None:
    outcome = check(TINY_GPUS="2")
    assert outcome.ok, outcome
    assert (outcome.version, outcome.device) == ("2.14.1", "cuda")
    assert outcome.devices == ("cuda:0 Tiny GPU", "cuda:1 Tiny GPU", "cpu")
    assert isinstance(outcome.seconds, float)


def test_gpu_build_that_sees_no_gpu_has_failed_and_says_why(check: Check) -> None:
    outcome = check()
    assert not outcome.ok
    assert "built for cuda" in outcome.because
    assert "driver on your system is too old (found version 11040)" in outcome.because
    assert outcome.hint


def test_gpu_build_for_another_machine_is_well_without_a_gpu(check: Check) -> None:
    outcome = check(gpu_here=False)
    assert outcome.ok
    assert "there is none here" in outcome.because


def test_cpu_build_needs_no_gpu(check: Check) -> None:
    outcome = check(Expected(framework="torch", module="torch", accelerator="cpu"))
    assert outcome.ok
    assert outcome.because == ""


def test_wrong_numbers_are_noticed(check: Check) -> None:
    outcome = check(TINY_GPUS="1", TINY_TORCH="wrong")
    assert not outcome.ok
    assert "computed" in outcome.because


def test_a_crash_is_an_outcome(check: Check) -> None:
    outcome = check(TINY_TORCH="crash")
    assert not outcome.ok
    assert "SIGKILL" in outcome.because


def test_noise_on_standard_output_does_no_harm(check: Check) -> None:
    assert check(TINY_GPUS="1", TINY_TORCH="noisy").ok


def test_deadline_ends_what_hangs(check: Check) -> None:
    began = time.monotonic()
    outcome = check(TINY_TORCH="hang", deadline=2)
    assert not outcome.ok
    assert "within 2 s" in outcome.because
    assert time.monotonic() - began < 10


def test_missing_module(check: Check) -> None:
    outcome = check(Expected(framework="tensorflow", module="tensorflow"))
    assert not outcome.ok
    assert "No module named 'tensorflow'" in outcome.because


def test_module_without_a_program_is_imported(check: Check) -> None:
    outcome = check(Expected(framework="jaxlib", module="jaxlib"))
    assert outcome.ok
    assert outcome.version == "0.10.2"
    assert isinstance(outcome.device, Unknown)


def test_jax_says_why_it_is_on_the_cpu(check: Check) -> None:
    outcome = check(Expected(framework="jax", module="jax", accelerator="cuda"))
    assert not outcome.ok
    assert "Unknown backend cuda" in outcome.because


def test_python_that_is_not_there() -> None:
    outcome = verify(Host.here(os.environ), "/nowhere/python", (TORCH,))[0]
    assert not outcome.ok
    assert "cannot be started" in outcome.because


def test_neither_the_folder_nor_pythonpath_can_shadow_a_framework(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torch.py").write_text("raise SystemExit('shadow')")
    (tmp_path / "json.py").write_text("raise SystemExit('shadow')")
    monkeypatch.chdir(tmp_path)
    assert check(TINY_GPUS="1", PYTHONPATH=str(tmp_path)).ok


def test_programs_rest_on_the_standard_library_alone() -> None:
    """They run in environments that have no dlsetup."""
    folder = Path(__file__).parents[2] / "dlsetup/verify"
    for path in (folder / "child.py", *(folder / "programs").glob("*.py")):
        assert "dlsetup." not in path.read_text().partition('"""')[2].partition('"""')[2], path
