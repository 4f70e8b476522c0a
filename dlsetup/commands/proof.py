"""What was built has to work, or it does not stay."""

from __future__ import annotations

from collections.abc import Collection

from dlsetup.model.errors import StepFailed
from dlsetup.model.outcome import Outcome


def must_work(outcomes: Collection[Outcome], what: str, *, hint: str) -> None:
    """Raises `StepFailed` that says what each framework met that does not work. `what`: `the image`."""
    bad = [outcome for outcome in outcomes if not outcome.ok]
    if bad:
        reasons = "; ".join(f"{outcome.framework}: {outcome.because}" for outcome in bad)
        raise StepFailed(
            f"{what} was built, but does not work, and was removed: {reasons}.",
            hint=next((outcome.hint for outcome in bad if outcome.hint), hint),
        )
