"""What containers and their engine say: GPUs not handed over, a driver refused, no shared memory."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.checks.docker import GUIDE, install_toolkit
from dlsetup.judge.checks.system import SHARED_MEMORY_FULL
from dlsetup.judge.container_tools import CDI, by_desktop, tool_of, words_of
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
    snap = known.snap is True and tool_of(scene) in ("docker", "compose")
    title = words_of(scene).title
    yield Finding(
        id="docker-snap-no-gpu-hook" if snap else "container-toolkit-missing",
        severity="error",
        title="Docker from snap does not see the NVIDIA container toolkit"
        if snap
        else f"{title} cannot hand the NVIDIA GPU to containers",
        because=_not_handed_because(scene, snap, toolkit),
        evidence=(*map(of_message, messages[:2]), *of_driver(scene)),
        remedies=(_handing_over(scene, snap, toolkit),),
        rests_on=scene.sources(("container-toolkit-guide",)),
    )


def _not_handed_because(scene: Scene, snap: bool, toolkit: str) -> str:
    if snap:
        there = (
            f"The toolkit {toolkit} is installed"
            if toolkit
            else "Whether the toolkit is installed changes nothing"
        )
        return (
            f"{there}; Docker is the snap package, whose confinement hides the host's NVIDIA hook. "
            "The driver of the host is not at fault."
        )
    title = words_of(scene).title
    lacks = "a CDI specification of the GPUs" if words_of(scene).configure == CDI else "an NVIDIA runtime"
    if toolkit:
        return f"The toolkit {toolkit} is installed, but {title} was not told of it: it lacks {lacks}."
    return f"{title} lacks {lacks}: the NVIDIA container toolkit is missing or not configured."


def _handing_over(scene: Scene, snap: bool, toolkit: str) -> Remedy:
    words = words_of(scene)
    if snap:
        text = (
            "Remove the snap, install `docker-ce` from Docker's apt repository "
            "(https://docs.docker.com/engine/install/), then tell it of the toolkit."
        )
        return Remedy(text=text, commands=("sudo snap remove docker", *words.configure), scope="host")
    if by_desktop(scene):
        text = "Let Docker Desktop use WSL 2 (Settings, General), bring WSL up to date, and start both anew."
        return Remedy(text=text, commands=("wsl --update", "wsl --shutdown"), scope="windows")
    if any("unresolvable CDI" in item.text for item in scene.messages("nvidia-runtime-unknown")):
        text = (
            f"Make the CDI specification of the GPUs, after installing NVIDIA's container toolkit ({GUIDE})."
        )
        return Remedy(text=text, commands=(*install_toolkit(scene), *CDI), scope="host")
    told = f"tell {words.title} of it, and start the container with {words.gpus}"
    if toolkit:
        return Remedy(text=f"{told[0].upper()}{told[1:]}.", commands=words.configure, scope="host")
    text = f"Install the NVIDIA container toolkit from NVIDIA's repository ({GUIDE}), then {told}."
    return Remedy(text=text, commands=(*install_toolkit(scene), *words.configure), scope="host")


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
    messages = scene.messages(*SHARED_MEMORY_FULL)
    if not messages:
        return
    size = scene.machine.system.shm_bytes
    place = "A pod" if tool_of(scene) == "kubernetes" else "A container"
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
        remedies=tuple(_more_memory(scene)),
        rests_on=scene.sources(("torch-shared-memory", "nccl-shared-memory")),
    )


def _more_memory(scene: Scene) -> Iterator[Remedy]:
    yield Remedy(text=f"Start the container with {words_of(scene).memory}.", scope="container-host")
    yield Remedy(text="As a stop-gap, `num_workers=0` needs no shared memory.", scope="project")
