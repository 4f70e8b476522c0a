"""What was measured and what is advised, as words and as a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from dlsetup.model.machine import Environment
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.tuning import Advice, Measure, Measured, Settings, Standing, Variant
from dlsetup.show.environment import python_of, with_python
from dlsetup.show.lines import Line, Style, command
from dlsetup.show.words import counted, listed, size

MARKS: dict[Standing, tuple[str, Style]] = {
    "change": ("✓", "good"),
    "keep": ("·", "note"),
    "open": ("?", "warning"),
}
ROOM = 14
"""Signs for the name of a setting."""


class TuneDocument(Record, frozen=True, kw_only=True):
    """`ok`: no measurement has failed."""

    schema: Literal["dlsetup.tune/1"] = "dlsetup.tune/1"
    ok: bool
    environment: str
    python: str | Unknown = UNKNOWN
    framework: str
    measured: tuple[Measured, ...] = ()
    """In the order in which it was done."""
    advice: tuple[Advice, ...] = ()
    settings: Settings | None = None
    """All together, as the script has them."""
    script: str | None = None
    planned: tuple[Measure, ...] = ()
    """With `--dry-run`: what would be measured."""

    @classmethod
    def of(
        cls,
        environment: Environment,
        framework: str,
        measured: tuple[Measured, ...],
        advice: tuple[Advice, ...],
        settings: Settings,
        script: str | None,
    ) -> TuneDocument:
        return cls(
            ok=all(item.verdict != "no" for item in measured),
            environment=environment.path,
            python=python_of(environment),
            framework=framework,
            measured=measured,
            advice=advice,
            settings=settings,
            script=script,
        )

    @classmethod
    def planned_of(
        cls, environment: Environment, framework: str, planned: tuple[Measure, ...]
    ) -> TuneDocument:
        """Before anything was measured."""
        return cls(
            ok=True,
            environment=environment.path,
            python=python_of(environment),
            framework=framework,
            planned=planned,
        )


def subject_lines(
    environment: Environment, framework: str, chosen: Sequence[Measure], seconds: float
) -> Iterator[Line]:
    """What is measured, before anything is."""
    text = f"{framework} in {with_python(environment)}: {counted(len(chosen), 'measurement')}"
    yield Line(text=f"{text} in about {seconds:.0f} s", style="title")


def planned_lines(chosen: Sequence[Measure], seconds: Mapping[str, float]) -> Iterator[Line]:
    """Each measurement with its share of the time."""
    for item in chosen:
        yield Line(text=f"{item.name:{ROOM}} {seconds[item.id]:4.0f} s  {item.title}", wrap=False)


def advice_lines(document: TuneDocument, *, verbose: bool = False) -> Iterator[Line]:
    """What to change, what to leave, what is open; then what failed, and with `verbose` all numbers."""
    devices = dict.fromkeys(item.numbers.device for item in document.measured if item.name != "workers")
    told = [name for name in devices if name]
    if told:
        yield Line(mark="·", text=f"measured on {listed(told)}", style="note")
    for item in document.advice:
        yield from _advice(item, verbose)
    for measured in document.measured:
        yield from _without_numbers(measured, verbose)
    if verbose:
        for measured in document.measured:
            yield from _numbers(measured)


def _advice(item: Advice, verbose: bool) -> Iterator[Line]:
    mark, style = MARKS[item.standing]
    gain = "" if isinstance(item.gain, Unknown) or item.standing != "change" else f", {item.gain:.2f} times"
    value = item.value or "it cannot be told"
    yield Line(mark=f"{mark} {item.setting:{ROOM}}", text=f"{value}{gain}", style=style)
    yield Line(mark="because", text=item.because, indent=2, style="faint")
    for line in item.how:
        yield command(line)
    if verbose:
        for source in item.sources:
            yield Line(mark="source ", text=source, indent=2, style="faint")


def _without_numbers(measured: Measured, verbose: bool) -> Iterator[Line]:
    if measured.verdict == "no":
        yield Line(mark=f"✗ {measured.name:{ROOM}}", text=measured.title, style="bad")
        yield Line(mark="because", text=measured.because, indent=2, style="faint")
    elif measured.verdict == "unknown":
        if verbose:
            yield Line(mark=f"· {measured.name:{ROOM}}", text=measured.because, style="note")
    elif measured.because:
        text = f"{measured.name}: ended before its time; what it knew by then counts: {measured.because}"
        yield Line(mark="·", text=text, style="note")


def _numbers(measured: Measured) -> Iterator[Line]:
    if not measured.numbers.variants:
        return
    yield Line()
    yield Line(text=f"{measured.name}: {measured.title}", style="title")
    for item in measured.numbers.variants:
        yield Line(text=f"  {item.name:24} {_rates(item)}", wrap=False)


def _rates(item: Variant) -> str:
    held = f"  {size(item.bytes)}" if item.bytes else ""
    return f"{' '.join(f'{rate:.4g}' for rate in item.rates)} samples/s{held}"


def sum_lines(document: TuneDocument, script: str | None) -> Iterator[Line]:
    """What it comes to."""
    changes = [item.setting for item in document.advice if item.standing == "change"]
    failed = [item.name for item in document.measured if item.verdict == "no"]
    yield Line()
    if failed:
        yield Line(mark="✗", text=f"{listed(failed)} could not be measured.", style="bad")
    else:
        said = f"{listed(changes)} to set; the rest as it is." if changes else "Everything as it is."
        yield Line(mark="✓", text=said, style="good")
    if script:
        yield Line(mark="·", text=f"`{script}` is a training with these settings.", style="note")
    elif changes:
        text = "`--script train.py` writes a training with these settings."
        yield Line(mark="hint:", text=text, style="good")
