"""Docker: can it hand the GPUs of this host to a container?"""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.container_tools import CONFIGURE
from dlsetup.judge.evidence import of_driver
from dlsetup.judge.linux_families import FAMILIES, install_packages
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.machine import Docker, Gap
from dlsetup.model.record import Unknown

GUIDE = "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html"
TOOLKIT = ("nvidia-container-toolkit",)


@check("container-toolkit-missing")
def toolkit_missing(scene: Scene) -> Iterator[Answer]:
    """Docker runs beside an NVIDIA GPU, and nothing hands the GPU to containers."""
    docker = _concerned(scene)
    if docker is None or docker.snap is True or docker.nvidia_toolkit is not None:
        if docker and isinstance(docker.nvidia_toolkit, Unknown) and not _knows_nvidia(docker):
            reason = "whether the NVIDIA container toolkit is installed beside Docker is not known"
            yield Gap(fact="NVIDIA container toolkit", reason=reason, ask="nvidia-ctk --version")
        return
    if _knows_nvidia(docker) or isinstance(docker.runtimes, Unknown):
        return
    yield Finding(
        id="container-toolkit-missing",
        severity="warning",
        title="Docker cannot hand the NVIDIA GPU to containers",
        because="The NVIDIA container toolkit is not installed: no `nvidia` runtime, no CDI device.",
        evidence=(*of_driver(scene), *_evidence(docker)),
        remedies=(
            Remedy(
                text=f"Install the toolkit from NVIDIA's repository ({GUIDE}), then tell Docker of it.",
                commands=(*install_toolkit(scene), *CONFIGURE),
                scope="host",
            ),
        ),
    )


@check("docker-snap-no-gpu-hook")
def docker_from_snap(scene: Scene) -> Iterator[Answer]:
    """Docker from snap is confined and does not see the NVIDIA hook of the host."""
    docker = _concerned(scene)
    if docker is None or docker.snap is not True or _knows_nvidia(docker):
        return
    yield Finding(
        id="docker-snap-no-gpu-hook",
        severity="warning",
        title="Docker from snap does not see the NVIDIA container toolkit",
        because="The snap is confined: it does not use the host's toolkit, installed or not.",
        evidence=(*of_driver(scene), *_evidence(docker)),
        remedies=(
            Remedy(
                text="Remove the snap, install Docker from its own repository "
                "(https://docs.docker.com/engine/install/), then tell it of the toolkit.",
                commands=("sudo snap remove docker", *CONFIGURE),
                scope="host",
            ),
        ),
    )


def install_toolkit(scene: Scene) -> tuple[str, ...]:
    """The command that installs the toolkit, which every family calls by one name."""
    return install_packages(scene, dict.fromkeys(FAMILIES, TOOLKIT))


def _concerned(scene: Scene) -> Docker | None:
    """The engine on Linux beside a working NVIDIA driver; Docker Desktop has means of its own."""
    docker = scene.machine.docker
    if not isinstance(docker, Docker) or not isinstance(docker.engine, str) or docker.desktop is True:
        return None
    here = scene.target.os == "linux" and not scene.in_container
    return docker if here and scene.gpus("nvidia") and scene.driver is not None else None


def _knows_nvidia(docker: Docker) -> bool:
    runtimes = () if isinstance(docker.runtimes, Unknown) else docker.runtimes
    devices = () if isinstance(docker.cdi_devices, Unknown) else docker.cdi_devices
    return any("nvidia" in name for name in (*runtimes, *devices))


def _evidence(docker: Docker) -> tuple[Evidence, ...]:
    runtimes = "unknown" if isinstance(docker.runtimes, Unknown) else ", ".join(docker.runtimes) or "none"
    return (
        Evidence(fact="Docker engine", value=str(docker.engine), source="the Docker engine"),
        Evidence(fact="Docker runtimes", value=runtimes, source="the Docker engine"),
    )
