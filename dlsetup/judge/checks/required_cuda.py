"""Images that state themselves which drivers they start with."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator

from dlsetup.judge.evidence import of_driver, of_variable
from dlsetup.judge.host import driver_that_knows
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.record import Unknown
from dlsetup.model.versions import CudaVersion, DriverRelease
from dlsetup.rules.driver import ceiling_of

NAME = "NVIDIA_REQUIRE_CUDA"
SWITCH = "NVIDIA_DISABLE_REQUIRE"
_CONDITION = re.compile(r"(cuda|driver)(>=|<=|<|>|=)(\d{1,3}(?:\.\d{1,3}){0,2})")
_SIGNS = {">=": operator.ge, "<=": operator.le, "<": operator.lt, ">": operator.gt, "=": operator.eq}


@check("container-cuda-requirement-unsatisfied", told=True)
def image_requires(scene: Scene) -> Iterator[Answer]:
    """What a recipe states in NVIDIA_REQUIRE_CUDA is more than the driver serves."""
    wanted, ceiling = scene.machine.variable(NAME), ceiling_of(scene.target, scene.catalog.hardware)
    built = any(item.kind in ("dockerfile", "compose", "pod") for item in scene.machine.report.containers)
    if not built or not isinstance(wanted, str) or isinstance(ceiling, Unknown):
        return
    off = scene.machine.variable(SWITCH)
    if (isinstance(off, str) and off) or any(
        _may_hold(item, ceiling, scene.driver) for item in wanted.split()
    ):
        return
    asked = re.search(r"cuda>=(\d{1,2}\.\d{1,2})", wanted)
    newer = driver_that_knows(scene, CudaVersion(asked[1])) if asked else None
    yield Finding(
        id="container-cuda-requirement-unsatisfied",
        severity="warning",
        title="The image asks for a newer driver than there is",
        because=f"It states `{wanted[:120]}`, and this driver knows CUDA up to {ceiling}: the container "
        "toolkit does not start it.",
        evidence=(of_variable(scene, NAME), *of_driver(scene)),
        remedies=(
            *((newer,) if newer else ()),
            Remedy(text="Or take an image that was built on an older CUDA.", scope="project"),
        ),
        rests_on=scene.sources(("container-toolkit-guide",)),
    )


def _may_hold(alternative: str, ceiling: CudaVersion, driver: DriverRelease | None) -> bool:
    """Whether all conditions of one alternative may be met; of a brand nobody here can tell."""
    for condition in alternative.split(","):
        found = _CONDITION.fullmatch(condition)
        if found is None:
            continue
        if found[1] == "cuda" and not _SIGNS[found[2]](ceiling, CudaVersion(found[3])):
            return False
        if found[1] == "driver" and driver and not _SIGNS[found[2]](driver, DriverRelease(found[3])):
            return False
    return True
