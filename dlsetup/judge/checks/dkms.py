"""DKMS, which builds the NVIDIA module for each kernel."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.commands import line
from dlsetup.judge.evidence import of_message
from dlsetup.judge.host import driver_scope
from dlsetup.judge.linux_families import family_of
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.machine import Driver, Sighting
from dlsetup.model.record import Unknown

MODULE = "dkms module"


@check("dkms-headers-missing")
def not_built(scene: Scene) -> Iterator[Answer]:
    """DKMS has no module for the running kernel: its headers were not there when it was installed."""
    messages = scene.messages("dkms-no-headers")
    states = _elsewhere(scene) if _is_unloaded(scene) else []
    if not messages and not states:
        return
    kernel = scene.machine.system.kernel
    running = "the running kernel" if isinstance(kernel, Unknown) else f"the running kernel {kernel}"
    built = f" It is built for another one: {'; '.join(item.value for item in states)}." if states else ""
    yield Finding(
        id="dkms-headers-missing",
        severity="warning",
        title=f"DKMS has built no NVIDIA module for {running}",
        because=f"The headers of exactly that kernel are needed to build it.{built}",
        evidence=(
            *map(of_message, messages[:2]),
            *(Evidence(fact=item.fact, value=item.value, source=item.source) for item in states),
        ),
        remedies=(_build(scene),),
        rests_on=scene.sources(("dkms",)),
    )


def _elsewhere(scene: Scene) -> list[Sighting]:
    """What DKMS says of the module, if it is installed for no kernel that runs."""
    kernel = scene.machine.system.kernel
    states = [item for item in scene.machine.sightings if item.fact == MODULE]
    if isinstance(kernel, Unknown) or any(kernel in item.value.split() for item in states):
        return [item for item in states if isinstance(kernel, str) and item.value.endswith(f"{kernel} added")]
    return states


def _is_unloaded(scene: Scene) -> bool:
    driver = scene.machine.driver
    if not isinstance(driver, Driver):
        return driver is None
    return driver.module is None or driver.nvml_error == "DRIVER_NOT_LOADED"


def _build(scene: Scene) -> Remedy:
    text = "Install the headers of that kernel, let DKMS build the module, and load it."
    build = ("sudo dkms autoinstall", "sudo modprobe nvidia")
    return Remedy(text=text, commands=(*_headers(scene), *build), scope=driver_scope(scene))


def _headers(scene: Scene) -> tuple[str, ...]:
    """The headers of the running kernel, as each family calls them."""
    kernel = scene.machine.system.kernel
    family = family_of(scene)
    own = {"arch": "sudo pacman -S linux-headers", "suse": "sudo zypper install kernel-default-devel"}
    if family in own:
        return (own[family],)
    apt = family in ("ubuntu", "debian", None)
    tool, name = ("apt", "linux-headers-") if apt else ("dnf", "kernel-devel-")
    if isinstance(kernel, Unknown):
        return (f"sudo {tool} install {name}$(uname -r)",)
    return line(scene, ["sudo", tool, "install", f"{name}{kernel}"])
