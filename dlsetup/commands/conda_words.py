"""Plans in the words of conda-forge, for files that take its builds in place of wheels."""

from __future__ import annotations

from msgspec.structs import replace
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from dlsetup.catalog.conda import conda_packages
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.resolution import Conflict, Plan, Together
from dlsetup.plan.conda import environment_yml, on_conda_forge
from dlsetup.plan.expectation import expectations


def conda_words(plans: tuple[Plan, ...], catalog: Catalog) -> tuple[tuple[str, ...], ...]:
    """The match specs of each plan. Raises `UsageError` where one framework would have to stay a wheel:

    what is built against the one's framework need not load beside the other's.
    """
    return tuple(_words(plan, catalog) for plan in plans)


def environments(plans: tuple[Plan, ...], catalog: Catalog) -> tuple[str, ...]:
    """The text of `environment.yml` for each plan. Raises `UsageError` where conda-forge builds none."""
    return tuple(_text(plan, catalog, hint="leave out `--form conda`") for plan in plans)


def on_conda(answer: Plan | Together | Conflict) -> Plan | Together | Conflict:
    """The plans as conda carries them out."""
    if isinstance(answer, Together):
        return replace(answer, plans=tuple(on_conda_forge(plan, conda_packages()) for plan in answer.plans))
    return on_conda_forge(answer, conda_packages()) if isinstance(answer, Plan) else answer


def _words(plan: Plan, catalog: Catalog) -> tuple[str, ...]:
    import yaml

    entries = yaml.safe_load(_text(plan, catalog, hint="leave out `--conda-forge`"))["dependencies"]
    left = {_name(line) for entry in entries if isinstance(entry, dict) for line in entry["pip"]}
    for pick in plan.picks:
        if canonicalize_name(Requirement(pick.requirement).name) in left:
            raise UsageError(
                f"no conda-forge build of {pick.framework} is known, and wheels do not mix with its builds",
                hint="leave out `--conda-forge`",
            )
    specs = [entry for entry in entries if isinstance(entry, str) and not entry.startswith("python=")]
    return tuple(spec for spec in specs if spec != "pip")


def _text(plan: Plan, catalog: Catalog, *, hint: str) -> str:
    accelerators = {item.framework: item.accelerator for item in expectations(plan, catalog)}
    try:
        return environment_yml(plan, conda_packages(), accelerators)
    except UsageError as error:
        raise UsageError(error.message, hint=hint) from error


def _name(line: str) -> str:
    try:
        return canonicalize_name(Requirement(line).name)
    except InvalidRequirement:
        return ""
