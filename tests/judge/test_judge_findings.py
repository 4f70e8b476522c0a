"""Every finding: a machine that trips it, and a near miss that does not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from judge_cases import CASES, CU126, cudnn_in
from judge_machines import (
    commands,
    found,
    ids,
    machine,
    with_environment,
    wsl,
)

from dlsetup.judge.registry import every_check
from dlsetup.judge.roles import matches
from dlsetup.model.finding import Diagnosis
from dlsetup.model.machine import Driver, Machine
from dlsetup.model.record import UNKNOWN
from dlsetup.show.words import flowing

VERSIONS = re.compile(r"'[\w.-]+=[\w.+*]+'")
"""Versions of packages with a star are quoted: apt reads them, and no shell does."""
NAMES = ("Python",)
"""Words that keep their capital wherever they stand."""


@pytest.mark.parametrize("finding_id", CASES)
def test_it_is_found(finding_id: str, judged: Callable[[Machine], Diagnosis]) -> None:
    diagnosis = judged(CASES[finding_id][0])
    assert finding_id in ids(diagnosis)
    finding = found(diagnosis, finding_id)
    assert finding.title
    assert not finding.title.endswith(".")
    assert finding.because.endswith(".")
    assert finding.remedies or finding.severity == "note"


@pytest.mark.parametrize("finding_id", CASES)
def test_the_cause_flows_behind_because(finding_id: str, judged: Callable[[Machine], Diagnosis]) -> None:
    for finding in judged(CASES[finding_id][0]).findings:
        first = flowing(finding.because).split()[0].strip("`,;:")
        assert first in NAMES or first == first.lower() or first.isupper(), finding.because


@pytest.mark.parametrize("finding_id", CASES)
def test_a_near_miss_is_not_found(finding_id: str, judged: Callable[[Machine], Diagnosis]) -> None:
    assert finding_id not in ids(judged(CASES[finding_id][1]))


def test_every_check_is_tripped_by_a_machine_or_by_a_report() -> None:
    patterns = [pattern for item in every_check() for pattern in item.ids]
    tripped = {*CASES, *in_reports()}
    missing = [pattern for pattern in patterns if not any(matches(pattern, case) for case in tripped)]
    assert missing == []


def in_reports() -> set[str]:
    """Faults that `tests/cases` show, where `test_cases.py` holds the doctor to them."""
    files = (Path(__file__).parents[1] / "cases").glob("*/case.yaml")
    specs = (yaml.safe_load(path.read_text(encoding="utf-8")) for path in files)
    return {fault for spec in specs for fault in spec["expected"]["fault_ids"]}


@pytest.mark.parametrize("finding_id", CASES)
def test_findings_have_the_ids_that_checks_promise(
    finding_id: str, judged: Callable[[Machine], Diagnosis]
) -> None:
    patterns = [pattern for item in every_check() for pattern in item.ids]
    for one in ids(judged(CASES[finding_id][0])):
        assert any(matches(pattern, one) for pattern in patterns)


@pytest.mark.parametrize("finding_id", CASES)
def test_no_advice_does_harm(finding_id: str, judged: Callable[[Machine], Diagnosis]) -> None:
    """No LD_LIBRARY_PATH, no glob that a shell expands, no driver inside WSL or a container."""
    for case in CASES[finding_id]:
        diagnosis = judged(case)
        for finding in diagnosis.findings:
            for command in commands(finding):
                assert "LD_LIBRARY_PATH=" not in command
                assert "*" not in VERSIONS.sub("", command.replace("'jaxlib=*=cuda*'", ""))
                if case.system.wsl or case.system.container:
                    assert "ubuntu-drivers" not in command
                    assert "install nvidia-driver" not in command


def test_the_word_of_nvml_counts_where_the_kernel_was_not_asked(
    judged: Callable[[Machine], Diagnosis],
) -> None:
    asked = machine(driver=Driver(nvml_error="DRIVER_NOT_LOADED"))
    assert ids(judged(asked), "error") == ["kernel-module-not-loaded"]


def test_wsl1_is_an_error_only_for_who_wants_the_gpu(judged: Callable[[Machine], Diagnosis]) -> None:
    assert found(judged(wsl(version=1, gpus=())), "wsl1-has-no-gpu").severity == "warning"
    assert found(judged(wsl(CU126, version=1, gpus=())), "wsl1-has-no-gpu").severity == "error"


def test_a_newer_copy_in_the_library_path_is_a_lesser_matter(judged: Callable[[Machine], Diagnosis]) -> None:
    older = found(judged(cudnn_in("/opt/cudnn/lib", "9.1.0")), "ld-library-path-shadows-wheel-libs")
    newer = found(judged(cudnn_in("/opt/cudnn/lib", "9.15.0")), "ld-library-path-shadows-wheel-libs")
    assert (older.severity, newer.severity) == ("error", "warning")


@pytest.mark.parametrize(
    ("trims", "severity"), [(("/opt/cudnn/lib/",), "note"), (("/opt/cudnn",), "error"), (UNKNOWN, "error")]
)
def test_a_folder_that_the_environment_takes_out_is_a_note(
    judged: Callable[[Machine], Diagnosis], trims: tuple[str, ...], severity: str
) -> None:
    here = with_environment(cudnn_in("/opt/cudnn/lib", "9.1.0"), trims=trims)
    assert found(judged(here), "ld-library-path-shadows-wheel-libs").severity == severity
