"""DKMS, which builds the NVIDIA module for each kernel."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.evidence import of_message
from dlsetup.judge.module_loading import build_module, built_elsewhere
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding
from dlsetup.model.machine import Driver
from dlsetup.model.record import Unknown


@check("dkms-headers-missing")
def not_built(scene: Scene) -> Iterator[Answer]:
    """DKMS has no module for the running kernel: its headers were not there when it was installed."""
    messages = scene.messages("dkms-no-headers")
    states = built_elsewhere(scene) if _is_unloaded(scene) else []
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
        remedies=(build_module(scene),),
        rests_on=scene.sources(("dkms",)),
    )


def _is_unloaded(scene: Scene) -> bool:
    driver = scene.machine.driver
    if not isinstance(driver, Driver):
        return driver is None
    return driver.module is None or driver.nvml_error == "DRIVER_NOT_LOADED"
