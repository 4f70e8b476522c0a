"""A repair in words: what is wrong, what moves, what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from dlsetup.model.finding import Finding
from dlsetup.model.journal import CopyCost, Entry
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.repair import Change, FileChange, Mending, Offer, Repair
from dlsetup.model.resolution import Conflict
from dlsetup.model.steps import Procedure
from dlsetup.plan.kinds import Kind
from dlsetup.show.creation import outcome_lines
from dlsetup.show.doctor import MARKS
from dlsetup.show.lines import Line, command
from dlsetup.show.words import counted, flowing, size


class FixDocument(Record, frozen=True, kw_only=True):
    """What `fix` found, would do or did. `ok`: nothing is left that it was asked to mend."""

    schema: Literal["dlsetup.fix/1"] = "dlsetup.fix/1"
    ok: bool
    result: Literal["listed", "nothing-to-mend", "planned", "mended", "conflict", "refused", "taken-back"]
    environment: str
    findings: tuple[Finding, ...] = ()
    """The faults of the kinds that were asked for."""
    kinds: tuple[Offer, ...] | Unknown = UNKNOWN
    """Of a list: every kind that has findings, and what mending it would change."""
    by_hand: tuple[Finding, ...] = ()
    """Faults with what only a person can do about them."""
    repair: Repair | Unknown = UNKNOWN
    procedure: Procedure | Unknown = UNKNOWN
    """Of a dry run: the steps by hand."""
    script: str | Unknown = UNKNOWN
    """Of a dry run: the same as a shell script."""
    conflict: Conflict | Unknown = UNKNOWN
    refused: str | Unknown = UNKNOWN
    """Why this environment is left alone."""
    instead: str | Unknown = UNKNOWN
    """The command that makes a new environment with the same frameworks."""
    mending: Mending | Unknown = UNKNOWN
    change: Entry | Unknown = UNKNOWN
    """The entry of the journal, by whose id the repair is taken back."""
    notes: tuple[str, ...] = ()


def nothing_lines(environment: str, kinds: Sequence[Kind]) -> Iterator[Line]:
    """Nothing to mend here, of what was asked about."""
    one = f" of the kind `{kinds[0].name}`" if len(kinds) == 1 else ""
    yield Line(mark="✓", text=f"Nothing{one} to mend in {environment}.", style="good")


def fault_lines(findings: tuple[Finding, ...]) -> Iterator[Line]:
    """What is wrong, each in two lines."""
    for finding in findings:
        mark, style = MARKS[finding.severity]
        yield Line(mark=mark, text=f"{finding.title}  [{finding.id}]", style=style)
        yield Line(mark="because", text=flowing(finding.because), indent=2, style="faint")


def refusal_lines(reason: str, findings: tuple[Finding, ...]) -> Iterator[Line]:
    """Why an environment is left alone, and what to do by hand."""
    yield Line()
    yield Line(mark="✗", text=reason, style="bad")
    yield Line(text="Nothing was changed. By hand:", style="title")
    for finding in findings:
        for remedy in finding.remedies[:1]:
            yield Line(mark="hint:", text=remedy.text, indent=2, style="good")
            for text in remedy.commands:
                yield command(text, indent=8)


def repair_lines(repair: Repair) -> Iterator[Line]:
    """Every distribution that moves, before and after, and what has to be fetched."""
    yield Line()
    yield Line(text=f"To mend {repair.intent.environment}", style="title")
    for change in (*repair.packages, *repair.changes):
        yield Line(mark="·", text=change_text(change), indent=2, style="note")
        if change.because:
            yield Line(mark="because", text=change.because, indent=6, style="faint")
    for item in repair.files:
        yield Line(mark="·", text=file_text(item), indent=2, style="note")
        yield Line(mark="because", text=item.because, indent=6, style="faint")
    yield fetch_line(repair)
    for remark in repair.intent.plan.unknown:
        yield Line(mark="?", text=remark, indent=2, style="warning")


def fetch_line(repair: Repair, *, indent: int = 0) -> Line:
    """How many packages are fetched, and what they weigh."""
    fetched = [change for change in (*repair.packages, *repair.changes) if change.after]
    weight = repair.download_bytes if fetched else 0
    words = "of unknown size" if isinstance(weight, Unknown) else f"of {size(weight)}"
    text = f"To fetch: {counted(len(fetched), 'package')} {words}, less what is cached."
    return Line(text=text if fetched else "To fetch: nothing.", indent=indent)


def file_text(change: FileChange) -> str:
    """`write dlsetup/gpu-constraints.txt`."""
    return f"{'remove' if change.text is None else 'write'} {change.path}"


def cost_line(cost: CopyCost) -> Line:
    """What the copy takes that is worked on."""
    how = {"reflink": "as shared blocks", "hard-link": "as hard links", "copy": ""}[cost.means]
    shared = f", {size(cost.shared)} more cost nothing {how}" if cost.shared else ""
    return Line(text=f"To copy first: {size(cost.written)}{shared}; {size(cost.free)} are free there.")


def change_text(change: Change) -> str:
    """`torch 2.13.0 -> 2.14.1`."""
    name = change.distribution
    if change.after is None:
        return f"remove {name} {change.before}"
    if change.before is None:
        return f"install {name} {change.after}"
    if change.before == change.after:
        return f"write {name} {change.after} again"
    return f"{name} {change.before} -> {change.after}"


def mending_lines(mending: Mending) -> Iterator[Line]:
    """What each framework did in the copy, then whether the copy took the place of the environment."""
    where = mending.repair.intent.environment
    for outcome in mending.outcomes:
        yield from outcome_lines(outcome)
    yield Line()
    if not mending.clean:
        yield Line(mark="✗", text=f"{where} is as it was: the mended copy was thrown away.", style="bad")
        for complaint in mending.complaints:
            yield Line(mark="because", text=complaint, indent=2, style="faint")
        yield Line(mark="hint:", text="`dlsetup doctor -v` names the other ways.", style="good")
        return
    for note in mending.notes:
        yield Line(mark="·", text=note, style="note")
    yield Line(mark="✓", text=f"{where} is mended.", style="good")
    for finding in mending.after.findings:
        if finding.severity != "note":
            mark, style = MARKS[finding.severity]
            yield Line(mark=mark, text=f"left: {finding.title}  [{finding.id}]", indent=2, style=style)
