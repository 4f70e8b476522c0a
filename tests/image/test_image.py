"""The image of dlsetup, built and run by a real Docker engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny.engine import base_image, docker

from dlsetup import __version__

pytestmark = pytest.mark.docker
ROOT = Path(__file__).parents[2]
BASE = "python:3.12-slim"
IMAGE = "dlsetup-test:image"


@pytest.fixture(scope="module")
def image() -> Iterator[str]:
    """The built image."""
    base_image(BASE)
    built = docker("build", "--network", "host", "-t", IMAGE, str(ROOT), timeout=600)
    assert built.returncode == 0, built.stdout[-3000:] + built.stderr[-3000:]
    yield IMAGE
    docker("image", "rm", "-f", IMAGE)


def test_the_image_tells_its_version(image: str) -> None:
    done = docker("run", "--rm", image, "--version")
    assert (done.returncode, done.stdout) == (0, f"dlsetup {__version__}\n")


def test_the_doctor_sees_that_it_is_in_a_container(image: str) -> None:
    done = docker("run", "--rm", "--network", "none", image, "doctor", "--json")
    document = json.loads(done.stdout)
    assert done.returncode == (0 if document["ok"] else 1)
    assert document["schema"] == "dlsetup.doctor/1"
    assert document["machine"]["system"]["os"] == "linux"
    assert document["machine"]["system"]["container"] == "docker"


def test_it_resolves_for_another_machine_without_a_network(image: str) -> None:
    done = docker("run", "--rm", "--network", "none", image, "resolve", "jax", "--cpu", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["plan"]["picks"][0]["variant"] == "cpu"


def test_the_image_is_small_labelled_watched_and_not_root(image: str) -> None:
    told = json.loads(docker("image", "inspect", image).stdout)[0]
    base = json.loads(docker("image", "inspect", BASE).stdout)[0]
    config = told["Config"]
    assert config["User"] == "dlsetup"
    assert config["Entrypoint"] == ["dlsetup"]
    assert config["Cmd"] == ["doctor"]
    assert config["Healthcheck"]["Test"] == ["CMD", "dlsetup", "--version"]
    assert config["Labels"]["org.opencontainers.image.version"] == __version__
    assert told["Size"] - base["Size"] < 200_000_000
    who = docker("run", "--rm", "--entrypoint", "id", image, "-u")
    assert who.stdout.strip() == "1000"
