"""A plan as conda-forge packages."""

from __future__ import annotations

import pytest
import yaml
from packaging.version import Version

from dlsetup.catalog.conda import conda_packages, plain_packages
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Accelerator, Index
from dlsetup.model.resolution import Pick, Plan
from dlsetup.model.steps import Run, Write
from dlsetup.model.target import Target
from dlsetup.model.versions import CudaVersion
from dlsetup.plan.conda import CondaTool, conda_python, conda_steps, conda_wish, wish_text
from dlsetup.plan.environment import Place
from dlsetup.plan.kernel import activated

PLACE = Place(final="/envs/it's", work="/envs/.it's.building-1")


def pick(name: str, version: str, index: str = "default", extra: str = "") -> Pick:
    return Pick(
        framework=name,
        version=Version(version),
        variant="any",
        index=index,
        requirement=f"{name}{extra}=={version}",
    )


def plan(*picks: Pick, cuda: str | None = None, packages: tuple[str, ...] = ()) -> Plan:
    return Plan(
        target=Target(),
        python=Version("3.12"),
        picks=picks,
        cuda=None if cuda is None else CudaVersion(cuda),
        requirements=(*(item.requirement for item in picks), *packages),
        indexes=(Index(name="default"), Index(name="special", url="https://special/simple")),
        sources=tuple((item.framework, item.index) for item in picks),
    )


def file(wanted: Plan, accelerator: Accelerator) -> dict[str, list[object]]:
    kinds = {item.framework: accelerator for item in wanted.picks}
    found: dict[str, list[object]] = yaml.safe_load(wish_text(conda_wish(wanted, conda_packages(), kinds)))
    return found


def test_cuda_builds_in_the_manner_of_conda_forge() -> None:
    found = file(plan(pick("torch", "2.14.1"), pick("jax", "0.10.2", extra="[cuda12]"), cuda="12.6"), "cuda")
    assert found["channels"] == ["conda-forge", "nodefaults"]
    assert found["dependencies"] == [
        "python=3.12",
        "cuda-version=12",
        "pytorch-gpu=2.14",
        "jax=0.10",
        "jaxlib=*=cuda*",
    ]


def test_cpu_builds_are_asked_for_by_name() -> None:
    found = file(plan(pick("torch", "2.14.1"), pick("tensorflow", "2.21.0")), "cpu")
    assert found["dependencies"] == ["python=3.12", "pytorch-cpu=2.14", "tensorflow-cpu=2.21"]


def test_what_conda_forge_does_not_have_is_left_to_pip() -> None:
    found = file(plan(pick("torch", "2.14.1"), pick("odd", "1.0", "special"), packages=("tqdm>=4",)), "cpu")
    assert found["dependencies"][-2:] == [
        "pip",
        {"pip": ["--extra-index-url https://special/simple", "odd==1.0", "tqdm>=4"]},
    ]


def test_accelerator_without_a_build_is_refused() -> None:
    with pytest.raises(UsageError, match="torch for rocm"):
        file(plan(pick("torch", "2.14.1")), "rocm")


def test_every_name_has_a_source() -> None:
    packages = conda_packages()
    assert {"torch", "tensorflow", "jax"} <= {item.distribution for item in packages}
    assert len({item.distribution for item in packages}) == len(packages)
    for item in packages:
        assert item.source.startswith("https://github.com/conda-forge/")
        assert item.cuda or item.cpu or item.mps


@pytest.mark.parametrize(
    ("name", "calls"),
    [
        ("micromamba", [("create", "--yes", "--prefix")]),
        ("mamba", [("env", "create", "--prefix")]),
        ("conda", [("env", "create", "--prefix")]),
        ("pixi", [("init", "--import"), ("install", "--manifest-path")]),
    ],
)
def test_each_tool_is_called_in_its_own_way(name: str, calls: list[tuple[str, ...]]) -> None:
    tool = CondaTool(name=name, path=f"/bin/{name}")
    steps = conda_steps("text", PLACE, tool, ())
    assert isinstance(steps[0], Write)
    runs = [step for step in steps if isinstance(step, Run)]
    assert [run.argv[1 : 1 + len(call)] for run, call in zip(runs, calls, strict=True)] == calls
    assert all(any(word.startswith(PLACE.final) for word in run.argv) for run in runs)
    assert conda_python(tool, PLACE).startswith(PLACE.final)


def test_cuda_is_told_where_the_building_machine_has_no_driver() -> None:
    tool = CondaTool(name="conda", path="/bin/conda")
    steps = conda_steps("text", PLACE, tool, (("CONDA_OVERRIDE_CUDA", "12.6"),))
    assert steps[1].env == (("CONDA_OVERRIDE_CUDA", "12.6"),)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("requirement", "spec"),
    [
        ("numpy", "numpy"),
        ("NumPy>=1.26,<2", "numpy<2,>=1.26"),
        ("scikit_learn!=1.5", "scikit-learn!=1.5"),
        ("numpy~=1.26", None),
        ("numpy==1.26.*", None),
        ("numpy; sys_platform == 'win32'", None),
        ("pandas[excel]", None),
        ("odd-tool==1", None),
        ("numpy @ https://x.example/numpy-1.0-py3-none-any.whl", None),
    ],
)
def test_what_conda_forge_has_under_the_same_name_is_conda_s(requirement: str, spec: str | None) -> None:
    wanted = plan(packages=(requirement,))
    wish = conda_wish(wanted, conda_packages(), {}, plain_packages())
    assert (wish.packages, wish.pip) == (((spec,), ()) if spec else ((), (requirement,)))


def test_a_kernel_is_given_what_activating_sets() -> None:
    posix = activated("/envs/a $b/bin/python", windows=False)
    assert posix == {"CONDA_PREFIX": "/envs/a $$b", "PATH": "/envs/a $$b/bin:${PATH}"}
    windows = activated("C:/envs/demo/python.exe", windows=True)
    home = "C:\\envs\\demo"
    assert windows["CONDA_PREFIX"] == home
    assert windows["PATH"] == f"{home};{home}\\Library\\bin;{home}\\Scripts;${{PATH}}"
