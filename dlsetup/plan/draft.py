"""What a form of file is made from, and the files that come of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from packaging.markers import InvalidMarker, Marker, UndefinedComparison, UndefinedEnvironmentName
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dlsetup.model.errors import DataError
from dlsetup.model.framework import Index
from dlsetup.model.locked import LockNote
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Plan
from dlsetup.model.target import Interpreter
from dlsetup.plan.conda_lock import CondaLock
from dlsetup.plan.lock_project import as_one, platform_groups, platform_marker, platforms_of
from dlsetup.rules.libraries import marker_environment

OURS = "dlsetup: "
"""Beginning of the comments that dlsetup writes, and may write anew."""


class FileText(Record, frozen=True, kw_only=True):
    """A file of a project, as it shall be."""

    name: str
    """Without a folder."""
    text: str
    notes: tuple[str, ...] = ()
    """What stands in it as it stood, and what that means."""


class Draft(Record, frozen=True, kw_only=True):
    """What is known before a file is written."""

    plans: tuple[Plan, ...]
    """One for each target. Their addresses hold no passwords."""
    project: str = "environment"
    """Name of the project, as PEP 508 has names."""
    lock: str = ""
    """The lock in uv's words; empty for forms that need none."""
    note: LockNote | Unknown = UNKNOWN
    present: tuple[tuple[str, str], ...] = ()
    """Files that are there, by name, with their text."""
    more: tuple[Index, ...] = ()
    """Further indexes, from which anything may come."""
    twins: tuple[tuple[str, str], ...] = ()
    """Names under which a framework of the plans may be installed, each with the first of them: two such
    packages write over each other's files."""
    device_extras: frozenset[str] = frozenset()
    """Extras that ask for a build of one of the frameworks."""
    parts: tuple[tuple[str, str], ...] = ()
    """`extra` or `group` with a name: parts of a `pyproject.toml` that the plan was made with."""
    cpu: bool = False
    """CPU builds were asked for."""
    allow_cpu: bool = False
    conda: tuple[tuple[str, ...], ...] = ()
    """Match specs of conda-forge for each of the plans, where builds of conda-forge are asked for."""
    environments: tuple[str, ...] = ()
    """The text of `environment.yml` for each of the plans, where it is asked for."""
    conda_locks: tuple[CondaLock, ...] = ()
    """One for each platform of conda's, where they are asked for."""

    def text_of(self, name: str) -> str | None:
        """The text of a file that is there."""
        return dict(self.present).get(name)

    @property
    def groups(self) -> tuple[Plan, ...]:
        """One plan for each system and processor, which asks for what all of its targets need."""
        return tuple(as_one(group) for group in platform_groups(self.plans))

    @property
    def markers(self) -> tuple[str, ...]:
        """Where each of the groups holds; nothing where one of the targets does not tell."""
        return platforms_of(self.plans)

    @property
    def owned(self) -> frozenset[str]:
        """Those, and the other names of their frameworks."""
        return self.names | dict(self.twins).keys()

    @property
    def names(self) -> frozenset[str]:
        """The distributions that the plans decide about: what a file says of them is brought up to date."""
        requirements = (pick.requirement for plan in self.plans for pick in plan.picks)
        return frozenset(canonicalize_name(Requirement(text).name) for text in requirements)


class Unreadable(DataError):
    """A file that is there cannot be edited; it may be replaced as a whole."""


def unreadable(name: str, because: str) -> Unreadable:
    """The error for a file that cannot be edited."""
    return Unreadable(f"`{name}` cannot be edited: {because}", hint="mend it, or replace it with `--force`")


def environments(groups: Sequence[Plan]) -> list[Mapping[str, str] | None]:
    """What markers ask of each group; None where its target does not tell."""
    return [marker_environment(Interpreter(version=plan.python), plan.target) for plan in groups]


def holds(marker: str, environment: Mapping[str, str] | None) -> bool | None:
    """Whether a marker holds; None: nobody knows."""
    if not marker:
        return True
    if environment is None:
        return None
    try:
        return Marker(marker).evaluate({"extra": "", **environment})
    except (InvalidMarker, UndefinedComparison, UndefinedEnvironmentName, KeyError):
        return None


def group_marker(plan: Plan) -> str:
    """Where a plan holds; empty where its target does not tell."""
    target = plan.target
    if isinstance(target.os, Unknown) or isinstance(target.arch, Unknown):
        return ""
    return platform_marker(target, plan.python)


def made_for(plans: Sequence[Plan]) -> str:
    """The targets by name, short enough for a comment."""
    names = [remark(plan.target.name)[:60] for plan in plans]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more}"


def remark(text: str) -> str:
    """A text as a comment can hold it: on one line, nothing that an editor would act on."""
    return "".join(sign for sign in " ".join(text.split()) if sign.isprintable())


def project_name(folder: str, taken: Sequence[str] = ()) -> str:
    """A name for a project in a folder of this name. `taken`: a project must not be called like them."""
    name = canonicalize_name(re.sub(r"[^A-Za-z0-9]+", "-", folder).strip("-")) or "environment"
    return f"{name}-project" if name in taken else name[:100].rstrip("-")
