"""A plan or a conflict in words."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec.structs import replace

from dlsetup.model.framework import Index
from dlsetup.model.record import Unknown
from dlsetup.model.resolution import Conflict, Pick, Plan, Together, WayOut
from dlsetup.model.source import Source
from dlsetup.show.lines import Line, command
from dlsetup.show.words import listed, size


def plan_lines(plan: Plan, sources: Collection[Source] = (), *, explain: bool = False) -> Iterator[Line]:
    """The builds of a plan with their reasons. `explain` names the rows of the catalog they rest on."""
    names = listed([f"{pick.framework} {pick.version}" for pick in plan.picks])
    verb = "fits" if len(plan.picks) == 1 else "fit together on"
    where = plan.target.name if len(plan.picks) > 1 else f"on {plan.target.name}"
    yield Line(mark="✓", text=f"{names} {verb} {where}.", style="good")
    yield Line()
    origin = plan.interpreter or "brought by uv"
    cuda = f", CUDA {plan.cuda}" if plan.cuda else ""
    yield Line(text=f"Python {plan.python} ({origin}){cuda}", indent=2)
    widths = [max(len(word) for word in column) for column in zip(*map(_row, plan.picks), strict=True)]
    for pick in plan.picks:
        yield from _pick(pick, widths, plan.indexes)
        if explain:
            yield from (Line(mark="passed ", text=text, indent=4, style="faint") for text in pick.passed_over)
            yield from _rests_on(pick, sources)
    for reason in plan.because:
        yield Line(mark="because", text=reason, indent=2, style="faint")
    if plan.preference:
        yield Line(mark="order  ", text="; ".join(plan.preference), indent=2, style="faint")
    for remark in plan.unknown:
        yield Line(mark="?", text=remark, indent=2, style="warning")


def together_lines(
    together: Together, sources: Collection[Source] = (), *, explain: bool = False
) -> Iterator[Line]:
    """The plans of several targets; those that are the same once."""
    groups: dict[tuple[Pick, ...], list[Plan]] = {}
    for plan in together.plans:
        groups.setdefault(plan.picks, []).append(plan)
    for number, plans in enumerate(groups.values()):
        if number:
            yield Line()
        yield from plan_lines(_as_one(plans), sources, explain=explain)
    yield Line()
    for reason in together.because:
        yield Line(mark="because", text=reason, indent=2, style="faint")


def _as_one(plans: list[Plan]) -> Plan:
    """Plans with the same picks as one plan for all of their targets."""
    names = listed([plan.target.name for plan in plans])
    because = tuple(dict.fromkeys(text for plan in plans for text in plan.because))
    unknown = tuple(dict.fromkeys(text for plan in plans for text in plan.unknown))
    target = replace(plans[0].target, name=names)
    return replace(plans[0], target=target, because=because, unknown=unknown)


def _row(pick: Pick) -> tuple[str, str, str]:
    return pick.framework, str(pick.version), pick.variant


def _pick(pick: Pick, widths: list[int], indexes: Collection[Index]) -> Iterator[Line]:
    columns = "  ".join(word.ljust(width) for word, width in zip(_row(pick), widths, strict=True))
    weight = "" if isinstance(pick.size_bytes, Unknown) else f", {size(pick.size_bytes)}"
    yield Line(
        text=f"{columns}  from {index_words(pick.index, indexes)}{weight}",
        indent=2,
        style="title",
        wrap=False,
    )
    if pick.because:
        yield Line(mark="because", text=pick.because, indent=4, style="faint")
    if pick.compiled:
        text = "has no wheel: it is built from its source, which may take long"
        yield Line(mark="note", text=text, indent=4, style="warning")
    if pick.expects:
        text = f"needs on the machine: {', '.join(pick.expects)}"
        yield Line(mark="note", text=text, indent=4, style="warning")


def index_words(name: str, indexes: Collection[Index]) -> str:
    """An index as people know it: its address, or that it is the configured one."""
    url = next((item.url for item in indexes if item.name == name), None)
    return url or ("the configured index" if name == "default" else name)


def _rests_on(pick: Pick, sources: Collection[Source]) -> Iterator[Line]:
    for source in sources:
        if source.id in pick.sources:
            text = f"{source.what} (checked {source.checked}, certainty {source.certainty})"
            yield Line(mark="source ", text=text, indent=4, style="faint")


def conflict_lines(conflict: Conflict) -> Iterator[Line]:
    """The smallest reason why there is no plan, and the ways out, the cheapest first."""
    yield Line(mark="✗", text=f"Nothing fits {conflict.target.name}.", style="bad")
    for number, clause in enumerate(conflict.core):
        opening = "Because" if number == 0 else "and"
        ending = "." if number == len(conflict.core) - 1 else ","
        source = f" ({clause.source})" if clause.source else ""
        yield Line(mark="╰" if number == 0 else " ", text=f"{opening} {clause.text}{source}{ending}")
    for remark in conflict.remarks:
        yield Line(mark="!", text=remark, style="warning")
    if conflict.ways_out:
        yield Line()
        yield Line(text="Ways out, the cheapest first", style="title")
    for number, way in enumerate(conflict.ways_out, start=1):
        yield from _way_out(number, way)


def _way_out(number: int, way: WayOut) -> Iterator[Line]:
    yield Line(mark=f"{number}.", text=way.text, indent=2, style="good")
    for plan in way.plans:
        yield Line(text=f"gives {plan_in_brief(plan)}", indent=5, style="faint")
    if way.command:
        yield command(way.command, indent=5)


def plan_in_brief(plan: Plan) -> str:
    """`torch 2.14.1 (cu126) and jax 0.10.2 (cu12) on Python 3.12`."""
    picks = listed([f"{pick.framework} {pick.version} ({pick.variant})" for pick in plan.picks])
    return f"{picks} on Python {plan.python}"
