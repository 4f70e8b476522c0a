"""The least change: every version that may stay stays, then every build, and nothing else is touched."""

from __future__ import annotations

import msgspec
import pytest
from tiny.machines import GTX_1080, RTX_5090, fault, installed, machine
from tiny.repairs import intended, requirements

from dlsetup.catalog.load import load
from dlsetup.model.finding import Diagnosis
from dlsetup.model.machine import Driver
from dlsetup.model.repair import Intent
from dlsetup.model.resolution import Conflict
from dlsetup.model.versions import DriverRelease
from dlsetup.plan.repair import intend


@pytest.mark.parametrize("finding_id", ["kernel-module-not-loaded", "container-toolkit-missing", "no-gpu"])
def test_what_packages_do_not_mend_is_left(finding_id: str) -> None:
    assert intended(finding_id, machine(installed("torch==2.8.0+cu126"))) is None


def test_a_note_is_no_fault() -> None:
    here = machine(installed("torch==2.8.0+cpu"))
    diagnosis = Diagnosis(findings=(fault("cpu-only-torch", "note"),))
    assert intend(here, diagnosis, load(["torch"])) is None


def test_a_cpu_build_becomes_a_gpu_build_of_the_same_version() -> None:
    here = machine(installed("torch==2.8.0+cpu", "torchvision==0.23.0+cpu", "numpy==2.3.5"))
    answer = intended("cpu-only-torch", here)
    assert isinstance(answer, Intent)
    assert {str(pick.version.public) for pick in answer.plan.picks} == {"2.8.0", "0.23.0"}
    assert {pick.variant for pick in answer.plan.picks} == {answer.plan.picks[0].variant}
    assert answer.plan.picks[0].variant.startswith("cu")
    assert answer.replace == ("torch", "torchvision")
    assert answer.others == ("numpy",)


def test_an_old_driver_gets_the_same_version_from_another_index() -> None:
    here = machine(
        installed("torch==2.12.0/cu130", "torchvision==0.27.0/cu130"), driver="535.129.03", ceiling="12.2"
    )
    wanted = ("torch==2.12.0+cu126", "torchvision==0.27.0+cu126")
    assert requirements(intended("driver-too-old", here)) == wanted


def test_an_old_gpu_gets_the_line_that_still_has_its_code() -> None:
    here = machine(installed("torch==2.11.0/cu130"), gpus=(GTX_1080,))
    assert requirements(intended("gpu-arch-not-in-wheel", here)) == ("torch==2.11.0+cu126",)


def test_a_new_gpu_gets_the_nearest_release_that_has_its_code() -> None:
    here = machine(installed("torch==2.5.1+cu124", "torchvision==0.20.1+cu124"), gpus=(RTX_5090,))
    wanted = ("torch==2.7.0+cu128", "torchvision==0.22.0+cu128")
    assert requirements(intended("gpu-arch-not-in-wheel", here)) == wanted


def test_of_a_mismatch_the_framework_that_rests_on_the_other_moves() -> None:
    here = machine(installed("torch==2.8.0+cu126", "torchvision==0.20.0+cu126"))
    answer = intended("torchvision-torch-mismatch", here)
    assert requirements(answer) == ("torch==2.8.0+cu126", "torchvision==0.23.0+cu126")
    assert isinstance(answer, Intent)
    assert answer.replace == ()


def test_only_the_build_that_is_out_of_its_family_moves() -> None:
    here = machine(installed("torch==2.8.0+cu126", "torchvision==0.23.0+cpu"))
    answer = intended("torchvision-torch-mismatch", here)
    assert requirements(answer) == ("torch==2.8.0+cu126", "torchvision==0.23.0+cu126")
    assert isinstance(answer, Intent)
    assert answer.replace == ("torchvision",)


def test_mixed_majors_meet_on_the_one_that_both_can_have() -> None:
    here = machine(
        installed("torch==2.12.0/cu130", "tensorflow==2.20.0", "nvidia-nccl-cu12==2.27.7", "numpy==2.1.0")
    )
    wanted = {"torch==2.12.0+cu126", "tensorflow[and-cuda]==2.20.0"}
    assert set(requirements(intended("mixed-cuda-majors", here))) == wanted


def test_builds_for_another_machine_stay_gpu_builds() -> None:
    """A login node has no GPU; its environments are for the nodes that have."""
    here = machine(installed("torch==2.8.0+cu126", "torchvision==0.20.0+cu126"), gpus=(), driver=None)
    wanted = ("torch==2.8.0+cu126", "torchvision==0.23.0+cu126")
    assert requirements(intended("torchvision-torch-mismatch", here)) == wanted


def test_the_python_of_the_environment_is_given() -> None:
    here = machine(installed("torch==2.2.2+cpu"), gpus=(RTX_5090,), python="3.8.10")
    assert isinstance(intended("cpu-only-torch", here), Conflict)


def test_a_conflict_tells_its_core() -> None:
    here = machine(installed("torch==2.11.0/cu130"), driver="440.33.01", ceiling="10.2", python="3.13.1")
    answer = intended("driver-too-old", here)
    assert isinstance(answer, Conflict)
    assert any("driver" in clause.text for clause in answer.core)


def test_a_release_that_the_catalog_does_not_know_is_named_and_kept() -> None:
    here = machine(installed("torch==2.99.0.dev20261201+cu130", "jax==0.6.2", "jaxlib==0.6.2"))
    answer = intended("installed-files-damaged", here)
    assert isinstance(answer, Intent)
    assert answer.others == ("torch==2.99.0.dev20261201+cu130",)


TWINS = ("onnxruntime==1.24.4", "onnxruntime-gpu==1.26.0", "numpy==2.3.5")


def test_of_twins_the_one_for_the_gpu_stays_in_its_version() -> None:
    answer = intended("onnxruntime-cpu-and-gpu-both", machine(installed(*TWINS)))
    assert requirements(answer) == ("onnxruntime-gpu[cuda,cudnn]==1.26.0",)
    assert isinstance(answer, Intent)
    assert answer.twins == ("onnxruntime",)


def test_without_a_gpu_the_other_twin_stays() -> None:
    answer = intended("onnxruntime-cpu-and-gpu-both", machine(installed(*TWINS), gpus=(), driver=None))
    assert requirements(answer) == ("onnxruntime==1.24.4",)
    assert isinstance(answer, Intent)
    assert answer.twins == ("onnxruntime-gpu",)
    assert answer.replace == ()


def test_numpy_1_is_asked_for_where_the_metadata_does_not() -> None:
    answer = intended("numpy2-abi", machine(installed("torch==2.2.2+cu121", "numpy==2.3.5")))
    assert isinstance(answer, Intent)
    assert answer.plan.constraints[-1] == "numpy<2"


def test_a_driver_that_is_not_loaded_is_another_repair() -> None:
    here = machine(installed("torch==2.8.0+cu126", "torchvision==0.20.0+cu126"))
    unloaded = Driver(module=None, userland=DriverRelease("580.65.06"))
    answer = intended("torchvision-torch-mismatch", msgspec.structs.replace(here, driver=unloaded))
    assert requirements(answer) == ("torch==2.8.0+cu126", "torchvision==0.23.0+cu126")
