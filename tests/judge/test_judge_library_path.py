"""LD_LIBRARY_PATH against wheels: silence where the wheel is known to win, else who does."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from judge_machines import PATH, SITE, dist, found, ids, library, machine, variables
from msgspec.structs import replace

from dlsetup.catalog.loading import loadings
from dlsetup.judge.registry import judge
from dlsetup.model.finding import Diagnosis
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Distribution, Libc, Machine, Owner
from dlsetup.model.versions import LibcVersion

SHADOWS = "ld-library-path-shadows-wheel-libs"
FOLDER = "/opt/cuda/lib64"
Judge = Callable[[Machine], Diagnosis]


@pytest.fixture(scope="module")
def knowing(catalog: Catalog) -> Judge:
    whole = replace(catalog, loading=loadings(tuple(item.name for item in catalog.frameworks)))
    return lambda seen: judge(seen, whole)


def torch(release: str, asks: str, variant: str = "cu126", **parts: str) -> Distribution:
    parts.setdefault("installer", "pip")
    return dist("torch", release, variant, requires=(asks,), **parts)


def shadowed(*installed: Distribution, name: str, soname: str, owner: str) -> Machine:
    own = library(
        name,
        "12.6.85",
        f"{SITE}/nvidia/x/lib/{soname}",
        soname,
        owner=Owner(kind="wheel", name=owner),
        environment=PATH,
    )
    other = library(name, "12.1.105", f"{FOLDER}/{soname}", soname)
    base = machine(*installed, libraries=(own, other))
    return replace(base, variables=variables(LD_LIBRARY_PATH=FOLDER))


def jitlink(*installed: Distribution) -> Machine:
    return shadowed(*installed, name="nvjitlink", soname="libnvJitLink.so.12", owner="nvidia-nvjitlink-cu12")


JITLINK = "nvidia-nvjitlink-cu12==12.6.85"


@pytest.mark.parametrize(
    ("release", "told"), [("2.5.1+cu124", True), ("2.6.0+cu126", False), ("2.9.1+cu126", False)]
)
def test_what_torch_opens_by_path_is_not_shadowed(release: str, told: bool, knowing: Judge) -> None:
    seen = jitlink(torch(release, JITLINK, release[-5:]))
    assert (SHADOWS in ids(knowing(seen))) is told


@pytest.mark.parametrize(
    ("release", "name", "soname", "owner", "told"),
    [
        ("2.5.1+cu124", "cudart", "libcudart.so.12", "nvidia-cuda-runtime-cu12", False),
        ("2.5.1+cu124", "cublas", "libcublas.so.12", "nvidia-cublas-cu12", True),
        ("2.1.2+cu121", "cublas", "libcublas.so.12", "nvidia-cublas-cu12", False),
        ("2.10.0+cu126", "cublaslt", "libcublasLt.so.12", "nvidia-cublas-cu12", True),
        ("2.11.0+cu126", "cublaslt", "libcublasLt.so.12", "nvidia-cublas-cu12", False),
    ],
)
def test_what_an_rpath_leads_to_is_not_shadowed(
    release: str, name: str, soname: str, owner: str, told: bool, knowing: Judge
) -> None:
    installed = torch(release, f"{owner}==12.6.85", release[-5:])
    assert (SHADOWS in ids(knowing(shadowed(installed, name=name, soname=soname, owner=owner)))) is told


def test_parts_of_cudnn_come_from_the_variable_whoever_asks(knowing: Judge) -> None:
    installed = torch("2.9.1+cu126", "nvidia-cudnn-cu12==9.10.2.21")
    seen = shadowed(installed, name="cudnn", soname="libcudnn.so.9", owner="nvidia-cudnn-cu12")
    told = found(knowing(seen), SHADOWS)
    assert f"so parts in `{FOLDER}` win over the wheel's." in told.because
    assert any("RUNPATH" in source for source in told.rests_on)


TF = dist("tensorflow", "2.18.0", "cu125")
CUPY = dist("cupy-cuda12x", "13.3.0", requires=(JITLINK,))


@pytest.mark.parametrize("beside", [TF, CUPY], ids=lambda item: item.name)
def test_of_others_that_use_the_library_nothing_is_known(beside: Distribution, knowing: Judge) -> None:
    assert SHADOWS in ids(knowing(jitlink(torch("2.9.1+cu126", JITLINK), beside)))


@pytest.mark.parametrize(
    "installed",
    [
        torch("2.9.1", JITLINK, installer="conda"),
        torch("2.9.1a0+git1234567", JITLINK),
        torch("2.9.1+cu126", "nvidia-cudnn-cu12==9.10.2.21"),
    ],
    ids=["conda", "own build", "does not ask"],
)
def test_of_other_builds_nothing_is_known(installed: Distribution, knowing: Judge) -> None:
    assert SHADOWS in ids(knowing(jitlink(installed)))


def test_another_loader_or_processor_decides_otherwise(knowing: Judge) -> None:
    seen = jitlink(torch("2.9.1+cu126", JITLINK))
    musl = replace(seen.system, libc=Libc(name="musl", version=LibcVersion("1.2")))
    assert SHADOWS in ids(knowing(replace(seen, system=musl)))
    assert SHADOWS in ids(knowing(replace(seen, system=replace(seen.system, arch="aarch64"))))


def test_without_that_knowledge_every_copy_in_front_is_told(judged: Judge) -> None:
    assert SHADOWS in ids(judged(jitlink(torch("2.9.1+cu126", JITLINK))))
