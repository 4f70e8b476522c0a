"""A solution as an explicit file: one address with its hash a line, and nothing to solve any more."""

from __future__ import annotations

from dlsetup.model.addresses import of_conda
from dlsetup.model.conda import CondaSolution, SolvedPackage, VirtualPackage
from dlsetup.model.locked import LockNote
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.plan.lock_text import HEAD, note_text


class CondaLock(Record, frozen=True, kw_only=True):
    """What is solved for one platform, and for whom and why."""

    solution: CondaSolution
    note: LockNote


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
