"""Containers as reports show them: how they are started, what their host has, what they complain of."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dlsetup.intake.formats import containers, docker_host
from dlsetup.intake.page import Page
from dlsetup.model.record import UNKNOWN
from dlsetup.model.report import Contained

WORDS = ("FROM a AS b", "docker run -v x:/y \\", "--shm-size=9", "shm 64M 0 64M 0% /dev/shm", "kind: Pod")


def contained(text: str) -> Contained:
    page = Page(text, "paste")
    parsers = (containers.runs, containers.dockerfile, containers.files)
    found = [fact.value for item in parsers for fact in item.parser(page)]
    assert len(found) == 1
    return found[0]


def test_sizes_and_gpus_of_docker_run_over_several_lines() -> None:
    item = contained("$ docker run --gpus all \\\n  --shm-size=8g --device /dev/davinci0 img")
    assert (item.gpus, item.shm_bytes, item.devices) == (True, 8 << 30, ("/dev/davinci0",))


def test_no_size_is_known_to_be_none_and_a_mount_is_unknown() -> None:
    assert contained("docker run --gpus all img").shm_bytes is None
    assert contained("docker run -v /dev/shm:/dev/shm img").shm_bytes is UNKNOWN


def test_the_last_stage_of_a_dockerfile_is_followed_to_its_image() -> None:
    text = "ARG TAG=12.4.1-base-ubuntu22.04\nFROM nvidia/cuda:${TAG} AS base\nRUN true\nFROM base\n"
    assert contained(text).image == "nvidia/cuda:12.4.1-base-ubuntu22.04"


def test_a_pod_without_memory_at_dev_shm() -> None:
    item = contained("kind: Pod\nspec:\n  containers:\n  - image: img:1\n    nvidia.com/gpu: 2\n")
    assert (item.kind, item.image, item.gpus, item.shm_bytes) == ("pod", "img:1", True, None)


@given(st.lists(st.one_of(st.text(max_size=40), st.sampled_from(WORDS)), max_size=12))
def test_anything_is_read_without_a_failure(lines: list[str]) -> None:
    page = Page("\n".join(lines), "paste")
    for module in (containers, docker_host):
        for item in vars(module).values():
            if hasattr(item, "parser"):
                list(item.parser(page))
