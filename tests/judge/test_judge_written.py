"""Files by themselves: what a Dockerfile, a compose file or a pod will make, before anybody builds it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from judge_machines import found, ids
from written_files import HEALTHY, WRITTEN, Files

from dlsetup.catalog.messages import knowledge
from dlsetup.commands.pasted import ways
from dlsetup.intake.report import report_of
from dlsetup.model.finding import Diagnosis
from dlsetup.model.machine import Machine
from dlsetup.show.words import flowing

WAYS = ways(knowledge())
FAILED = """OSError: libfoo.so.1: cannot open shared object file: No such file or directory
>>> torch.cuda.is_available()
False
"""


def read(files: Files) -> Machine:
    return report_of([(name, text.encode()) for name, text in files.items()], WAYS).machine


@pytest.mark.parametrize("name", WRITTEN)
def test_a_file_is_told_what_will_be_wrong(name: str, judged: Callable[[Machine], Diagnosis]) -> None:
    finding_id, severity, files, _ = WRITTEN[name]
    diagnosis = judged(read(files))
    assert finding_id in ids(diagnosis)
    finding = found(diagnosis, finding_id)
    assert finding.severity == severity
    assert finding.evidence[0].source.split(":")[0].split(",")[0] in files
    assert finding.because.endswith(".")
    assert finding.remedies
    first = flowing(finding.because).split()[0]
    assert first == first.lower() or first.isupper() or first.startswith("NVIDIA"), finding.because


@pytest.mark.parametrize("name", WRITTEN)
def test_a_near_miss_is_not(name: str, judged: Callable[[Machine], Diagnosis]) -> None:
    finding_id, _, _, near = WRITTEN[name]
    diagnosis = judged(read(near))
    assert finding_id not in ids(diagnosis)
    assert not [gap for gap in diagnosis.unknown if gap.fact.startswith("check ")]


@pytest.mark.parametrize("name", HEALTHY)
def test_what_is_well_is_left_alone(name: str, judged: Callable[[Machine], Diagnosis]) -> None:
    diagnosis = judged(read(HEALTHY[name]))
    assert ids(diagnosis) == []
    assert not [gap for gap in diagnosis.unknown if gap.fact.startswith("check ")]


@pytest.mark.parametrize("name", ["removed", "wheel and driver", "ONNX Runtime", "follower", "ended"])
def test_beside_what_a_program_said_it_is_no_error(name: str, judged: Callable[[Machine], Diagnosis]) -> None:
    finding_id, _, files, _ = WRITTEN[name]
    diagnosis = judged(read(files | {"log.txt": FAILED}))
    assert found(diagnosis, finding_id).severity == "warning"


def test_the_nearest_image_is_named(judged: Callable[[Machine], Diagnosis]) -> None:
    finding = found(judged(read(WRITTEN["removed"][2])), "base-image-tag-removed")
    assert "`nvidia/cuda:11.4.3-devel-ubuntu20.04`" in finding.remedies[0].text


def test_a_command_that_was_typed_is_judged_only_by_itself(judged: Callable[[Machine], Diagnosis]) -> None:
    typed = {"t.txt": "$ docker run --rm --gpus all nvidia/cuda:11.0-base nvidia-smi\n"}
    assert ids(judged(read(typed)), "error") == ["base-image-tag-removed"]
    assert "base-image-tag-removed" not in ids(judged(read(typed | {"log.txt": FAILED})))
