"""Whether a mended environment may take the place of the one it was made from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from packaging.utils import canonicalize_name

from dlsetup.model.finding import Diagnosis, Finding
from dlsetup.model.outcome import Outcome


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


def broken_promises(before: Collection[str], after: Collection[str], twins: Collection[str]) -> Iterator[str]:
    """Requirements that were met, or not there, before: each as uv says it.

    The package `asks` requires `onnxruntime>=1.10`, but it's not installed

    A twin that was removed on purpose is no loss: the one that stayed serves its import package.
    """
    for line in sorted(set(after) - set(before)):
        found = re.search(r"requires `([\w.-]+)", line)
        if found is None or canonicalize_name(found[1]) not in twins:
            yield line
