"""The least change: every version that may stay stays, then every build, and nothing else is touched."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import pytest
from packaging.version import Version

from dlsetup.catalog.load import load, named
from dlsetup.model.finding import Diagnosis, Finding
from dlsetup.model.machine import Distribution, Driver, Environment, Gpu, Libc, Machine, SharedFiles, System
from dlsetup.model.outcome import Outcome
from dlsetup.model.record import UNKNOWN
from dlsetup.model.repair import Intent
from dlsetup.model.resolution import Conflict
from dlsetup.model.steps import Procedure, Run
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease, LibcVersion
from dlsetup.plan.environment import Means
from dlsetup.plan.forecast import Forecast, read_forecast, settle
from dlsetup.plan.mending import Bench, forecast_steps, mending_steps
from dlsetup.plan.repair import intend
from dlsetup.plan.script import shell_script
from dlsetup.plan.second_look import broken_promises, complaints

RTX_4090 = ("NVIDIA GeForce RTX 4090", "8.9")
RTX_5090 = ("NVIDIA GeForce RTX 5090", "12.0")
GTX_1080 = ("NVIDIA GeForce GTX 1080 Ti", "6.1")


def installed(*words: str) -> tuple[Distribution, ...]:
    """`torch==2.8.0+cu126`, or `torch==2.8.0/cu128` where only the files tell the variant."""
    found = []
    for word in words:
        name, _, rest = word.partition("==")
        version, _, variant = rest.partition("/")
        variant = variant or version.partition("+")[2]
        found.append(Distribution(name=name, version=Version(version), variant=variant or UNKNOWN))
    return tuple(found)


def machine(
    distributions: tuple[Distribution, ...],
    *,
    driver: str | None = "580.65.06",
    ceiling: str = "13.0",
    gpus: Iterable[tuple[str, str]] = (RTX_4090,),
    python: str = "3.12.4",
    shared: tuple[SharedFiles, ...] = (),
) -> Machine:
    environment = Environment(
        path="/home/me/env",
        kind="venv",
        python=Version(python),
        examined=True,
        distributions=distributions,
        shared_files=shared,
    )
    return Machine(
        system=System(
            os="linux", arch="x86_64", libc=Libc(name="glibc", version=LibcVersion("2.36")), wsl=None
        ),
        driver=None
        if driver is None
        else Driver(module=DriverRelease(driver), cuda_ceiling=CudaVersion(ceiling)),
        gpus=tuple(
            Gpu(vendor="nvidia", name=name, compute_capability=ComputeCapability(number))
            for name, number in gpus
        ),
        environments=(environment,),
    )


def fault(finding_id: str, severity: str = "error") -> Finding:
    return Finding(id=finding_id, severity=severity, title=finding_id, because="")  # type: ignore[arg-type]


def intended(finding_id: str, here: Machine) -> Intent | Conflict | None:
    environment = here.environment
    assert environment is not None
    assert isinstance(environment.distributions, tuple)
    catalog = load(named({item.name for item in environment.distributions}))
    return intend(here, Diagnosis(findings=(fault(finding_id),)), catalog)


def requirements(answer: Intent | Conflict | None) -> tuple[str, ...]:
    assert isinstance(answer, Intent), answer
    return answer.plan.requirements


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


SHARED = (
    SharedFiles(
        owners=("nvidia-cudnn-cu12", "nvidia-cudnn-cu13"),
        count=3,
        example="nvidia/cudnn/lib/libcudnn.so.9",
        damaged=("nvidia-cudnn-cu12",),
    ),
)


def two_majors() -> tuple[Machine, Intent]:
    torch = Distribution(
        name="torch",
        version=Version("2.8.0+cu126"),
        variant="cu126",
        requires=("nvidia-cudnn-cu12==9.10.2.21; platform_system == 'Linux'",),
    )
    rest = installed(
        "nvidia-cudnn-cu12==9.10.2.21", "nvidia-cudnn-cu13==9.24.0.43", "nvidia-nccl-cu13==2.30.7"
    )
    here = machine((torch, *rest), shared=SHARED)
    answer = intended("mixed-cuda-majors", here)
    assert isinstance(answer, Intent)
    return here, answer


IDLE = Forecast(removed=(("nvidia-cudnn-cu13", "9.24.0.43"), ("nvidia-nccl-cu13", "2.30.7")))


def test_what_collides_goes_and_what_it_wrote_over_is_written_again() -> None:
    here, intent = two_majors()
    assert here.environment is not None
    repair = settle(intent, IDLE, here.environment, load(["torch"]).hardware)
    assert repair.remove == ("nvidia-cudnn-cu13",)
    assert repair.rewrite == ("nvidia-cudnn-cu12==9.10.2.21",)
    moves = {change.distribution: (change.before, change.after) for change in repair.changes}
    assert moves == {
        "nvidia-cudnn-cu13": ("9.24.0.43", None),
        "nvidia-cudnn-cu12": ("9.10.2.21", "9.10.2.21"),
    }


def test_a_library_that_was_asked_for_and_is_no_more_goes() -> None:
    here, intent = two_majors()
    assert here.environment is not None
    forecast = Forecast(
        removed=(("torch", "2.8.0+cu126"), ("nvidia-cudnn-cu12", "9.10.2.21")), added=(("torch", "2.12.0"),)
    )
    repair = settle(intent, forecast, here.environment, load(["torch"]).hardware)
    assert repair.remove == ("nvidia-cudnn-cu12",)
    assert repair.rewrite == ("nvidia-cudnn-cu13==9.24.0.43",)


def test_the_steps_remove_first_and_quote_what_they_run() -> None:
    here, intent = two_majors()
    assert here.environment is not None
    repair = settle(intent, IDLE, here.environment, load(["torch"]).hardware)
    steps = mending_steps(repair, Bench(environment="/a $(b)/env", folder="/tmp/x"), Means())
    runs = [step for step in steps if isinstance(step, Run)]
    assert [run.argv[2] for run in runs] == ["uninstall", "install"]
    assert runs[1].argv[3:5] == ("--reinstall-package", "nvidia-cudnn-cu12")
    script = shell_script(Procedure(title="", steps=steps))
    assert "'/a $(b)/env/bin/python'" in script
    assert '"nvidia-cudnn-cu12==9.10.2.21",' in script


def test_the_forecast_asks_for_everything_that_must_stay_whole() -> None:
    _, intent = two_majors()
    steps = forecast_steps(intent, Bench(environment="/e", folder="/tmp/x"), Means(offline=True))
    run = steps[-1]
    assert isinstance(run, Run)
    assert {"--dry-run", "--exact", "--offline"} <= set(run.argv)


def test_the_words_of_uv_are_read() -> None:
    text = """{"changes": [{"name": "torch", "version": "2.8.0", "action": "uninstalled"},
               {"name": "torch", "version": "2.8.0+cu126", "action": "installed"},
               {"name": "nvidia-nccl-cu13", "version": "2.30.7", "action": "uninstalled"},
               {"name": "rich", "version": "14.0", "action": "uninstalled"}], "dry_run": true}"""
    found = read_forecast(text)
    assert found.added == (("torch", "2.8.0+cu126"),)
    assert found.idle == ("nvidia-nccl-cu13",)


def works(framework: str, ok: bool) -> Outcome:
    return Outcome(framework=framework, ok=ok, because="" if ok else "no device")


@pytest.mark.parametrize(
    ("before", "after", "ok", "said"),
    [
        (["cpu-only-torch"], [], True, []),
        (["cpu-only-torch"], ["cpu-only-torch"], True, ["`cpu-only-torch` is still there: "]),
        (["cpu-only-torch"], ["driver-too-old"], True, ["`driver-too-old` would be new: "]),
        (["cpu-only-torch", "numpy2-abi"], ["numpy2-abi"], True, []),
        (["cpu-only-torch"], [], False, ["torch does not work: no device"]),
        (["cpu-only-torch", "kernel-module-not-loaded"], ["kernel-module-not-loaded"], False, []),
    ],
)
def test_the_second_look(before: list[str], after: list[str], ok: bool, said: list[str]) -> None:
    looks = [Diagnosis(findings=tuple(fault(name) for name in names)) for names in (before, after)]
    found = complaints([fault("cpu-only-torch")], looks[0], looks[1], [works("torch", ok)])
    assert list(found) == said


def test_only_new_broken_requirements_count() -> None:
    old, new = "The package `a` requires `b`", "The package `c` requires `D_e>=1`, but it's not installed"
    assert list(broken_promises({old}, {old, new}, ())) == [new]
    assert list(broken_promises({old}, {old, new}, ("d-e",))) == []
