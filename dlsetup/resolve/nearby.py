"""Of builds that differ only in their platform, those that concern the target."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from dlsetup.model.framework import Build
from dlsetup.model.record import UNKNOWN
from dlsetup.model.target import Target
from dlsetup.rules.wheels import platform_fits


def nearby(builds: Iterable[Build], target: Target) -> list[Build]:
    """The builds without those for another platform, where the same build exists for this one.

    A build that exists for other platforms only stays, so that its absence here can be told.
    """
    whatever = msgspec.structs.replace(target, libc=UNKNOWN, release=UNKNOWN)
    refused: dict[str, bool] = {}
    groups: dict[tuple[object, ...], list[tuple[bool, Build]]] = {}
    for build in builds:
        tags = [item.platform for item in build.wheels]
        for tag in tags:
            if tag not in refused:
                refused[tag] = platform_fits(tag, whatever).refused
        same = (build.version, build.variant, build.index)
        groups.setdefault(same, []).append((all(refused[tag] for tag in tags), build))
    return [
        build
        for group in groups.values()
        for elsewhere, build in group
        if not elsewhere or all(flag for flag, _ in group)
    ]
