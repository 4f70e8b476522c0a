"""What an environment built by a plan has to be able to do."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dlsetup.model.framework import Accelerator, Build, Catalog, Framework
from dlsetup.model.machine import Distribution, Environment
from dlsetup.model.outcome import Expected
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.resolution import Pick, Plan
from dlsetup.rules.installed import build_of


def expectations(plan: Plan, catalog: Catalog) -> tuple[Expected, ...]:
    """Every framework of the plan with the module that is imported and what its build is for."""
    return tuple(_expected(pick.framework, _accelerator(pick, catalog), catalog) for pick in plan.picks)


def expectations_of(builds: Iterable[Build], catalog: Catalog) -> tuple[Expected, ...]:
    """The same of builds."""
    return tuple(_expected(build.framework, build.accelerator, catalog) for build in builds)


def expectations_again(
    environment: Environment, again: Iterable[str], catalog: Catalog
) -> tuple[Expected, ...]:
    """The frameworks of which something is installed again in its present version. `again`: pins."""
    names = {pin.partition("==")[0] for pin in again}
    found = (item for item in catalog.frameworks if names.intersection(item.distributions))
    return tuple(_present(item, environment, catalog) for item in found)


def expectations_here(environment: Environment, catalog: Catalog) -> tuple[Expected, ...]:
    """The frameworks that are installed, under whichever of their names: `tensorflow-cpu` is TensorFlow."""
    found = (item for item in catalog.frameworks if _distribution(item, environment))
    return tuple(_present(item, environment, catalog) for item in found)


def _distribution(framework: Framework, environment: Environment) -> Distribution | None:
    names = (*framework.distributions, *(name for group in framework.twins for name in group))
    return next((item for name in names if (item := environment.distribution(name))), None)


def _present(framework: Framework, environment: Environment, catalog: Catalog) -> Expected:
    there = _distribution(framework, environment)
    build = None if there is None else build_of(there, environment, catalog)
    accelerator = build.accelerator if isinstance(build, Build) else UNKNOWN
    return _expected(framework.name, accelerator, catalog)


def _expected(name: str, accelerator: Accelerator | Unknown, catalog: Catalog) -> Expected:
    framework = catalog.framework(name)
    module = name.replace("-", "_") if framework is None else framework.imports
    return Expected(framework=name, module=module, accelerator=accelerator)


def _accelerator(pick: Pick, catalog: Catalog) -> Accelerator | Unknown:
    build = catalog.build(pick.framework, pick.version, pick.variant, pick.index)
    return _of_variant(pick.variant) if build is None else build.accelerator


def _of_variant(variant: str) -> Accelerator | Unknown:
    """Builds of conda are not in the catalog, but their variants are called alike."""
    if variant == "cpu":
        return "cpu"
    return "cuda" if re.fullmatch(r"cu\d{2,3}", variant) else UNKNOWN
