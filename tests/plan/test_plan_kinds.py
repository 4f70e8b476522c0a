"""The table of kinds: every finding belongs to one kind at most, and every id in it is one of a check."""

from __future__ import annotations

import pytest
from tiny.machines import fault, installed, machine
from tiny.repairs import intended, requirements

from dlsetup.catalog.load import load
from dlsetup.judge.registry import every_check
from dlsetup.judge.roles import ORDER, matches
from dlsetup.model.finding import Diagnosis, Finding, Remedy
from dlsetup.model.repair import Intent, Repair
from dlsetup.plan.constraints import constraints_file
from dlsetup.plan.kinds import EVERY, KINDS, by_hand, deeds, kind_of, mendable, named, present
from dlsetup.plan.repair import intend


def test_names_are_words_of_their_own() -> None:
    names = [kind.name for kind in KINDS]
    assert len(set(names)) == len(names)
    assert EVERY not in names
    assert named(EVERY) == KINDS
    assert [kind.name for kind in named("numpy-abi")] == ["numpy-abi"]
    assert named("nothing") == ()


def test_every_id_is_one_that_a_check_finds() -> None:
    known = {name for item in every_check() for name in item.ids} | set(ORDER)
    assert {name for kind in KINDS for name in kind.findings} - known == {"cpu-only-jax"}
    assert any(matches(name, "cpu-only-jax") for name in known)


@pytest.mark.parametrize(
    ("finding_id", "name"),
    [
        ("mixed-cuda-majors", "cuda-conflict"),
        ("onnxruntime-cpu-and-gpu-both", "cuda-conflict"),
        ("cpu-only-torch", "cpu-build"),
        ("cpu-only-jax", "missing-gpu-libs"),
        ("tensorflow-without-cuda-wheels", "missing-gpu-libs"),
        ("distribution-emptied", "duplicates"),
    ],
)
def test_where_a_finding_belongs(finding_id: str, name: str) -> None:
    kind = kind_of(fault(finding_id))
    assert kind is not None
    assert kind.name == name


def test_notes_and_faults_of_the_host_belong_nowhere() -> None:
    assert kind_of(fault("cpu-only-torch", "note")) is None
    assert kind_of(fault("kernel-module-not-loaded")) is None


def test_only_what_is_asked_about_counts() -> None:
    found = Diagnosis(findings=(fault("cpu-only-torch"), fault("numpy2-abi"), fault("no-gpu", "note")))
    assert [item.id for item in mendable(found)] == ["cpu-only-torch", "numpy2-abi"]
    assert [item.id for item in mendable(found, named("numpy-abi"))] == ["numpy2-abi"]
    assert [kind.name for kind in present(found)] == ["cpu-build", "numpy-abi"]
    assert deeds(mendable(found, named("numpy-abi"))) == {"choose-builds"}


def test_what_a_person_does_is_told_apart() -> None:
    packages = Remedy(text="Install it.", commands=("pip install torch",))
    host = Remedy(text="Update the driver.", scope="host")
    both = Finding(id="driver-too-old", severity="error", title="", because="", remedies=(packages, host))
    module = Finding(
        id="kernel-module-not-loaded", severity="error", title="", because="", remedies=(packages,)
    )
    told = by_hand(Diagnosis(findings=(both, module, fault("mixed-cuda-majors"))))
    assert [(item.id, item.remedies) for item in told] == [
        ("driver-too-old", (host,)),
        ("kernel-module-not-loaded", (packages,)),
    ]


def test_a_cpu_build_that_nobody_asks_about_stays() -> None:
    """Only what the kind is for moves, though a GPU is idle."""
    here = machine(installed("torch==2.8.0+cpu", "torchvision==0.20.0+cpu", "numpy==2.3.5"))
    found = Diagnosis(findings=(fault("torchvision-torch-mismatch"), fault("cpu-only-torch")))
    catalog = load(["torch", "torchvision"])
    alone = intend(here, found, catalog, named("cuda-conflict"))
    assert requirements(alone) == ("torch==2.8.0+cpu", "torchvision==0.23.0+cpu")
    both = intend(here, found, catalog)
    assert isinstance(both, Intent)
    assert {pick.variant for pick in both.plan.picks} != {"cpu"}


def test_kinds_that_choose_nothing_leave_every_version() -> None:
    here = machine(installed("torch==2.12.0/cu130", "numpy==2.3.5"), driver="535.129.03", ceiling="12.2")
    answer = intended("installation-leftovers", here)
    assert isinstance(answer, Intent)
    assert (answer.idle, answer.plan.requirements, answer.again) == (True, (), ())


def test_twins_that_take_the_place_of_others_are_parted() -> None:
    """From onnxruntime to onnxruntime-gpu: both write the same files."""
    here = machine(installed("onnxruntime==1.26.0", "numpy==2.3.5"))
    answer = intended("cpu-only-onnxruntime", here)
    assert isinstance(answer, Intent), answer
    assert answer.twins == ("onnxruntime",)
    assert answer.plan.picks[0].requirement.startswith("onnxruntime-gpu")


@pytest.mark.parametrize(
    ("before", "driver", "row"),
    [
        ("torch==2.12.0+cpu", ("535.129.03", "12.2"), "torch==2.12.0+cu126"),
        ("torch==2.12.0+cpu", ("580.65.06", "13.0"), "torch==2.12.0,!=2.12.0+cpu"),
        ("onnxruntime==1.26.0", ("535.129.03", "12.2"), "onnxruntime<0  # onnxruntime-gpu owns its files"),
    ],
)
def test_constraints_keep_the_cpu_build_away(before: str, driver: tuple[str, str], row: str) -> None:
    here = machine(installed(before, "numpy==2.3.5"), driver=driver[0], ceiling=driver[1])
    answer = intended(f"cpu-only-{before.partition('=')[0]}", here)
    assert isinstance(answer, Intent), answer
    written = constraints_file(Repair(intent=answer), load([before.partition("=")[0]]))
    assert written is not None
    assert row in (written.text or "").splitlines()
