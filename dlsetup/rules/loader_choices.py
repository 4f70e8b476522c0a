"""Which copy of each CUDA library a program gets, which others there are, and why they lose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from packaging.version import Version

from dlsetup.model.cuda_names import library_of
from dlsetup.model.libraries import Candidate, Choice, Found, Lack
from dlsetup.model.machine import Library, Owner
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.rules.loader import Arrival, Process, Resident

WAYS = {
    "loaded": "it is in the process already",
    "preload": "LD_PRELOAD names it",
    "path": "it is opened by its path",
    "rpath": "the RPATH of {of} leads to it",
    "library-path": "LD_LIBRARY_PATH leads to it",
    "runpath": "the RUNPATH of {of} leads to it",
    "cache": "the loader's cache has it",
    "default": "it lies in one of the loader's own folders",
}


class Copies(Record, frozen=True, kw_only=True):
    """The copies of CUDA libraries that were found on disk, by the file behind their links."""

    by_real: Mapping[str, Library]


def choices(program: str, process: Process, copies: Copies) -> tuple[Choice, ...]:
    """One for each name of a CUDA library that was asked for, in the order of the first asking.

    What a failed attempt asked for counts where nothing else asked for it later.
    """
    by_name: dict[str, list[Arrival]] = {}
    for arrival in (*process.arrivals, *process.undone):
        name = arrival.name.rpartition("/")[2]
        file = process.files.shared_object(arrival.found.path)
        if file is not None and library_of(file.soname or name):
            by_name.setdefault(file.soname or name, []).append(arrival)
    return tuple(_choice(program, name, found, process, copies) for name, found in by_name.items())


def _choice(program: str, name: str, arrivals: Sequence[Arrival], process: Process, copies: Copies) -> Choice:
    first = arrivals[0]
    asked = next((item for item in arrivals if item.name == name), first)
    winner = _candidate(first.found, process, copies)
    return Choice(
        library=library_of(name),
        soname=name,
        program=program,
        consumers=tuple(dict.fromkeys(item.consumer for item in arrivals)),
        candidates=(winner, *_others(name, first, _asking(asked, process), process, copies)),
        lacks=_lacks(process.files.real(first.found.path), process),
    )


def _asking(arrival: Arrival, process: Process) -> Resident:
    """Who asked; the interpreter where that one is gone again."""
    found = (item for item in process.residents if item.file.path == arrival.consumer)
    return next(found, process.main)


def _lacks(real: str, process: Process) -> tuple[Lack, ...]:
    return tuple(dict.fromkeys(lack for provider, lack in process.lacks if provider == real))


def _others(
    name: str, first: Arrival, asking: Resident, process: Process, copies: Copies
) -> Iterator[Candidate]:
    """What the search meets behind the winner, then every other copy of the library on disk."""
    seen = {process.files.real(first.found.path)}
    for found in process.would_meet(name, asking):
        real = process.files.real(found.path)
        if real not in seen:
            seen.add(real)
            yield _candidate(found, process, copies, behind=first.found)
    stem = name.partition(".so")[0]
    for real, copy in copies.by_real.items():
        if real in seen or copy.soname.partition(".so")[0] != stem:
            continue
        yield Candidate(
            path=copy.path,
            version=copy.version,
            owner=copy.owner,
            reason=_unreached(name, copy, process),
        )


def _unreached(name: str, copy: Library, process: Process) -> str:
    file = process.files.shared_object(copy.path)
    if file is not None and file.foreign:
        return "it is made for another processor"
    soname = file.soname if file is not None and file.soname else copy.soname
    if soname != name:
        return f"it is called {soname}"
    return "nothing leads there"


def _candidate(found: Found, process: Process, copies: Copies, behind: Found | None = None) -> Candidate:
    """The winner, or a copy that a search meets `behind` it."""
    copy = copies.by_real.get(process.files.real(found.path))
    way = WAYS[found.via].format(of=found.of.rpartition("/")[2] or "a file")
    return Candidate(
        path=found.path,
        version=copy.version if copy else UNKNOWN,
        owner=copy.owner if copy else Owner(kind="nobody"),
        via=found.via,
        of=found.of,
        wins=behind is None,
        reason=way if behind is None else f"{_ahead(behind)} {way}",
    )


def _ahead(winner: Found) -> str:
    if winner.via in ("path", "preload"):
        return "another one is in the process before"
    return "it comes later:"


def mixed_parts(found: Iterable[Choice]) -> Iterator[str]:
    """Where parts of cuDNN come from two versions: it checks that, and refuses to work."""
    winners = [item.winner for item in found if item.library == "cudnn"]
    known = [item for item in winners if item is not None and isinstance(item.version, Version)]
    for item in known[1:]:
        if _differ(known[0].version, item.version):
            one, two = known[0], item
            yield f"{one.path} is of cuDNN {one.version} and {two.path} of {two.version}"
            return


def _differ(one: Version | Unknown, two: Version | Unknown) -> bool:
    """In the first three numbers, as far as both tell them: 9.10.2 and 9.10.2.21 are one version."""
    if isinstance(one, Unknown) or isinstance(two, Unknown):
        return False
    common = min(len(one.release), len(two.release), 3)
    return one.release[:common] != two.release[:common]


def of_library(found: Iterable[Choice], word: str) -> tuple[Choice, ...]:
    """The choices about one library, by its word or by the name of a file; case does not count."""
    asked = word.lower()
    return tuple(
        item for item in found if asked in (item.library.lower(), item.soname.lower(), _bare(item.soname))
    )


def _bare(soname: str) -> str:
    return soname.partition(".so")[0].removeprefix("lib").lower()
