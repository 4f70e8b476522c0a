"""What NVML answers instead of its facts."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.container_tools import tool_of
from dlsetup.judge.evidence import of_container, of_nvml, of_observation
from dlsetup.judge.host import driver_scope
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.machine import Driver
from dlsetup.model.versions import DriverRelease

REFUSALS = {
    "GPU_IS_LOST": "a GPU has fallen off the bus",
    "RESET_REQUIRED": "a GPU has to be reset",
    "OPERATING_SYSTEM": "the operating system blocks the driver",
    "NO_PERMISSION": "this user may not open the device files",
    "GPU_NOT_FOUND": "the driver sees no GPU that it can use",
    "UNKNOWN": "the driver gives no reason",
}
"""NVML's names of its refusals, in words."""


@check("container-lost-gpu-cgroup-reload", "nvml-refuses")
def nvml_refuses(scene: Scene) -> Iterator[Answer]:
    """NVML answers with an error that says more than an absent or mismatched driver."""
    driver = scene.machine.driver
    if not isinstance(driver, Driver) or not _works_elsewhere(scene, driver):
        return
    if not isinstance(driver.nvml_error, str) or driver.nvml_error not in REFUSALS:
        return
    if driver.nvml_error == "UNKNOWN" and (scene.in_container or _told_of_container(scene)):
        yield _lost_in_container(scene)
        return
    yield Finding(
        id="nvml-refuses",
        severity="error",
        title="The NVIDIA driver is loaded and refuses to answer",
        because=f"NVML says `{driver.nvml_error}`: {REFUSALS[driver.nvml_error]}.",
        evidence=of_nvml(scene),
        remedies=(
            Remedy(
                text="Look at what the kernel says of the driver; where a GPU is lost, restart the machine.",
                commands=("sudo dmesg | grep -iE 'nvrm|xid'",),
                scope=driver_scope(scene),
            ),
        ),
    )


def _works_elsewhere(scene: Scene, driver: Driver) -> bool:
    """Whether the driver is loaded: its release is seen, or a report lists GPUs beside the refusal.

    `UNKNOWN` is what it says where its device files cannot be opened.
    """
    told = bool(scene.gpus("nvidia")) or driver.nvml_error == "UNKNOWN"
    return isinstance(driver.module, DriverRelease) or (scene.machine.partial and told)


def _told_of_container(scene: Scene) -> bool:
    """Whether a report shows commands inside a container, or how one is started."""
    told = scene.observed("container.prompt") is not None or bool(scene.machine.report.containers)
    return told or bool(scene.messages("container-words", "systemd-reloaded"))


def _lost_in_container(scene: Scene) -> Finding:
    cgroups = scene.observed("docker.cgroup_driver")
    return Finding(
        id="container-lost-gpu-cgroup-reload",
        severity="error",
        title="This container has lost its GPUs",
        because="The host has the driver loaded, and NVML says `UNKNOWN` here: the device files are closed.",
        evidence=(*of_nvml(scene), *of_container(scene), *([of_observation(cgroups)] if cgroups else [])),
        remedies=(
            Remedy(
                text="Start the container anew; `nvidia-smi` on the host should work.", scope="container-host"
            ),
            _kept(scene),
        ),
    )


def _kept(scene: Scene) -> Remedy:
    """Runtimes of containers drop device files that they do not know of when systemd reloads its units."""
    text = "To keep it from happening again, hand the GPUs over through CDI"
    tool = tool_of(scene)
    commands: tuple[str, ...] = ("sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml",)
    if tool in ("docker", "compose", "podman", "nerdctl"):
        text += ": make its specification and start the container with `--device nvidia.com/gpu=all`"
    if tool in ("docker", "compose"):
        option = '`"exec-opts": ["native.cgroupdriver=cgroupfs"]` in daemon.json'
        text += f"; or let Docker manage cgroups itself ({option})"
    if tool == "kubernetes":
        commands = ("sudo nvidia-ctk system create-dev-char-symlinks --create-all",)
        text = "To keep it from happening again, make the links of the device files on each node at its start"
    return Remedy(text=f"{text}.", commands=commands, scope="container-host")
