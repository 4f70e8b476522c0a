"""What the tool that starts containers is told, in its own words."""

from __future__ import annotations

import pytest
from judge_machines import machine, system
from msgspec.structs import replace

from dlsetup.judge.container_tools import by_desktop, tool_of, words_of
from dlsetup.judge.scene import Scene
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Machine
from dlsetup.model.report import Contained, Message, Observation, Report


def inside(container: str) -> Machine:
    return machine(system=replace(system(), container=container))


@pytest.mark.parametrize(
    ("container", "gpus"),
    [
        ("docker", "docker run --gpus all"),
        ("podman", "--device nvidia.com/gpu=all"),
        ("kubernetes", "nvidia.com/gpu: 1"),
        ("apptainer", "apptainer exec --nv"),
        ("singularity", "singularity exec --nv"),
        ("containerd", "runtime"),
        ("lxc", "nvidia.runtime=true"),
        ("something else", "docker run --gpus all"),
    ],
)
def test_a_container_knows_what_started_it(container: str, gpus: str, catalog: Catalog) -> None:
    assert gpus in words_of(Scene.of(inside(container), catalog)).gpus


def told(**parts: object) -> Machine:
    return replace(machine(), report=replace(Report(lines=1), **parts))


@pytest.mark.parametrize(
    ("report", "tool"),
    [
        (told(containers=(Contained(kind="pod", source="p:1"),)), "kubernetes"),
        (told(containers=(Contained(kind="compose", source="c:1"),)), "compose"),
        (told(containers=(Contained(kind="run", tool="podman", source="r:1"),)), "podman"),
        (told(containers=(Contained(kind="apptainer", tool="singularity", source="r:1"),)), "singularity"),
        (told(containers=(Contained(kind="dockerfile", source="D:1"),)), "docker"),
        (
            told(observations=(Observation(subject="container.tool", value="nerdctl", source="r:1"),)),
            "nerdctl",
        ),
        (told(messages=(Message(signature="container-words", text="kubectl", source="r:1"),)), "kubernetes"),
        (told(), "docker"),
    ],
)
def test_a_report_shows_what_starts_its_containers(report: Machine, tool: str, catalog: Catalog) -> None:
    assert tool_of(Scene.of(report, catalog)) == tool


def test_no_tool_but_docker_is_restarted_as_docker(catalog: Catalog) -> None:
    for container in ("podman", "kubernetes", "apptainer", "containerd", "lxc"):
        words = words_of(Scene.of(inside(container), catalog))
        assert not any("docker" in command for command in words.configure)
        assert "docker" not in words.gpus


def test_docker_on_windows_is_docker_desktop(catalog: Catalog) -> None:
    assert by_desktop(Scene.of(machine(system=replace(system(), os="windows")), catalog))
    assert not by_desktop(Scene.of(machine(), catalog))
