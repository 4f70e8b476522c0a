"""`dlsetup create env --lock FILE` with an explicit lock of conda packages: nothing is solved."""

from __future__ import annotations

import shlex
import sys
from functools import partial

from msgspec.structs import replace

from dlsetup import __version__
from dlsetup.act.environment import uv_runner
from dlsetup.act.rattler import embedded, find_rattler, run_rattler
from dlsetup.act.rattler_build import RattlerBuild
from dlsetup.act.uv import find_uv
from dlsetup.act.workplace import place_to_show
from dlsetup.catalog.conda import conda_packages
from dlsetup.catalog.load import load, named, opened
from dlsetup.commands.builds import Request
from dlsetup.commands.check_lock import checked_conda
from dlsetup.commands.create_env import Task, carry_out_task, make_sure, show_steps, target_for
from dlsetup.commands.locked_task import check_kernel, locked_task
from dlsetup.commands.question import folders, target_here
from dlsetup.model.errors import ToolMissing
from dlsetup.model.locked import CondaLocked
from dlsetup.model.outcome import Passport
from dlsetup.model.resolution import Plan
from dlsetup.plan.conda_lock import plan_of
from dlsetup.plan.environment import Place
from dlsetup.plan.rattler import locked_job, locked_steps
from dlsetup.probe.host import Host
from dlsetup.show import json
from dlsetup.show.lines import write
from dlsetup.show.locked import check_lines


def run_conda_locked(
    request: Request, locked: CondaLocked, host: Host, place: Place, notes: tuple[str, ...]
) -> int:
    """Build it (0), or say why the lock does not serve here (1)."""
    if find_rattler() is None:
        raise _missing(request, place)
    request = replace(request, tool="rattler")
    left = make_sure(request, place)
    names = {item.name for item in locked.solution.packages}
    check_kernel(request, names)
    places = opened(folders(request.question.catalog))
    catalog = load(named({row.distribution for row in conda_packages() if row.name in names}, places), places)
    here = target_here()
    target = target_for(request, "rattler", here, host)
    document = checked_conda(locked, target, catalog)
    if not document.ok:
        if request.as_json:
            json.write(json.CreateDocument(ok=False, lock=document))
        else:
            write(check_lines(document))
        return 1
    plan = plan_of(locked, target, conda_packages(), f"`{request.lock}`")
    place = place_to_show(place) if request.dry_run else place
    task = locked_task(request, "rattler", place, host, catalog, target, here, (*notes, *left))
    build = _build(task, plan, locked)
    return show_steps(task, plan, build) if request.dry_run else carry_out_task(task, plan, build)


def _missing(request: Request, place: Place) -> ToolMissing:
    command = (
        f"micromamba create --prefix {shlex.quote(place.final)} --file {shlex.quote(request.lock or '')}"
    )
    return ToolMissing(
        "the embedded installer of conda packages is not here, and uv takes none of them.",
        hint=f"pip install 'dlsetup[conda]' brings it; `{command}` does the same, as do mamba and conda.",
    )


def _build(task: Task, plan: Plan, locked: CondaLocked) -> RattlerBuild:
    host, seen = task.host, sys.stderr.isatty()
    means = embedded(host.environ, find_uv(host.environ), offline=task.request.offline, seen=seen)
    job = locked_job(locked.solution, task.place, means)
    passport = Passport(dlsetup=__version__, tool="rattler", plan=plan, catalog_checked=task.catalog.checked)
    runners = (partial(run_rattler, environ=host.environ, seen=seen), uv_runner(host.environ, seen=seen))
    steps = locked_steps(job, task.place, means)
    return RattlerBuild(task.place, job, steps, passport, runners, (), locked.note)
