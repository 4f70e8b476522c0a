"""Programs that measure one thing each: `measure(told, so_far)` returns numbers, never advice."""
