"""What is known of a container's inside by the name of its image."""

from __future__ import annotations

import pytest
from packaging.version import Version

from dlsetup.catalog.containers import inside
from dlsetup.model.machine import Libc
from dlsetup.model.record import UNKNOWN
from dlsetup.model.versions import LibcVersion


@pytest.mark.parametrize(
    ("image", "glibc"),
    [
        ("debian:12", "2.36"),
        ("docker.io/library/ubuntu:22.04", "2.35"),
        ("ubuntu:jammy", "2.35"),
        ("python:3.12-slim-bookworm", "2.36"),
        ("python:3.9-slim-buster", "2.28"),
        ("ubuntu:xenial", "2.23"),
        ("rockylinux:8", "2.28"),
        ("nvidia/cuda:12.6.2-base-ubuntu22.04", "2.35"),
    ],
)
def test_a_release_that_is_named_tells_the_c_library(image: str, glibc: str) -> None:
    assert inside(image).libc == Libc(name="glibc", version=LibcVersion(glibc))


def test_what_is_not_named_stays_unknown() -> None:
    assert inside("example.org/team/thing:1").libc is UNKNOWN
    assert inside("python:3.12-slim").libc == Libc(name="glibc")
    assert inside("python:3.12-alpine").libc == Libc(name="musl")
    assert inside("python:3.12-slim").python == Version("3.12")
    assert inside("debian:12").python is UNKNOWN
    assert inside("localhost:5000/jammy").libc is UNKNOWN
