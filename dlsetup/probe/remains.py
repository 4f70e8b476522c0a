"""Signs of installations and removals that broke off, by a few files of each distribution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from dlsetup.model.machine import Distribution
from dlsetup.model.record import Unknown
from dlsetup.model.remains import Remains
from dlsetup.probe.host import Host
from dlsetup.probe.notes import whole_number

RECORD_BEGINNING = 16 << 10
"""Bytes: enough for the top of every package, and far less than the whole list of a framework."""
LOOKED_FOR = 6
DEPTH = 3
"""Folders above a file: `nvidia/cudnn/lib/libcudnn.so.9` has three."""
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
    gone = [path for path in looked if not _is_there(host, site, path)]
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
    found = []
    for line in record.split("\n")[:-1]:
        path, _, rest = line.partition(",")
        depth = path.count("/")
        if depth <= DEPTH and (path.endswith(CODE) or ".so" in path):
            found.append((depth, path, rest))
    told = (path for _, path, rest in sorted(found) if _tells(path, rest))
    return list(islice(told, LOOKED_FOR))


def _tells(path: str, rest: str) -> bool:
    if path.startswith(("..", "/", '"', "~")) or any(
        sign in path for sign in ("\0", "\\", "/../", ".dist-info/")
    ):
        return False
    parts = path.split("/")
    if {"test", "tests", "testing", "__pycache__"} & set(parts) or path == "nvidia/__init__.py":
        return False
    return bool(whole_number(rest.rpartition(",")[2].strip()))


def _is_there(host: Host, site: str, path: str) -> bool:
    """Also as byte code in its place, for some images hold no sources; what is hidden is not gone."""
    place, top = f"{site}/{path}", f"{site}/{path.partition('/')[0]}"
    if host.exists(place) or (path.endswith(".py") and host.exists(f"{place}c")):
        return True
    return host.is_folder(top) and not host.can_list(top)
