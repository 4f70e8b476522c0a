"""`lspci`: NVIDIA's graphics devices, by the names of the PCI database.

01:00.0 VGA compatible controller: NVIDIA Corporation TU106 [GeForce RTX 2060 SUPER] (rev a1)
65:00.0 3D controller [0302]: NVIDIA Corporation GA100 [A100 PCIe 40GB] [10de:20f1] (rev a1)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, Weight
from dlsetup.intake.page import Page
from dlsetup.intake.reading import reads
from dlsetup.model.machine import Gpu
from dlsetup.model.record import UNKNOWN

_DEVICE = re.compile(
    r"\b([0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (?:VGA compatible controller|3D controller|Display controller)"
    r"(?: \[\w{4}\])?: NVIDIA Corporation (?:Device |(\w{2,10}) )?(?:\[([A-Z][^\]]{1,60})\])?"
)


@reads("lspci", "NVIDIA Corporation")
def devices(page: Page) -> Iterator[Fact]:
    """Each device once; two cards of one name in `[A / B]` are nobody's name."""
    seen: set[str] = set()
    for line in page.lines:
        found = _DEVICE.search(line.text)
        if found and found[1] not in seen:
            seen.add(found[1])
            name = found[3] if found[3] and "/" not in found[3] else UNKNOWN
            gpu = Gpu(vendor="nvidia", name=name, pci=found[1], found_via=line.place)
            yield Fact("gpu", gpu, line.place, Weight.TOLD, "", f"lspci {page.file}")
