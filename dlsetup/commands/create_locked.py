"""`dlsetup create env --lock FILE` and `--bundle FOLDER`: a lock, held against the machine first."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from msgspec.structs import replace

from dlsetup import __version__
from dlsetup.act.environment import LockedBuild, uv_runner
from dlsetup.act.pip_configuration import from_pip
from dlsetup.act.uv import find_uv
from dlsetup.act.workplace import place_to_show
from dlsetup.commands.builds import Request, tool_of
from dlsetup.commands.check_lock import catalog_for, checked
from dlsetup.commands.create_conda_locked import run_conda_locked
from dlsetup.commands.create_env import Task, carry_out_task, make_sure, show_steps, target_for
from dlsetup.commands.locked_task import check_kernel, locked_task
from dlsetup.commands.question import target_here
from dlsetup.intake.bundle import Bundle, read_bundle
from dlsetup.intake.conda_lock import read_conda_lock
from dlsetup.intake.lock import read
from dlsetup.judge.locked import builds_in
from dlsetup.model.errors import UsageError
from dlsetup.model.locked import Locked
from dlsetup.model.outcome import Passport
from dlsetup.model.record import Unknown
from dlsetup.model.resolution import Plan
from dlsetup.model.steps import Write
from dlsetup.model.target import Interpreter, Target
from dlsetup.plan.environment import Means, Place
from dlsetup.plan.from_lock import plan_of
from dlsetup.plan.lock_text import is_pylock
from dlsetup.probe.host import Host
from dlsetup.show import json
from dlsetup.show.lines import write
from dlsetup.show.locked import check_lines
from dlsetup.show.transfer import transfer


def run_locked(request: Request, host: Host, place: Place, notes: tuple[str, ...]) -> int:
    """Build it (0), or say why the lock does not serve here (1)."""
    _check_words(request)
    by_conda = None if request.lock is None else read_conda_lock(Path(os.path.abspath(request.lock)))
    if by_conda is not None:
        return run_conda_locked(request, by_conda, host, place, notes)
    _check_for_uv(request)
    request = replace(request, offline=request.offline or request.bundle is not None)
    left = make_sure(request, place)
    bundle = None if request.bundle is None else read_bundle(Path(os.path.abspath(request.bundle)))
    file = os.path.abspath(request.lock or "") if bundle is None else bundle.lock
    locked = read(Path(file))
    check_kernel(request, {item.name for item in locked.packages})
    catalog = catalog_for(locked, request.question.catalog)
    here = target_here()
    target = _with_python(target_for(request, tool_of(request), here, host), bundle)
    document = checked(locked, target, catalog)
    found = builds_in(locked, target, catalog)
    if not document.ok or found is None:
        return _refuse(request, document)
    plan = plan_of(locked, target, *found, f"`{request.bundle or request.lock}`")
    place = place_to_show(place) if request.dry_run else place
    task = locked_task(request, "uv", place, host, catalog, target, here, (*notes, *left))
    build = _build(task, plan, locked, bundle)
    return show_steps(task, plan, build) if request.dry_run else carry_out_task(task, plan, build)


def _check_words(request: Request) -> None:
    question = request.question
    if request.lock is not None and request.bundle is not None:
        raise UsageError("both a lock and a bundle are given", hint="leave out `--lock` or `--bundle`")
    option = "--lock" if request.bundle is None else "--bundle"
    chosen = (question.frameworks, question.profile, question.files, question.cuda, question.accelerator)
    if any(chosen) or question.cpu:
        raise UsageError(
            f"with `{option}` nothing is chosen: it holds what is installed",
            hint=f"name no frameworks, files or devices beside `{option}`",
        )


def _check_for_uv(request: Request) -> None:
    if tool_of(request) != "uv":
        option = "--lock" if request.bundle is None else "--bundle"
        raise UsageError(f"`{option}` is installed by uv", hint="leave out `--with`")
    if request.lock is not None and request.lock.endswith(".toml") and not is_pylock(Path(request.lock).name):
        raise UsageError(
            f"uv reads no lock of the name `{Path(request.lock).name}`",
            hint="call it `pylock.toml` or `pylock.NAME.toml`, as PEP 751 says",
        )


def _with_python(target: Target, bundle: Bundle | None) -> Target:
    """The target with the Python that the bundle brings, unless it has one of that version."""
    if bundle is None or not bundle.manifest.python_key or isinstance(target.pythons, Unknown):
        return target
    brought = bundle.manifest.python
    there = {item.version.release[:2] for item in target.pythons if not item.free_threaded}
    if brought.release[:2] in there:
        return target
    return replace(target, pythons=(*target.pythons, Interpreter(version=brought)))


def _build(task: Task, plan: Plan, locked: Locked, bundle: Bundle | None) -> LockedBuild:
    request, host, place = task.request, task.host, task.place
    uv = find_uv(host.environ)
    environ = {**host.environ, **from_pip(uv, host.environ)}
    key = ""
    if bundle is not None and bundle.manifest.python_key:
        environ["UV_PYTHON_INSTALL_MIRROR"] = bundle.pythons
        key = bundle.manifest.python_key
    means = Means(
        uv=uv,
        find_links=request.find_links,
        offline=request.offline,
        foreign=request.question.foreign,
        python_key=key,
    )
    passport = Passport(dlsetup=__version__, tool="uv", plan=plan, catalog_checked=task.catalog.checked)
    text = Path(locked.path).read_text("utf-8")
    name = "pylock.toml" if locked.path.endswith(".toml") else "lock.txt"
    kept = Write(path=place.inside("dlsetup", name), text=_kept(text), why="keep the lock with it")
    runner = uv_runner(environ, seen=sys.stderr.isatty(), watched=transfer)
    return LockedBuild(plan, place, means, passport, runner, (locked.path, kept))


def _kept(text: str) -> str:
    """The lock without the paths that only the bundle knows, where it says the address as well."""
    return re.sub(r'(\burl = "[^"\n]*", )path = "[^"\n]*", ', r"\1", text)


def _refuse(request: Request, document: json.CheckLockDocument) -> int:
    if request.as_json:
        json.write(json.CreateDocument(ok=False, lock=document))
    else:
        write(check_lines(document))
    return 1
