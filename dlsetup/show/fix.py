"""What can be mended here, kind by kind, and what only a person can do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dlsetup.model.finding import Finding
from dlsetup.model.record import Unknown
from dlsetup.model.repair import Offer
from dlsetup.show.doctor import MARKS, PLACES, finding_lines
from dlsetup.show.lines import Line, command
from dlsetup.show.repair import change_text, fetch_line, file_text


def offer_lines(environment: str, offers: Sequence[Offer]) -> Iterator[Line]:
    """Every kind with its findings, their evidence, and what mending would change."""
    if not offers:
        yield Line(mark="✓", text=f"Nothing to mend in {environment}.", style="good")
        return
    yield Line(text=f"What can be mended in {environment}", style="title")
    for offer in offers:
        yield Line()
        yield from _offer(offer)
    able = [offer for offer in offers if not offer.against]
    if len(able) > 1:
        yield Line()
        yield Line(mark="hint:", text="`dlsetup fix all` mends them together, in one change.", style="good")


def _offer(offer: Offer) -> Iterator[Line]:
    yield Line(text=f"dlsetup fix {offer.name}: {offer.title}", style="command", wrap=False)
    for finding in offer.findings:
        bare = Finding(
            id=finding.id,
            severity=finding.severity,
            title=finding.title,
            because=finding.because,
            evidence=finding.evidence,
        )
        for line in finding_lines(bare):
            yield Line(
                text=line.text, mark=line.mark, indent=line.indent + 2, style=line.style, wrap=line.wrap
            )
    if not isinstance(offer.repair, Unknown):
        for change in offer.repair.changes:
            yield Line(mark="·", text=change_text(change), indent=4, style="note")
        for item in offer.repair.files:
            yield Line(mark="·", text=file_text(item), indent=4, style="note")
        if offer.repair.changes:
            yield fetch_line(offer.repair, indent=4)
    if offer.against:
        yield Line(mark="✗", text=offer.against, indent=2, style="bad")


def hand_lines(findings: Sequence[Finding]) -> Iterator[Line]:
    """Steps that dlsetup never does by itself."""
    if not findings:
        return
    yield Line()
    yield Line(text="Only you can do this; dlsetup never does it by itself", style="title")
    for finding in findings:
        mark, style = MARKS[finding.severity]
        yield Line(mark=mark, text=f"{finding.title}  [{finding.id}]", indent=2, style=style)
        for number, remedy in enumerate(finding.remedies, start=1):
            text = f"{remedy.text}{PLACES[remedy.scope]}"
            yield Line(mark=f"{number}.", text=text, indent=4)
            yield from (command(item, indent=7) for item in remedy.commands)


def anew_lines(words: str) -> Iterator[Line]:
    """Another environment, where this one cannot be mended; `words`: the command, empty for none."""
    if words:
        yield Line(mark="hint:", text="a new environment with the same frameworks:", style="good")
        yield command(words, indent=6)
