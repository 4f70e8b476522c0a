"""Tags of images: which are not there, and which come nearest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlsetup.catalog.images import image_knowledge
from dlsetup.model.image import ImageKnowledge
from dlsetup.rules.image_tags import missing_tag, nearest_tags

KNOWN = image_knowledge()
THERE = [
    f"{row.repository}:{tag}" for row in KNOWN.images if row.standing != "removed" for tag in row.tags if tag
]
PARTS = st.sampled_from(
    ["11.8.0", "12.4.1", "12.7.0", "13.9", "cudnn", "cudnn8", "base", "devel", "ubuntu22.04", ""]
)


@pytest.mark.parametrize(
    ("image", "nearest"),
    [
        ("nvidia/cuda:11.4.2-cudnn8-devel-ubuntu20.04", "nvidia/cuda:11.4.3-cudnn8-devel-ubuntu20.04"),
        ("nvidia/cuda:10.2-devel-ubuntu18.04", "nvidia/cuda:11.0.3-devel-ubuntu18.04"),
        ("docker.io/nvidia/cuda:11.4.0-base-centos7", "docker.io/nvidia/cuda:11.4.3-base-centos7"),
        ("nvidia/cuda:12.4.1-cudnn8-runtime-ubuntu22.04", "nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04"),
        ("nvidia/cuda:12.2.2-cudnn-runtime-ubuntu22.04", "nvidia/cuda:12.2.2-cudnn8-runtime-ubuntu22.04"),
        ("nvidia/cuda:12.4-devel-ubuntu22.04", "nvidia/cuda:12.4.1-devel-ubuntu22.04"),
        ("nvidia/cuda:12.7.0-base-ubuntu22.04", "nvidia/cuda:12.8.1-base-ubuntu22.04"),
        ("nvidia/cuda", "nvidia/cuda:12.8.1-runtime-ubuntu24.04"),
        ("nvidia/cuda:11.1.0-devel-ubuntu20.04", "nvidia/cuda:11.1.1-devel-ubuntu20.04"),
    ],
)
def test_what_is_gone_has_a_neighbour(image: str, nearest: str) -> None:
    missing = missing_tag(image, KNOWN)
    assert missing is not None
    assert missing.certain
    assert nearest_tags(image, KNOWN)[0] == nearest


def test_a_system_that_may_have_come_since_is_not_certain() -> None:
    missing = missing_tag("nvidia/cuda:12.1.0-runtime-ubuntu24.04", KNOWN)
    assert missing is not None
    assert not missing.certain


@pytest.mark.parametrize(
    "image",
    [
        "nvidia/cuda:12.6.3-cudnn-runtime-ubuntu24.04",
        "nvidia/cuda:13.4.0-base-ubuntu24.04",
        "nvidia/cuda:12.8.2-devel-ubuntu24.04",
        "nvidia/cuda:12.9.2-base-ubuntu24.04",
        "nvidia/cuda:${CUDA}-devel-ubuntu22.04",
        "nvidia/cuda@sha256:0123",
        "nvcr.io/nvidia/cuda:10.2-devel-ubuntu18.04",
        "lab.example/nvidia/cuda:10.2-devel-ubuntu18.04",
        "python:3.12-slim",
        "pytorch/pytorch:99.0-cuda99.0-cudnn9-runtime",
    ],
)
def test_what_nobody_here_can_tell_is_not_missing(image: str) -> None:
    assert missing_tag(image, KNOWN) is None


def test_without_knowledge_nothing_is_missing() -> None:
    assert missing_tag("nvidia/cuda:10.2-devel-ubuntu18.04", ImageKnowledge()) is None


@given(st.sampled_from(THERE))
def test_what_is_listed_is_there(image: str) -> None:
    assert missing_tag(image, KNOWN) is None


@given(st.lists(PARTS, max_size=5).map("-".join))
def test_whatever_is_offered_is_there(tag: str) -> None:
    for image in nearest_tags(f"nvidia/cuda:{tag}", KNOWN)[:5]:
        assert missing_tag(image, KNOWN) is None
