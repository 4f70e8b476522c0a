"""Where one missing fact would settle it, exactly that fact is asked for."""

from __future__ import annotations

from collections.abc import Callable

from judge_machines import dist, driver, ids, machine, nvidia
from msgspec.structs import replace

from dlsetup.judge.registry import judge
from dlsetup.model.finding import Diagnosis
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Gap, Gpu, Machine
from dlsetup.model.record import UNKNOWN

TORCH = dist("torch", "2.14.1", "cu130")
MODERN = driver("580.95.05", "13.0")


def without_rows_of_code(catalog: Catalog) -> Catalog:
    """The catalog as if nobody had written down what code the builds hold."""
    return replace(
        catalog,
        frameworks=tuple(
            replace(
                framework,
                builds=tuple(
                    replace(build, kernels=UNKNOWN, ptx=UNKNOWN, min_capability=UNKNOWN)
                    for build in framework.builds
                ),
            )
            for framework in catalog.frameworks
        ),
    )


def the_gap(diagnosis: Diagnosis) -> Gap:
    assert ids(diagnosis, "error", "warning") == []
    (gap,) = diagnosis.unknown
    return gap


def test_a_gpu_of_unknown_capability(judged: Callable[[Machine], Diagnosis]) -> None:
    gap = the_gap(judged(machine(TORCH, driver=MODERN, gpus=(Gpu(vendor="nvidia", name="NVIDIA X1"),))))
    assert gap.fact == "compute capability"
    assert "compute_cap" in gap.ask


def test_a_build_whose_code_nobody_wrote_down(catalog: Catalog) -> None:
    seen = machine(TORCH, driver=MODERN, gpus=(nvidia(),))
    gap = the_gap(judge(seen, without_rows_of_code(catalog)))
    assert gap.fact == "torch on this GPU"
    assert gap.ask.startswith("python -c")


def test_nobody_is_asked_for_a_capability_that_is_known(catalog: Catalog) -> None:
    runtime = dist("onnxruntime-gpu", "1.31.1", requires=())
    gap = the_gap(judge(machine(runtime, driver=MODERN, gpus=(nvidia(),)), without_rows_of_code(catalog)))
    assert (gap.fact, gap.ask) == ("onnxruntime-gpu on this GPU", "")
