"""Containers as reports show them: how they are built and started, and what their host has."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dlsetup.intake.formats import containers, docker_host, dockerfiles, image_recipes, service_files
from dlsetup.intake.page import Page
from dlsetup.intake.reading import Format
from dlsetup.model.record import UNKNOWN
from dlsetup.model.report import Contained

ROOMS = (containers, dockerfiles, service_files, image_recipes)
WORDS = (
    "FROM a AS b",
    "ENV A=b \\",
    "docker run -v x:/y \\",
    "--shm-size=9",
    "shm 64M 0 64M 0% /dev/shm",
    "kind: Pod",
    "containers:",
    "  - image: x",
    "services:",
    "Bootstrap: docker",
    "From: x",
    '"runArgs": [',
    "build:",
    "  python_version: 3.11",
)
COMPOSE = """services:
  web:
    image: nginx:1.27
    environment:
      CUDA_VISIBLE_DEVICES: ""
  trainer:
    image: nvcr.io/nvidia/pytorch:24.05-py3
    shm_size: "8gb"
    ipc: host
    environment:
      - CUDA_VISIBLE_DEVICES=0
      - LD_LIBRARY_PATH=/opt/lib
    deploy:
      resources:
        reservations:
          devices:
            - driver: nvidia
              capabilities: [gpu]
volumes:
  data:
"""
POD = """apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      initContainers:
      - name: fetch
        image: busybox
      containers:
      - name: server
        image: vllm/vllm-openai:v0.6.3
        env:
        - name: NVIDIA_VISIBLE_DEVICES
          value: "all"
        resources:
          limits:
            nvidia.com/gpu: 2
        volumeMounts:
        - mountPath: /dev/shm
          name: dshm
      - name: sidecar
        image: "busybox:1.36"
      volumes:
      - name: dshm
        emptyDir: {medium: Memory}
"""
DOCKERFILE = """# syntax=docker/dockerfile:1
ARG TAG=12.4.1
FROM nvidia/cuda:${TAG}-devel-ubuntu22.04 AS build
ENV CUDA_VISIBLE_DEVICES=3
RUN pip wheel flash-attn
FROM nvidia/cuda:${TAG}-runtime-ubuntu22.04 AS base
ENV CUDA_HOME /usr/local/cuda
FROM base
COPY --from=build /wheels /wheels
ENV LD_LIBRARY_PATH=${CUDA_HOME}/lib64:$LD_LIBRARY_PATH \\
    # the driver's own
    NVIDIA_VISIBLE_DEVICES="all"
"""
COG = """build:
  gpu: true
  cuda: "11.8"
  python_version: "3.11"
  python_packages:
    - "torch==2.0.1"
    - numpy<2   # not yet
  run:
    - pip install xformers==0.0.20
predict: "predict.py:Predictor"
"""
DEVCONTAINER = """// For format details
{
  "image": "mcr.microsoft.com/devcontainers/base:ubuntu",
  "runArgs": ["--gpus", "all", "--shm-size", "8g", "--ipc=host"],
}
"""
DEFINITION = """Bootstrap: docker
From: python:3.11
Stage: build
%environment
    export CUDA_VISIBLE_DEVICES=7

Bootstrap: docker
From: nvidia/cuda:11.8.0-devel-ubuntu22.04
%environment
    export LD_LIBRARY_PATH=/usr/local/cuda/lib64
%post
    pip install torch==2.1.0
"""


def found(text: str, about: str) -> list[object]:
    page = Page(text, "paste")
    parsers = [item for room in ROOMS for item in vars(room).values() if isinstance(item, Format)]
    asked = [item for item in parsers if page.holds(*item.marks)]
    return [fact.value for item in asked for fact in item.parser(page) if fact.about == about]


def boxes(text: str) -> list[Contained]:
    return found(text, "container")  # type: ignore[return-value]


def contained(text: str) -> Contained:
    items = boxes(text)
    assert len(items) == 1
    return items[0]


def variables(text: str) -> dict[str, str]:
    return {item.name: item.value for item in found(text, "variable")}  # type: ignore[attr-defined]


def test_sizes_and_gpus_of_docker_run_over_several_lines() -> None:
    item = contained("$ docker run --gpus all \\\n  --shm-size=8g --device /dev/davinci0 img")
    assert (item.gpus, item.shm_bytes, item.devices) == (True, 8 << 30, ("/dev/davinci0",))


def test_no_size_is_known_to_be_none_and_a_mount_is_unknown() -> None:
    assert contained("docker run --gpus all img").shm_bytes is None
    assert contained("docker run -v /dev/shm:/dev/shm img").shm_bytes is UNKNOWN


def test_apptainer_hands_gpus_over_with_nv_and_shares_the_hosts_memory() -> None:
    item = contained("singularity exec --nv pytorch.sif python train.py")
    assert (item.kind, item.gpus, item.host_ipc, item.shm_bytes) == ("apptainer", True, True, UNKNOWN)
    assert contained("apptainer exec pytorch.sif python train.py").gpus is False


def test_the_last_stage_of_a_dockerfile_is_followed_to_its_image() -> None:
    text = "ARG TAG=12.4.1-base-ubuntu22.04\nFROM nvidia/cuda:${TAG} AS base\nRUN true\nFROM base\n"
    assert contained(text).image == "nvidia/cuda:12.4.1-base-ubuntu22.04"


def test_variables_of_a_dockerfile_are_those_of_the_last_stage_and_of_what_it_builds_on() -> None:
    assert contained(DOCKERFILE).image == "nvidia/cuda:12.4.1-runtime-ubuntu22.04"
    assert variables(DOCKERFILE) == {
        "CUDA_HOME": "/usr/local/cuda",
        "LD_LIBRARY_PATH": "/usr/local/cuda/lib64:$LD_LIBRARY_PATH",
        "NVIDIA_VISIBLE_DEVICES": "all",
    }


def test_every_service_of_a_compose_file() -> None:
    web, trainer = boxes(COMPOSE)
    assert (web.image, web.gpus, web.shm_bytes) == ("nginx:1.27", False, None)
    assert (trainer.image, trainer.gpus) == ("nvcr.io/nvidia/pytorch:24.05-py3", True)
    assert (trainer.shm_bytes, trainer.host_ipc, trainer.kind) == (8 << 30, True, "compose")


def test_variables_are_those_of_services_that_ask_for_gpus() -> None:
    assert variables(COMPOSE) == {"CUDA_VISIBLE_DEVICES": "0", "LD_LIBRARY_PATH": "/opt/lib"}
    both = COMPOSE.replace("    image: nginx:1.27\n", "    image: nginx:1.27\n    gpus: all\n")
    assert variables(both) == {"LD_LIBRARY_PATH": "/opt/lib"}


def test_an_image_for_processors_may_hide_all_gpus() -> None:
    hidden = 'ENV CUDA_VISIBLE_DEVICES=""\n'
    assert variables(f"FROM python:3.11\n{hidden}") == {}
    assert variables(f"FROM nvidia/cuda:12.4.1-base-ubuntu22.04\n{hidden}") == {"CUDA_VISIBLE_DEVICES": ""}


def test_every_container_of_a_pod_and_none_that_only_prepares_it() -> None:
    server, sidecar = boxes(POD)
    assert (server.image, server.gpus, server.shm_bytes) == ("vllm/vllm-openai:v0.6.3", True, UNKNOWN)
    assert (sidecar.image, sidecar.gpus, sidecar.shm_bytes) == ("busybox:1.36", False, None)
    assert variables(POD) == {"NVIDIA_VISIBLE_DEVICES": "all"}


def test_a_pod_without_memory_at_dev_shm() -> None:
    item = contained("kind: Pod\nspec:\n  containers:\n  - image: img:1\n    nvidia.com/gpu: 2\n")
    assert (item.kind, item.image, item.gpus, item.shm_bytes) == ("pod", "img:1", True, None)


def test_cog_asks_for_packages_and_a_gpu() -> None:
    assert contained(COG).gpus is True
    assert [(item.name, item.specifier) for item in found(COG, "asked")] == [  # type: ignore[attr-defined]
        ("torch", "==2.0.1"),
        ("numpy", "<2"),
    ]
    assert [str(item) for item in found(COG, "environment.python")] == ["3.11"]


def test_a_devcontainer_with_comments_and_words_apart() -> None:
    item = contained(DEVCONTAINER)
    assert (item.image, item.gpus) == ("mcr.microsoft.com/devcontainers/base:ubuntu", True)
    assert (item.shm_bytes, item.host_ipc) == (8 << 30, True)
    assert contained('{"image": "x:1", "hostRequirements": {"gpu": true}}').gpus is True
    assert contained('{"image": "x:1", "runArgs": ["--init"]}').gpus is False


def test_the_last_stage_of_a_definition_file() -> None:
    item = contained(DEFINITION)
    assert (item.kind, item.image) == ("apptainer", "nvidia/cuda:11.8.0-devel-ubuntu22.04")
    assert variables(DEFINITION) == {"LD_LIBRARY_PATH": "/usr/local/cuda/lib64"}
    assert contained("Bootstrap: localimage\nFrom: base.sif\n").image is UNKNOWN


@given(st.lists(st.one_of(st.text(max_size=40), st.sampled_from(WORDS)), max_size=12))
def test_anything_is_read_without_a_failure(lines: list[str]) -> None:
    page = Page("\n".join(lines), "paste")
    for module in (*ROOMS, docker_host):
        for item in vars(module).values():
            if isinstance(item, Format):
                list(item.parser(page))
