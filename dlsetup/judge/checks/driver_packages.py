"""Packages of the NVIDIA driver that do not belong together."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.driver_parts import parts_by_branch
from dlsetup.judge.evidence import of_package
from dlsetup.judge.linux_families import finish_upgrade
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy


@check("driver-packages-mixed-branches")
def packages_of_two_branches(scene: Scene) -> Iterator[Answer]:
    """Packages of two branches of the NVIDIA driver are installed."""
    parts = parts_by_branch(scene)
    if len(parts) < 2 or scene.in_wsl:
        return
    yield Finding(
        id="driver-packages-mixed-branches",
        severity="warning",
        title=f"Packages of the NVIDIA driver branches {' and '.join(sorted(parts))} are installed",
        because="A module of one branch and libraries of another do not work together, even after a restart.",
        evidence=tuple(of_package(item) for branch in sorted(parts) for item in parts[branch]),
        remedies=(
            Remedy(
                text="Finish the upgrade, or remove the packages of the unwanted branch; then restart.",
                commands=finish_upgrade(scene),
                scope="host",
            ),
        ),
    )
