"""What conda's own records tell of an environment: packages, and the Python distributions they brought."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from dlsetup.model.addresses import channel_of
from dlsetup.model.conda import CondaRecord
from dlsetup.probe.conda import distribution_of
from dlsetup.probe.host import Host
from dlsetup.probe.metadata import canonical

RECORD_LIMIT = 64 << 20
_METADATA = re.compile(r"(?:.*/)?site-packages/([^/]+)-([^/-]+)\.dist-info/RECORD$")


def conda_records(host: Host, prefix: str) -> tuple[CondaRecord, ...]:
    """Every package, by name. A record that cannot be read is left out."""
    return tuple(sorted(_records(host, prefix), key=lambda item: item.name))


def replaced_by_pip(host: Host, prefix: str, names: Collection[str]) -> frozenset[str]:
    """Of distributions that an installer of wheels says are its own: those that conda's records list too.

    Few packages of conda bear the mark of another installer, so that the hash in the record has to tell.
    """
    folder = f"{prefix}/conda-meta"
    entries = (entry for entry in host.names(folder) if entry.endswith(".json"))
    alike = [entry for entry in entries if distribution_of(entry.rsplit("-", 2)[0]) in names]
    found = [_read(host, prefix, f"{folder}/{entry}") for entry in alike]
    return frozenset(item.distribution for item in found if item and not item.whole)


def _records(host: Host, prefix: str) -> Iterator[CondaRecord]:
    folder = f"{prefix}/conda-meta"
    for entry in host.names(folder):
        found = _read(host, prefix, f"{folder}/{entry}") if entry.endswith(".json") else None
        if found is not None:
            yield found


def _read(host: Host, prefix: str, path: str) -> CondaRecord | None:
    try:
        return _record(host, prefix, json.loads(host.read_bytes(path, RECORD_LIMIT) or b""))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _record(host: Host, prefix: str, told: dict[str, Any]) -> CondaRecord:
    name, version, build = (_text(told[part]) for part in ("name", "version", "build"))
    files = told.get("files") or ()
    found = next((match for path in files if (match := _METADATA.match(path))), None)
    return CondaRecord(
        name=name,
        version=version,
        build=build,
        channel=channel_of(_text(told.get("channel") or "")),
        depends=tuple(_text(text).split(" ", 1)[0] for text in told.get("depends") or ()),
        distribution=canonical(found[1]) if found else "",
        distribution_version=found[2] if found else "",
        whole=found is None or _is_its_own(host, prefix, found[0], told),
    )


def _is_its_own(host: Host, prefix: str, path: str, told: dict[str, Any]) -> bool:
    """Whether the file is the one that conda put there, by its hash, else by the installer beside it."""
    data = host.read_bytes(f"{prefix}/{path}", RECORD_LIMIT)
    if data is None:
        return False
    rows = (told.get("paths_data") or {}).get("paths") or ()
    own = [row for row in rows if row.get("_path") == path]
    wanted = next((row.get("sha256_in_prefix") or row.get("sha256") for row in own), None)
    if wanted:
        return bool(hashlib.sha256(data).hexdigest() == wanted)
    beside = host.read(f"{prefix}/{path.removesuffix('RECORD')}INSTALLER") or ""
    return beside.strip() in ("", "conda")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
