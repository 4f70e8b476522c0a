"""A solution as an explicit file: one address with its hash a line, and nothing to solve any more."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from packaging.version import Version

from dlsetup.model.addresses import of_conda
from dlsetup.model.conda import CondaPackage, CondaSolution, SolvedPackage, VirtualPackage
from dlsetup.model.locked import CondaLocked, LockNote
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Pick, Plan
from dlsetup.model.target import Target
from dlsetup.model.variants import conda_variant
from dlsetup.plan.lock_text import HEAD, note_text


class CondaLock(Record, frozen=True, kw_only=True):
    """What is solved for one platform, and for whom and why."""

    solution: CondaSolution
    note: LockNote


def plan_of(locked: CondaLocked, target: Target, known: Collection[CondaPackage], source: str) -> Plan:
    """The plan that a lock stands for: the frameworks that it was made for, else every one in it.

    `source`: what holds the lock, in words.
    """
    found = {item.name: item for item in locked.solution.packages}
    noted = None if isinstance(locked.note, Unknown) else {pick.framework for pick in locked.note.picks}
    python = Version(found["python"].version) if "python" in found else Version("0")
    picks = tuple(
        _pick(row, found, source)
        for row in known
        if row.name in found and (noted is None or row.distribution in noted)
    )
    return Plan(
        target=target,
        python=Version(f"{python.major}.{python.minor}"),
        picks=picks,
        requirements=tuple(pick.requirement for pick in picks),
        because=(f"it is what {source} holds",),
    )


def _pick(row: CondaPackage, found: Mapping[str, SolvedPackage], source: str) -> Pick:
    built = found.get(row.built, found[row.name])
    variant = conda_variant(built.build)
    version = Version(found[row.name].version)
    return Pick(
        framework=row.distribution,
        version=version,
        variant=built.build if isinstance(variant, Unknown) else variant,
        index="conda-forge",
        requirement=f"{row.distribution}=={version}",
        because=f"it is in {source}",
    )


def lock_name(subdir: str) -> str:
    """`conda-linux-64.lock`."""
    return f"conda-{subdir}.lock"


def explicit_lock(solution: CondaSolution, note: LockNote | Unknown = UNKNOWN) -> str:
    """The file, with what the solver was told and the reasons as comments. Addresses hold no passwords."""
    told = " ".join(map(_told, solution.virtual))
    about = "" if isinstance(note, Unknown) else note_text(note)
    lines = [
        f"# micromamba create --prefix NAME --file {lock_name(solution.subdir)} (or mamba, or conda 24.9)",
        *([f"# solved for: {told}"] if told else []),
        f"# platform: {solution.subdir}",
        *(f"# {line}".rstrip() for line in about.splitlines()),
        "@EXPLICIT",
        *(f"{of_conda(item.url)}{_hash(item)}" for item in solution.packages),
    ]
    return HEAD + "".join(f"{line}\n" for line in lines)


def _told(item: VirtualPackage) -> str:
    build = "" if item.build in ("", "0") else f"={item.build}"
    return f"{item.name}={item.version}{build}"


def _hash(item: SolvedPackage) -> str:
    return f"#sha256:{item.sha256}" if item.sha256 else f"#{item.md5}" if item.md5 else ""
