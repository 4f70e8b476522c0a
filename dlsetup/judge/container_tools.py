"""The tool that starts containers here, and how it is told of GPUs and memory."""

from __future__ import annotations

from typing import Literal

from dlsetup.judge.scene import Scene
from dlsetup.model.machine import Docker
from dlsetup.model.record import Record

ContainerTool = Literal[
    "docker", "compose", "podman", "nerdctl", "containerd", "kubernetes", "apptainer", "singularity", "lxc"
]
CONFIGURE = ("sudo nvidia-ctk runtime configure --runtime=docker", "sudo systemctl restart docker")
_CONTAINERD = (
    "sudo nvidia-ctk runtime configure --runtime=containerd",
    "sudo systemctl restart containerd",
)
CDI = ("sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml", "nvidia-ctk cdi list")


class Words(Record, frozen=True, kw_only=True):
    """How one tool is told."""

    title: str
    gpus: str
    """Hands the NVIDIA GPUs of the host to a container; continues `start the container with …`."""
    memory: str
    """Gives it more of /dev/shm, in the same way."""
    configure: tuple[str, ...] = CDI
    """Tells the tool of NVIDIA's container toolkit once that is installed."""


_OF_RUN = "`--shm-size=16g` or `--ipc=host`"
_WORDS: dict[ContainerTool, Words] = {
    "docker": Words(
        title="Docker",
        gpus="`docker run --gpus all …`",
        memory=_OF_RUN,
        configure=CONFIGURE,
    ),
    "compose": Words(
        title="Docker",
        gpus="`deploy: {resources: {reservations: {devices: [{driver: nvidia, count: all, capabilities: "
        "[gpu]}]}}}` in the compose file",
        memory="`shm_size: 16gb` or `ipc: host` for the service in the compose file",
        configure=CONFIGURE,
    ),
    "podman": Words(
        title="Podman",
        gpus="`podman run --device nvidia.com/gpu=all …`, after `nvidia-ctk cdi generate` on the host",
        memory=_OF_RUN,
    ),
    "nerdctl": Words(
        title="containerd",
        gpus="`nerdctl run --gpus all …`",
        memory=_OF_RUN,
        configure=_CONTAINERD,
    ),
    "containerd": Words(
        title="containerd",
        gpus="the runtime of NVIDIA's container toolkit",
        memory="a larger `tmpfs` at `/dev/shm`",
        configure=_CONTAINERD,
    ),
    "kubernetes": Words(
        title="Kubernetes",
        gpus="`nvidia.com/gpu: 1` under `resources.limits`, which NVIDIA's device plugin on the node serves",
        memory="an `emptyDir` with `medium: Memory`, mounted at `/dev/shm` in the pod",
        configure=(*_CONTAINERD, "kubectl describe nodes | grep nvidia.com/gpu"),
    ),
    "apptainer": Words(title="Apptainer", gpus="`apptainer exec --nv …`", memory="the host's own /dev/shm"),
    "singularity": Words(
        title="Singularity", gpus="`singularity exec --nv …`", memory="the host's own /dev/shm"
    ),
    "lxc": Words(
        title="LXC",
        gpus="`nvidia.runtime=true` and a device of type `gpu` in its configuration",
        memory="a larger `tmpfs` at `/dev/shm`",
    ),
}


def words_of(scene: Scene) -> Words:
    """How the tool that is in use here is told; Docker where nothing names another."""
    return _WORDS[tool_of(scene)]


def tool_of(scene: Scene) -> ContainerTool:
    """By the container itself, by how a report starts one, by the commands in it."""
    inside = scene.machine.system.container
    if isinstance(inside, str) and inside in _WORDS and inside != "docker":
        return _known(inside)
    for item in scene.machine.report.containers:
        if item.kind == "pod":
            return "kubernetes"
        if item.kind == "compose":
            return "compose"
        if item.tool in _WORDS:
            return _known(item.tool)
    typed = scene.observed("container.tool")
    return _known(typed.value) if typed and typed.value in _WORDS else _by_messages(scene)


def _known(name: str) -> ContainerTool:
    return next(tool for tool in _WORDS if tool == name)


def _by_messages(scene: Scene) -> ContainerTool:
    """Who speaks, where only a message is there."""
    said = " ".join(item.text for item in scene.messages("container-words", "nvidia-runtime-unknown"))
    if "kubectl" in said or "kubelet" in said or "crictl" in said:
        return "kubernetes"
    if "podman" in said or "unresolvable CDI devices" in said:
        return "podman"
    return "docker"


def by_desktop(scene: Scene) -> bool:
    """Whether Docker Desktop starts them, which hands GPUs over through WSL 2 by means of its own."""
    docker = scene.machine.docker
    desktop = isinstance(docker, Docker) and docker.desktop is True
    return tool_of(scene) in ("docker", "compose") and (desktop or scene.target.os == "windows")
