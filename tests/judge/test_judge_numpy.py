"""NumPy 2 beside code for NumPy 1: frameworks by what is known of them, the rest by their own word."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from judge_machines import commands, dist, environment, found, ids, machine
from packaging.version import Version

from dlsetup.model.finding import Diagnosis
from dlsetup.model.machine import Machine

NUMPY2 = dist("numpy", "2.2.6")
SCIPY = dist("scipy", "1.11.4", requires=("numpy<1.28.0,>=1.21.6",))


@pytest.mark.parametrize(("version", "found_ids"), [("1.17.0", ["numpy2-abi"]), ("1.19.0", [])])
def test_onnxruntime_before_1_19_is_for_numpy_1_whatever_its_metadata_admits(
    judged: Callable[[Machine], Diagnosis], version: str, found_ids: list[str]
) -> None:
    runtime = dist("onnxruntime", version, requires=("numpy>=1.24.2",))
    assert ids(judged(machine(runtime, NUMPY2, gpus=(), driver=None)), "error", "warning") == found_ids


def test_a_package_that_admits_no_numpy_2_is_a_warning(judged: Callable[[Machine], Diagnosis]) -> None:
    finding = found(judged(machine(SCIPY, NUMPY2)), "numpy2-abi")
    assert (finding.severity, finding.title) == ("warning", "scipy 1.11.4 does not admit NumPy 2.2.6")
    assert "numpy<1.28.0" in finding.because
    assert commands(finding)[0].endswith("install 'numpy<2'")


@pytest.mark.parametrize(
    "requires", ["numpy<2.3,>=1.22.4", "numpy>=1.21", "numpy", "numpy<3", "numpy<2; python_version<'3.9'"]
)
def test_a_bound_that_admits_numpy_2_is_no_alarm(
    judged: Callable[[Machine], Diagnosis], requires: str
) -> None:
    scipy = dist("scipy", "1.13.1", requires=(requires,))
    assert ids(judged(machine(scipy, NUMPY2)), "error", "warning") == []


def test_numpy_1_is_no_advice_for_a_python_that_has_none(judged: Callable[[Machine], Diagnosis]) -> None:
    newer = environment(SCIPY, NUMPY2, python=Version("3.13.1"))
    finding = found(judged(machine(environments=(newer,))), "numpy2-abi")
    assert commands(finding) == []
    assert finding.remedies[0].text.startswith("Take a newer release of scipy")
