"""What nobody looked at, and a report in which nothing is known: neither is a sign of health."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from dlsetup.judge.recipes import left_out
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.machine import Gap, Machine, System
from dlsetup.model.report import Report

ASK = "python -m torch.utils.collect_env"


@check()
def images_left_out(scene: Scene) -> Iterator[Answer]:
    """More is written of images than anybody looks at."""
    image = left_out(scene)
    if image:
        reason = "the Dockerfiles ask for more than is looked at in one report"
        yield Gap(fact=f"the image on `{image[:80]}` and those after it", reason=reason)


@check()
def nothing_read(scene: Scene) -> Iterator[Answer]:
    """Neither a format nor a message of the report is known."""
    machine = scene.machine
    said = replace(machine.report, lines=0) != Report()
    known = replace(machine, system=System(), report=Report(), sightings=(), gaps=()) != Machine()
    if machine.partial and not said and not known:
        reason = "no format and no message in it is known: that no problem was found means little"
        yield Gap(fact="what the report says", reason=reason, ask=ASK)
