"""NumPy 2 under code that was compiled for NumPy 1."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.version import Version

from dlsetup.judge.commands import by_conda, conda, install
from dlsetup.judge.demands import Demand, demands
from dlsetup.judge.evidence import of_demand, of_distribution, of_framework
from dlsetup.judge.known import Bound, numpy1_builds
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Installed, Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.machine import Distribution

SECOND = Version("2.0.0")
WITHOUT_FIRST = Version("3.13")
"""From this Python on there is no wheel of NumPy 1."""


@check("numpy2-abi")
def numpy2_abi(scene: Scene) -> Iterator[Answer]:
    """NumPy 2 is installed beside code that was compiled for NumPy 1."""
    numpy = next(iter(scene.copies("numpy")), None)
    if numpy is None or numpy.version < SECOND:
        return
    for installed in scene.leading:
        demand = _refusing_demand(scene, installed)
        bound = next((row for row in numpy1_builds() if _concerns(row, installed)), None)
        if demand or bound:
            yield _abi(scene, numpy, installed, demand, bound)
    frameworks = {name for item in scene.installed for name in item.framework.distributions}
    for demand in demands(scene, "numpy"):
        if demand.owner.name not in frameworks and _below_two(demand):
            yield _not_admitted(scene, numpy, demand)


def _abi(
    scene: Scene, numpy: Distribution, installed: Installed, demand: Demand | None, bound: Bound | None
) -> Finding:
    name = f"{installed.distribution.name} {installed.distribution.version}"
    asks = f"{demand.text}" if demand else f"{name} is compiled for NumPy 1"
    return Finding(
        id="numpy2-abi",
        severity="error",
        title=f"{name} does not work with NumPy {numpy.version}",
        because=f"{asks}, and NumPy {numpy.version} is installed: code for NumPy 1 does not load.",
        evidence=(of_distribution(numpy), of_framework(installed), *([of_demand(demand)] if demand else [])),
        remedies=_either(scene, numpy, installed.distribution),
        rests_on=(bound.cited,) if bound else (),
    )


def _not_admitted(scene: Scene, numpy: Distribution, demand: Demand) -> Finding:
    """A package that is no framework, by its own word alone."""
    owner = demand.owner
    return Finding(
        id="numpy2-abi",
        severity="warning",
        title=f"{owner.name} {owner.version} does not admit NumPy {numpy.version}",
        because=f"{demand.text}: code that was compiled for NumPy 1 does not load under NumPy 2.",
        evidence=(of_distribution(numpy), of_distribution(owner), of_demand(demand)),
        remedies=_either(scene, numpy, owner),
    )


def _either(scene: Scene, numpy: Distribution, owner: Distribution) -> tuple[Remedy, ...]:
    """The older NumPy, where there is one for this Python, or a newer release of what was built for it."""
    newer = f"a newer release of {owner.name}, compiled for NumPy 2."
    python = scene.interpreter
    if python is not None and python.version >= WITHOUT_FIRST:
        return (Remedy(text=f"Take {newer}"),)
    text = "Go back to NumPy 1, which every such release serves."
    return Remedy(text=text, commands=_numpy1(scene, numpy)), Remedy(text=f"Or take {newer}")


def _refusing_demand(scene: Scene, installed: Installed) -> Demand | None:
    """The framework's own requirement, where it admits no NumPy 2 at all."""
    own = [item for item in demands(scene, "numpy") if item.owner.name in installed.framework.distributions]
    return next((item for item in own if _below_two(item)), None)


def _below_two(demand: Demand) -> bool:
    bounds = (item for item in demand.specifier if item.operator in ("<", "<="))
    return any(Version(item.version) <= SECOND for item in bounds) and not demand.admits(SECOND)


def _concerns(row: Bound, installed: Installed) -> bool:
    return row.holds_for(installed.framework.name, installed.distribution.version)


def _numpy1(scene: Scene, numpy: Distribution) -> tuple[str, ...]:
    return conda(scene, "install", ["numpy<2"]) if by_conda(numpy) else install(scene, ["numpy<2"])
