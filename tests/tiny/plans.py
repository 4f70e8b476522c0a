"""Plans for the tiny world, as the resolver would make them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from packaging.version import Version
from tiny.index import TinyIndex

from dlsetup.model.framework import Index
from dlsetup.model.resolution import Pick, Plan
from dlsetup.model.target import Target


def base_python() -> str:
    """The Python below the environment that runs the tests."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


def tiny_plan(
    tiny_index: TinyIndex,
    *requirements: str,
    sources: Mapping[str, str] | None = None,
    **changes: object,
) -> Plan:
    """A plan that asks for these requirements. `sources`: distributions that come from a named index."""
    pinned = dict(sources or {})
    picks = tuple(
        Pick(
            framework=requirement.partition("=")[0].partition("[")[0],
            version=Version(requirement.rpartition("==")[2]),
            variant="any",
            index=pinned.get(requirement.partition("=")[0], "default"),
            requirement=requirement,
        )
        for requirement in requirements
    )
    plan = {
        "target": Target(),
        "python": Version(f"{sys.version_info.major}.{sys.version_info.minor}"),
        "interpreter": base_python(),
        "picks": picks,
        "requirements": requirements,
        "indexes": (
            Index(name="default"),
            *(Index(name=name, url=tiny_index.address(name)) for name in sorted(set(pinned.values()))),
        ),
        "sources": tuple(pinned.items()),
    }
    return Plan(**{**plan, **changes})  # type: ignore[arg-type]
