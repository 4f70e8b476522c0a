"""Traffic from GPU to GPU over PCI Express."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.evidence import of_message, of_observation, of_variable
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.machine import Sighting

IOMMU = "kernel setting"
SWITCH = "NCCL_P2P_DISABLE"


@check("p2p-blocked-by-acs")
def blocked(scene: Scene) -> Iterator[Answer]:
    """GPUs hang or err where they talk to each other directly, and the bus redirects that traffic."""
    translated = [item for item in scene.machine.sightings if item.fact == IOMMU and _translates(item)]
    acs = scene.messages("acs-redirects")
    redirected = bool(translated or acs)
    direct, cured = scene.messages("nccl-via-p2p"), scene.messages("p2p-off-helps")
    symptom = scene.messages("hangs", "p2p-data-wrong")
    if not (redirected and (direct or cured) and (symptom or cured)) and not (cured and (direct or symptom)):
        return
    told = (*acs[:1], *direct[:1], *cured[:1], *symptom[:1])
    settings = tuple(Evidence(fact=item.fact, value=item.value, source=item.source) for item in translated)
    links = scene.observed("nvidia-smi.topo")
    variable = (of_variable(scene, SWITCH),) if scene.machine.variable(SWITCH) == "1" else ()
    cause = f"here `{translated[0].value}` is set" if translated else "VT-d or AMD-Vi is on in the firmware"
    yield Finding(
        id="p2p-blocked-by-acs",
        severity="error",
        title="Direct traffic between the GPUs (P2P) is reported as usable and does not work",
        because="ACS and the IOMMU send peer-to-peer traffic through the root complex, where it is lost and "
        f"NCCL waits for ever: {cause}. No error is printed, and fewer GPUs on one switch may work.",
        evidence=(*map(of_message, told), *settings, *variable, *([of_observation(links)] if links else [])),
        remedies=tuple(ways_around()),
        rests_on=scene.sources(("nccl-acs",)),
    )


def _translates(item: Sighting) -> bool:
    """`iommu=pt` leaves the addresses of devices as they are."""
    return item.value.endswith("=on") or item.value.endswith("=force")


def ways_around() -> Iterator[Remedy]:
    """What keeps traffic between GPUs from being redirected, or does without it."""
    yield Remedy(
        text="Boot with `iommu=pt`, or switch VT-d (AMD-Vi, IOMMU) off in the firmware.",
        commands=("cat /proc/cmdline", "sudo lspci -vvv | grep ACSCtl"),
        scope="host",
    )
    yield Remedy(
        text="Without virtual machines, ACS may be switched off in the PCI bridges (`setpci`) at each boot.",
        scope="host",
    )
    yield Remedy(
        text="Until then, run without P2P: it works at a lower bandwidth.",
        commands=(f"export {SWITCH}=1",),
        scope="project",
    )
