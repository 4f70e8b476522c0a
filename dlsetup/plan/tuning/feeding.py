"""How samples come: workers of a loader, and what they fetch ahead."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.model.tuning import Advice, Measured, Variant
from dlsetup.plan.tuning.comparing import LEAST, compare, middle, number, told
from dlsetup.plan.tuning.written import written

ENOUGH = 1.2
"""Times as fast as the training: what comes late now and then is made up for."""
NEAR = 0.95
_NAME = re.compile(r"(\d+) workers?(?:, (\d+) ahead)?")


def workers_advice(measured: Measured, needed: float = 0.0) -> Iterator[Advice]:
    """The fewest workers that bring what the training takes; where that is unknown, that are the fastest.

    `needed`: samples a second of the training; 0: not measured.
    """
    known = [item for item in measured.numbers.variants if item.rates]
    usual = measured.numbers.variant("0 workers")
    if usual is None or not usual.rates or len(known) < 2:
        because = "it was not measured to its end in this time: `--seconds` gives more"
        yield Advice(setting="workers", standing="open", value="", because=because)
        return
    if min(len(item.rates) for item in known) < LEAST:
        because = f"{told(max(known, key=middle))}, measured too seldom to tell: `--seconds` gives more time"
        yield Advice(setting="workers", standing="open", value="", because=because)
        return
    suffice = [item for item in known if needed and middle(item) >= ENOUGH * needed]
    best = max(known, key=middle)
    near = [item for item in known if middle(item) >= NEAR * middle(best)]
    chosen = min(suffice or near, key=counts)
    against_none = compare(chosen, usual)
    if chosen is not usual and against_none.said != "faster":
        chosen = usual
    yield _told(measured, chosen, usual, best, needed)


def counts(variant: Variant) -> tuple[int, int]:
    """Workers, and batches that each fetches ahead."""
    found = _NAME.fullmatch(variant.name)
    return (int(found[1]), int(found[2] or 2)) if found else (0, 2)


def _told(measured: Measured, chosen: Variant, usual: Variant, best: Variant, needed: float) -> Advice:
    workers, ahead = counts(chosen)
    parts = [told(chosen)]
    if chosen is not usual:
        parts.append(f"against {told(usual)}")
    if best is not chosen:
        parts.append(f"the fastest, {told(best)}")
    if needed:
        enough = middle(chosen) >= needed
        parts.append(
            f"the training takes {number(needed)} samples/s"
            + ("" if enough else ": it has to wait for its samples")
        )
    if chosen.start_seconds >= 1:
        parts.append(f"the first batch comes after {chosen.start_seconds:.0f} s")
    key = "workers" if workers else "no-workers"
    changed = chosen is not usual
    return Advice(
        setting="workers",
        standing="change" if changed else "keep",
        value=chosen.name,
        because=f"{'; '.join(parts)}; measured with {measured.numbers.data}",
        gain=round(middle(chosen) / middle(usual), 3),
        how=written(measured.framework, key, workers=workers, ahead=ahead) if changed else (),
    )
