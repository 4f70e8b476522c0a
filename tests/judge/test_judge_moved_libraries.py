"""Libraries of two CUDA majors of which one version has moved to a folder of its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from judge_machines import dist, driver, ids, machine, with_environment

from dlsetup.model.finding import Diagnosis
from dlsetup.model.machine import Machine
from dlsetup.model.record import UNKNOWN


@pytest.mark.parametrize(("version", "clashes"), [("0.8.0", True), ("0.10.0", False)])
def test_only_versions_that_lie_in_the_same_folder_clash(
    judged: Callable[[Machine], Diagnosis], version: str, clashes: bool
) -> None:
    one, other = dist("nvidia-cusparselt-cu12", "0.7.1"), dist("nvidia-cusparselt-cu13", version)
    whole = machine(dist("torch", "2.14.1", "cu130"), one, other, driver=driver("580.95.05", "13.0"))
    unseen = with_environment(whole, shared_files=UNKNOWN)
    assert ("mixed-cuda-majors" in ids(judged(unseen))) == clashes
