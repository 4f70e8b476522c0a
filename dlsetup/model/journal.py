"""What was done to an environment, and what is needed to take it back."""

from __future__ import annotations

from typing import Literal

from dlsetup.model.record import UNKNOWN, Record, Unknown

State = Literal["begun", "applied", "undone", "reverted", "gone"]
"""At work or killed; done and can be taken back; taken back by an `undo`; came to nothing, the environment
is as it was; done, and the former environment is no longer kept."""

CopyMeans = Literal["reflink", "hard-link", "copy"]
"""How a big file comes into a copy: its blocks are shared, the file is shared, or it is written again."""


class Holding(Record, frozen=True, kw_only=True):
    """One installed distribution, as its own files tell of it."""

    name: str
    version: str
    record: str = ""
    """SHA-256 of its `RECORD`, which holds the hashes of its files; empty: it has none."""
    direct_url: str = ""
    """Where it was installed from, if not from an index: the text of its `direct_url.json`, no passwords."""
    installer: str = ""


class CondaHolding(Record, frozen=True, kw_only=True):
    """One package that conda installed, as its record in `conda-meta` tells of it."""

    name: str
    version: str
    build: str
    channel: str = ""
    """Address, without platform, token and password."""
    url: str = ""
    md5: str = ""
    sha256: str = ""


class CopyCost(Record, frozen=True, kw_only=True):
    """What a copy of an environment takes. Bytes."""

    means: CopyMeans
    written: int
    """Of files that are written again."""
    shared: int
    """Of files that cost nothing."""
    free: int
    """Left on that file system before the copy."""


class Entry(Record, frozen=True, kw_only=True):
    """One change of one environment, in the journal before it begins."""

    schema: Literal["dlsetup.journal/1"] = "dlsetup.journal/1"
    id: str
    kind: Literal["fix", "undo"]
    what: str
    """What is changed, in words: `torchvision 0.28.0 -> 0.29.1+cpu`."""
    mends: tuple[str, ...] = ()
    """Ids of the findings it is for."""
    undoes: str | None = None
    """Of an `undo`: the entry that it takes back."""
    environment: str
    """Path, links resolved."""
    host: str
    """Stands for the computer that it was done on."""
    process: int
    began: str
    """ISO time, UTC."""
    dlsetup: str
    """Version of dlsetup."""
    state: State
    why: str = ""
    """Why it came to nothing."""
    folder: int
    """Inode of the folder that was the environment when it began: wherever that lies now, is the former.

    0: there was none, somebody had deleted it."""
    work: str
    """Path of the folder that is to take the place of the environment."""
    former: str
    """Path at which the former environment is kept once the change is done."""
    in_place: bool = False
    """Whether the place itself was worked on, because paths in the environment are fixed: the copy took the
    place first, and until the change is applied the former has to go back."""
    before: tuple[Holding, ...] = ()
    after: tuple[Holding, ...] = ()
    conda_before: tuple[CondaHolding, ...] = ()
    conda_after: tuple[CondaHolding, ...] = ()
    indexes: tuple[str, ...] = ()
    """Indexes that were named for it, without passwords."""
    cost: CopyCost | Unknown = UNKNOWN
