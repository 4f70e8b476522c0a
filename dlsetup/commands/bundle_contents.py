"""What goes into a bundle: the files of a lock that is made for it, or of one that is given."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import tomli
from msgspec.structs import replace

from dlsetup import __version__
from dlsetup.commands import resolve
from dlsetup.commands.asked import asked
from dlsetup.commands.check_lock import catalog_for, checked
from dlsetup.commands.question import Question
from dlsetup.commands.resolve_lock import Refused, made_lock
from dlsetup.commands.targets import Places, targets_of
from dlsetup.intake.lock import parse, read
from dlsetup.judge.locked import builds_in
from dlsetup.model.bundle import Fetched
from dlsetup.model.errors import StepFailed
from dlsetup.model.framework import Catalog
from dlsetup.model.listing import Reading
from dlsetup.model.locked import Locked, LockNote
from dlsetup.model.record import Record
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.model.target import Interpreter, Target
from dlsetup.plan.bundle import check_told, contents_of
from dlsetup.plan.from_lock import note_of, plan_of
from dlsetup.plan.indexes import parse_index
from dlsetup.plan.lock_rows import rows_of
from dlsetup.probe.host import Host
from dlsetup.show.json import CheckLockDocument


class Request(Record, frozen=True, kw_only=True):
    """The words of `bundle`, as they were typed."""

    output: str
    question: Question
    places: Places = Places()
    lock: str | None = None
    indexes: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    offline: bool = False
    tools: tuple[str, ...] = ()
    python_too: bool = False
    sources: bool = False
    """Take what has no wheel as its source."""
    wait: str = "10"
    dry_run: bool = False
    yes: bool = False
    as_json: bool = False

    @property
    def resolved(self) -> resolve.Request:
        """What it shares with `resolve`."""
        return resolve.Request(
            question=self.question,
            places=self.places,
            indexes=self.indexes,
            find_links=self.find_links,
            offline=self.offline,
        )


class Filling(NamedTuple):
    """The files of a bundle, and what is known of them."""

    plan: Plan
    note: LockNote
    catalog: Catalog
    files: tuple[Fetched, ...]
    sources: tuple[str, ...] = ()
    readings: tuple[Reading, ...] = ()
    learned: tuple[str, ...] = ()


class Refusal(NamedTuple):
    """Why there is nothing to fill it with."""

    conflict: Conflict | None = None
    lock: CheckLockDocument | None = None
    readings: tuple[Reading, ...] = ()


def filling(request: Request) -> Filling | Refusal:
    """Nothing is fetched yet; only the index is asked, where a lock is made."""
    return _of_wish(request) if request.lock is None else _of_lock(request, request.lock)


def _of_wish(request: Request) -> Filling | Refusal:
    said = asked(request.question)
    target = said.there(_target(request))
    wish, readings = said.on(target)
    made = made_lock(request.resolved, (wish,), (target,), said.catalog)
    if isinstance(made, Refused):
        return Refusal(conflict=made.answer, readings=readings)
    plan = made.plans[0]
    rows = tomli.loads(made.text).get("packages", [])
    files, sources = contents_of(rows, target, Interpreter(version=plan.python))
    return Filling(plan, made.note, said.catalog, files, sources, readings, made.note.learned)


def _of_lock(request: Request, file: str) -> Filling | Refusal:
    locked = read(Path(file))
    catalog = catalog_for(locked, request.question.catalog)
    target = _target(request)
    document = checked(locked, target, catalog)
    found = builds_in(locked, target, catalog)
    if not document.ok or found is None:
        return Refusal(lock=document)
    python, builds = found
    plan = plan_of(locked, target, python, builds, f"`{file}`")
    text = Path(file).read_text("utf-8")
    files, sources = contents_of(rows_of(text, locked), target, python)
    folder = os.path.dirname(os.path.abspath(file))
    located = tuple(replace(item, address=_located(item.address, folder)) for item in files)
    return Filling(plan, note_of(locked, plan, __version__), catalog, located, sources)


def tools_of(request: Request, plan: Plan, host: Host) -> tuple[Fetched, ...]:
    """Wheels of uv, or of dlsetup with all it needs, for the Python and the platform of the plan."""
    if not request.tools:
        return ()
    from dlsetup.act.environment import uv_runner
    from dlsetup.act.locking import locked_text
    from dlsetup.act.pip_configuration import from_pip
    from dlsetup.act.uv import find_uv
    from dlsetup.plan.bundle_tools import tool_steps
    from dlsetup.plan.environment import Means

    uv = find_uv(host.environ)
    environ = {**host.environ, **from_pip(uv, host.environ), "UV_PYTHON_DOWNLOADS": "never"}
    means = Means(uv=uv, find_links=request.find_links, offline=request.offline, foreign=True)
    unnamed = tuple(index for index in map(parse_index, request.indexes) if index.name in ("", "default"))
    means = replace(means, extra_indexes=unnamed)
    wanted = tuple(f"dlsetup=={__version__}" if name == "dlsetup" else name for name in request.tools)
    try:
        text = locked_text(
            lambda place: tool_steps(wanted, plan, place, means), uv_runner(environ, seen=False)
        )
    except StepFailed as error:
        raise StepFailed(
            f"{' and '.join(wanted)} cannot be had for the target: {error.message}",
            hint="name a folder that has its wheel with `--find-links`, or leave out `--with`.",
        ) from error
    rows = tomli.loads(text).get("packages", [])
    files, sources = contents_of(rows, plan.target, Interpreter(version=plan.python), "tools")
    if sources:
        raise StepFailed(
            f"{sources[0]} has no wheel for the target, so `--with` cannot hold there.",
            hint="leave out `--with`: `install.sh` needs a Python with pip, or uv.",
        )
    return files


def _target(request: Request) -> Target:
    target = targets_of(request.places, request.question.catalog)[0]
    check_told(target)
    return target


def _located(address: str, folder: str) -> str:
    """An address that is a path counts from the folder of its lock."""
    return address if "://" in address or address.startswith("file:") else os.path.join(folder, address)


def serves(text: str, plan: Plan, catalog: Catalog) -> CheckLockDocument:
    """Holds the lock that goes into the bundle against its target once more."""
    locked: Locked = parse(text, Path("pylock.toml"))
    return checked(locked, plan.target, catalog)
