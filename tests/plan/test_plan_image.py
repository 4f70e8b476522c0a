"""The files of an image say what the recipe says, whatever signs are in it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from dockerfile_parse import DockerfileParser
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from packaging.version import Version

from dlsetup.catalog.images import images
from dlsetup.catalog.load import load
from dlsetup.intake.target import parse
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Build
from dlsetup.model.versions import CudaVersion, LibcVersion
from dlsetup.plan.base_image import Base, base_for
from dlsetup.plan.container_files import apptainer_def, compose_yaml, devcontainer_json, pod_yaml
from dlsetup.plan.contents import Contents
from dlsetup.plan.dockerfile import dockerfile, labels, one_line
from dlsetup.plan.recipe import SERVERS, Recipe

HOSTILE = st.text(
    alphabet=st.one_of(
        st.sampled_from("'\"\\$`\n\r #&|;<>{}()*~!é→\u2028\u202e\x1b\x00=:,"), st.characters(codec="utf-8")
    ),
    min_size=1,
    max_size=30,
)


def recipe(**parts: Any) -> Recipe:
    base = Base(
        image="python:3.12-slim-bookworm",
        builder="python:3.12-slim-bookworm",
        libc=LibcVersion("2.36"),
        because="Python 3.12 and no more",
    )
    usual: dict[str, Any] = {
        "name": "demo",
        "purpose": "train",
        "base": base,
        "python": "3.12",
        "holds": ("jax 0.10.2 (cpu)",),
        "asks": ("jax==0.10.2",),
        "imports": ("jax",),
        "target": "os=linux",
        "lock_name": "pylock.toml",
        "lock": "0" * 64,
        "uv": "0.9.0",
    }
    return Recipe(**{**usual, **parts})


def _structure(text: str) -> list[str]:
    with TemporaryDirectory() as folder:
        (Path(folder) / "Dockerfile").write_text(text, encoding="utf-8", newline="")
        file = DockerfileParser(path=folder, cache_content=True)
        return [row["instruction"] for row in file.structure]


@given(HOSTILE, HOSTILE, HOSTILE, st.sampled_from(["train", "serve", "dev"]), st.booleans())
def test_no_sign_changes_what_a_dockerfile_does(
    holds: str, target: str, because: str, purpose: str, mounts: bool
) -> None:
    server = SERVERS["torch"] if purpose == "serve" else None
    plain = recipe(purpose=purpose, server=server, mounts=mounts)
    hostile = replace(
        plain, holds=(holds,), asks=(holds,), target=target, base=replace(plain.base, because=because)
    )
    expected = _structure(dockerfile(plain))
    assert _structure(dockerfile(hostile)) == expected
    rows = re.findall(r'^(?:LABEL| {5}) (\S+)="((?:[^"\\]|\\.)*)"', dockerfile(hostile), re.MULTILINE)
    told = {name: re.sub(r"\\(.)", r"\1", value) for name, value in rows}
    assert labels(hostile)["dlsetup.target"] == one_line(target)
    assert labels(hostile).items() <= told.items()


@given(HOSTILE, HOSTILE, st.sampled_from(["train", "serve"]))
def test_no_sign_changes_what_the_other_files_say(target: str, module: str, purpose: str) -> None:
    server = SERVERS["onnxruntime"] if purpose == "serve" else None
    made = recipe(target=target, imports=(module,), purpose=purpose, server=server, device="cuda")
    pod = yaml.safe_load(pod_yaml(made))
    assert pod["metadata"]["annotations"]["dlsetup/target"] == one_line(target)
    assert yaml.safe_load(compose_yaml(made))["services"].keys() == {purpose}
    assert json.loads(devcontainer_json(made))["name"] == "demo"
    text = apptainer_def(made)
    sections = [line for line in text.split("\n") if line.startswith("%")]
    expected = [line for line in apptainer_def(recipe(server=server)).split("\n") if line.startswith("%")]
    assert sections == expected


@given(HOSTILE)
def test_a_module_name_stays_one_word_of_a_real_shell(module: str) -> None:
    if "\x00" in module:
        return
    text = apptainer_def(recipe(imports=(module,)))
    line = text[text.index("%test") : text.index("%runscript")].partition("-c ")[2].strip()
    done = subprocess.run(["sh", "-c", f"printf %s {line}"], capture_output=True)
    assert done.stdout.decode() == f"import {one_line(module)}"


def test_a_name_of_an_image_names_a_pod_too() -> None:
    name = yaml.safe_load(pod_yaml(recipe(name="registry.example:5000/Lab_1/demo:1.0")))["metadata"]["name"]
    assert name == "registry-example-5000-lab-1-demo-1-0"


def contents(*expects: str, cuda: str | None = None, target: str = "", **parts: Any) -> Contents:
    build = Build(
        framework="onnxruntime",
        version=Version("1.18"),
        variant="any",
        accelerator="cpu" if cuda is None else "cuda",
        cuda=None if cuda is None else CudaVersion(cuda),
        wheels=(),
        requires_python=load(["jax"]).frameworks[0].builds[0].requires_python,
        index="default",
        requirements=("onnxruntime==1.18",),
        expects=expects,
        **parts,
    )
    words = target or "os=linux,arch=x86_64,driver=570.86.10,gpu=A100"
    return Contents(target=parse(words), python=Version("3.12"), builds=(build,))


@pytest.mark.parametrize(
    ("made", "image", "builder"),
    [
        (contents(), "python:3.12-slim-bookworm", "python:3.12-slim-bookworm"),
        (contents(cuda="12.6"), "python:3.12-slim-bookworm", "python:3.12-slim-bookworm"),
        (contents("gcc>=8", from_source=True), "python:3.12-slim-bookworm", "python:3.12-slim-bookworm"),
        (
            contents("cuda>=11,<12", "cudnn>=8,<9", cuda="11.8"),
            "nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04",
            "nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04",
        ),
        (
            contents("nvcc", "cuda==12.6.*", cuda="12.6", from_source=True),
            "nvidia/cuda:12.6.3-base-ubuntu24.04",
            "nvidia/cuda:12.6.3-devel-ubuntu24.04",
        ),
    ],
)
def test_the_base_has_what_is_needed_and_no_more(made: Contents, image: str, builder: str) -> None:
    base = base_for(made, images())
    assert (base.image, base.builder) == (image, builder)
    assert base.sources


def test_an_image_that_the_driver_does_not_start_is_no_base() -> None:
    old = contents(
        "cuda>=12,<13", cuda="12.2", target="os=linux,arch=x86_64,cuda=12.2,driver=535.54.03,gpu=A100"
    )
    base = base_for(old, images())
    assert base.image.startswith("nvidia/cuda:12.2.")


def test_what_no_image_has_is_said() -> None:
    with pytest.raises(UsageError, match=r"no base image is known that has cann==8\.2"):
        base_for(contents("cann==8.2"), images())
