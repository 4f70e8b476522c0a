"""Signs of installations and removals that broke off, by a few files of each distribution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dlsetup.model.machine import Distribution
from dlsetup.model.record import Unknown
from dlsetup.model.remains import Remains
from dlsetup.probe.host import Host
from dlsetup.probe.notes import whole_number

RECORD_BEGINNING = 32 << 10
"""Bytes: enough for the top of every package, and far less than the whole list of a framework."""
LOOKED_FOR = 6
LISTED = 20
"""Entries of one folder that are told of."""
CODE = (".py", ".pyd", ".dll")
PIP_LIKE = ("pip", "uv")
"""Installers after which every recorded file is there; others part and move files on purpose."""


def remains(host: Host, site: str, owners: Iterable[tuple[Distribution, str]]) -> Iterator[Remains]:
    """Of the distributions of one folder, each with its metadata folder, and of what pip put aside there."""
    for item, entry in owners:
        found = _of_distribution(host, site, item, entry)
        if found is not None:
            yield found
    aside = [entry for entry in host.names(site) if entry.startswith("~") and len(entry) > 1]
    for entry in aside[:LISTED]:
        yield Remains(kind="renamed", location=site, example=entry)


def _of_distribution(host: Host, site: str, item: Distribution, entry: str) -> Remains | None:
    text = host.read(f"{site}/{entry}/RECORD", RECORD_BEGINNING) if entry.endswith(".dist-info") else None
    looked = _telling(text or "")
    gone = [path for path in looked if not _is_there(host, f"{site}/{path}")]
    if not gone:
        return None
    whole = len(gone) == len(looked)
    installer = "" if isinstance(item.installer, Unknown) else item.installer
    if not whole and installer not in PIP_LIKE:
        return None
    return Remains(
        kind="emptied" if whole else "incomplete", distribution=item.name, location=site, example=gone[0]
    )


def _telling(record: str) -> list[str]:
    """The files whose absence tells most: code at the top of a package, not shared between packages.

    The last line may be cut; files without content are nobody's loss, and tests are taken away on purpose.
    """
    lines = (line for line in record.split("\n")[:-1] if not line.startswith(('"', "..", "/", "~")))
    parted = (line.rsplit(",", 2) for line in lines)
    paths = [
        parts[0]
        for parts in parted
        if len(parts) == 3 and whole_number(parts[2].strip()) and _is_code(parts[0])
    ]
    return sorted(paths, key=lambda path: (path.count("/"), not path.endswith("/__init__.py"), path))[
        :LOOKED_FOR
    ]


def _is_code(path: str) -> bool:
    if "\0" in path or "\\" in path or ".dist-info/" in path or "__pycache__" in path or "/../" in path:
        return False
    parts = path.split("/")
    name = parts[-1]
    if {"test", "tests", "testing"} & set(parts):
        return False
    return path != "nvidia/__init__.py" and (name.endswith(CODE) or ".so" in name)


def _is_there(host: Host, path: str) -> bool:
    """Also as byte code in its place: some images hold no sources."""
    return host.exists(path) or (path.endswith(".py") and host.exists(f"{path}c"))
