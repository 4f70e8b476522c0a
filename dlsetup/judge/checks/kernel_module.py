"""The two halves of the NVIDIA driver: the kernel module that is loaded, the libraries beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.commands import line
from dlsetup.judge.driver_parts import parts_by_branch
from dlsetup.judge.evidence import of_driver, of_gpus, of_nvml
from dlsetup.judge.host import driver_scope
from dlsetup.judge.linux_families import finish_upgrade
from dlsetup.judge.module_loading import SECURE_BOOT, driven_by, enrol, load_module
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.judge.told_devices import torch_uses_gpu
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.machine import Driver, Gap
from dlsetup.model.record import Unknown
from dlsetup.model.versions import DriverRelease

MISMATCH = "LIB_RM_VERSION_MISMATCH"
HELD = re.compile(r"nvidia-driver-\d+(-server|-open)*|libnvidia-(?:common|compute)-\d+(-server)?")
ON_DISK = "module on disk"
NOT_LOADED = "DRIVER_NOT_LOADED"


@check("nvml-driver-library-mismatch")
def driver_halves_differ(scene: Scene) -> Iterator[Answer]:
    """The loaded kernel module and the driver's libraries are of two releases."""
    driver = scene.machine.driver
    if not isinstance(driver, Driver) or scene.in_wsl:
        return
    both = isinstance(driver.module, DriverRelease) and isinstance(driver.userland, DriverRelease)
    differ = both and scene.target.os == "linux" and driver.module != driver.userland
    if driver.nvml_error != MISMATCH and not differ:
        return
    halves = "The loaded kernel module and the driver's libraries are of different releases"
    if both:
        halves = (
            f"The loaded kernel module is {driver.module} and the driver's libraries are {driver.userland}"
        )
    yield Finding(
        id="nvml-driver-library-mismatch",
        severity="error",
        title="The NVIDIA kernel module and the driver's libraries do not belong together",
        because=f"{halves}: {_why(scene)}.",
        evidence=of_nvml(scene),
        remedies=tuple(_after_update(scene)),
    )


def _why(scene: Scene) -> str:
    if len(parts_by_branch(scene)) > 1:
        return "their packages come from two branches, an upgrade that was not finished"
    return "the driver was updated, and the old module is still loaded"


@check("kernel-module-not-loaded")
def module_not_loaded(scene: Scene) -> Iterator[Answer]:
    """There is an NVIDIA GPU or its driver's libraries, and no NVIDIA kernel module is loaded."""
    driver = scene.machine.driver
    foreign = scene.target.os in ("windows", "macos")
    elsewhere = foreign or scene.in_wsl or scene.on_tegra is not False or _cuda_was_seen(scene)
    if elsewhere or isinstance(driver, Unknown):
        return
    libraries = driver.userland if driver else None
    refused = isinstance(driver, Driver) and driver.nvml_error == NOT_LOADED
    present = bool(scene.gpus("nvidia")) or isinstance(libraries, DriverRelease) or refused
    if not _is_unloaded(driver) or not present or _is_image(scene):
        return
    if scene.observed("lsmod.nvidia"):
        reason = "`lsmod` shows the module, and the driver's tools do not reach it"
        yield Gap(
            fact="what the NVIDIA module says", reason=reason, ask="sudo dmesg | grep -iE 'nvrm|nvidia'"
        )
        return
    yield Finding(
        id="kernel-module-not-loaded",
        severity="error",
        title="The NVIDIA kernel module is not loaded",
        because=_not_loaded_because(scene, libraries),
        evidence=(*of_gpus(scene, scene.gpus("nvidia")), *of_driver(scene), *_kernel(scene)),
        remedies=tuple(load_module(scene, libraries)),
    )
    if (isinstance(libraries, DriverRelease) or refused) and not _sighted(scene, SECURE_BOOT):
        reason = "an unsigned kernel module does not load under Secure Boot"
        yield Gap(fact=SECURE_BOOT, reason=reason, ask="mokutil --sb-state")


@check("secure-boot-unsigned-module")
def secure_boot_refuses(scene: Scene) -> Iterator[Answer]:
    """Secure Boot is on while the NVIDIA module is not loaded."""
    driver = scene.machine.driver
    seen = [
        item
        for item in scene.machine.sightings
        if item.fact == SECURE_BOOT and "enabled" in item.value.lower()
    ]
    if not seen or not isinstance(driver, Driver) or not _is_unloaded(driver):
        return
    yield Finding(
        id="secure-boot-unsigned-module",
        severity="warning",
        title="Secure Boot is on",
        because="Under Secure Boot the kernel loads signed modules only, and the NVIDIA module, which "
        "was built here and is unsigned, is not loaded.",
        evidence=tuple(Evidence(fact=item.fact, value=item.value, source=item.source) for item in seen),
        remedies=(
            Remedy(
                text="Enrol the key (MOK) that signs the module and confirm it at the next start, or "
                "switch Secure Boot off in the firmware; then install the driver again and restart.",
                commands=enrol(scene),
                scope="host",
            ),
        ),
    )


def _after_update(scene: Scene) -> Iterator[Remedy]:
    scope = driver_scope(scene)
    if scope == "container-host":
        yield Remedy(text="Restart the host of the container, then start the container anew.", scope=scope)
        return
    if len(parts_by_branch(scene)) > 1:
        text = "Bring the packages of module and libraries to one release: a restart alone changes nothing."
        commands = finish_upgrade(scene)
        yield Remedy(text=text, commands=(*commands, "sudo reboot") if commands else (), scope=scope)
        return
    yield Remedy(
        text="Restart the machine: it loads the module of the new release.",
        commands=("sudo reboot",),
        scope=scope,
    )
    held = sorted({item.name for item in scene.packages if HELD.fullmatch(item.name)})
    if held:
        text = "To choose the time of the next driver update, hold the package and update it by hand."
        yield Remedy(text=text, commands=line(scene, ["sudo", "apt-mark", "hold", *held]), scope=scope)


def _cuda_was_seen(scene: Scene) -> bool:
    """Whether a program saw the GPU work, which no missing module allows."""
    return torch_uses_gpu(scene) is not None


def _not_loaded_because(scene: Scene, libraries: DriverRelease | None | Unknown) -> str:
    gpu = "There is an NVIDIA GPU" if scene.gpus("nvidia") else "The driver is installed"
    if isinstance(libraries, DriverRelease):
        gpu += f", the driver's libraries are {libraries}"
    on_disk = next((item.value for item in scene.machine.sightings if item.fact == ON_DISK), "")
    built = f" Module {on_disk} lies on disk and is not loaded." if on_disk else ""
    nouveau = " The open driver `nouveau` drives the card." if driven_by(scene, "nouveau") else ""
    return f"{gpu}, and the running kernel has no `nvidia` module loaded.{built}{nouveau}"


def _is_unloaded(driver: Driver | None) -> bool:
    """Whether no module is loaded, by the kernel's word or else by NVML's."""
    if driver is None or driver.module is None:
        return True
    return isinstance(driver.module, Unknown) and driver.nvml_error == NOT_LOADED


def _is_image(scene: Scene) -> bool:
    """A container without a GPU may carry the driver's libraries: that says nothing of the host."""
    if scene.in_container:
        return scene.gpu_withheld or not scene.gpus("nvidia")
    return isinstance(scene.machine.system.container, Unknown) and scene.machine.gpus == ()


def _kernel(scene: Scene) -> tuple[Evidence, ...]:
    kernel = scene.machine.system.kernel
    return (
        () if isinstance(kernel, Unknown) else (Evidence(fact="kernel", value=kernel, source="the system"),)
    )


def _sighted(scene: Scene, fact: str) -> bool:
    return any(item.fact == fact for item in scene.machine.sightings)
