"""The programs that measure, in an environment whose torch takes as long and as much memory as it is told."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny.training import make_environment

from dlsetup.model.tuning import Measured
from dlsetup.probe.host import Host
from dlsetup.verify.asked import ask
from dlsetup.verify.contained import Contained
from dlsetup.verify.measuring import MEASURES, measure, measures

Program = Callable[..., Measured]


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_environment(tmp_path_factory.mktemp("tuned") / "env", cuda="12.6") / "bin/python")


@pytest.fixture
def program(python: str) -> Program:
    def run(
        name: str, seconds: float = 0.5, *, told: dict[str, Any] | None = None, **variables: str
    ) -> Measured:
        (item,) = (item for item in measures("torch") if item.name == name)
        host = Host.here({**os.environ, **variables})
        return measure(Contained(host), python, item, seconds, {"batch": 8, **(told or {})})

    return run


def rates(measured: Measured) -> dict[str, float]:
    return {item.name: sorted(item.rates)[len(item.rates) // 2] for item in measured.numbers.variants}


def test_of_a_gpu_only_a_share_of_what_is_free_is_taken(program: Program) -> None:
    words = {"TINY_GPUS": "1", "TINY_GPU_MIB": "600", "TINY_GPU_TAKEN": "400"}
    found = program("batch", 20, **words)
    numbers = found.numbers
    assert found.verdict == "yes", found.because
    assert (numbers.device, numbers.ended_by) == ("cuda", "memory")
    assert numbers.room_bytes == 100 << 20, "half of the little that is free"
    assert 93 <= numbers.fits <= 100 < numbers.too_many <= 107
    assert numbers.variants[-1].bytes == numbers.fits << 20
    assert numbers.wasted_bytes >= 50 << 20, "held in pieces when memory ended"


def test_larger_batches_are_faster_and_said_to_be(program: Program) -> None:
    found = rates(program("batch", 3))
    assert found["8"] > 2 * found["1"]


def test_a_program_that_is_ended_leaves_what_it_knew(program: Program) -> None:
    found = program("batch", 10, TINY_END_AT="8")
    assert found.verdict == "yes"
    assert (found.numbers.fits, found.numbers.unfinished) == (4, True)
    assert "SIGKILL" in found.because


def test_an_error_leaves_what_was_known_before(program: Program) -> None:
    found = program("batch", 10, TINY_END_AT="8", TINY_END_BY="shapes differ")
    assert (found.verdict, found.numbers.fits) == ("yes", 4)
    assert "shapes differ" in found.because


def test_what_onednn_says_is_memory_only_where_less_went_before(program: Program) -> None:
    words = "could not create a primitive"
    found = program("batch", 10, TINY_END_AT="8", TINY_END_BY=words).numbers
    assert (found.ended_by, found.too_many) == ("memory", 8)
    first = program("batch", TINY_END_AT="1", TINY_END_BY=words)
    assert (first.verdict, first.numbers.too_many) == ("no", 0)


def test_a_program_that_is_ended_at_once_has_failed(program: Program) -> None:
    found = program("batch", TINY_END_AT="1")
    assert found.verdict == "no"
    assert "SIGKILL" in found.because


def test_precision_layout_and_compiler_are_compared(program: Program) -> None:
    gpu = {"TINY_GPUS": "1"}
    amp = program("amp", **gpu)
    assert set(rates(amp)) == {"float32", "bfloat16", "float16"}
    assert amp.numbers.capability == "9.0"
    assert rates(amp)["bfloat16"] > 1.2 * rates(amp)["float32"]
    assert set(rates(program("layout", **gpu))) == {"channels_first", "channels_last"}
    assert set(rates(program("pinned", **gpu))) == {"pageable", "pinned"}
    compiled = program("compile", **gpu)
    assert rates(compiled)["compiled"] > 1.2 * rates(compiled)["eager"]


def test_threads_are_tried_and_the_usual_is_among_them(program: Program) -> None:
    found = program("threads", told={"threads": [1, 2]})
    assert found.numbers.usual == 4
    assert set(rates(found)) == {"1 thread", "2 threads", "4 threads"}
    assert rates(found)["2 threads"] > 1.5 * rates(found)["4 threads"]


@pytest.mark.parametrize("name", ["tf32", "pinned"])
def test_what_only_a_gpu_has_is_not_measured_without(program: Program, name: str) -> None:
    found = program(name)
    assert found.verdict == "unknown"
    assert found.because


def test_a_network_of_the_user_is_trained(program: Program, tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("SIZE = 5\n")
    (tmp_path / "mine.py").write_text(
        "import torch\nfrom beside import SIZE\n"
        "def network():\n"
        "    return torch.nn.Sequential(), lambda size: (torch.randn(size, SIZE), torch.randn(size))\n"
        "def wrong():\n    return torch.nn.Sequential()\n"
    )
    found = program("amp", told={"model": f"{tmp_path}/mine.py:network"})
    assert found.verdict == "yes", found.because
    assert "mine.py:network" in found.numbers.network
    assert program("layout", told={"model": f"{tmp_path}/mine.py:network"}).verdict == "unknown"
    wrong = program("amp", told={"model": f"{tmp_path}/mine.py:wrong"})
    assert wrong.verdict == "no"
    assert "has to return a network and a function" in wrong.because


def test_a_missing_framework_fails_with_its_name(python: str) -> None:
    item = next(item for item in MEASURES if item.framework == "jax")
    found = measure(Contained(Host.here(os.environ)), python, item, 1, {"batch": 1})
    assert found.verdict == "no"
    assert "jax" in found.because


def test_every_measure_has_its_program() -> None:
    folder = Path(__file__).parents[2] / "dlsetup/verify/measures"
    programs = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert programs == {item.program for item in MEASURES}


def test_the_kernel_ends_the_child_first(python: str, tmp_path: Path) -> None:
    probe = tmp_path / "oom.py"
    probe.write_text(
        "import runpy, sys\n"
        f"child = runpy.run_path({str(Path(ask.__code__.co_filename).with_name('child.py'))!r})\n"
        "child['give_way']()\nprint(open('/proc/self/oom_score_adj').read())\n"
    )
    ended = Host.here(os.environ).run((python, "-I", str(probe)), 20)
    if not Path("/proc/self/oom_score_adj").exists():
        pytest.skip("this system has no such score")
    assert ended.out.strip() == "1000", ended.err
