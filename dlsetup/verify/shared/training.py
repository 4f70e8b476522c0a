"""What every training has to do."""

from __future__ import annotations


def learned(losses: list[float]) -> str:
    """Raises where the loss is not lower at the end; else says from where to where it came."""
    if not losses[-1] < losses[0] * 0.9:
        raise AssertionError(f"the loss does not go down: {losses[0]:.4f}, at the end {losses[-1]:.4f}")
    return f"loss {losses[0]:.3f} to {losses[-1]:.3f} in {len(losses)} steps"
