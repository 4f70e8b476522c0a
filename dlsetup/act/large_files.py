"""Big files of a former environment: an inventory has no hash of them, their distributions may."""

from __future__ import annotations

import base64
import glob
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from dlsetup.act.inventory import HASHED_UP_TO
from dlsetup.model.record import Record
from dlsetup.probe.host import Host
from dlsetup.probe.record import recorded

_LARGEST_LIST = 64 << 20
_PIECE = 1 << 20
_SITES = ("lib/python*/site-packages", "Lib/site-packages")


class Unlike(Record, frozen=True, kw_only=True):
    """What reading every big file has shown."""

    files: tuple[str, ...] = ()
    """Paths from the environment: their content is that of none of the distributions that list them."""
    unlisted: int = 0
    """Big files of which no distribution has a hash, so that nothing can be said of their content."""


def compare_with_records(host: Host, environment: Path) -> Unlike:
    """Reads every file above `HASHED_UP_TO` bytes. Raises `OSError`.

    A file that two distributions list is well if it is that of one of them: which one was there before is
    not known.
    """
    claims = _claims(host, environment)
    unlike, unlisted = [], 0
    for name in _big_files(environment):
        known = claims.get(name)
        if known is None:
            unlisted += 1
        elif _digest(environment / name) not in known:
            unlike.append(name)
    return Unlike(files=tuple(sorted(unlike)), unlisted=unlisted)


def _claims(host: Host, environment: Path) -> dict[str, set[str]]:
    """Hashes by path from the environment, as the RECORDs and conda's own records have them.

    Other algorithms are passed over.
    """
    found: dict[str, set[str]] = {}
    root = glob.escape(str(environment))
    for pattern in _SITES:
        for folder in glob.iglob(f"{root}/{pattern}/*.dist-info"):
            site = os.path.relpath(os.path.dirname(folder), environment)
            for row in recorded(host, folder, _LARGEST_LIST):
                if row.digest.startswith("sha256="):
                    found.setdefault(os.path.normpath(f"{site}/{row.path}"), set()).add(row.digest)
    for name, digest in _of_conda(host, environment):
        found.setdefault(name, set()).add(digest)
    return found


def _of_conda(host: Host, environment: Path) -> Iterator[tuple[str, str]]:
    """Hashes of what conda put there, as its records have them: after it wrote the path of the place in."""
    root = glob.escape(str(environment))
    for path in glob.iglob(f"{root}/conda-meta/*.json"):
        try:
            told = json.loads(host.read_bytes(path, _LARGEST_LIST) or b"{}")
            for row in told["paths_data"]["paths"]:
                digest = row.get("sha256_in_prefix") or row.get("sha256")
                if digest:
                    text = base64.urlsafe_b64encode(bytes.fromhex(digest)).decode().rstrip("=")
                    yield os.path.normpath(row["_path"]), f"sha256={text}"
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue


def _big_files(environment: Path) -> Iterator[str]:
    for folder, _, names in os.walk(environment):
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.islink(path) and os.path.isfile(path) and os.path.getsize(path) > HASHED_UP_TO:
                yield os.path.relpath(path, environment)


def _digest(path: Path) -> str:
    """As RECORD writes it."""
    summed = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            summed.update(piece)
    return "sha256=" + base64.urlsafe_b64encode(summed.digest()).decode().rstrip("=")
