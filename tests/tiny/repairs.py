"""What would mend a machine, by the real catalog."""

from __future__ import annotations

from tiny.machines import fault

from dlsetup.catalog.load import load, named
from dlsetup.model.finding import Diagnosis
from dlsetup.model.machine import Machine
from dlsetup.model.repair import Intent
from dlsetup.model.resolution import Conflict
from dlsetup.plan.repair import intend


def intended(finding_id: str, here: Machine) -> Intent | Conflict | None:
    environment = here.environment
    assert environment is not None
    assert isinstance(environment.distributions, tuple)
    catalog = load(named({item.name for item in environment.distributions}))
    return intend(here, Diagnosis(findings=(fault(finding_id),)), catalog)


def requirements(answer: Intent | Conflict | None) -> tuple[str, ...]:
    assert isinstance(answer, Intent), answer
    return answer.plan.requirements
