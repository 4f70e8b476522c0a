"""`dlsetup report`: this machine as something to paste, which says nothing of people."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from dlsetup.act.saving import save
from dlsetup.catalog.folders import Folders
from dlsetup.catalog.load import opened
from dlsetup.catalog.messages import knowledge
from dlsetup.commands.examined import catalog_of_examined
from dlsetup.commands.pasted import catalog_of_report, ways
from dlsetup.commands.person import redacted, redacted_text
from dlsetup.commands.question import folders, machine_of
from dlsetup.intake.page import decoded
from dlsetup.intake.report import report_of
from dlsetup.intake.texts import text_of
from dlsetup.judge.registry import judge
from dlsetup.model.errors import UsageError
from dlsetup.model.finding import Diagnosis
from dlsetup.model.machine import Machine
from dlsetup.model.record import Record
from dlsetup.show import json
from dlsetup.show.lines import Line, speakable, write
from dlsetup.show.report import markdown

LOG_LINES = 400
"""Lines of a log's end that are put in."""


class Request(Record, frozen=True, kw_only=True):
    """The words of `report`, as they were typed."""

    environment: str | None = None
    output: str = "dlsetup-report"
    logs: tuple[str, ...] = ()
    catalog: tuple[str, ...] = ()


def run(request: Request) -> int:
    """Write the report, or print its Markdown. 0 whatever is wrong with the machine."""
    if not request.output:
        raise UsageError("no folder is named to write in", hint="`--output FOLDER`, or `-`")
    logs = tuple(_logs(request.logs))
    places = opened(folders(request.catalog))
    machine = redacted(machine_of(None, request.environment, places))
    document = json.document(machine)
    text = markdown(machine, _diagnosis(machine, document, logs, places), document, logs)
    if request.output == "-":
        sys.stdout.write(speakable(text, sys.stdout.encoding))
        return 0
    folder = Path(request.output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise UsageError(
            f"`{folder}` cannot be made: {exc.strerror}", hint="name a folder with `--output`"
        ) from exc
    for name, content in (("report.md", text), ("machine.json", document + "\n")):
        save(folder / name, content)
    write([Line(mark="✓", text=f"report.md and machine.json are in `{folder}`", style="good")])
    return 0


def _diagnosis(
    machine: Machine, document: str, logs: Sequence[tuple[str, str]], places: Folders
) -> Diagnosis:
    """What the report says is what whoever reads it back gets to see: its logs are read as well."""
    if not logs:
        return judge(machine, catalog_of_examined(machine, places))
    known = knowledge(places)
    texts = [(name, text.encode("utf-8", "replace")) for name, text in (("machine.json", document), *logs)]
    told = report_of(texts, ways(known)).machine
    return judge(told, catalog_of_report(told, known, places))


def _logs(paths: Iterable[str]) -> Iterable[tuple[str, str]]:
    """The end of each log, redacted."""
    for name in paths:
        lines = decoded(text_of(Path(name)).data).splitlines()[-LOG_LINES:]
        yield Path(name).name, redacted_text("\n".join(lines))
