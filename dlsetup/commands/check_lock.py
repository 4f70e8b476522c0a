"""`dlsetup check-lock`: does a lock serve a machine?"""

from __future__ import annotations

from pathlib import Path

from dlsetup.catalog.load import load, named, opened
from dlsetup.commands.question import folders
from dlsetup.commands.targets import Places, targets_of
from dlsetup.intake.conda_lock import read_conda_lock
from dlsetup.intake.lock import read
from dlsetup.judge.locked import judge_lock
from dlsetup.judge.locked_conda import judge_conda_lock
from dlsetup.model.errors import UsageError
from dlsetup.model.finding import Diagnosis
from dlsetup.model.framework import Catalog
from dlsetup.model.locked import CondaLocked, Locked
from dlsetup.model.record import Record
from dlsetup.model.target import Target
from dlsetup.show import json
from dlsetup.show.lines import write
from dlsetup.show.locked import check_lines


class Request(Record, frozen=True, kw_only=True):
    """The words of `check-lock`, as they were typed."""

    file: str
    places: Places = Places()
    catalog: tuple[str, ...] = ()
    as_json: bool = False


def run(request: Request) -> int:
    """Print what speaks against the lock. 1 where it does not serve."""
    if len(request.places.machines) + len(request.places.targets) > 1:
        raise UsageError(
            "both a target and a machine file are given", hint="leave out `--target` or `--machine`"
        )
    by_conda = read_conda_lock(Path(request.file))
    target = targets_of(request.places, request.catalog)[0]
    if by_conda is not None:
        document = checked_conda(by_conda, target, load(set(), opened(folders(request.catalog))))
    else:
        locked = read(Path(request.file))
        document = checked(locked, target, catalog_for(locked, request.catalog))
    if request.as_json:
        json.write(document)
    else:
        write(check_lines(document))
    return 0 if document.ok else 1


def catalog_for(locked: Locked, words: tuple[str, ...] = ()) -> Catalog:
    """The catalog of the frameworks that are in a lock. `words`: further catalog folders."""
    places = opened(folders(words))
    return load(named({item.name for item in locked.packages}, places), places)


def checked(locked: Locked, target: Target, catalog: Catalog) -> json.CheckLockDocument:
    """Whether the lock serves the target."""
    packages = len({item.name for item in locked.packages})
    return _document(locked, packages, judge_lock(locked, target, catalog), target)


def checked_conda(locked: CondaLocked, target: Target, catalog: Catalog) -> json.CheckLockDocument:
    """Whether a lock of conda packages serves the target."""
    packages = len(locked.solution.packages)
    return _document(locked, packages, judge_conda_lock(locked, target, catalog), target)


def _document(
    locked: Locked | CondaLocked, packages: int, diagnosis: Diagnosis, target: Target
) -> json.CheckLockDocument:
    return json.CheckLockDocument(
        ok=diagnosis.well,
        path=locked.path,
        packages=packages,
        target=target.name,
        made_for=locked.note,
        findings=diagnosis.findings,
        unknown=diagnosis.unknown,
    )
