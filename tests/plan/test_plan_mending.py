"""What goes, what is written again, in which steps; and whether the second look is content."""

from __future__ import annotations

import pytest
from packaging.version import Version
from tiny.machines import fault, installed, machine
from tiny.repairs import intended

from dlsetup.catalog.load import load
from dlsetup.model.finding import Diagnosis
from dlsetup.model.machine import Distribution, Machine, SharedFiles
from dlsetup.model.outcome import Outcome
from dlsetup.model.repair import Intent
from dlsetup.model.steps import Procedure, Run
from dlsetup.plan.environment import Means
from dlsetup.plan.forecast import Forecast, read_forecast, settle
from dlsetup.plan.mending import Bench, forecast_steps, mending_steps
from dlsetup.plan.script import shell_script
from dlsetup.plan.second_look import broken_promises, complaints

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
