"""What can be mended in an environment, kind by kind, and what each would change."""

from __future__ import annotations

import tempfile

from msgspec.structs import replace

from dlsetup.act.readiness import obstacle
from dlsetup.act.uv import NoSolution
from dlsetup.commands.fix_task import Task
from dlsetup.commands.repairs import shown, worked_out
from dlsetup.model.errors import DlsetupError
from dlsetup.model.repair import Offer
from dlsetup.model.resolution import Conflict
from dlsetup.plan.kinds import Kind, mendable, present
from dlsetup.plan.repair import intend


def offers(task: Task) -> tuple[Offer, ...]:
    """Every kind that has findings here. Nothing is changed; uv is asked what would move."""
    return tuple(_offer(task, kind) for kind in present(task.seen.diagnosis, task.kinds))


def _offer(task: Task, kind: Kind) -> Offer:
    seen = task.seen
    offer = Offer(name=kind.name, title=kind.title, findings=mendable(seen.diagnosis, (kind,)))
    reason = obstacle(seen.environment, changing=False)
    if reason is not None:
        return replace(offer, against=reason)
    intent = intend(seen.machine, seen.diagnosis, seen.catalog, (kind,))
    if intent is None or isinstance(intent, Conflict):
        core = [] if intent is None else [clause.text for clause in intent.core]
        return replace(offer, against=f"no repair fits: {'; '.join(core)}")
    with tempfile.TemporaryDirectory(prefix="dlsetup-") as folder:
        try:
            work = worked_out(seen, intent, task.request, task.host, folder)
        except NoSolution as error:
            return replace(offer, against=f"no repair fits what the indexes hold: {error.message}")
        except DlsetupError as error:
            return replace(offer, against=f"what it would change cannot be told: {error.message}")
    against = "" if work.repair.moves else "nothing that could be changed in this environment takes it away"
    return replace(offer, repair=shown(work.repair), against=against)
