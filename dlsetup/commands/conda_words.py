"""Plans in the words of conda-forge, for files that take its builds in place of wheels."""

from __future__ import annotations

from msgspec.structs import replace

from dlsetup.catalog.conda import conda_packages
from dlsetup.commands.conda_builds import wish_of_plan
from dlsetup.model.conda import CondaWish
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.resolution import Conflict, Plan, Together
from dlsetup.plan.conda import on_conda_forge, wish_text


def conda_words(plans: tuple[Plan, ...], catalog: Catalog) -> tuple[tuple[str, ...], ...]:
    """The match specs of each plan, but for Python. Raises `UsageError` where a framework stays a wheel:

    what is built against the one's framework need not load beside the other's.
    """
    return tuple(_specs(plan, wish_for(plan, catalog, hint="leave out `--conda-forge`")) for plan in plans)


def environments(plans: tuple[Plan, ...], catalog: Catalog) -> tuple[str, ...]:
    """The text of `environment.yml` for each plan. Raises `UsageError` where conda-forge builds none."""
    return tuple(wish_text(wish_for(plan, catalog, hint="leave out `--form conda`")) for plan in plans)


def on_conda(answer: Plan | Together | Conflict) -> Plan | Together | Conflict:
    """The plans as conda carries them out."""
    if isinstance(answer, Together):
        return replace(answer, plans=tuple(on_conda_forge(plan, conda_packages()) for plan in answer.plans))
    return on_conda_forge(answer, conda_packages()) if isinstance(answer, Plan) else answer


def wish_for(plan: Plan, catalog: Catalog, *, hint: str) -> CondaWish:
    """The plan in conda's words. Raises `UsageError` with this hint where conda-forge builds none."""
    try:
        return wish_of_plan(plan, catalog)
    except UsageError as error:
        raise UsageError(error.message, hint=hint) from error


def _specs(plan: Plan, wish: CondaWish) -> tuple[str, ...]:
    served = {name for name, _ in wish.frameworks}
    wheel = next((pick for pick in plan.picks if pick.framework not in served), None)
    if wheel is not None:
        raise UsageError(
            f"no conda-forge build of {wheel.framework} is known, and wheels do not mix with its builds",
            hint="leave out `--conda-forge`",
        )
    specs = (*wish.always, *(spec for _, own in wish.frameworks for spec in own))
    return tuple(spec for spec in specs if not spec.startswith("python="))
