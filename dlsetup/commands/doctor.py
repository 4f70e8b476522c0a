"""`dlsetup doctor`: look (or read what was saved), hold it against the catalog, say what is wrong."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from dlsetup.act.saving import save
from dlsetup.catalog.load import Places, opened
from dlsetup.commands.examined import catalog_of_examined
from dlsetup.commands.question import folders, machine_of
from dlsetup.judge.registry import judge
from dlsetup.model.errors import UsageError
from dlsetup.model.finding import Diagnosis
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Gap, Machine
from dlsetup.model.record import Record
from dlsetup.show import json
from dlsetup.show.doctor import Saying, doctor_lines
from dlsetup.show.lines import write

if TYPE_CHECKING:
    from dlsetup.intake.report import Reading


class Request(Record, frozen=True, kw_only=True):
    """The words of `doctor`, as they were typed."""

    environment: str | None = None
    machine_file: str | None = None
    reports: tuple[str, ...] = ()
    """Files, folders or `-` that somebody pasted: read instead of looking."""
    save_as: str | None = None
    catalog: tuple[str, ...] = ()
    as_json: bool = False
    verbose: bool = False
    explain: bool = False


def run(request: Request) -> int:
    """Print the diagnosis. 1 where a finding is an error."""
    if request.save_as == "":
        raise UsageError("no file is named to save the machine in", hint="`--save-machine machine.json`")
    faults: list[str] = []
    places = opened(folders(request.catalog), faults=faults)
    if request.reports:
        reading, catalog = _pasted(request, places)
        machine, line = reading.machine, reading.line
    else:
        (machine, catalog), line = _looked(request, places), None
    diagnosis = _with_half_done(request, machine, _with_faults(judge(machine, catalog), faults))
    if request.save_as is not None:
        from dlsetup.commands.person import redacted

        save(Path(request.save_as), json.document(redacted(machine)) + "\n")
    if request.as_json:
        json.write(json.DoctorDocument.of(machine, diagnosis))
    else:
        named = {name for framework in catalog.frameworks for name in framework.distributions}
        mend = _mend(request, diagnosis)
        saying = Saying(verbose=request.verbose, mend=mend, line=line if request.explain else None)
        write(doctor_lines(machine, diagnosis, named, saying))
    return 0 if diagnosis.well else 1


def _looked(request: Request, places: Places) -> tuple[Machine, Catalog]:
    machine = machine_of(request.machine_file, request.environment, places)
    return machine, catalog_of_examined(machine, places)


def _pasted(request: Request, places: Places) -> tuple[Reading, Catalog]:
    """What a report tells of, with everything that is known of messages."""
    from dlsetup.commands.pasted import catalog_of_report, pasted

    if request.machine_file is not None or request.environment is not None:
        option = "--machine" if request.machine_file is not None else "--env"
        raise UsageError(f"both a report and `{option}` are given", hint=f"leave out `{option}` or `--from`")
    reading, known = pasted(request.reports, places)
    return reading, catalog_of_report(reading.machine, known, places)


def _with_faults(diagnosis: Diagnosis, faults: Iterable[str]) -> Diagnosis:
    """A file of the catalog that nobody can read hides what it knows, not what the rest knows."""
    command = "dlsetup catalog check"
    gaps = (Gap(fact="part of the catalog", reason=text, ask=command) for text in dict.fromkeys(faults))
    return replace(diagnosis, unknown=(*diagnosis.unknown, *gaps))


def _with_half_done(request: Request, machine: Machine, diagnosis: Diagnosis) -> Diagnosis:
    """A killed run may have left the environment for the next command to put right."""
    here = request.machine_file is None and not request.reports
    if not here or machine.environment is None:
        return diagnosis
    from dlsetup.commands.turns import half_done
    from dlsetup.probe.host import Host

    reason = half_done(Host.here(os.environ), machine.environment.path)
    ask = shlex.join(("dlsetup", "history", "--env", machine.environment.path))
    gap = (Gap(fact="the environment", reason=reason, ask=ask),) if reason else ()
    return replace(diagnosis, unknown=(*diagnosis.unknown, *gap))


def _mend(request: Request, diagnosis: Diagnosis) -> str:
    """The command that takes errors of the environment away; none for a machine that is not this one."""
    if request.machine_file is not None or request.reports or diagnosis.well:
        return ""
    from dlsetup.plan.kinds import EVERY, present

    kinds = present(diagnosis)
    name = kinds[0].name if len(kinds) == 1 else EVERY
    where = () if request.environment is None else ("--env", request.environment)
    return shlex.join(("dlsetup", "fix", name, *where)) if kinds else ""
