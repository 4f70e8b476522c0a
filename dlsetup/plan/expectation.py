"""What an environment built by a plan has to be able to do."""

from __future__ import annotations

from dlsetup.model.framework import Accelerator, Catalog
from dlsetup.model.outcome import Expected
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.resolution import Pick, Plan


def expectations(plan: Plan, catalog: Catalog) -> tuple[Expected, ...]:
    """Every framework of the plan with the module that is imported and what its build is for."""
    return tuple(_expected(pick, catalog) for pick in plan.picks)


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
