"""What the embedded solver makes of a plan for each kind of target; nothing is installed."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

import pytest
from packaging.version import Version
from tiny.conda import make_channel

from dlsetup.act.carry_out import carry_out
from dlsetup.act.conda_channels import channels
from dlsetup.act.rattler import CondaRefusal, embedded, run_rattler, solution_at
from dlsetup.catalog.conda import conda_packages
from dlsetup.intake.target import parse
from dlsetup.model.conda import CondaSolution
from dlsetup.model.framework import Accelerator
from dlsetup.model.resolution import Pick, Plan
from dlsetup.model.steps import Run
from dlsetup.model.versions import CudaVersion
from dlsetup.plan.conda import conda_wish, wish_text
from dlsetup.plan.conda_lock import explicit_lock
from dlsetup.plan.conda_platform import conda_platform
from dlsetup.plan.environment import Place
from dlsetup.plan.rattler import job_of, rattler_steps

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
SUBDIRS = ("linux-64", "linux-aarch64", "osx-arm64", "osx-64")


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_channel(tmp_path_factory.mktemp("many platforms") / "conda-forge", SUBDIRS)


def plan(words: str, cuda: str | None, *versions: str, python: str = PYTHON) -> Plan:
    names = ("torch", "torchvision")
    picks = tuple(
        Pick(framework=name, version=Version(text), variant="x", index="x", requirement=f"{name}=={text}")
        for name, text in zip(names, versions, strict=False)
    )
    return Plan(
        target=parse(words),
        python=Version(python),
        picks=picks,
        cuda=None if cuda is None else CudaVersion(cuda),
        requirements=tuple(pick.requirement for pick in picks),
    )


def solved(wanted: Plan, kind: Accelerator, world: Path, folder: Path) -> CondaSolution:
    environ = {"CONDA_CHANNELS": world.as_uri(), "RATTLER_CACHE_DIR": str(folder / "cache")}
    place = Place(final=str(folder / "env"), work=str(folder / "work"))
    means = embedded(environ, "uv", offline=False, seen=False)
    wish = conda_wish(wanted, conda_packages(), {pick.framework: kind for pick in wanted.picks})
    job = job_of(wish, conda_platform(wanted.target, wanted.cuda), place, means)
    steps = rattler_steps(wish_text(wish), wish, job, place, means)
    until = next(at for at, step in enumerate(steps) if isinstance(step, Run)) + 1
    list(carry_out(steps[:until], partial(run_rattler, environ=environ, seen=False)))
    return solution_at(job.answer)


@pytest.mark.parametrize(
    ("words", "cuda", "kind", "subdir", "build"),
    [
        ("os=linux,arch=x86_64,glibc=2.31", "12.6", "cuda", "linux-64", "cuda126"),
        ("os=linux,arch=aarch64,glibc=2.34", "12.6", "cuda", "linux-aarch64", "cuda126"),
        ("os=linux,arch=x86_64", None, "cpu", "linux-64", "cpu_generic"),
        ("os=macos,arch=arm64,macos=14.5", None, "mps", "osx-arm64", "cpu_generic"),
        ("os=macos,arch=x86_64,macos=13.1", None, "cpu", "osx-64", "cpu_generic"),
    ],
)
def test_solution_is_the_target_s(
    words: str, cuda: str | None, kind: Accelerator, subdir: str, build: str, world: Path, tmp_path: Path
) -> None:
    found = solved(plan(words, cuda, "2.14.1", "0.29.1"), kind, world, tmp_path)
    builds = {item.name: item.build for item in found.packages}
    assert found.subdir == subdir
    assert builds["pytorch"].startswith(build)
    assert f"/{subdir}/pytorch-2.14.1-{build}" in explicit_lock(found)
    assert all(item.sha256 and item.url for item in found.packages)
    names = [item.name for item in found.packages]
    assert names.index("python") < names.index("numpy") < names.index("pytorch") < names.index("torchvision")
    versions = {item.name: item.version for item in found.packages}
    assert ("cuda-version" in versions) == (cuda is not None)


def test_no_driver_no_cuda_build(world: Path, tmp_path: Path) -> None:
    """`__cuda` decides, and it is the target's."""
    wanted = plan("os=linux,arch=x86_64", None, "2.14.1")
    with pytest.raises(CondaRefusal) as refused:
        solved(wanted, "cuda", world, tmp_path)
    assert "__cuda" in refused.value.message
    assert refused.value.refusal.frameworks == ("torch",)


def test_refusal_names_the_fewest_and_what_there_is(world: Path, tmp_path: Path) -> None:
    with pytest.raises(CondaRefusal) as refused:
        solved(plan("os=linux,arch=x86_64", None, "2.14.1", "0.28.0"), "cpu", world, tmp_path)
    assert set(refused.value.refusal.frameworks) == {"torch", "torchvision"}
    with pytest.raises(CondaRefusal) as missing:
        solved(plan("os=linux,arch=x86_64", None, "9.9.0", "0.28.0"), "cpu", world, tmp_path)
    assert missing.value.refusal.frameworks == ("torch",)
    offered = dict(missing.value.refusal.offered)
    assert offered["pytorch-cpu"] == ("2.14.1", "2.13.0")
    assert "2.14.1" in missing.value.message


def test_python_that_is_not_there(world: Path, tmp_path: Path) -> None:
    with pytest.raises(CondaRefusal) as refused:
        solved(plan("os=linux,arch=x86_64", None, "2.14.1", python="3.99"), "cpu", world, tmp_path)
    assert refused.value.refusal.frameworks == ()
    assert "python" in refused.value.message


def test_where_conda_forge_lies(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    environ = {"HOME": str(home)}
    assert channels(environ).names == ("conda-forge",)
    (home / ".condarc").write_text("channels: [defaults, 'https://mirror.example/conda-forge/']\n")
    assert channels(environ).names == ("https://mirror.example/conda-forge/",)
    (home / ".condarc").write_text(
        "channel_alias: https://mirror.example\nchannels: [conda-forge, defaults]\n"
    )
    assert channels(environ).names == ("conda-forge",)
    assert channels(environ).alias == "https://mirror.example"
    (home / ".condarc").write_text("custom_channels:\n  conda-forge: https://own.example/of\n")
    assert channels(environ).names == ("https://own.example/of/conda-forge",)
    named = {**environ, "CONDA_CHANNELS": "defaults,file:///mnt/forge"}
    assert channels(named).names == ("file:///mnt/forge",)
    for hostile in ("a: &a [*a]", "- x", ":\n:", "channels: 3", json.dumps({"channels": [3, None]})):
        (home / ".condarc").write_text(hostile)
        assert channels(environ).names == ("conda-forge",)
