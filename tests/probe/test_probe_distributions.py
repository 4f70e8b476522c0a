"""What is installed in the examined environment, read from metadata alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_site import SITE, VENV, examined, installed, only, with_environment, write
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from dlsetup.model.framework import Clue
from dlsetup.model.machine import Distribution
from dlsetup.model.record import UNKNOWN
from dlsetup.model.variants import conda_variant
from dlsetup.probe.host import Host
from dlsetup.probe.metadata import name_and_version


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    return with_environment(tmp_path)


def test_a_framework_with_all_that_its_metadata_says(machine: Path) -> None:
    installed(
        machine,
        "torch",
        "2.9.1+cu126",
        METADATA="Name: torch\nVersion: 2.9.1+cu126\nRequires-Dist: filelock\n"
        'Requires-Dist: nvidia-cudnn-cu12==9.10.2.21; platform_system == "Linux"\n\nRequires-Dist: prose\n',
        WHEEL="Wheel-Version: 1.0\nTag: cp312-cp312-manylinux_2_28_x86_64\n",
        INSTALLER="uv\n",
        **{"direct_url.json": json.dumps({"url": "file:///tmp/torch.whl", "archive_info": {}})},
    )
    assert only(examined(machine), "torch") == Distribution(
        name="torch",
        version=Version("2.9.1+cu126"),
        variant="cu126",
        variant_via="local version",
        requires=("filelock", 'nvidia-cudnn-cu12==9.10.2.21; platform_system == "Linux"'),
        tags=("cp312-cp312-manylinux_2_28_x86_64",),
        installer="uv",
        origin="file:///tmp/torch.whl",
        location=f"/{SITE}",
    )


def test_of_others_only_name_and_version_are_read(machine: Path) -> None:
    folder = installed(machine, "Flask-Login", "0.6.3")
    (folder / "METADATA").unlink()
    found = only(examined(machine), "flask-login")
    assert (found.version, found.requires, found.installer) == (Version("0.6.3"), UNKNOWN, UNKNOWN)


def test_missing_files_leave_facts_unknown_and_an_empty_list_is_known(machine: Path) -> None:
    (machine / SITE / "jax-0.8.1.dist-info").mkdir()
    installed(machine, "numpy", "2.3.4")
    bare = only(examined(machine), "jax")
    assert (bare.requires, bare.tags, bare.installer, bare.origin) == (UNKNOWN,) * 4
    assert only(examined(machine), "numpy").requires == ()


def test_an_egg_names_its_requirements_elsewhere(machine: Path) -> None:
    write(machine / SITE / "numpy-1.24.2.egg-info/PKG-INFO", "Name: numpy\nVersion: 1.24.2\n")
    write(machine / SITE / "protobuf-3.20.3-py3.12.egg-info", "Name: protobuf\nVersion: 3.20.3\n")
    found = examined(machine)
    assert (only(found, "numpy").version, only(found, "numpy").requires) == (Version("1.24.2"), UNKNOWN)
    assert only(found, "protobuf").version == Version("3.20.3")


def test_a_development_install_is_found_in_its_source_tree(machine: Path) -> None:
    write(machine / "src/pytorch/torch.egg-info/PKG-INFO", "Name: torch\nVersion: 2.10.0a0+git1234567\n")
    write(machine / "src/pytorch/torch/version.py", "cuda: str = '12.8'\nhip = None\n")
    write(machine / SITE / "easy-install.pth", "import os; os.x\n# no\n/src/pytorch\n/gone\n")
    found = only(examined(machine), "torch")
    assert (found.location, found.variant, found.variant_via) == ("/src/pytorch", "cu128", "torch/version.py")
    assert found.version == Version("2.10.0a0+git1234567")


@pytest.mark.parametrize(
    ("text", "variant"),
    [
        ("cuda: Optional[str] = '12.6'\nhip: Optional[str] = None\n", "cu126"),
        ("cuda = '13.0'\n", "cu130"),
        ("cuda = None\nhip = '6.4.43482-0f2d60242'\n", "rocm6.4"),
        ("cuda = None\nhip = None\n", "cpu"),
    ],
)
def test_the_variant_by_a_file(machine: Path, text: str, variant: str) -> None:
    installed(machine, "torch", "2.9.1")
    write(machine / SITE / "torch/version.py", text)
    found = only(examined(machine), "torch")
    assert (found.variant, found.variant_via) == (variant, "torch/version.py")


def test_the_local_version_prevails_and_other_words_in_it_tell_nothing(machine: Path) -> None:
    installed(machine, "torch", "2.9.1+cpu")
    write(machine / SITE / "torch/version.py", "cuda = '12.6'\n")
    assert only(examined(machine), "torch").variant == "cpu"
    installed(machine, "torchvision", "0.24.1+computer")
    installed(machine, "torchaudio", "2.9.1+rocm6.4")
    found = examined(machine)
    assert only(found, "torchvision").variant is UNKNOWN
    assert only(found, "torchaudio").variant == "rocm6.4"


def test_a_version_that_names_no_line_is_no_sign_of_a_cpu_build(machine: Path) -> None:
    installed(machine, "torch", "2.9.1")
    write(machine / SITE / "torch/version.py", "cuda = '12'\n")
    assert only(examined(machine), "torch").variant is UNKNOWN


@pytest.mark.parametrize("text", ["", "\0\x9c\ufffd" * 1000, "__version__ = '2.9.1'\ncu"])
def test_an_empty_or_damaged_file_is_no_sign_of_a_cpu_build(machine: Path, text: str) -> None:
    installed(machine, "torch", "2.9.1")
    write(machine / SITE / "torch/version.py", text)
    assert only(examined(machine), "torch").variant is UNKNOWN


def test_no_file_no_variant(machine: Path) -> None:
    installed(machine, "torch", "2.9.1")
    found = only(examined(machine), "torch")
    assert (found.variant, found.variant_via) == (UNKNOWN, "")


@pytest.mark.parametrize("pattern", ["(", "cuda"])
def test_a_clue_nobody_can_use_costs_only_itself(machine: Path, pattern: str) -> None:
    installed(machine, "odd", "1.0")
    write(machine / SITE / "odd/version.py", "cuda = '12.6'\n")
    clue = Clue(distribution="odd", path="odd/version.py", pattern=pattern, gives="cuda")
    assert only(examined(machine, (clue,)), "odd").version == Version("1.0")


def test_every_copy_is_kept_and_the_one_imported_comes_first(machine: Path) -> None:
    write(machine / "usr/bin/python3.12", "")
    write(machine / "usr/include/python3.12/patchlevel.h", '#define PY_VERSION "3.12.3"\n')
    user, system = "home/ada/.local/lib/python3.12/site-packages", "usr/lib/python3/dist-packages"
    installed(machine, "numpy", "1.26.4", system)
    installed(machine, "numpy", "2.3.4", user)
    found = examined(machine, asked="/usr/bin/python3.12")
    assert [(str(item.version), item.location) for item in found.distributions or ()] == [
        ("2.3.4", f"/{user}"),
        ("1.26.4", f"/{system}"),
    ]
    alone = examined(machine, asked="/usr/bin/python3.12", PYTHONNOUSERSITE="1")
    assert only(alone, "numpy").version == Version("1.26.4")


def test_a_virtual_environment_sees_the_system_only_if_it_says_so(machine: Path) -> None:
    installed(machine, "numpy", "1.26.4", "usr/lib/python3/dist-packages")
    assert examined(machine).distributions == ()
    settings = "home = /usr/bin\nversion = 3.12.3\ninclude-system-site-packages = true\n"
    write(machine / VENV / "pyvenv.cfg", settings)
    assert only(examined(machine), "numpy").location == "/usr/lib/python3/dist-packages"


def test_lib64_as_a_link_is_no_second_copy(machine: Path) -> None:
    installed(machine, "numpy", "2.3.4")
    (machine / VENV / "lib64").symlink_to("lib")
    assert only(examined(machine), "numpy").location == f"/{SITE}"


def test_pythonpath_comes_first(machine: Path) -> None:
    installed(machine, "numpy", "2.3.4")
    installed(machine, "numpy", "1.21.0", "srv/old")
    found = examined(machine, PYTHONPATH="/srv/old:/gone")
    assert [str(item.version) for item in found.distributions or ()] == ["1.21.0", "2.3.4"]


def conda_record(machine: Path, name: str, version: str, build: str, channel: str) -> None:
    write(machine / VENV / f"conda-meta/{name}-{version}-{build}.json", json.dumps({"channel": channel}))


def test_a_conda_package_and_the_distribution_it_brings_are_one(machine: Path) -> None:
    write(machine / VENV / "conda-meta/python-3.12.3-hab00c5b_0_cpython.json", "{}")
    conda_record(
        machine, "pytorch", "2.5.1", "cuda126_py312h1234567_200", "https://c.org/conda-forge/linux-64"
    )
    conda_record(
        machine, "libcublas", "12.6.4.1", "h5888daf_1", "https://c.org/t/se-cret-1/nvidia/linux-aarch64"
    )
    conda_record(machine, "tzdata", "2024a", "h8827d51_1", "conda-forge")
    installed(machine, "torch", "2.5.1")
    found = examined(machine)
    torch, cublas = only(found, "torch"), only(found, "libcublas")
    assert found.kind == "conda"
    assert (torch.variant, torch.variant_via, torch.installer) == ("cu126", "conda build", "conda")
    assert (torch.origin, torch.location) == ("conda-forge cuda126_py312h1234567_200", f"/{SITE}")
    assert (cublas.variant, cublas.variant_via, cublas.installer) == (UNKNOWN, "", "conda")
    assert "se-cret" not in str(found)
    assert found.distribution("pytorch") is None


def test_pip_over_conda_leaves_both(machine: Path) -> None:
    write(machine / VENV / "conda-meta/python-3.12.3-hab00c5b_0_cpython.json", "{}")
    conda_record(machine, "numpy", "1.26.4", "py312heda63a1_0", "conda-forge")
    installed(machine, "numpy", "2.3.4")
    versions = [(str(item.version), item.installer) for item in examined(machine).distributions or ()]
    assert ("2.3.4", "pip") in versions
    assert ("1.26.4", "conda") in versions


@pytest.mark.parametrize(
    ("build", "variant"),
    [
        ("py3.11_cuda12.1_cudnn8.9.2_0", "cu121"),
        ("cuda118_py310h1234567_303", "cu118"),
        ("cpu_generic_py311h1234567_200", "cpu"),
        ("py3.11_cpu_0", "cpu"),
        ("py311h64a7726_0", UNKNOWN),
        ("gpu_py39h8ad4b2c_0", UNKNOWN),
    ],
)
def test_variants_in_conda_build_strings(build: str, variant: object) -> None:
    assert conda_variant(build) == variant


def test_remains_of_an_installation_that_broke_off_are_none(machine: Path) -> None:
    for name in ("~orch-2.9.1.dist-info", ".dist-info", "-1.0.dist-info", "torch.dist-info", "x-y.egg-info"):
        (machine / SITE / name).mkdir()
    assert examined(machine).distributions == ()


@given(name=st.text(st.characters(exclude_characters="/\x00", exclude_categories=["Cs"]), max_size=40))
def test_no_name_of_a_folder_breaks_the_look(name: str) -> None:
    host = Host("/nowhere/at/all")
    for ending in (".dist-info", ".egg-info", ""):
        told = name_and_version(host, "/site", name + ending)
        assert told is None or (told[0] and isinstance(told[1], Version))


@given(
    name=st.from_regex(r"[a-z][a-z0-9]{0,8}(_[a-z0-9]{1,5})?", fullmatch=True),
    release=st.lists(st.integers(0, 3000), min_size=1, max_size=4),
    local=st.sampled_from(["", "+cpu", "+cu126", "+rocm6.4"]),
)
def test_names_and_versions_come_back(name: str, release: list[int], local: str) -> None:
    version = ".".join(str(part) for part in release) + local
    told = name_and_version(Host("/nowhere/at/all"), "/site", f"{name}-{version}.dist-info")
    assert told == (name.replace("_", "-"), Version(version))
