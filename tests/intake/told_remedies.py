"""Reports read and judged whole, for tests of what they are advised to do."""

from __future__ import annotations

from functools import cache

from dlsetup.catalog.messages import knowledge
from dlsetup.commands.pasted import catalog_of_report, ways
from dlsetup.intake.report import Ways, report_of
from dlsetup.judge.registry import judge
from dlsetup.model.finding import Diagnosis


@cache
def known() -> Ways:
    return ways(knowledge())


def diagnosed(text: str) -> Diagnosis:
    machine = report_of([("report.txt", text.encode())], known()).machine
    return judge(machine, catalog_of_report(machine, knowledge(), ()))


def remedies(text: str, finding: str) -> str:
    """Words and commands of all remedies of one finding, one a line."""
    found = next(item for item in diagnosed(text).findings if item.id == finding)
    return "\n".join(line for item in found.remedies for line in (item.text, *item.commands))
