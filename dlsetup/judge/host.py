"""What mends the host's side: the driver, which is never installed inside WSL or a container."""

from __future__ import annotations

from msgspec.structs import replace

from dlsetup.judge.driver_ways import way_of
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Remedy, Scope
from dlsetup.model.hardware import DriverBranch
from dlsetup.model.record import Unknown
from dlsetup.model.versions import CudaVersion, DriverRelease
from dlsetup.rules.driver import driver_drives, driver_floor

ASK_DRIVER = "nvidia-smi --query-gpu=driver_version --format=csv,noheader"


def driver_scope(scene: Scene) -> Scope:
    """Where the NVIDIA driver of this machine is installed."""
    if scene.in_wsl:
        return "windows"
    return "container-host" if scene.in_container else "host"


def newer_driver(scene: Scene, cuda: CudaVersion) -> Remedy | None:
    """Update the driver to one that runs `cuda`; None where no such driver supports the GPUs."""
    windows = scene.target.os == "windows" or scene.in_wsl
    floor = driver_floor(cuda, scene.catalog.hardware, windows=windows)
    if floor is None or not _drives_all(scene, floor[0]):
        return None
    wanted = f"NVIDIA driver {floor[0]} or newer"
    return install_driver(scene, wanted)


def driver_that_knows(scene: Scene, cuda: CudaVersion) -> Remedy | None:
    """Update the driver to one whose own CUDA is `cuda` or newer, which images ask for: what the driver
    runs of an older minor does not count there. None where no such driver supports the GPUs."""
    branch = min((row.branch for row in scene.catalog.hardware.branches if _knows(row, cuda)), default=None)
    if branch is None or not _drives_all(scene, DriverRelease(str(branch))):
        return None
    return install_driver(scene, f"NVIDIA driver {branch} or newer")


def _knows(row: DriverBranch, cuda: CudaVersion) -> bool:
    return not isinstance(row.cuda_ceiling, Unknown) and row.cuda_ceiling >= cuda


def install_driver(scene: Scene, wanted: str) -> Remedy:
    """Install `wanted`, where this machine's driver is installed, and look at it again."""
    scope = driver_scope(scene)
    if scope == "windows":
        return Remedy(
            text=f"Install {wanted} on the Windows side, then run `wsl --shutdown` there.", scope=scope
        )
    if scope == "container-host":
        return Remedy(text=f"Install {wanted} on the host of the container.", scope=scope)
    way = way_of(scene)
    return Remedy(text=f"Install {wanted}{way.where}.", commands=way.commands, scope=scope)


def _drives_all(scene: Scene, driver: DriverRelease) -> bool:
    """Whether a driver of that release still supports every NVIDIA GPU, as far as is known."""
    target = replace(scene.target, driver=driver)
    hardware = scene.catalog.hardware
    return not any(driver_drives(target, gpu, hardware).refused for gpu in scene.gpus("nvidia"))


def driver_words(scene: Scene) -> str:
    """`driver 535.129.03`, or what is known of the driver instead of its release."""
    if scene.driver is not None:
        return f"driver {scene.driver}"
    if isinstance(scene.target.cuda_ceiling, Unknown):
        return "a driver of unknown release"
    return f"a driver that knows CUDA up to {scene.target.cuda_ceiling}"
