"""An intent, divided between conda and uv; what conda is told, and what it says."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace
from tiny.machines import GTX_1080, RTX_4090, RTX_5090, installed, machine
from tiny.repairs import intended

from dlsetup.catalog.conda import conda_packages
from dlsetup.catalog.load import load
from dlsetup.model.conda import CondaRecord
from dlsetup.model.errors import DataError
from dlsetup.model.machine import Machine
from dlsetup.model.record import UNKNOWN
from dlsetup.model.repair import CondaWork, Intent
from dlsetup.model.target import Target
from dlsetup.model.versions import CudaVersion
from dlsetup.plan.conda_cuda import bounds, narrowed
from dlsetup.plan.conda_repair import Division, Known, divide
from dlsetup.plan.conda_steps import conda_steps, package_changes, read_conda_forecast

FORGE = "https://conda.anaconda.org/conda-forge"
PYTORCH = "https://conda.anaconda.org/pytorch"


def record(name: str, version: str, build: str = "0", channel: str = FORGE, **more: object) -> CondaRecord:
    return CondaRecord(name=name, version=version, build=build, channel=channel, **more)  # type: ignore[arg-type]


def torch(version: str = "2.8.0", build: str = "cpu_generic_py312_h1_0", **more: object) -> CondaRecord:
    brought = {"distribution": "torch", "distribution_version": version}
    return record("pytorch", version, build, **{**brought, **more})  # type: ignore[arg-type]


NUMPY = record("numpy", "2.3.5", distribution="numpy", distribution_version="2.3.5")


def divided(
    finding: str, words: tuple[str, ...], records: tuple[CondaRecord, ...], *, here: Machine | None = None
) -> Division | str:
    here = here or machine(installed(*words))
    intent = intended(finding, here)
    assert isinstance(intent, Intent)
    environment = here.environment
    assert environment is not None
    known = Known(
        environment=environment,
        records=records,
        packages=conda_packages(),
        catalog=load(["torch", "torchvision", "jax"]),
        target=Target.of(here),
    )
    return divide(intent, known)


def test_the_same_release_first_then_further_and_further() -> None:
    found = divided("cpu-only-torch", ("torch==2.8.0+cpu", "numpy==2.3.5"), (torch(), NUMPY))
    assert isinstance(found, Division)
    assert [tier[0] for tier in found.tiers] == [
        "pytorch=2.8.0=*cuda*",
        "pytorch=2.8.*=*cuda*",
        "pytorch[version='<2.8.0',build='*cuda*']",
        "pytorch=*=*cuda*",
    ]
    assert {tier[1] for tier in found.tiers} == {"cuda-version>=11.8,<14.0"}
    assert found.channels == (FORGE,)


def test_what_conda_has_is_pinned_for_uv_and_asked_of_it_no_more() -> None:
    words = ("torch==2.8.0+cpu", "numpy==2.3.5", "requests==2.32.0")
    found = divided("cpu-only-torch", words, (torch(), NUMPY))
    assert isinstance(found, Division)
    assert found.pip.plan.requirements == ()
    assert found.pip.others == ("requests",)
    assert found.pip.plan.constraints == ("numpy==2.3.5",)
    assert found.pip.idle
    assert [pick.framework for pick in found.pip.plan.picks] == ["torch"]


def test_what_holds_to_the_other_build_goes_and_nothing_that_is_needed() -> None:
    words = ("torch==2.8.0+cpu",)
    held = record("pytorch-cpu", "2.8.0", depends=("pytorch",))
    found = divided("cpu-only-torch", words, (torch(), held))
    assert isinstance(found, Division)
    assert found.take == ("pytorch-cpu",)
    asking = record("lab-metapackage", "1.0", depends=("pytorch-cpu",))
    said = divided("cpu-only-torch", words, (torch(), held, asking))
    assert said == "`pytorch-cpu` would have to go, and conda's `lab-metapackage` asks for it."


def test_the_channel_of_the_authors_speaks_its_own_words() -> None:
    own = torch("2.4.1", "py3.12_cpu_0", channel=PYTORCH)
    base = tuple(record(f"lib{number}", "1.0") for number in range(5))
    found = divided("cpu-only-torch", ("torch==2.4.1+cpu",), (own, *base))
    assert isinstance(found, Division)
    assert found.tiers[0] == ("pytorch=2.4.1=*cuda*", "pytorch-cuda>=11.8,<14.0")
    assert found.channels == (PYTORCH, FORGE, "nvidia")


def test_pip_over_conda_is_parted() -> None:
    over = torch(whole=False)
    found = divided("torch-by-conda-and-pip", ("torch==2.8.0+cu128",), (over, NUMPY))
    assert isinstance(found, Division)
    assert (found.part, found.again) == (("torch",), ("pytorch",))


def test_a_build_that_runs_stays_though_its_cuda_is_none_of_the_wheels() -> None:
    words = ("torch==2.8.0/cu127", "torchvision==0.21.0+cpu")
    whole = (torch(build="cuda127_generic_py312_h1_200"),)
    here = machine(installed(*words))
    intent = intended("torchvision-torch-mismatch", here)
    if not isinstance(intent, Intent):
        pytest.fail("no repair")
    found = divided("torchvision-torch-mismatch", words, whole, here=here)
    assert isinstance(found, Division)
    assert found.part == ("torchvision",)
    assert found.tiers[0][0] == "pytorch=2.8.0=*cuda*"


def test_a_gpu_and_a_driver_bound_the_cuda() -> None:
    hardware = load(["torch"]).hardware
    both = bounds(Target.of(machine((), gpus=(RTX_5090,))), hardware)
    assert (str(both.first), str(both.before)) == ("12.8.0", "14.0")
    assert not both.hold(CudaVersion("12.6"))
    assert both.hold(CudaVersion("12.9"))
    assert [str(line) for line in both.lines][:2] == ["12.8", "12.9"]
    old = bounds(Target.of(machine((), driver="535.129.03", ceiling="12.2", gpus=(RTX_4090,))), hardware)
    assert str(old.before) == "13.0"
    pascal = bounds(Target.of(machine((), gpus=(GTX_1080,))), hardware)
    assert pascal.before is not None
    assert not pascal.hold(CudaVersion("13.0"))
    assert narrowed(("pytorch=2.8.0=*cuda*", "numpy"), CudaVersion("12.8")) == (
        "pytorch=2.8.0=*cuda128*",
        "numpy",
    )


def test_what_the_tools_say() -> None:
    """micromamba tells sizes with everything, conda only of what it fetches; builds have two names."""
    linked = {"name": "pytorch", "version": "2.8.0", "build": "cuda128_0", "size": 9}
    removed = {"name": "pytorch", "version": "2.8.0", "build_string": "cpu_0"}
    told = {"actions": {"LINK": [linked], "UNLINK": [removed], "FETCH": [linked]}, "success": True}
    found = read_conda_forecast(json.dumps(told))
    assert found.added == (("pytorch", "2.8.0 cuda128_0"),)
    assert found.removed == (("pytorch", "2.8.0 cpu_0"),)
    assert found.download_bytes == 9
    del linked["size"]
    assert read_conda_forecast(json.dumps(told)).download_bytes is UNKNOWN
    nothing = read_conda_forecast('{"message": "All requested packages already installed.", "success": true}')
    assert (nothing.added, nothing.removed, nothing.download_bytes) == ((), (), 0)
    for text in ("", "[]", '{"actions": []}', '{"actions": {"LINK": "pytorch"}}', "error: no space"):
        with pytest.raises(DataError):
            read_conda_forecast(text)


def test_the_steps_and_what_they_move() -> None:
    work = CondaWork(
        tool="/opt/micromamba",
        channels=(FORGE,),
        cuda="13.0",
        take=("pytorch-cpu",),
        specs=("pytorch=2.8.0=*cuda*",),
        frozen=True,
        again=("numpy=2.3.5=0",),
    )
    take, install, again = conda_steps(work, "/envs/my env")
    assert take.argv == (  # type: ignore[union-attr]
        *("/opt/micromamba", "remove", "--yes", "--prefix", "/envs/my env", "--force", "pytorch-cpu"),
    )
    assert "--freeze-installed" in install.argv  # type: ignore[union-attr]
    assert install.env == (("CONDA_OVERRIDE_CUDA", "13.0"),)  # type: ignore[union-attr]
    assert {"--no-deps", "--force-reinstall"} < set(again.argv)  # type: ignore[union-attr]
    rows = (torch(), NUMPY, record("pytorch-cpu", "2.8.0"))
    told = {"actions": {"LINK": [{"name": "pytorch", "version": "2.8.0", "build": "cuda128_0"}]}}
    changes = package_changes(work, read_conda_forecast(json.dumps(told)), rows)
    assert [(item.distribution, item.before, item.after) for item in changes] == [
        ("pytorch-cpu", "2.8.0 0", None),
        ("pytorch", None, "2.8.0 cuda128_0"),
        ("numpy", "2.3.5 0", "2.3.5 0"),
    ]
    assert conda_steps(replace(work, take=(), specs=(), again=()), "/envs/my env") == ()
