"""`dlsetup fix [NAME]`: look, judge, and list what can be mended; or mend a copy, which takes the place."""

from __future__ import annotations

import os
import tempfile

from dlsetup.act.interruption import interruptible
from dlsetup.act.readiness import obstacle
from dlsetup.act.uv import NoSolution
from dlsetup.commands.fix_task import Task
from dlsetup.commands.mending import mended
from dlsetup.commands.offers import offers
from dlsetup.commands.repairs import Request, Work, bench_for, see, shown, worked_out
from dlsetup.commands.turns import amount, half_done, journal_of, own_turn, path_of
from dlsetup.model.errors import UsageError
from dlsetup.model.repair import Intent
from dlsetup.model.resolution import Conflict
from dlsetup.plan.indexes import parse_index
from dlsetup.plan.kinds import EVERY, KINDS, Kind, by_hand, mendable, named
from dlsetup.plan.mending import mending_procedure
from dlsetup.plan.repair import intend
from dlsetup.plan.script import shell_script
from dlsetup.probe.host import Host
from dlsetup.show.agreement import must_be_able_to_ask
from dlsetup.show.fix import anew_lines, hand_lines, offer_lines
from dlsetup.show.lines import Line
from dlsetup.show.repair import fault_lines, nothing_lines, refusal_lines, repair_lines
from dlsetup.show.resolution import conflict_lines
from dlsetup.show.steps import procedure_lines

UNMOVED = "Nothing that could be changed in this environment takes this away."


def run(request: Request) -> int:
    """0: well now, or nothing is to be mended; 1: something is, or it cannot be; 3: the mended copy was not
    well; 130: the user says no."""
    for index in request.indexes:
        parse_index(index)
    kinds = _kinds(request)
    wait = amount(request.wait, "--wait")
    host = Host.here(os.environ)
    if request.dry_run or request.name is None:
        seen = see(host, request.environment, request.catalog)
        note = half_done(host, seen.environment.path)
        task = Task(request, host, journal_of(host), seen, (note,) if note else (), kinds)
        return _list(task) if request.name is None else _answer(task)
    path = path_of(host, request.environment, request.catalog)
    with interruptible(), own_turn(host, path, wait) as (journal, notes):
        return _answer(Task(request, host, journal, see(host, path, request.catalog), notes, kinds))


def _kinds(request: Request) -> tuple[Kind, ...]:
    """Raises `UsageError`."""
    found = KINDS if request.name is None else named(request.name)
    if not found:
        names = ", ".join(f"`{kind.name}`" for kind in KINDS)
        raise UsageError(
            f"there is no kind of fault called `{request.name}`.",
            hint=f"{names}; `{EVERY}` means all of them.",
        )
    return found


def _list(task: Task) -> int:
    """What can be mended here, what that would change, and what only a person can do."""
    task.say(*(Line(mark="·", text=note, style="note") for note in task.notes))
    found, steps = offers(task), by_hand(task.seen.diagnosis)
    task.say(*offer_lines(task.path, found), *hand_lines(steps))
    if any(item.against for item in found):
        task.say(*anew_lines(task.anew))
    ok = not found and not any(item.severity == "error" for item in steps)
    task.tell(ok=ok, result="listed", kinds=found)
    return 0 if ok else 1


def _answer(task: Task) -> int:
    request, seen = task.request, task.seen
    task.say(*(Line(mark="·", text=note, style="note") for note in task.notes))
    intent = intend(seen.machine, seen.diagnosis, seen.catalog, task.kinds)
    if intent is None:
        return _nothing(task)
    task.say(*fault_lines(mendable(seen.diagnosis, task.kinds)))
    if isinstance(intent, Conflict):
        return _conflict(task, intent)
    reason = obstacle(seen.environment, changing=not request.dry_run)
    if reason is not None:
        return _refuse(task, intent, reason)
    if not (request.yes or request.dry_run):
        must_be_able_to_ask(hint="`--yes` goes ahead without a question, `--dry-run` shows the steps.")
    with tempfile.TemporaryDirectory(prefix="dlsetup-") as folder:
        try:
            work = worked_out(seen, intent, request, task.host, folder)
        except NoSolution as error:
            return _refuse(task, intent, error.message, anew=task.anew)
        if not work.repair.moves:
            return _refuse(task, intent, UNMOVED, anew=task.anew)
        return _show_steps(task, work) if request.dry_run else mended(task, work, folder)


def _show_steps(task: Task, work: Work) -> int:
    bench = bench_for(task.seen, task.path, "dlsetup-repair")
    procedure = mending_procedure(work.repair, bench, work.means, alone=work.alone)
    task.say(*repair_lines(work.repair), Line(), *procedure_lines(procedure))
    script = shell_script(procedure)
    task.tell(ok=True, result="planned", repair=shown(work.repair), procedure=procedure, script=script)
    return 0


def _nothing(task: Task) -> int:
    steps = by_hand(task.seen.diagnosis)
    task.say(*nothing_lines(task.path, task.kinds), *hand_lines(steps))
    task.tell(ok=True, result="nothing-to-mend")
    return 0


def _conflict(task: Task, conflict: Conflict) -> int:
    task.say(Line(), *conflict_lines(conflict), *anew_lines(task.anew))
    task.tell(ok=False, result="conflict", conflict=conflict, instead=task.anew)
    return 1


def _refuse(task: Task, intent: Intent, reason: str, *, anew: str = "") -> int:
    task.say(*refusal_lines(reason, intent.mends), *anew_lines(anew))
    task.tell(ok=False, result="refused", refused=reason, instead=anew)
    return 1
