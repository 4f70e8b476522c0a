"""Which copy of each library the programs of an environment get, and what is wrong with its files."""

from __future__ import annotations

from typing import Literal

from packaging.version import Version

from dlsetup.model.machine import Owner
from dlsetup.model.record import UNKNOWN, Record, Unknown

Via = Literal["loaded", "preload", "path", "rpath", "library-path", "runpath", "cache", "default"]
"""How a loader came to a file: it was in the process already, LD_PRELOAD named it, it was opened by its path,
or it lay in a folder of an RPATH, of LD_LIBRARY_PATH, of the RUNPATH, of the cache, of the loader's own."""


class Found(Record, frozen=True, kw_only=True):
    """A file that a search meets, and the folder list that led there."""

    path: str
    via: Via
    of: str = ""
    """Whose RPATH or RUNPATH it is."""


class Lack(Record, frozen=True, kw_only=True):
    """What a consumer needs and the copy that won does not have."""

    consumer: str
    versions: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()


class Candidate(Record, frozen=True, kw_only=True):
    """One copy of a library, and what a search for it has to do with it."""

    path: str
    version: Version | Unknown = UNKNOWN
    owner: Owner = Owner(kind="nobody")
    via: Via | None = None
    """None: no search of this program leads there."""
    of: str = ""
    wins: bool = False
    reason: str
    """Why it wins or loses, as a clause."""


class Choice(Record, frozen=True, kw_only=True):
    """Which copy of a library a program gets for one name."""

    library: str
    """`cudnn`, `cublasLt`, …"""
    soname: str
    program: str
    """The framework whose import is followed; `python`: any program that opens the name."""
    consumers: tuple[str, ...] = ()
    """Files that ask for it, in the order of their asking."""
    candidates: tuple[Candidate, ...] = ()
    """The winner, then what the search would meet after it, then what it never meets."""
    lacks: tuple[Lack, ...] = ()

    @property
    def winner(self) -> Candidate | None:
        return next((item for item in self.candidates if item.wins), None)


class Unmet(Record, frozen=True, kw_only=True):
    """A name that a library asks for when it is used, and that leads to nothing that can be opened."""

    name: str
    consumer: str
    says: str
    """What the loader says."""


class Course(Record, frozen=True, kw_only=True):
    """How the import of one framework goes, as far as its libraries are concerned."""

    program: str
    opens: tuple[str, ...] = ()
    """Files that it opens by their paths, in their order."""
    failure: str = ""
    """What the loader says where the import fails."""
    unmet: tuple[Unmet, ...] = ()
    choices: tuple[Choice, ...] = ()
    mixed: tuple[str, ...] = ()
    """Libraries whose parts come from copies of two versions, each in one line."""
    source: str = ""

    @property
    def well(self) -> bool:
        """Whether everything that is loaded has what is asked of it."""
        return not (self.failure or self.mixed or any(item.lacks for item in self.choices))


TroubleKind = Literal["shared", "changed", "gone", "leftover", "unowned", "twice", "editable"]


class Trouble(Record, frozen=True, kw_only=True):
    """Files of packages that are not as their installer left them."""

    kind: TroubleKind
    distributions: tuple[str, ...] = ()
    text: str
    """What is, in one line."""
    example: str = ""
    """One of the paths."""
    count: int = 0
    breaks: bool = False
    """Whether programs meet it; what is only untidy is told and is no fault."""


class Seen(Record, frozen=True, kw_only=True):
    """One search that the loader was seen to make."""

    name: str
    path: str = ""
    """The file that it took; empty: none. By which list it came there the loader does not say: it keeps one
    entry for each folder, under the name of the list that was first to name it."""


class Observed(Record, frozen=True, kw_only=True):
    """What the loader did in a child that opened the files of one framework."""

    program: str
    seen: tuple[Seen, ...] = ()
    mapped: tuple[str, ...] = ()
    """Shared objects in the process at the end, behind their links."""
    failure: str = ""
    """What the loader said where it could not open what the import needs."""
    gap: str = ""
    """Why nothing was seen."""


class Difference(Record, frozen=True, kw_only=True):
    """Where the loader did otherwise than it was predicted to."""

    program: str
    name: str
    predicted: str
    observed: str


class Libraries(Record, frozen=True, kw_only=True):
    """What is known of the libraries of one environment."""

    environment: str
    program: str
    """The interpreter behind its links."""
    courses: tuple[Course, ...] = ()
    unread: tuple[str, ...] = ()
    """What could not be read, most often not in time: `libraries of torch`, `installed files`."""
    troubles: tuple[Trouble, ...] | Unknown = UNKNOWN
    observed: tuple[Observed, ...] | Unknown = UNKNOWN
    differences: tuple[Difference, ...] | Unknown = UNKNOWN
    """Unknown where nobody observed; empty where the loader did as it was predicted to."""

    @property
    def well(self) -> bool:
        """Whether all was read, each library has what is asked of it, and each file is as installed."""
        troubles = () if isinstance(self.troubles, Unknown) else self.troubles
        return (
            not self.unread
            and all(item.well for item in self.courses)
            and not any(item.breaks for item in troubles)
        )
