"""Several verdicts as one."""

from __future__ import annotations

from collections.abc import Iterable

from dlsetup.model.verdict import Verdict


def yes(rule: str, because: str = "", *sources: str) -> Verdict:
    return Verdict(answer="yes", rule=rule, because=because, sources=sources)


def no(rule: str, because: str, *sources: str) -> Verdict:
    return Verdict(answer="no", rule=rule, because=because, sources=sources)


def unknown(rule: str, because: str, *sources: str) -> Verdict:
    return Verdict(answer="unknown", rule=rule, because=because, sources=sources)


def all_of(verdicts: Iterable[Verdict], *, rule: str) -> Verdict:
    """The first refusal; without one the first unknown; else yes with the sources of all."""
    unsure: Verdict | None = None
    sources: list[str] = []
    because = ""
    for verdict in verdicts:
        if verdict.refused:
            return verdict
        if not verdict.ok and unsure is None:
            unsure = verdict
        because = because or verdict.because
        sources += [source for source in verdict.sources if source not in sources]
    return unsure or yes(rule, because, *sources)


def agreed(verdicts: Iterable[Verdict], *, otherwise: Verdict) -> Verdict:
    """The common answer of all readings of an unknown fact; `otherwise` where they differ."""
    found = list(verdicts)
    same = found and all(verdict.answer == found[0].answer for verdict in found)
    return found[0] if same else otherwise
