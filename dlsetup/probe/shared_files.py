"""Files that several installed distributions claim, and whose content is no longer theirs."""

from __future__ import annotations

from collections.abc import Iterable

from dlsetup.model.machine import SharedFiles
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.probe.host import Host
from dlsetup.probe.notes import whole_number
from dlsetup.probe.record import digest_of

RECORD_LIMIT = 32 << 20
LINES_LIMIT = 300_000
"""Of all owners together: torch has 12 000."""
HASHED_SIZE = 1 << 20
COMPARED_FILES = 200


class Claim(Record, frozen=True, kw_only=True):
    """One line of RECORD: `nvidia/nccl/lib/libnccl.so.2,sha256=…,212345`."""

    owner: str
    digest: str
    size: int | None


def shared_files(
    host: Host, site: str, owners: Iterable[tuple[str, str]]
) -> tuple[SharedFiles, ...] | Unknown:
    """Groups of owners that claim the same files with different content.

    `owners` are names with their metadata folders. Empty files, bytecode, scripts outside the folder and
    the metadata itself are nobody's quarrel. Unknown where the records are too long to be held together.
    """
    claimed = _claims(host, site, owners)
    if isinstance(claimed, Unknown):
        return UNKNOWN
    groups: dict[tuple[str, ...], dict[str, list[Claim]]] = {}
    for path, claims in claimed.items():
        names = tuple(sorted({claim.owner for claim in claims}))
        if len(names) > 1:
            groups.setdefault(names, {})[path] = claims
    quarrels = []
    for names, paths in sorted(groups.items()):
        fought = {path: claims for path, claims in paths.items() if _differ(claims)}
        if fought:
            example, damaged = min(fought, key=_weight), _damaged(host, site, fought)
            quarrels.append(SharedFiles(owners=names, count=len(paths), example=example, damaged=damaged))
    return tuple(quarrels)


def _weight(path: str) -> tuple[bool, str]:
    """Libraries make the best examples."""
    return ".so" not in path and not path.endswith((".dll", ".pyd")), path


def _claims(host: Host, site: str, owners: Iterable[tuple[str, str]]) -> dict[str, list[Claim]] | Unknown:
    """Claims by path, only of paths that are claimed more than once."""
    first: dict[str, tuple[str, str]] = {}
    shared: dict[str, list[Claim]] = {}
    left = LINES_LIMIT
    for owner, folder in owners:
        text = host.read(f"{site}/{folder}/RECORD", RECORD_LIMIT) or ""
        left -= text.count("\n")
        if left < 0:
            return UNKNOWN
        for line in text.split("\n"):
            path = line.partition(",")[0] if line[:1] != '"' else line[1:].partition('"')[0]
            if path not in first:
                first[path] = owner, line
            elif not _ignored(path):
                claims = shared.setdefault(path, [_claim(*first[path])])
                claims.append(_claim(owner, line))
    return shared


def _ignored(path: str) -> bool:
    return (
        "__pycache__" in path
        or ".dist-info/" in path
        or path.startswith(("..", "/"))
        or path == "nvidia/__init__.py"
        or not path
    )


def _claim(owner: str, line: str) -> Claim:
    _, digest, size = (*line.rsplit(",", 2), "", "")[:3]
    return Claim(owner=owner, digest=digest, size=whole_number(size.strip()))


def _differ(claims: list[Claim]) -> bool:
    """Whether the owners brought different content; an empty file on both sides is the same."""
    if any(not claim.digest for claim in claims):
        return any(claim.size for claim in claims)
    return len({(claim.digest, claim.size) for claim in claims}) > 1


def _damaged(host: Host, site: str, paths: dict[str, list[Claim]]) -> tuple[str, ...] | Unknown:
    """Owners whose file is gone or replaced, by size; by content where sizes are equal and small."""
    damaged: set[str] = set()
    decided = True
    for path in sorted(paths, key=_weight)[:COMPARED_FILES]:
        size = host.size(f"{site}/{path}")
        claims = paths[path]
        wrong = {claim.owner for claim in claims if claim.size is not None and claim.size != size}
        damaged |= wrong
        rest = [claim for claim in claims if claim.owner not in wrong]
        if size is not None and len(rest) > 1 and _differ(rest):
            digest = digest_of(host, f"{site}/{path}", HASHED_SIZE) if size <= HASHED_SIZE else None
            decided = decided and digest is not None
            damaged |= {claim.owner for claim in rest if digest and claim.digest and claim.digest != digest}
    return tuple(sorted(damaged)) if damaged or decided else UNKNOWN
