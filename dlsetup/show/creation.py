"""An environment that was built: what was proved, what came with it, how to use it."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.model.outcome import Creation, Outcome
from dlsetup.model.record import Unknown
from dlsetup.show.lines import Line, command
from dlsetup.show.words import counted, size


def creation_lines(creation: Creation) -> Iterator[Line]:
    """What was built and checked, and the command that activates it."""
    for outcome in creation.outcomes:
        yield from outcome_lines(outcome)
    for note in creation.notes:
        yield Line(mark="·", text=note, style="note")
    yield Line()
    yield Line(mark="✓", text=f"{creation.path} is ready{_contents(creation)}.", style="good")
    if creation.kernel is not None:
        yield Line(mark="✓", text=f"Jupyter finds it as the kernel in {creation.kernel}.", style="good")
    yield Line(mark="hint:", text="activate it with", style="good")
    yield command(creation.activate, indent=6)


def outcome_lines(outcome: Outcome) -> Iterator[Line]:
    """What one framework did when it was used."""
    known = "" if isinstance(outcome.version, Unknown) else f" {outcome.version}"
    parts = [f"{outcome.framework}{known}"]
    if not isinstance(outcome.device, Unknown):
        parts.append(f"computed on {outcome.device}")
    elif outcome.ok:
        parts.append("was imported")
    if not isinstance(outcome.devices, Unknown) and outcome.devices:
        parts.append(f"sees {', '.join(outcome.devices)}")
    if not isinstance(outcome.seconds, Unknown):
        parts.append(f"{outcome.seconds:.1f} s")
    mark = "✓" if outcome.ok else "✗"
    yield Line(mark=mark, text=", ".join(parts), style="good" if outcome.ok else "bad")
    if outcome.because:
        yield Line(mark="because", text=outcome.because, indent=2, style="faint")
    if outcome.hint:
        yield Line(mark="hint   ", text=outcome.hint, indent=2, style="good")


def _contents(creation: Creation) -> str:
    parts = [f"Python {creation.plan.python}"]
    if not isinstance(creation.packages, Unknown):
        parts.append(counted(creation.packages, "package"))
    if not isinstance(creation.download_bytes, Unknown):
        parts.append(size(creation.download_bytes))
    return f" ({', '.join(parts)})"
