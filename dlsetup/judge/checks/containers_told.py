"""What containers and their engine say: GPUs not handed over, a driver refused, no shared memory."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.checks.docker import CONFIGURE, GUIDE
from dlsetup.judge.evidence import of_driver, of_message
from dlsetup.judge.host import driver_that_knows, install_driver
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.machine import Docker
from dlsetup.model.record import Unknown
from dlsetup.model.versions import CudaVersion
from dlsetup.rules.driver import ceiling_of, driver_serves


@check("docker-snap-no-gpu-hook", "container-toolkit-missing", told=True)
def gpus_not_handed_over(scene: Scene) -> Iterator[Answer]:
    """Docker refuses `--gpus`, or does not know the runtime `nvidia`."""
    messages = scene.messages("no-docker-gpu-driver", "nvidia-runtime-unknown")
    if not messages:
        return
    docker = scene.machine.docker
    known = docker if isinstance(docker, Docker) else Docker()
    toolkit = known.nvidia_toolkit if isinstance(known.nvidia_toolkit, str) else ""
    snap = known.snap is True
    there = (
        f"The toolkit {toolkit} is installed"
        if toolkit
        else "Whether the toolkit is installed changes nothing"
    )
    because = (
        f"{there}; Docker is the snap package, whose confinement hides the host's NVIDIA hook. "
        "The driver of the host is not at fault."
        if snap
        else f"The toolkit {toolkit} is installed, but the engine was not told of it."
        if toolkit
        else "The engine knows no NVIDIA runtime: the NVIDIA container toolkit is missing or not configured."
    )
    yield Finding(
        id="docker-snap-no-gpu-hook" if snap else "container-toolkit-missing",
        severity="error",
        title="Docker from snap does not see the NVIDIA container toolkit"
        if snap
        else "Docker cannot hand the NVIDIA GPU to containers",
        because=because,
        evidence=(*map(of_message, messages[:2]), *of_driver(scene)),
        remedies=(_handing_over(snap, toolkit),),
        rests_on=scene.sources(("container-toolkit-guide",)),
    )


def _handing_over(snap: bool, toolkit: str) -> Remedy:
    if snap:
        text = (
            "Remove the snap, install `docker-ce` from Docker's apt repository "
            "(https://docs.docker.com/engine/install/), then tell it of the toolkit."
        )
        return Remedy(text=text, commands=("sudo snap remove docker", *CONFIGURE), scope="host")
    if toolkit:
        return Remedy(text="Tell the engine of the toolkit.", commands=CONFIGURE, scope="host")
    text = f"Install the NVIDIA container toolkit from NVIDIA's repository ({GUIDE}), then tell Docker of it."
    return Remedy(text=text, commands=CONFIGURE, scope="host")


@check("driver-too-old", told=True)
def image_asks_for_more(scene: Scene) -> Iterator[Answer]:
    """The image was refused, and the driver is known to be older than it asks for."""
    message = next(iter(scene.messages("container-requires-cuda")), None)
    wanted = message.value("cuda") if message else None
    if message is None or wanted is None:
        return
    cuda, ceiling = CudaVersion(wanted), ceiling_of(scene.target, scene.catalog.hardware)
    known = not isinstance(ceiling, Unknown)
    older = (
        ceiling < cuda
        if not isinstance(ceiling, Unknown)
        else scene.driver is not None and driver_serves(scene.target, cuda, scene.catalog.hardware).refused
    )
    if not older:
        return
    remedy = driver_that_knows(scene, cuda) or install_driver(scene, f"one that knows CUDA {cuda}")
    yield Finding(
        id="driver-too-old",
        severity="error",
        title="The NVIDIA driver is too old for the image",
        because=f"The driver {scene.driver or ''} serves CUDA {ceiling if known else 'of an older release'}; "
        f"the image asks for cuda>={cuda}. With Docker Desktop or WSL 2 the driver of Windows counts.",
        evidence=(*of_driver(scene), of_message(message)),
        remedies=(remedy,),
        rests_on=scene.sources(("container-toolkit-guide",)),
    )


@check("shm-too-small", told=True)
def shared_memory_full(scene: Scene) -> Iterator[Answer]:
    """Workers or NCCL found no room in /dev/shm."""
    messages = scene.messages("dataloader-bus-error", "nccl-shared-memory-full")
    if not messages:
        return
    size = scene.machine.system.shm_bytes
    pod = any(item.kind == "pod" for item in scene.machine.report.containers)
    place = "A pod" if pod else "A container"
    shown = (
        f"/dev/shm has {size >> 20} MiB"
        if isinstance(size, int)
        else f"{place} gets 64 MB of /dev/shm by default"
    )
    evidence = (
        (Evidence(fact="/dev/shm", value=f"{size} bytes", source=scene.seen("system.shm_bytes")),)
        if isinstance(size, int)
        else ()
    )
    yield Finding(
        id="shm-too-small",
        severity="error",
        title="/dev/shm is too small",
        because=f"{shown} (Docker's default is 64 MB); data loader workers and NCCL use it. "
        "Neither the disk nor the GPU and its driver are involved.",
        evidence=(*map(of_message, messages[:2]), *evidence),
        remedies=tuple(_more_memory(pod)),
        rests_on=scene.sources(("torch-shared-memory", "nccl-shared-memory")),
    )


def _more_memory(pod: bool) -> Iterator[Remedy]:
    if pod:
        text = "Mount an `emptyDir` with `medium: Memory` at `/dev/shm` in the pod."
        yield Remedy(text=text, scope="container-host")
        return
    text = "Start the container with `--shm-size=16g`, or `--ipc=host`, or `-v /dev/shm:/dev/shm`."
    yield Remedy(text=text, scope="container-host")
    yield Remedy(text="As a stop-gap, `num_workers=0` needs no shared memory.", scope="project")
