"""What an environment built by a plan has to be able to do."""

from __future__ import annotations

from collections.abc import Iterable

from dlsetup.model.framework import Accelerator, Build, Catalog, Framework
from dlsetup.model.machine import Environment
from dlsetup.model.outcome import Expected
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.resolution import Pick, Plan
from dlsetup.rules.installed import build_of


def expectations(plan: Plan, catalog: Catalog) -> tuple[Expected, ...]:
    """Every framework of the plan with the module that is imported and what its build is for."""
    return tuple(_expected(pick, catalog) for pick in plan.picks)


def expectations_again(
    environment: Environment, again: Iterable[str], catalog: Catalog
) -> tuple[Expected, ...]:
    """The frameworks of which something is installed again in its present version. `again`: pins."""
    names = {pin.partition("==")[0] for pin in again}
    found = (item for item in catalog.frameworks if names.intersection(item.distributions))
    return tuple(_present(item, environment, catalog) for item in found)


def _present(framework: Framework, environment: Environment, catalog: Catalog) -> Expected:
    there = next((item for name in framework.distributions if (item := environment.distribution(name))), None)
    build = None if there is None else build_of(there, environment, catalog)
    accelerator = build.accelerator if isinstance(build, Build) else UNKNOWN
    return Expected(framework=framework.name, module=framework.imports, accelerator=accelerator)


def _expected(pick: Pick, catalog: Catalog) -> Expected:
    framework = catalog.framework(pick.framework)
    module = pick.framework.replace("-", "_") if framework is None else framework.imports
    return Expected(framework=pick.framework, module=module, accelerator=_accelerator(pick, catalog))


def _accelerator(pick: Pick, catalog: Catalog) -> Accelerator | Unknown:
    """A pick names its build by version, variant and index."""
    framework = catalog.framework(pick.framework)
    for build in () if framework is None else framework.of(pick.version):
        if (build.variant, build.index) == (pick.variant, pick.index):
            return build.accelerator
    return UNKNOWN
