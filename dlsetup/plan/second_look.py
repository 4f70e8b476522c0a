"""Whether a mended environment may take the place of the one it was made from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from packaging.utils import canonicalize_name

from dlsetup.model.conda import CondaRecord
from dlsetup.model.finding import Diagnosis, Finding
from dlsetup.model.outcome import Outcome
from dlsetup.model.repair import Change


def complaints(
    mends: Sequence[Finding], before: Diagnosis, after: Diagnosis, outcomes: Sequence[Outcome]
) -> Iterator[str]:
    """What speaks against it; nothing: it may.

    A framework that does not work is no fault of the repair where an error is left that no change of the
    environment takes away: a driver that is not loaded, say.
    """
    meant = {item.id for item in mends}
    known = {item.id for item in before.findings}
    for finding in after.findings:
        if finding.id in meant and finding.severity != "note":
            yield f"`{finding.id}` is still there: {finding.because}"
        elif finding.id not in known and finding.severity != "note":
            yield f"`{finding.id}` would be new: {finding.because}"
    elsewhere = [item for item in after.findings if item.severity == "error" and item.id not in meant]
    for outcome in outcomes:
        if not outcome.ok and not elsewhere:
            yield f"{outcome.framework} does not work: {outcome.because}"


def other_moves(
    before: Collection[CondaRecord], after: Collection[CondaRecord], told: Collection[Change]
) -> Iterator[str]:
    """Packages of conda that are not what was announced, or that an installer of wheels has written over."""
    wanted = {item.name: f"{item.version} {item.build}" for item in before}
    wanted |= {item.distribution: item.after or "" for item in told}
    found = {item.name: f"{item.version} {item.build}" for item in after}
    for name in sorted({*wanted, *found}):
        if wanted.get(name, "") != found.get(name, ""):
            announced, there = wanted.get(name) or "nothing", found.get(name, "nothing")
            yield f"conda announced {announced} as `{name}`, and there is {there}."
    replaced = {item.name for item in before if not item.whole}
    for item in after:
        if not item.whole and item.name not in replaced:
            yield f"`{item.distribution}` is conda's, and something else has taken the place of its files."


def broken_promises(before: Collection[str], after: Collection[str], twins: Collection[str]) -> Iterator[str]:
    """Requirements that were met, or not there, before: each as uv says it.

    The package `asks` requires `onnxruntime>=1.10`, but it's not installed

    A twin that was removed on purpose is no loss: the one that stayed serves its import package.
    """
    for line in sorted(set(after) - set(before)):
        found = re.search(r"requires `([\w.-]+)", line)
        if found is None or canonicalize_name(found[1]) not in twins:
            yield line
