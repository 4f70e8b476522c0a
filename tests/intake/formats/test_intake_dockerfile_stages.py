"""What Dockerfiles, compose files, pods and `docker run` say: stages, what they run and start, who gets GPUs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlsetup.intake.formats import commands, containers, dockerfiles, service_files, sessions
from dlsetup.intake.formats.run_words import image_and_command
from dlsetup.intake.page import Page
from dlsetup.model.record import UNKNOWN
from dlsetup.model.report import Asked, Contained, Stage

STAGES = """ARG CUDA=12.4.1
FROM --platform=$BUILDPLATFORM nvidia/cuda:${CUDA}-devel-ubuntu22.04 AS build
ENV TORCH=2.6.0
RUN <<EOF
apt-get install -y g++
nvcc -o /a a.cu
EOF
FROM --platform=linux/arm64 python:3.12-slim AS base
RUN pip install torch==${TORCH:-2.5.1} \\
    # of the same CUDA
    'jax[cuda12]'

FROM base
COPY --from=build /a /a
ENTRYPOINT ["python"]
CMD ["app.py", "--device", "cuda"]
"""
GPUS = {
    "deploy: {resources: {reservations: {devices: [{driver: nvidia, capabilities: [gpu]}]}}}": True,
    "runtime: nvidia": True,
    "runtime: ${RUNTIME:-nvidia}": True,
    "gpus: all": True,
    "capabilities:\n      - gpu": True,
    "devices: [nvidia.com/gpu=all]": True,
    "restart: always": False,
    "capabilities:\n      - sys_admin": False,
    "privileged: true": UNKNOWN,
    "<<: *gpu": UNKNOWN,
    "extends: base": UNKNOWN,
    "runtime: ${RUNTIME}": UNKNOWN,
}


def stages(text: str) -> list[Stage]:
    facts = dockerfiles.dockerfile.parser(Page(text, "Dockerfile"))
    return [fact.value for fact in facts if fact.about == "stage"]


def boxes(text: str) -> list[Contained]:
    facts = service_files.files.parser(Page(text, "c.yaml"))
    return [fact.value for fact in facts if fact.about == "container"]


def test_each_stage_says_what_it_runs_and_begins_with() -> None:
    build, base, last = stages(STAGES)
    assert (build.image, build.platform, build.last) == ("nvidia/cuda:12.4.1-devel-ubuntu22.04", "", False)
    assert "nvcc -o /a a.cu" in build.runs[0]
    assert base.runs == ("pip install torch==2.5.1      'jax[cuda12]'",)
    assert (last.image, last.platform, last.above) == ("python:3.12-slim", "linux/arm64", base.source)
    assert last.copies == ("--from=build /a /a",)
    assert "--device" in last.starts
    assert (last.source, last.end, last.last) == ("Dockerfile:13", "Dockerfile:16", True)


def test_an_argument_without_a_value_stays_as_it_is_written() -> None:
    (stage,) = stages("ARG TAG\nFROM nvidia/cuda:${TAG}\n")
    assert stage.image == "nvidia/cuda:${TAG}"


def test_a_comment_inside_a_command_does_not_end_it() -> None:
    facts = commands.commands.parser(Page(STAGES, "Dockerfile"))
    asked = [fact.value for fact in facts if isinstance(fact.value, Asked)]
    assert [(item.name, item.extras) for item in asked if item.name == "jax"] == [("jax", ("cuda12",))]


@pytest.mark.parametrize(("file", "told"), [("Dockerfile", 0), ("docker/gpu.dockerfile", 0), ("issue.md", 1)])
def test_the_comments_of_a_recipe_are_no_packages(file: str, told: int) -> None:
    page = Page("# onnxruntime 1.18.1 (cu118) with Python 3.12.\nFROM python:3.12\n", file)
    assert len(list(sessions.versions.parser(page))) == told


@pytest.mark.parametrize("line", GPUS)
def test_whether_a_service_asks_for_gpus(line: str) -> None:
    (box,) = boxes(f"services:\n  app:\n    image: lab/app:1\n    {line}\n")
    assert (box.name, box.gpus) == ("app", GPUS[line])


def test_a_service_says_what_it_starts_and_is_given() -> None:
    text = """services:
  app:
    build:
      context: .
    platform: linux/amd64
    entrypoint: ["python", "-m", "app"]
    command:
      - --device
      - cuda
    environment:
      - POSTGRES_PASSWORD=horse
      - DEVICE=cuda
    restart: always
"""
    (box,) = boxes(text)
    assert (box.built, box.platform, box.image) == (True, "linux/amd64", UNKNOWN)
    assert box.command.split() == ["python", "-m", "app", "--device", "cuda"]
    assert box.settings == ("DEVICE=cuda",)


def test_a_pod_of_the_nvidia_runtime_has_gpus() -> None:
    text = "kind: Pod\nspec:\n  runtimeClassName: nvidia\n  containers:\n  - name: a\n    image: b/c:1\n"
    assert [box.gpus for box in boxes(text)] == [True]


@pytest.mark.parametrize(
    ("words", "image", "command"),
    [
        ("--gpus all -it --rm -v $PWD:/w -p8080:80 lab/app:1 python x.py", "lab/app:1", "python x.py"),
        (
            "-itd --name=a --shm-size 8g -e A=b nvidia/cuda:12.4.1-base-ubuntu22.04",
            "nvidia/cuda:12.4.1-base-ubuntu22.04",
            "",
        ),
        (
            "--gpus '\"device=0,1\"' lab.example:5000/a/b@sha256:" + "0" * 64,
            "lab.example:5000/a/b@sha256:" + "0" * 64,
            "",
        ),
        ("--rm ubuntu nvidia-smi && echo done", "ubuntu", "nvidia-smi"),
        ("--gpus all <image>", "", ""),
        ("-it", "", ""),
    ],
)
def test_what_a_command_starts(words: str, image: str, command: str) -> None:
    assert image_and_command(words) == (image, command)


def test_a_command_keeps_its_image_and_settings() -> None:
    page = Page(
        "$ docker run --gpus all -e DEVICE=cuda \\\n  --platform linux/arm64 lab/app:1 train\n", "t.txt"
    )
    (box,) = [fact.value for fact in containers.runs.parser(page)]
    assert (box.image, box.command, box.platform) == ("lab/app:1", "train", "linux/arm64")
    assert box.settings == ("DEVICE=cuda",)


@given(
    st.lists(
        st.sampled_from(["FROM a AS b", "FROM b", "RUN <<X", "X", "RUN a \\", "# c", "ENV A=$A", ""]),
        max_size=12,
    )
)
def test_whatever_stands_there_its_stages_lie_in_order(lines: list[str]) -> None:
    found = stages("\n".join(lines))
    numbers = [int(stage.source.rpartition(":")[2]) for stage in found]
    assert numbers == sorted(numbers)
    assert [stage.last for stage in found] == [False] * (len(found) - 1) + [True] * bool(found)
    assert all(
        stage.above == "" or int(stage.above.rpartition(":")[2]) < number
        for stage, number in zip(found, numbers, strict=True)
    )
