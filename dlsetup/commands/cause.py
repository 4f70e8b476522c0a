"""What the doctor makes of the words that a program left on this machine."""

from __future__ import annotations

from dlsetup.catalog.load import Places
from dlsetup.catalog.messages import knowledge
from dlsetup.commands.pasted import catalog_of_report, ways
from dlsetup.intake.report import report_of
from dlsetup.judge.registry import judge
from dlsetup.model.finding import Finding
from dlsetup.model.machine import Machine
from dlsetup.show import json

NAME = "output"


def findings_of(machine: Machine, words: str, places: Places) -> tuple[Finding, ...]:
    """Findings that rest on the words, with what is known of the machine."""
    known = knowledge(places)
    texts = [
        ("machine.json", json.document(machine).encode("utf-8")),
        (NAME, words.encode("utf-8", "replace")),
    ]
    told = report_of(texts, ways(known)).machine
    diagnosis = judge(told, catalog_of_report(told, known, places))
    return tuple(
        item
        for item in diagnosis.findings
        if any(fact.source.startswith(f"{NAME}:") for fact in item.evidence)
    )
