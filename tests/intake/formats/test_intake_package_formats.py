"""What package managers print and lock beside plain lists."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dlsetup.intake.formats import conda_locks, package_trees, pip_checks, pixi
from dlsetup.intake.page import Page
from dlsetup.intake.reading import Format

ROOMS = (pip_checks, package_trees, conda_locks, pixi)
FORGE = "https://conda.anaconda.org/conda-forge"
CONDA_LOCK = f"""version: 1
metadata:
  platforms:
  - linux-64
package:
- name: pytorch
  version: 2.3.0
  manager: conda
  platform: linux-64
  url: {FORGE}/linux-64/pytorch-2.3.0-cuda120_py311h25b6552_301.conda
- name: python
  version: 3.11.9
  manager: conda
  platform: linux-64
  url: {FORGE}/linux-64/python-3.11.9-hb806964_0_cpython.conda
- name: cudatoolkit
  version: 11.8.0
  url: {FORGE}/linux-64/cudatoolkit-11.8.0-h4ba93d1_13.conda
"""
TWO_PLATFORMS = f"""version: 6
environments:
  default:
packages:
- conda: {FORGE}/linux-64/pytorch-2.3.0-cuda120_py311h25b6552_301.conda
- conda: {FORGE}/osx-arm64/pytorch-2.3.0-cpu_generic_py311h9f0dc8e_1.conda
- conda: {FORGE}/linux-64/numpy-1.26.4-py311h64a7726_0.conda
- conda: {FORGE}/osx-arm64/numpy-2.0.1-py311h4268184_0.conda
"""
PIXI = """[workspace]
channels = ["conda-forge"]
[system-requirements]
cuda = "12.0"
[dependencies]
python = "3.11.*"
pytorch-gpu = { version = ">=2.4", build = "*cuda*" }
[feature.cu118.pypi-dependencies]
jax = "==0.4.30"
xformers = "*"
[feature.cu121.pypi-dependencies]
jax = "==0.4.35"
torchao = { version = "==0.5.0", index = "https://download.pytorch.org/whl/cu124" }
"""


def found(text: str, about: str) -> list[object]:
    page = Page(text, "x")
    parsers = [item for room in ROOMS for item in vars(room).values() if isinstance(item, Format)]
    asked = [item for item in parsers if page.holds(*item.marks)]
    return [fact.value for item in asked for fact in item.parser(page) if fact.about == about]


def installed(text: str) -> list[tuple[str, str]]:
    return [(item.name, str(item.version)) for item in found(text, "distribution")]  # type: ignore[attr-defined]


def asked(text: str) -> list[tuple[str, str, str]]:
    return [(item.name, item.specifier, item.index) for item in found(text, "asked")]  # type: ignore[attr-defined]


def test_pip_check_names_both_sides() -> None:
    text = (
        "torch 2.1.0+cu118 requires filelock, which is not installed.\n"
        "torchvision 0.16.0 has requirement torch==2.1.1, but you have torch 2.1.0+cu118.\n"
    )
    assert installed(text) == [("torch", "2.1.0+cu118"), ("torchvision", "0.16.0"), ("torch", "2.1.0+cu118")]


def test_conflicts_after_an_install_of_old_and_new_pip() -> None:
    new = "torchvision 0.15.2 requires torch==2.0.1, but you have torch 2.1.0 which is incompatible.\n"
    assert installed(new) == [("torchvision", "0.15.2"), ("torch", "2.1.0")]
    old = "ERROR: tensorflow 2.3.0 has requirement numpy<1.19.0,>=1.16.0, but you'll have numpy 1.19.1 which is incompatible.\n"
    assert installed(old) == [("tensorflow", "2.3.0"), ("numpy", "1.19.1")]


def test_uv_check() -> None:
    text = (
        "Checked 44 packages in 1ms\nFound 2 incompatibilities\n"
        "The package `torch` requires `nvidia-cudnn-cu12==8.9.2.26`, but `9.1.0.70` is installed\n"
        "The package `torch` requires `filelock`, but it's not installed\n"
    )
    assert installed(text) == [("nvidia-cudnn-cu12", "9.1.0.70")]


def test_pip_inspect_also_when_it_is_cut_short() -> None:
    text = (
        '{\n  "version": "1",\n  "pip_version": "23.2.1",\n  "installed": [\n    {\n      "metadata": {\n'
        '        "metadata_version": "2.1",\n        "name": "nvidia_cudnn_cu12",\n'
        '        "version": "9.1.0.70",\n        "requires_dist": [\n          "numpy"\n        ]\n      }\n    }\n'
        '  ],\n  "environment": {\n    "python_full_version": "3.11.7",\n    "sys_platform": "linux",\n'
        '    "platform_machine": "x86_64"\n'
    )
    assert installed(text) == [("nvidia-cudnn-cu12", "9.1.0.70")]
    assert [str(item) for item in found(text, "environment.python")] == ["3.11.7"]
    assert found(text, "system.os") == ["linux"]


def test_trees_of_uv_and_pipdeptree() -> None:
    tree = "nvidia-cudnn-cu12 v9.1.0.70\n└── numpy v2.0.1\ntorch v2.1.0+cu118\n├── numpy v2.0.1 (*)\n"
    assert installed(tree) == [
        ("nvidia-cudnn-cu12", "9.1.0.70"),
        ("numpy", "2.0.1"),
        ("torch", "2.1.0+cu118"),
        ("numpy", "2.0.1"),
    ]
    new = (
        "torchvision==0.16.0\n└── torch [required: ==2.1.1, installed: 2.1.0+cu118]\n"
        "    ├── filelock [required: Any, installed: ?]\n    └── numpy [required: >=1.2,<2, installed: 2.0.1]\n"
    )
    assert installed(new) == [("torch", "2.1.0+cu118"), ("numpy", "2.0.1")]
    assert installed("torch==2.0.0\n  - filelock [required: Any, installed: 3.9.0]\n") == [
        ("filelock", "3.9.0")
    ]


def test_poetry_show_and_prose_that_looks_like_it() -> None:
    text = (
        "numpy             1.26.4  Fundamental package for array computing in Python\n"
        "nvidia-nccl-cu12  2.20.5  NVIDIA Collective Communication Library (NCCL) Runtime\n"
        "torch        (!)  2.3.0   Tensors and Dynamic neural networks in Python\n"
    )
    assert installed(text) == [("numpy", "1.26.4"), ("nvidia-nccl-cu12", "2.20.5"), ("torch", "2.3.0")]
    assert installed("torch 2.1.0 works for me\nnumpy 2.0 breaks it\njax 0.4 is fine\n") == []


def test_a_lock_of_one_platform_tells_builds() -> None:
    items = found(CONDA_LOCK, "distribution")
    assert installed(CONDA_LOCK)[:2] == [("torch", "2.3.0"), ("python", "3.11.9")]
    assert items[0].variant == "cu120"  # type: ignore[attr-defined]
    assert [str(item) for item in found(CONDA_LOCK, "environment.python")] == ["3.11.9"]


def test_a_lock_of_two_platforms_tells_only_what_they_share() -> None:
    assert installed(TWO_PLATFORMS) == [("torch", "2.3.0")]
    assert not isinstance(found(TWO_PLATFORMS, "distribution")[0].variant, str)  # type: ignore[attr-defined]


def test_an_explicit_list_and_links_in_a_log() -> None:
    row = "https://conda.anaconda.org/pytorch/linux-64/pytorch-2.3.0-py3.11_cuda12.1_cudnn8.9.2_0.tar.bz2#0a1b2c"
    assert installed(f"# platform: linux-64\n@EXPLICIT\n{row}\n") == [("torch", "2.3.0")]
    assert installed(f"Downloading {row}\n") == []


def test_a_manifest_of_pixi_asks_and_features_that_differ_ask_for_nothing() -> None:
    assert asked(PIXI) == [
        ("python", "3.11.*", "conda-forge"),
        ("torch", ">=2.4 *cuda*", "conda-forge"),
        ("xformers", "", ""),
        ("torchao", "==0.5.0", "https://download.pytorch.org/whl/cu124"),
    ]
    seen = {item.subject: item.value for item in found(PIXI, "observation")}  # type: ignore[attr-defined]
    assert seen == {"pixi.system-requirements.cuda": "12.0"}
    inside = '[project]\nname = "x"\n[tool.pixi.pypi-dependencies]\ntorch = "==2.5.1"\n'
    assert asked(inside) == [("torch", "==2.5.1", "")]


def test_pixi_list() -> None:
    text = (
        "Package   Version  Build                 Size       Kind   Source\n"
        "python    3.11.9   hb806964_0_cpython    29.3 MiB   conda  https://conda.anaconda.org/conda-forge/\n"
        "pytorch   2.4.0    cpu_generic_py311_1   25.3 MiB   conda  https://conda.anaconda.org/conda-forge/\n"
        "einops    0.8.0                          1.2 MiB    pypi   einops-0.8.0-py3-none-any.whl\n"
    )
    assert installed(text) == [("python", "3.11.9"), ("torch", "2.4.0"), ("einops", "0.8.0")]
    items = found(text, "distribution")
    assert (items[1].variant, items[2].installer) == ("cpu", "pip")  # type: ignore[attr-defined]


WORDS = (
    "torch 2.1 ",
    "├── a v1.0",
    "[dependencies]",
    "@EXPLICIT",
    f"{FORGE}/linux-64/a-1-0.conda",
    "x = '1'",
)


@given(st.lists(st.one_of(st.text(max_size=40), st.sampled_from(WORDS)), max_size=12))
def test_anything_is_read_without_a_failure(lines: list[str]) -> None:
    page = Page("\n".join(lines), "paste")
    for room in ROOMS:
        for item in vars(room).values():
            if isinstance(item, Format):
                list(item.parser(page))
