"""`pixi.toml`: what is taken of a workspace, for which platforms, and that nothing hostile gets through."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement

from dlsetup.intake.listed import read_listed
from dlsetup.intake.pixi_file import SUBDIRS, parse_pixi
from dlsetup.model.errors import DataError
from dlsetup.model.listing import Listing

PIXI = """\
[workspace]
name = "lab"
channels = ["conda-forge"]
platforms = ["osx-arm64", { name = "gpu", platform = "linux-64", cuda = "12.0" }]
[dependencies]
python = ">=3.11,<3.13"
cuda-version = "12.6.*"
pytorch-gpu = "2.9.*"
jaxlib = { version = "*", build = "cuda*" }
ffmpeg = { path = "x" }
[pypi-dependencies]
jax = { version = "==0.10.2", extras = ["cuda12", "k8s"], index = "https://host.example/simple" }
rich = "*"
mine = { path = "." }
far = { git = "https://host.example/far.git", rev = "v1", subdirectory = "sub" }
click = { url = "https://host.example/click-8.1.7-py3-none-any.whl" }
odd = "!!"
[target.gpu.pypi-dependencies]
rich = ">=13"
[target.osx.dependencies]
tensorflow-cpu = ">=2.20"
python = "3.12.*"
[target."*-cuda".dependencies]
numpy = "*"
[feature.test.dependencies]
pytest = "*"
[pypi-options]
index-url = "https://mirror.example/simple"
extra-index-urls = ["https://more.example/simple", 3]
[tool.dlsetup]
cpu = true
allow-cpu = true
"""


def texts(listing: Listing) -> list[str]:
    return [item.text for item in listing.requirements]


def test_a_workspace_with_its_platforms() -> None:
    found = parse_pixi(PIXI, "pixi.toml")
    assert texts(found) == [
        "torch==2.9.*",
        "jaxlib",
        "tensorflow>=2.20 ; sys_platform == 'darwin'",
        "jax[cuda12,k8s]==0.10.2",
        "rich ; (sys_platform != 'linux' or platform_machine != 'x86_64')",
        "far @ git+https://host.example/far.git@v1#subdirectory=sub",
        "click @ https://host.example/click-8.1.7-py3-none-any.whl",
        "rich>=13 ; sys_platform == 'linux' and platform_machine == 'x86_64'",
    ]
    assert (found.python, found.cuda, found.cpu, found.allow_cpu) == ("<3.13,>=3.11", "12.6", True, True)
    assert [(item.distribution, item.address.text) for item in found.sources] == [
        ("jax", "https://host.example/simple")
    ]
    assert [item.text for item in found.indexes] == [
        "https://mirror.example/simple",
        "https://more.example/simple",
    ]
    assert {item.text for item in found.left} == {
        "ffmpeg",
        "mine",
        "odd",
        "python",
        "target.*-cuda",
        "feature",
    }


@pytest.mark.parametrize("subdir", SUBDIRS)
def test_each_platform_has_a_marker_that_holds_there_alone(subdir: str) -> None:
    found = parse_pixi(f'[target.{subdir}.pypi-dependencies]\ntorch = "*"\n', "pixi.toml")
    marker = Requirement(texts(found)[0]).marker
    assert marker is not None
    for other, (system, machine) in SUBDIRS.items():
        holds = marker.evaluate({"sys_platform": system, "platform_machine": machine})
        assert holds == (other == subdir)


@pytest.mark.parametrize("selector", ["linux", "osx", "macos", "win", "unix"])
def test_families_of_platforms(selector: str) -> None:
    found = parse_pixi(f'[target.{selector}.pypi-dependencies]\ntorch = "*"\n', "pixi.toml")
    marker = Requirement(texts(found)[0]).marker
    assert marker is not None
    held = {name for name, (system, _) in SUBDIRS.items() if marker.evaluate({"sys_platform": system})}
    start = {"macos": ("osx",), "unix": ("linux", "osx")}.get(selector, (selector,))
    assert held == {name for name in SUBDIRS if name.startswith(start)}


def test_it_is_told_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "pixi.toml").write_text(PIXI)
    assert len(read_listed(str(tmp_path / "pixi.toml")).requirements) == 8


def test_what_is_no_toml_is_refused() -> None:
    with pytest.raises(DataError, match=r"pixi\.toml: no TOML"):
        parse_pixi("[workspace", "pixi.toml")


values = st.recursive(
    st.one_of(st.booleans(), st.integers(-5, 5), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = [
    "workspace",
    "dependencies",
    "pypi-dependencies",
    "target",
    "pypi-options",
    "tool",
    "feature",
    "linux-64",
]


@given(
    st.dictionaries(st.sampled_from(KEYS), st.one_of(values, st.dictionaries(st.sampled_from(KEYS), values)))
)
def test_toml_of_any_shape_gives_requirements_that_can_be_read(data: dict[str, object]) -> None:
    import tomlkit

    found = parse_pixi(tomlkit.dumps(data), "pixi.toml")
    for said in found.requirements:
        Requirement(said.text)
        assert said.text.isprintable()
    for left in found.left:
        assert left.because
        assert left.text.isprintable()
