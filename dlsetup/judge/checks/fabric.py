"""The fabric manager of machines whose GPUs are joined by NVSwitch: does it run, does it fit the driver?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.commands import line
from dlsetup.judge.driver_parts import release_of
from dlsetup.judge.evidence import of_driver, of_message, of_package
from dlsetup.judge.host import driver_scope
from dlsetup.judge.linux_families import family_or_usual
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.versions import DriverRelease

PACKAGE = re.compile(r"(?:nvidia|cuda-drivers|libnvidia)-?fabric-?manager(?:-\d{3})?")
DRIVER_PACKAGE = re.compile(
    r"(?:nvidia-driver|libnvidia-compute|nvidia-utils|cuda-drivers)(?:-\d{3})?(?:-server|-open)*"
)
SERVICE = "nvidia-fabricmanager"
GUIDE = ("fabric-manager-guide",)


@check("fabric-manager-not-running")
def not_running(scene: Scene) -> Iterator[Answer]:
    """CUDA waits for the fabric manager, or the service says that it does not run."""
    waits = scene.messages("cuda-802", "fabric-in-progress")
    stopped = scene.messages("fabric-manager-stopped", "fabric-manager-version")
    if not waits and not (stopped and scene.messages("fabric-manager-version")):
        return
    yield Finding(
        id="fabric-manager-not-running",
        severity="error",
        title="The fabric manager does not run, so CUDA cannot start on this NVSwitch machine",
        because="CUDA answers 802 (system not yet initialized) until `nvidia-fabricmanager` has set up the "
        "fabric that joins the GPUs; `nvidia-smi` lists them all the same.",
        evidence=tuple(map(of_message, (*waits[:2], *stopped[:2]))),
        remedies=tuple(_start(scene)),
        rests_on=scene.sources(GUIDE),
    )


@check("fabric-manager-version-mismatch")
def other_release(scene: Scene) -> Iterator[Answer]:
    """The fabric manager is of another release than the driver, and refuses to start."""
    releases = _releases(scene)
    if releases is None:
        return
    manager, driver, evidence = releases
    yield Finding(
        id="fabric-manager-version-mismatch",
        severity="error",
        title=f"The fabric manager is {manager} and the driver is {driver}",
        because="The fabric manager starts only beside a driver of exactly its own release: "
        f"{manager} refuses driver {driver}, and CUDA then answers 802.",
        evidence=evidence,
        remedies=tuple(install_manager(scene, driver)),
        rests_on=scene.sources(GUIDE),
    )


def _releases(scene: Scene) -> tuple[DriverRelease, DriverRelease, tuple[Evidence, ...]] | None:
    """The two releases that differ: by the service's own word, or by packages and driver."""
    for message in scene.messages("fabric-manager-version"):
        manager, driver = message.value("manager"), message.value("driver")
        if manager and driver:
            return DriverRelease(manager), DriverRelease(driver), (of_message(message),)
    managers = [
        (item, release)
        for item in scene.packages
        if PACKAGE.fullmatch(item.name) and (release := release_of(item))
    ]
    drivers = [
        release
        for item in scene.packages
        if DRIVER_PACKAGE.fullmatch(item.name) and (release := release_of(item))
    ]
    known = scene.driver or (drivers[0] if drivers else None)
    other = next(((item, release) for item, release in managers if known and release != known), None)
    if other is None or known is None:
        return None
    return other[1], known, (of_package(other[0]), *of_driver(scene))


def _start(scene: Scene) -> Iterator[Remedy]:
    scope = driver_scope(scene)
    commands = (f"sudo systemctl enable --now {SERVICE}", f"systemctl status {SERVICE}")
    text = (
        "Install the fabric manager of exactly the driver's release if it is missing, and start its service."
    )
    yield Remedy(text=text, commands=commands, scope=scope)


def install_manager(scene: Scene, driver: DriverRelease) -> Iterator[Remedy]:
    """The fabric manager of exactly that release, from where the driver comes."""
    name = f"{SERVICE}-{driver.major}" if driver.major < 580 else SERVICE
    text = f"Install the fabric manager {driver}, the driver's own release, and start it again."
    family = family_or_usual(scene)
    if family in (None, "arch"):
        yield Remedy(text=f"{text} It comes from where the driver came from.", scope=driver_scope(scene))
        return
    apt = family in ("ubuntu", "debian")
    tool = "zypper" if family == "suse" else "dnf"
    install = ["apt", "install", f"{name}={driver}*"] if apt else [tool, "install", f"{SERVICE}-{driver}"]
    show = line(scene, ["apt-cache", "madison", name]) if apt else ()
    commands = (*show, *line(scene, ["sudo", *install]), f"sudo systemctl restart {SERVICE}")
    yield Remedy(text=text, commands=commands, scope=driver_scope(scene))
