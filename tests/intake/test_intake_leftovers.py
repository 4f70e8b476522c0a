"""What pip says of entries that it has put aside, in a report."""

from __future__ import annotations

from dlsetup.catalog.messages import knowledge
from dlsetup.commands.pasted import catalog_of_report, ways
from dlsetup.intake.report import report_of
from dlsetup.judge.registry import judge
from dlsetup.model.finding import Finding

SITE = "/home/ada/env/lib/python3.11/site-packages"


def findings(text: str) -> tuple[Finding, ...]:
    machine = report_of([("run.log", text.encode())], ways(knowledge())).machine
    return judge(machine, catalog_of_report(machine, knowledge(), ())).findings


def test_every_entry_is_told_once() -> None:
    lines = (
        f"WARNING: Ignoring invalid distribution ~orch ({SITE})",
        "Ignoring invalid distribution -umpy (c:\\e)",
    )
    (told,) = findings("\n".join((*lines, *lines, "Successfully installed torch-2.5.1")))
    assert (told.id, told.severity) == ("installation-leftovers", "note")
    assert told.title.endswith("has left `~orch` and `~umpy`")
    assert SITE in told.remedies[0].text
    assert [item.source for item in told.evidence] == ["run.log:3", "run.log:4"]
    assert any("pip" in source for source in told.rests_on)


def test_other_distributions_that_pip_passes_over_are_no_leftovers() -> None:
    assert (
        findings(
            "WARNING: Ignoring invalid distribution names in the index\nSuccessfully installed torch-2.5.1"
        )
        == ()
    )
