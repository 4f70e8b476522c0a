"""What is said while something is built."""

from __future__ import annotations

from dlsetup.model.record import Unknown
from dlsetup.model.resolution import Plan
from dlsetup.model.steps import Step, Tell
from dlsetup.show.lines import Line
from dlsetup.show.words import counted, size


def step_line(step: Step) -> Line:
    """The step that begins."""
    return Line(mark="·", text=step.text if isinstance(step, Tell) else step.why, style="note")


def weight_line(plan: Plan, packages: int | None, download: int | Unknown) -> Line:
    """What is to be fetched: exactly where a lock says it, else what is known of the frameworks."""
    if packages is not None:
        weight = "of unknown size" if isinstance(download, Unknown) else f"of {size(download)}"
        return Line(text=f"To fetch: {counted(packages, 'package')} {weight}, less what is cached.")
    known = [pick.size_bytes for pick in plan.picks if not isinstance(pick.size_bytes, Unknown)]
    least = f"at least {size(sum(known))}" if known else "of unknown size"
    return Line(text=f"To fetch: {counted(len(plan.picks), 'framework')}, {least}, and what they need.")
