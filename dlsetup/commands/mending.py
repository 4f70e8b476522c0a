"""Everything of `fix` that changes the machine: the copy, and at its very end the environment."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from dlsetup.act.in_place import InPlace, in_place
from dlsetup.act.keeping import forget_old, room
from dlsetup.act.mending import may_link, mend, mend_in_place, unmet
from dlsetup.act.readiness import obstacle
from dlsetup.act.replacement import About, Replacement, replacement, weigh
from dlsetup.commands.fix_task import Task
from dlsetup.commands.repairs import Work, bench_for, see, shown
from dlsetup.model.journal import CopyCost, Entry
from dlsetup.model.outcome import Expected
from dlsetup.model.record import Unknown
from dlsetup.model.repair import Intent, Mending
from dlsetup.model.steps import Run, Step
from dlsetup.plan.activation import NAME, trimmed
from dlsetup.plan.beside import trims_of
from dlsetup.plan.expectation import expectations, expectations_again
from dlsetup.plan.mending import Bench, mending_steps
from dlsetup.plan.second_look import broken_promises, complaints, other_moves
from dlsetup.probe.conda_records import conda_records
from dlsetup.probe.host import Host
from dlsetup.show.agreement import DECLINED, agreed
from dlsetup.show.building import step_line
from dlsetup.show.history import kept_lines
from dlsetup.show.lines import Line
from dlsetup.show.repair import change_text, cost_line, file_text, mending_lines, repair_lines
from dlsetup.verify.run import verify

TAKEN_BACK = 3
ROOM = 3
"""What is fetched takes up to so many times its size once it is unpacked."""


def mended(task: Task, work: Work, folder: str) -> int:
    """Asks, mends, looks again, tells. `folder`: for what uv is told."""
    cost = _cost(task, work)
    task.say(*repair_lines(work.repair), cost_line(cost))
    if not task.request.yes and not agreed(f"Mend {task.path}?"):
        task.say(Line(text="Nothing was changed."))
        return DECLINED
    mending, change = _mend(task, work, folder, cost)
    task.say(*mending_lines(mending))
    if mending.clean:
        forget_old(task.journal, change.environment)
        task.say(*kept_lines(change, room(change)))
    result = "mended" if mending.clean else "taken-back"
    task.tell(ok=mending.clean, result=result, mending=mending, change=change)
    return 0 if mending.clean else TAKEN_BACK


def _cost(task: Task, work: Work) -> CopyCost:
    """What the copy takes. Raises `StepFailed` where there is too little room."""
    links = may_link(work.means.uv, Path(task.path), task.host.environ)
    weight = work.repair.download_bytes
    return weigh(Path(task.path), links=links, room_bytes=0 if isinstance(weight, Unknown) else weight * ROOM)


def _mend(task: Task, work: Work, folder: str, cost: CopyCost) -> tuple[Mending, Entry]:
    """The copy is mended, looked at, and accepted or dropped."""
    environ = task.host.environ
    promised = unmet(work.means.uv, bench_for(task.seen, task.path, folder).python, environ)
    task.say(Line(mark="·", text="copy the environment", style="note"))
    opened = in_place if task.seen.environment.kind == "conda" else replacement
    with opened(Path(task.path), task.journal, _about(work), cost) as work_copy:
        bench = bench_for(task.seen, str(work_copy.copy), folder)
        for step in _carried_out(work, bench, environ):
            if isinstance(step, Run):
                task.say(step_line(step))
        mending = _second_look(task, work, work_copy, promised)
        if mending.clean:
            return mending, work_copy.accept()
        work_copy.drop("; ".join(mending.complaints))
        return mending, work_copy.entry


def _carried_out(work: Work, bench: Bench, environ: Mapping[str, str]) -> Iterator[Step]:
    """Yields each step, then does it."""
    steps = mending_steps(work.repair, bench, work.means, alone=work.alone)
    seen = sys.stderr.isatty()
    if not bench.conda:
        return mend(steps, environ, seen=seen)
    conda = work.repair.conda
    return mend_in_place(steps, environ, conda.tool if conda else None, seen=seen)


def _about(work: Work) -> About:
    """What the journal says of it."""
    repair = shown(work.repair)
    texts = (*map(change_text, (*repair.packages, *repair.changes)), *map(file_text, repair.files))
    return About(
        what=", ".join(texts),
        mends=tuple(item.id for item in repair.intent.mends),
        indexes=tuple(index.url for index in repair.intent.plan.indexes if index.url),
    )


def _second_look(
    task: Task, work: Work, work_copy: Replacement | InPlace, promised: frozenset[str]
) -> Mending:
    """Looks, judges and verifies once more, in the copy, as a shell finds it that has activated it."""
    task.say(Line(mark="·", text="look again, import every framework, compute", style="note"))
    intent = work.repair.intent
    host = _as_activated(task.host, work)
    after = see(host, str(work_copy.copy), task.request.catalog)
    python = bench_for(task.seen, str(work_copy.copy), "").python
    gpu_here = task.seen.machine.gpus != ()
    outcomes = verify(host, python, _expected(task, intent), gpu_here=gpu_here)
    broken = unmet(work.means.uv, python, task.host.environ)
    in_the_way = obstacle(task.seen.environment)
    return Mending(
        repair=shown(work.repair),
        notes=(*work.repair.notes, *_of_lock(work_copy.copy)),
        after=after.diagnosis,
        outcomes=outcomes,
        complaints=(
            *complaints(intent.mends, task.seen.diagnosis, after.diagnosis, outcomes),
            *broken_promises(promised, broken, intent.twins),
            *other_moves(work.records, conda_records(host, task.path), work.repair.packages),
            *((in_the_way,) if in_the_way else ()),
        ),
    )


def _expected(task: Task, intent: Intent) -> tuple[Expected, ...]:
    seen = task.seen
    if not intent.plan.picks:
        return expectations_again(seen.environment, intent.again, seen.catalog)
    return expectations(intent.plan, seen.catalog)


def _as_activated(host: Host, work: Work) -> Host:
    """The host with the variable that the mended environment leaves to a shell."""
    folders = trims_of(work.repair.files)
    if not folders or NAME not in host.environ:
        return host
    value = trimmed(host.environ[NAME], folders)
    rest = {name: text for name, text in host.environ.items() if name != NAME}
    return Host.here({**rest, NAME: value} if value else rest)


def _of_lock(copy: Path) -> tuple[str, ...]:
    """A lock that `create env` left tells what was built then."""
    if not (copy / "dlsetup" / "pylock.toml").is_file():
        return ()
    return ("`dlsetup/pylock.toml` in it is the lock of what was built at first, not of what is there now.",)
