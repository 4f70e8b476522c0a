"""The files of an image, each with its text: what is written beside one another in one folder."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from dlsetup.model.steps import Write
from dlsetup.plan.container_files import apptainer_def, compose_yaml, devcontainer_json, pod_yaml
from dlsetup.plan.dockerfile import dockerfile, dockerignore
from dlsetup.plan.recipe import Recipe


class Beside(NamedTuple):
    """One file that can stand beside a Dockerfile."""

    path: str
    text: Callable[[Recipe], str]
    why: str


BESIDE = {
    "compose": Beside("compose.yaml", compose_yaml, "start it with its GPUs and its shared memory"),
    "devcontainer": Beside(
        ".devcontainer/devcontainer.json", devcontainer_json, "open the folder in it with an editor"
    ),
    "apptainer": Beside("apptainer.def", apptainer_def, "the same for clusters without Docker"),
    "kubernetes": Beside("pod.yaml", pod_yaml, "run it as a Pod"),
}
"""By the word of `--also`."""


def image_files(recipe: Recipe, given: Mapping[str, str], also: Collection[str]) -> tuple[Write, ...]:
    """Every file with its path in the folder. `given`: the texts that go into the image as they are."""
    return tuple(_files(recipe, given, also))


def _files(recipe: Recipe, given: Mapping[str, str], also: Collection[str]) -> Iterator[Write]:
    yield Write(path="Dockerfile", text=dockerfile(recipe), why="build the image")
    yield Write(path=".dockerignore", text=dockerignore(recipe), why="send the builder what it needs alone")
    for name, text in given.items():
        yield Write(path=name, text=text, why="goes into the image")
    for name, beside in BESIDE.items():
        if name in also:
            yield Write(path=beside.path, text=beside.text(recipe), why=beside.why)
