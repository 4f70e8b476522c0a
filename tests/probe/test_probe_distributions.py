"""What is installed in the examined environment, read from metadata alone."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from dlsetup.model.framework import Clue
from dlsetup.model.machine import Distribution, Environment, SharedFiles
from dlsetup.model.record import UNKNOWN
from dlsetup.probe.environments import environments
from dlsetup.probe.host import Host
from dlsetup.probe.metadata import name_and_version
from dlsetup.probe.notes import Notes
from dlsetup.probe.variants import conda_variant

VENV = "opt/env"
SITE = f"{VENV}/lib/python3.12/site-packages"
CLUES = (
    Clue(distribution="torch", path="torch/version.py", pattern=r"(?m)^cuda.*= '([\d.]+)'", gives="cuda"),
    Clue(distribution="torch", path="torch/version.py", pattern=r"(?m)^hip.*= '([\d.]+)'", gives="rocm"),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A machine with one empty virtual environment."""
    (tmp_path / SITE).mkdir(parents=True)
    write(tmp_path / VENV / "bin/python", "")
    write(tmp_path / VENV / "pyvenv.cfg", "home = /usr/bin\nversion = 3.12.3\n")
    return tmp_path


def write(file: Path, text: str | bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)


def examined(
    root: Path, clues: tuple[Clue, ...] = CLUES, asked: str = f"/{VENV}", **environ: str
) -> Environment:
    host = Host(root, {"HOME": "/home/ada", **environ}, folder="/")
    return environments(host, Notes(), asked=asked, clues=clues)[0]


def installed(root: Path, name: str, version: str, site: str = SITE, **files: str) -> Path:
    """A distribution as pip writes it; `files` are those of its metadata folder."""
    folder = root / site / f"{name.replace('-', '_')}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nA text.\nRequires-Dist: prose\n"
    for file, text in {"METADATA": metadata, "INSTALLER": "pip\n", **files}.items():
        write(folder / file, text)
    return folder


def digest(content: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")


def record(*files: tuple[str, bytes]) -> str:
    return "".join(f"{path},{digest(content)},{len(content)}\n" for path, content in files)


def only(found: Environment, name: str) -> Distribution:
    assert not isinstance(found.distributions, type(UNKNOWN))
    (item,) = (item for item in found.distributions if item.name == name)
    return item


def test_a_framework_with_all_that_its_metadata_says(root: Path) -> None:
    installed(
        root,
        "torch",
        "2.9.1+cu126",
        METADATA="Name: torch\nVersion: 2.9.1+cu126\nRequires-Dist: filelock\n"
        'Requires-Dist: nvidia-cudnn-cu12==9.10.2.21; platform_system == "Linux"\n\nRequires-Dist: prose\n',
        WHEEL="Wheel-Version: 1.0\nTag: cp312-cp312-manylinux_2_28_x86_64\n",
        INSTALLER="uv\n",
        **{"direct_url.json": json.dumps({"url": "file:///tmp/torch.whl", "archive_info": {}})},
    )
    assert only(examined(root), "torch") == Distribution(
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


def test_of_others_only_name_and_version_are_read(root: Path) -> None:
    folder = installed(root, "Flask-Login", "0.6.3")
    (folder / "METADATA").unlink()
    found = only(examined(root), "flask-login")
    assert (found.version, found.requires, found.installer) == (Version("0.6.3"), UNKNOWN, UNKNOWN)


def test_missing_files_leave_facts_unknown_and_an_empty_list_is_known(root: Path) -> None:
    (root / SITE / "jax-0.8.1.dist-info").mkdir()
    installed(root, "numpy", "2.3.4")
    bare = only(examined(root), "jax")
    assert (bare.requires, bare.tags, bare.installer, bare.origin) == (UNKNOWN,) * 4
    assert only(examined(root), "numpy").requires == ()


def test_an_egg_names_its_requirements_elsewhere(root: Path) -> None:
    write(root / SITE / "numpy-1.24.2.egg-info/PKG-INFO", "Name: numpy\nVersion: 1.24.2\n")
    write(root / SITE / "protobuf-3.20.3-py3.12.egg-info", "Name: protobuf\nVersion: 3.20.3\n")
    found = examined(root)
    assert (only(found, "numpy").version, only(found, "numpy").requires) == (Version("1.24.2"), UNKNOWN)
    assert only(found, "protobuf").version == Version("3.20.3")


def test_a_development_install_is_found_in_its_source_tree(root: Path) -> None:
    write(root / "src/pytorch/torch.egg-info/PKG-INFO", "Name: torch\nVersion: 2.10.0a0+git1234567\n")
    write(root / "src/pytorch/torch/version.py", "cuda: str = '12.8'\nhip = None\n")
    write(root / SITE / "easy-install.pth", "import os; os.x\n# no\n/src/pytorch\n/gone\n")
    found = only(examined(root), "torch")
    assert (found.location, found.variant, found.variant_via) == ("/src/pytorch", "cu128", "torch/version.py")
    assert found.version == Version("2.10.0a0+git1234567")


@pytest.mark.parametrize(
    ("text", "variant"),
    [
        ("cuda: Optional[str] = '12.6'\nhip: Optional[str] = None\n", "cu126"),
        ("cuda = '13.0'\n", "cu130"),
        ("cuda = None\nhip = '6.4.43482-0f2d60242'\n", "rocm6.4"),
        ("cuda = None\nhip = None\n", "cpu"),
        ("cuda = '12'\n", "cpu"),
    ],
)
def test_the_variant_by_a_file(root: Path, text: str, variant: str) -> None:
    installed(root, "torch", "2.9.1")
    write(root / SITE / "torch/version.py", text.replace("-0f2d60242'", "'"))
    found = only(examined(root), "torch")
    assert (found.variant, found.variant_via) == (variant, "torch/version.py")


def test_the_local_version_prevails_and_other_words_in_it_tell_nothing(root: Path) -> None:
    installed(root, "torch", "2.9.1+cpu")
    write(root / SITE / "torch/version.py", "cuda = '12.6'\n")
    assert only(examined(root), "torch").variant == "cpu"
    installed(root, "torchvision", "0.24.1+computer")
    installed(root, "torchaudio", "2.9.1+rocm6.4")
    found = examined(root)
    assert only(found, "torchvision").variant is UNKNOWN
    assert only(found, "torchaudio").variant == "rocm6.4"


def test_no_file_no_variant(root: Path) -> None:
    installed(root, "torch", "2.9.1")
    found = only(examined(root), "torch")
    assert (found.variant, found.variant_via) == (UNKNOWN, "")


@pytest.mark.parametrize("pattern", ["(", "cuda"])
def test_a_clue_nobody_can_use_costs_only_itself(root: Path, pattern: str) -> None:
    installed(root, "odd", "1.0")
    write(root / SITE / "odd/version.py", "cuda = '12.6'\n")
    clue = Clue(distribution="odd", path="odd/version.py", pattern=pattern, gives="cuda")
    assert only(examined(root, (clue,)), "odd").version == Version("1.0")


def test_every_copy_is_kept_and_the_one_imported_comes_first(root: Path) -> None:
    write(root / "usr/bin/python3.12", "")
    write(root / "usr/include/python3.12/patchlevel.h", '#define PY_VERSION "3.12.3"\n')
    user, system = "home/ada/.local/lib/python3.12/site-packages", "usr/lib/python3/dist-packages"
    installed(root, "numpy", "1.26.4", system)
    installed(root, "numpy", "2.3.4", user)
    found = examined(root, asked="/usr/bin/python3.12")
    assert [(str(item.version), item.location) for item in found.distributions or ()] == [
        ("2.3.4", f"/{user}"),
        ("1.26.4", f"/{system}"),
    ]
    alone = examined(root, asked="/usr/bin/python3.12", PYTHONNOUSERSITE="1")
    assert only(alone, "numpy").version == Version("1.26.4")


def test_a_virtual_environment_sees_the_system_only_if_it_says_so(root: Path) -> None:
    installed(root, "numpy", "1.26.4", "usr/lib/python3/dist-packages")
    assert examined(root).distributions == ()
    settings = "home = /usr/bin\nversion = 3.12.3\ninclude-system-site-packages = true\n"
    write(root / VENV / "pyvenv.cfg", settings)
    assert only(examined(root), "numpy").location == "/usr/lib/python3/dist-packages"


def test_lib64_as_a_link_is_no_second_copy(root: Path) -> None:
    installed(root, "numpy", "2.3.4")
    (root / VENV / "lib64").symlink_to("lib")
    assert only(examined(root), "numpy").location == f"/{SITE}"


def test_pythonpath_comes_first(root: Path) -> None:
    installed(root, "numpy", "2.3.4")
    installed(root, "numpy", "1.21.0", "srv/old")
    found = examined(root, PYTHONPATH="/srv/old:/gone")
    assert [str(item.version) for item in found.distributions or ()] == ["1.21.0", "2.3.4"]


def conda_record(root: Path, name: str, version: str, build: str, channel: str) -> None:
    write(root / VENV / f"conda-meta/{name}-{version}-{build}.json", json.dumps({"channel": channel}))


def test_a_conda_package_and_the_distribution_it_brings_are_one(root: Path) -> None:
    write(root / VENV / "conda-meta/python-3.12.3-hab00c5b_0_cpython.json", "{}")
    conda_record(root, "pytorch", "2.5.1", "cuda126_py312h1234567_200", "https://c.org/conda-forge/linux-64")
    conda_record(
        root, "libcublas", "12.6.4.1", "h5888daf_1", "https://c.org/t/se-cret-1/nvidia/linux-aarch64"
    )
    conda_record(root, "tzdata", "2024a", "h8827d51_1", "conda-forge")
    installed(root, "torch", "2.5.1")
    found = examined(root)
    torch, cublas = only(found, "torch"), only(found, "libcublas")
    assert found.kind == "conda"
    assert (torch.variant, torch.variant_via, torch.installer) == ("cu126", "conda build", "conda")
    assert (torch.origin, torch.location) == ("conda-forge cuda126_py312h1234567_200", f"/{SITE}")
    assert (cublas.variant, cublas.variant_via, cublas.installer) == (UNKNOWN, "", "conda")
    assert "se-cret" not in str(found)
    assert found.distribution("pytorch") is None


def test_pip_over_conda_leaves_both(root: Path) -> None:
    write(root / VENV / "conda-meta/python-3.12.3-hab00c5b_0_cpython.json", "{}")
    conda_record(root, "numpy", "1.26.4", "py312heda63a1_0", "conda-forge")
    installed(root, "numpy", "2.3.4")
    versions = [(str(item.version), item.installer) for item in examined(root).distributions or ()]
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


OLD, NEW = b"old library", b"a newer library"


def twins(root: Path, on_disk: bytes, old: bytes = OLD, new: bytes = NEW) -> tuple[SharedFiles, ...]:
    path, header = "nvidia/nccl/lib/libnccl.so.2", "nvidia/nccl/include/nccl.h"
    files = [("nvidia/__init__.py", b""), ("nvidia/nccl/__init__.py", b""), (header, b"same")]
    installed(root, "nvidia-nccl-cu12", "2.27.7", RECORD=record((path, old), *files))
    installed(root, "nvidia-nccl-cu13", "2.28.9", RECORD=record((path, new), *files))
    write(root / SITE / path, on_disk)
    found = examined(root).shared_files
    assert isinstance(found, tuple)
    return found


def test_twins_and_the_one_that_was_written_over(root: Path) -> None:
    (shared,) = twins(root, NEW)
    assert shared.owners == ("nvidia-nccl-cu12", "nvidia-nccl-cu13")
    assert shared.example == "nvidia/nccl/lib/libnccl.so.2"
    assert shared.damaged == ("nvidia-nccl-cu12",)
    assert twins(root, OLD)[0].damaged == ("nvidia-nccl-cu13",)
    assert twins(root, b"neither")[0].damaged == ("nvidia-nccl-cu12", "nvidia-nccl-cu13")


def test_files_of_one_size_are_told_by_their_content(root: Path) -> None:
    (shared,) = twins(root, b"new!", b"old!", b"new!")
    assert shared.damaged == ("nvidia-nccl-cu12",)


def test_a_shared_file_that_is_gone_damages_both(root: Path) -> None:
    twins(root, NEW)
    (root / SITE / "nvidia/nccl/lib/libnccl.so.2").unlink()
    (shared,) = examined(root).shared_files or ()
    assert shared.damaged == ("nvidia-nccl-cu12", "nvidia-nccl-cu13")


def test_files_with_the_same_content_are_no_quarrel(root: Path) -> None:
    assert twins(root, OLD, OLD, OLD) == ()


def test_neighbours_in_a_namespace_are_no_quarrel(root: Path) -> None:
    for name in ("cublas", "cudnn"):
        files = (("nvidia/__init__.py", name.encode()), (f"nvidia/{name}/lib/lib{name}.so.9", NEW))
        installed(root, f"nvidia-{name}-cu12", "9.0", RECORD=record(*files, ("../../../bin/tool", b"x")))
    assert examined(root).shared_files == ()


@pytest.mark.parametrize(
    "text", ["", "\x00\xff,,,,", ",,\n" * 50, '"a,b', "../../../etc/passwd,sha256=x,9" * 3]
)
def test_a_broken_record_is_survived(root: Path, text: str) -> None:
    for name in ("torch", "torchvision"):
        installed(root, name, "2.9.1", RECORD=text, WHEEL=text, **{"direct_url.json": "{" + text})
    found = examined(root)
    assert found.shared_files == ()
    assert only(found, "torch").origin is UNKNOWN


def test_remains_of_an_installation_that_broke_off_are_none(root: Path) -> None:
    for name in ("~orch-2.9.1.dist-info", ".dist-info", "-1.0.dist-info", "torch.dist-info", "x-y.egg-info"):
        (root / SITE / name).mkdir()
    assert examined(root).distributions == ()


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
