"""Requirements as text (PEP 508), read only as far as composing builds asks for; no markers evaluated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from dlsetup.catalog.form import Release, RequiresRow
from dlsetup.catalog.platforms import ANY
from dlsetup.model.record import Record

_FORM = re.compile(r"([A-Za-z0-9._-]+)\s*(?:\[([^\]]*)\])?\s*\(?([^;()]*)\)?\s*(?:;\s*(.*))?")


class Asked(Record, frozen=True, kw_only=True):
    """One requirement in its parts."""

    name: str
    extras: tuple[str, ...]
    specifier: str
    marker: str


def parts_of(requirement: str) -> Asked:
    """The parts of a requirement that the refresher wrote (and so is known to be well formed)."""
    found = _FORM.fullmatch(requirement)
    if not found:
        return Asked(name=requirement, extras=(), specifier="", marker="")
    extras = tuple(canonical(extra) for extra in (found[2] or "").split(",") if extra.strip())
    return Asked(
        name=canonical(found[1]), extras=extras, specifier=found[3].strip(), marker=(found[4] or "").strip()
    )


def canonical(name: str) -> str:
    """The one spelling of a name, without anything else in it: `Ml_Dtypes` is `ml-dtypes`."""
    return re.sub(r"[^a-z0-9]+", "-", name.strip().lower())


def requires_on(release: Release, family: str, extras: Sequence[str]) -> list[str]:
    """What a release requires on one family of platforms, with these extras."""
    row = _row(release.requires, family)
    if row is None:
        return []
    found = list(row.base)
    for extra in extras:
        found += (item for item in row.extras.get(extra, ()) if item not in found)
    return found


def under(marker: str, requirements: Iterable[str]) -> list[str]:
    """The requirements, holding only where the marker does too."""
    if not marker:
        return list(requirements)
    return [_joined(item, marker) for item in requirements]


def _joined(requirement: str, marker: str) -> str:
    bare, _, own = requirement.partition(";")
    if not own.strip() or own.strip() == marker:
        return f"{bare.strip()}; {marker}"
    return f"{bare.strip()}; ({marker}) and ({own.strip()})"


def _row(rows: Sequence[RequiresRow], family: str) -> RequiresRow | None:
    return next((row for row in rows if not row.platforms or {family, ANY} & set(row.platforms)), None)
