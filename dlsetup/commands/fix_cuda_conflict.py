"""`dlsetup fix cuda-conflict`: look, judge, plan, ask, mend a copy, look again, put it into the place."""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dlsetup.act.interruption import interruptible
from dlsetup.act.journal import Journal
from dlsetup.act.keeping import forget_old, room
from dlsetup.act.mending import may_link, mend, unmet
from dlsetup.act.readiness import obstacle
from dlsetup.act.replacement import About, Replacement, replacement, weigh
from dlsetup.commands.repairs import Request, Seen, Work, bench_for, see, shown, worked_out
from dlsetup.commands.turns import amount, half_done, journal_of, own_turn, path_of
from dlsetup.model.record import Unknown
from dlsetup.model.repair import Intent, Mending
from dlsetup.model.resolution import Conflict
from dlsetup.model.steps import Run
from dlsetup.plan.expectation import expectations
from dlsetup.plan.indexes import parse_index
from dlsetup.plan.mending import mending_procedure, mending_steps
from dlsetup.plan.repair import intend, mendable
from dlsetup.plan.script import shell_script
from dlsetup.plan.second_look import broken_promises, complaints
from dlsetup.probe.host import Host
from dlsetup.show import json
from dlsetup.show.agreement import agreed, must_be_able_to_ask
from dlsetup.show.building import step_line
from dlsetup.show.history import kept_lines
from dlsetup.show.lines import Line, write
from dlsetup.show.repair import (
    FixDocument,
    change_text,
    cost_line,
    fault_lines,
    mending_lines,
    nothing_lines,
    refusal_lines,
    repair_lines,
)
from dlsetup.show.resolution import conflict_lines
from dlsetup.show.steps import procedure_lines
from dlsetup.verify.run import verify

DECLINED = 130
TAKEN_BACK = 3
UNMOVED = "No other choice of packages takes this away: all that is asked for is installed."
ROOM = 3
"""What is fetched takes up to so many times its size once it is unpacked."""


@dataclass(frozen=True)
class Task:
    request: Request
    host: Host
    journal: Journal
    seen: Seen
    notes: tuple[str, ...]

    @property
    def path(self) -> str:
        return self.seen.environment.path


def run(request: Request) -> int:
    """0: well now; 1: it cannot be mended here; 3: the mended copy was not well; 130: the user says no."""
    for index in request.indexes:
        parse_index(index)
    wait = amount(request.wait, "--wait")
    host = Host.here(os.environ)
    if request.dry_run:
        seen = see(host, request.environment, request.catalog)
        note = half_done(host, seen.environment.path)
        return _answer(Task(request, host, journal_of(host), seen, (note,) if note else ()))
    path = path_of(host, request.environment, request.catalog)
    with interruptible(), own_turn(host, path, wait) as (journal, notes):
        return _answer(Task(request, host, journal, see(host, path, request.catalog), notes))


def _answer(task: Task) -> int:
    request, seen = task.request, task.seen
    _say(task, *(Line(mark="·", text=note, style="note") for note in task.notes))
    intent = intend(seen.machine, seen.diagnosis, seen.catalog)
    if intent is None:
        return _nothing(task)
    _say(task, *fault_lines(mendable(seen.diagnosis)))
    if isinstance(intent, Conflict):
        return _conflict(task, intent)
    reason = obstacle(seen.environment, changing=not request.dry_run)
    if reason is not None:
        return _refuse(task, intent, reason)
    if not (request.yes or request.dry_run):
        must_be_able_to_ask(hint="`--yes` goes ahead without a question, `--dry-run` shows the steps.")
    with tempfile.TemporaryDirectory(prefix="dlsetup-") as folder:
        work = worked_out(seen, intent, request, task.host.environ, folder)
        if not work.repair.changes:
            return _refuse(task, intent, UNMOVED)
        return _show_steps(task, work) if request.dry_run else _mend(task, work, folder)


def _mend(task: Task, work: Work, folder: str) -> int:
    """Everything that changes the machine: the copy, and at its very end the environment."""
    repair = work.repair
    environ = task.host.environ
    links = may_link(work.means.uv, Path(task.path), environ)
    weight = 0 if isinstance(repair.download_bytes, Unknown) else repair.download_bytes
    cost = weigh(Path(task.path), links=links, room_bytes=weight * ROOM)
    _say(task, *repair_lines(repair), cost_line(cost))
    if not task.request.yes and not agreed(f"Mend {task.path}?"):
        _say(task, Line(text="Nothing was changed."))
        return DECLINED
    promised = unmet(work.means.uv, bench_for(task.seen, task.path, folder).python, environ)
    _say(task, Line(mark="·", text="copy the environment", style="note"))
    with replacement(Path(task.path), task.journal, _about(work), cost) as work_copy:
        bench = bench_for(task.seen, str(work_copy.copy), folder)
        for step in mend(
            mending_steps(repair, bench, work.means, alone=work.alone), environ, seen=_watched()
        ):
            if isinstance(step, Run):
                _say(task, step_line(step))
        mending = _second_look(task, work, work_copy, promised)
        if mending.clean:
            change = work_copy.accept()
        else:
            work_copy.drop("; ".join(mending.complaints))
            change = work_copy.entry
    _say(task, *mending_lines(mending))
    if mending.clean:
        forget_old(task.journal, change.environment)
        _say(task, *kept_lines(change, room(change)))
    result = "mended" if mending.clean else "taken-back"
    _tell(task, ok=mending.clean, result=result, mending=mending, change=change)
    return 0 if mending.clean else TAKEN_BACK


def _about(work: Work) -> About:
    """What the journal says of it."""
    intent = shown(work.repair).intent
    return About(
        what=", ".join(change_text(change) for change in work.repair.changes),
        mends=tuple(item.id for item in intent.mends),
        indexes=tuple(index.url for index in intent.plan.indexes if index.url),
    )


def _second_look(task: Task, work: Work, work_copy: Replacement, promised: frozenset[str]) -> Mending:
    """Looks, judges and verifies once more, in the copy."""
    _say(task, Line(mark="·", text="look again, import every framework, compute", style="note"))
    intent = work.repair.intent
    after = see(task.host, str(work_copy.copy), task.request.catalog)
    python = bench_for(task.seen, str(work_copy.copy), "").python
    gpu_here = task.seen.machine.gpus != ()
    outcomes = verify(task.host, python, expectations(intent.plan, task.seen.catalog), gpu_here=gpu_here)
    broken = unmet(work.means.uv, python, task.host.environ)
    in_the_way = obstacle(task.seen.environment)
    return Mending(
        repair=shown(work.repair),
        notes=_of_lock(work_copy.copy),
        after=after.diagnosis,
        outcomes=outcomes,
        complaints=(
            *complaints(intent.mends, task.seen.diagnosis, after.diagnosis, outcomes),
            *broken_promises(promised, broken, intent.twins),
            *((in_the_way,) if in_the_way else ()),
        ),
    )


def _of_lock(copy: Path) -> tuple[str, ...]:
    """A lock that `create env` left tells what was built then."""
    if not (copy / "dlsetup" / "pylock.toml").is_file():
        return ()
    return ("`dlsetup/pylock.toml` in it is the lock of what was built at first, not of what is there now.",)


def _show_steps(task: Task, work: Work) -> int:
    bench = bench_for(task.seen, task.path, "dlsetup-repair")
    procedure = mending_procedure(work.repair, bench, work.means, alone=work.alone)
    _say(task, *repair_lines(work.repair), Line(), *procedure_lines(procedure))
    script = shell_script(procedure)
    _tell(task, ok=True, result="planned", repair=shown(work.repair), procedure=procedure, script=script)
    return 0


def _nothing(task: Task) -> int:
    others = tuple(item for item in task.seen.diagnosis.findings if item.severity == "error")
    _say(task, *nothing_lines(task.path, others))
    _tell(task, ok=True, result="nothing-to-mend")
    return 0


def _conflict(task: Task, conflict: Conflict) -> int:
    _say(task, Line(), *conflict_lines(conflict))
    _tell(task, ok=False, result="conflict", conflict=conflict)
    return 1


def _refuse(task: Task, intent: Intent, reason: str) -> int:
    _say(task, *refusal_lines(reason, intent.mends))
    _tell(task, ok=False, result="refused", refused=reason)
    return 1


def _watched() -> bool:
    return sys.stderr.isatty()


def _say(task: Task, *lines: Line) -> None:
    """What happens meanwhile. With `--json` only a person who is asked gets to see it."""
    if not task.request.as_json:
        write(lines)
        sys.stdout.flush()
    elif not (task.request.yes or task.request.dry_run):
        write(lines, sys.stderr)


def _tell(task: Task, **words: Any) -> None:
    """The one document, for those who asked for it."""
    if task.request.as_json:
        findings = mendable(task.seen.diagnosis)
        json.write(FixDocument(environment=task.path, findings=findings, notes=task.notes, **words))
