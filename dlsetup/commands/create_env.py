"""`dlsetup create env`: choose, show, lock, ask, install beside the place, prove, put into place."""

from __future__ import annotations

import os
from dataclasses import dataclass

from msgspec.structs import replace

from dlsetup.act.environment import Build
from dlsetup.act.interruption import interruptible
from dlsetup.act.rattler import CondaRefusal
from dlsetup.act.settling import settle
from dlsetup.act.uv import PythonUnavailable, fetchable_pythons, find_uv, published_pythons
from dlsetup.act.workplace import check_free, place_for, place_to_show, remove_leftovers, workplace
from dlsetup.commands.asked import asked
from dlsetup.commands.builds import BY_CONDA, Request, build_for, shown_plan, tool_of
from dlsetup.commands.kernels import and_kernel, check_kernel, check_kernel_had, kernel_of, with_kernel
from dlsetup.commands.locking import ROUNDS
from dlsetup.commands.proof import must_work
from dlsetup.commands.question import target_here, target_of
from dlsetup.commands.turns import amount, own_turn
from dlsetup.model.framework import Catalog
from dlsetup.model.listing import Reading
from dlsetup.model.outcome import Creation, Outcome, Tool
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.wish import Wish
from dlsetup.plan.building_target import building_target, check_buildable, only_present
from dlsetup.plan.environment import Place
from dlsetup.plan.expectation import expectations
from dlsetup.plan.indexes import parse_index
from dlsetup.plan.lock import Lock
from dlsetup.plan.script import shell_script
from dlsetup.probe.host import Host
from dlsetup.resolve import resolve
from dlsetup.show import json
from dlsetup.show.agreement import DECLINED, agreed, meanwhile, must_be_able_to_ask
from dlsetup.show.building import file_lines, step_line, weight_line
from dlsetup.show.creation import creation_lines, outcome_lines
from dlsetup.show.lines import Line, write
from dlsetup.show.reading import reading_lines
from dlsetup.show.resolution import conflict_lines, plan_lines
from dlsetup.show.steps import procedure_lines
from dlsetup.verify.run import verify


@dataclass(frozen=True)
class Task:
    """A request, and all that is known before the first step."""

    request: Request
    tool: Tool
    place: Place
    host: Host
    wish: Wish
    catalog: Catalog
    target: Target
    gpu_here: bool
    readings: tuple[Reading, ...] = ()
    notes: tuple[str, ...] = ()


def run(request: Request) -> int:
    """Build it (0), say what stands against it (1), or do nothing because the user says no (130)."""
    host = Host.here(os.environ)
    tool_of(request)
    check_kernel(request, host)
    for index in request.indexes:
        parse_index(index)
    place, wait = place_for(request.name, host.folder), amount(request.wait, "--wait")
    if request.dry_run:
        return _run(request, host, place)
    with interruptible(), own_turn(host, place.final, wait) as (_, notes):
        return _run(request, host, place, notes)


def _run(request: Request, host: Host, place: Place, notes: tuple[str, ...] = ()) -> int:
    if request.lock is not None or request.bundle is not None:
        from dlsetup.commands.create_locked import run_locked

        return run_locked(request, host, place, notes)
    task = _task(request, host, place, notes)
    try:
        return _planned(task, task.target)
    except PythonUnavailable as error:
        present = only_present(task.target)
        if present == task.target:
            raise
        again = "Once more, with the Pythons of this machine alone."
        _say(task, Line(mark="!", text=error.message, style="warning"), Line(text=again, indent=2))
        return _planned(task, present)


def _planned(task: Task, target: Target) -> int:
    """Plan and build; where conda-forge refuses a plan, once more with what that teaches."""
    catalog = task.catalog
    for _ in range(ROUNDS):
        answer = resolve(task.wish, target, catalog)
        try:
            return _answer(task, answer)
        except CondaRefusal as error:
            from dlsetup.commands.conda_builds import learned_of

            check_kernel_had(task.request, error.refusal)
            last = error
            catalog = learned_of(error, answer, catalog)
            again = "Once more, without what conda-forge refuses."
            _say(task, Line(mark="!", text=error.message, style="warning"), Line(text=again, indent=2))
    raise last


def make_sure(request: Request, place: Place) -> tuple[str, ...]:
    """That the place is free and somebody can be asked. Gives notes on what killed builds left behind.

    Whoever built there while this command waited for its turn is seen here.
    """
    left = () if request.dry_run else remove_leftovers(place)
    check_free(place, empty_folder=tool_of(request) not in BY_CONDA)
    if not (request.yes or request.dry_run):
        must_be_able_to_ask(hint="`--yes` goes ahead without a question.")
    return tuple(f"Removed what a build that was killed left behind: {path}" for path in left)


def _task(request: Request, host: Host, place: Place, notes: tuple[str, ...]) -> Task:
    """Everything that can be refused at once is refused here, the cheapest first."""
    tool = tool_of(request)
    left = make_sure(request, place)
    question = asked(request.question)
    here = target_here()
    target = question.there(target_for(request, tool, here, host))
    wish, readings = question.on(target)
    return Task(
        request=request,
        tool=tool,
        place=place_to_show(place) if request.dry_run else place,
        host=host,
        wish=with_kernel(wish, request),
        catalog=question.catalog,
        target=target,
        readings=readings,
        gpu_here=not request.question.foreign and here.gpus != (),
        notes=(*notes, *left),
    )


def _answer(task: Task, answer: Plan | Conflict) -> int:
    if isinstance(answer, Conflict):
        return refuse(task, answer)
    build = build_for(answer, task.place, task.request, task.catalog, task.host)
    shown = shown_plan(answer, task.request)
    if task.request.dry_run:
        return show_steps(task, shown, build)
    return carry_out_task(task, shown, build)


def carry_out_task(task: Task, plan: Plan, build: Build) -> int:
    """Everything that changes the machine. What was begun is taken back unless it comes to its end."""
    kernel = kernel_of(task.request, task.host, task.place, plan, build)
    with workplace(task.place, in_place=task.tool in BY_CONDA):
        _say(task, *reading_lines(task.readings), *plan_lines(plan))
        for step in build.prepare():
            _say(task, step_line(step))
        lock = build.lock()
        _say(task, weight_line(plan, lock))
        if not task.request.yes and not agreed(f"Build it in {task.place.final}?"):
            _say(task, Line(text="Nothing was changed."))
            return DECLINED
        for step in build.install():
            _say(task, step_line(step))
        outcomes = _prove(task, plan, build)
        settle(build, task.place, kernel)
    creation = _creation(task, plan, build, lock, outcomes)
    _show(task, replace(creation, kernel=None if kernel is None else kernel.folder))
    return 0


def _prove(task: Task, plan: Plan, build: Build) -> tuple[Outcome, ...]:
    """What each framework did in a child of the environment. Raises `StepFailed` if one does not work."""
    _say(task, Line(mark="·", text="import every framework, look for devices, compute"))
    expected = expectations(plan, task.catalog)
    outcomes = verify(task.host, build.python, expected, gpu_here=task.gpu_here)
    if not all(outcome.ok for outcome in outcomes):
        for outcome in outcomes:
            _say(task, *outcome_lines(outcome))
    hint = "`dlsetup doctor` looks at the machine; another release may do."
    must_work(outcomes, "the environment", hint=hint)
    return outcomes


def _creation(
    task: Task, plan: Plan, build: Build, lock: Lock | None, outcomes: tuple[Outcome, ...]
) -> Creation:
    return Creation(
        path=task.place.final,
        tool=build.passport.tool,
        plan=plan,
        packages=UNKNOWN if lock is None else lock.packages,
        download_bytes=UNKNOWN if lock is None else lock.download_bytes,
        outcomes=outcomes,
        activate=build.activate,
        lock=build.lock_path,
        notes=task.notes,
    )


def target_for(request: Request, tool: Tool, here: Target, host: Host) -> Target:
    """The target with the Pythons that can be had here."""
    target = target_of(request.question) if request.question.foreign else replace(here, pythons=UNKNOWN)
    if not request.dry_run:
        check_buildable(target, here)
    if tool in BY_CONDA:
        # A conda tool brings whatever Python is asked for, and never uses one of this machine.
        published = published_pythons(find_uv(host.environ), host.environ)
        brought = [Interpreter(version=version, path="conda-forge") for version in published]
        return building_target(target, brought, ())
    present = () if isinstance(here.pythons, Unknown) else here.pythons
    return building_target(target, present, fetchable_pythons(host.environ, offline=request.offline))


def refuse(task: Task, conflict: Conflict) -> int:
    if task.request.as_json:
        json.write(json.CreateDocument(ok=False, conflict=conflict, files=task.readings or UNKNOWN))
    else:
        write(reading_lines(task.readings))
        write(conflict_lines(conflict))
    return 1


def show_steps(task: Task, plan: Plan, build: Build) -> int:
    kernel = kernel_of(task.request, task.host, task.place, plan, build)
    procedure = and_kernel(build.procedure(), kernel)
    if task.request.as_json:
        script = shell_script(procedure)
        found = json.CreateDocument(
            ok=True, plan=plan, procedure=procedure, script=script, files=task.readings or UNKNOWN
        )
        json.write(found)
    else:
        write(reading_lines(task.readings))
        write(plan_lines(plan))
        write([Line(), *procedure_lines(procedure)])
        if task.tool in BY_CONDA:
            write([Line(), *file_lines(procedure)])
    return 0


def _show(task: Task, creation: Creation) -> None:
    if task.request.as_json:
        json.write(json.CreateDocument(ok=True, environment=creation, files=task.readings or UNKNOWN))
    else:
        write(creation_lines(creation))


def _say(task: Task, *lines: Line) -> None:
    meanwhile(lines, as_json=task.request.as_json, asks=not task.request.yes)
