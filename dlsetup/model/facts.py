"""Names of facts that an explanation may be filled with."""

from __future__ import annotations

from dlsetup.model.watched import WATCHED

OF_MACHINE = frozenset(
    {
        "system.name",
        "system.memory",
        "system.memory_free",
        "system.memory_limit",
        "system.container",
        "shm.size",
        "shm.free",
        "disk.free",
        "driver.release",
        "driver.cuda",
        "gpu.names",
        "gpu.archs",
        "gpu.memory",
        "gpu.free",
        "gpu.held",
        "toolkit.default",
        "environment.path",
        "environment.python",
    }
)
OF_RUN = frozenset({"run.gpu", "run.memory", "run.memory_limit", "run.oom_kills", "run.shm", "run.end"})
"""Of a program that was watched: its peaks, and how it ended."""


def is_fact(name: str) -> bool:
    """Whether a name with a dot is that of a fact, as `installed.torch` and `variable.PYTHONPATH` are."""
    kind, _, rest = name.partition(".")
    if kind == "variable":
        return rest in WATCHED
    return name in OF_MACHINE or name in OF_RUN or (kind == "installed" and bool(rest))
