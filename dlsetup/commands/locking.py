"""A lock for one or several targets, with uv, and what is learned where uv knows more than the catalog."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from dlsetup.act.environment import Runner, uv_runner
from dlsetup.act.locking import locked_text
from dlsetup.act.pip_configuration import from_pip
from dlsetup.act.uv import find_uv
from dlsetup.commands.builds import Request as Sources
from dlsetup.model.errors import StepFailed
from dlsetup.model.framework import Catalog
from dlsetup.model.record import Record
from dlsetup.model.resolution import Conflict, Pick, Plan, Together
from dlsetup.plan.environment import Means
from dlsetup.plan.indexes import parse_index, with_addresses
from dlsetup.plan.lock_project import shared_lock_steps
from dlsetup.probe.host import Host
from dlsetup.resolve.learned import taught

ROUNDS = 6
"""How often a plan is repaired before uv's refusal is handed on."""
Solve = Callable[[Catalog], Together | Conflict]


class LockMade(Record, frozen=True, kw_only=True):
    """A lock as uv wrote it, and the plans that it holds."""

    answer: Together | Conflict
    text: str = ""
    learned: tuple[str, ...] = ()
    """What uv knew that the catalog does not, and what came of it."""


def make_lock(solve: Solve, catalog: Catalog, sources: Sources, host: Host) -> LockMade:
    """Plans, locks, and where uv finds no solution plans again with what that teaches."""
    maker = _Maker(catalog, sources, host)
    learned: list[tuple[tuple[Pick, ...], str]] = []
    for _ in range(ROUNDS):
        answer = solve(catalog)
        if isinstance(answer, Conflict):
            return LockMade(answer=answer, learned=tuple(_told(learned, ())))
        try:
            text = maker.text(answer.plans)
        except StepFailed as error:
            refused = maker.refused(answer.plans) if _is_refusal(error) else ()
            if not refused:
                raise
            learned.append((refused, error.message))
            catalog = taught(catalog, refused)
            continue
        return LockMade(answer=answer, text=text, learned=tuple(_told(learned, answer.plans)))
    raise StepFailed(
        f"uv refuses {ROUNDS} plans one after the other; the last time: {learned[-1][1]}",
        hint="ask for other versions, or `dlsetup catalog refresh` to learn what is new.",
    )


class _Maker:
    """Locks plans, and finds out which picks of them uv refuses."""

    def __init__(self, catalog: Catalog, sources: Sources, host: Host) -> None:
        self.catalog = catalog
        uv = find_uv(host.environ)
        self.run: Runner = uv_runner({**host.environ, **from_pip(uv, host.environ)}, seen=sys.stderr.isatty())
        self.given = [parse_index(text) for text in sources.indexes]
        self.means = Means(
            uv=uv, find_links=sources.find_links, offline=sources.offline, foreign=sources.question.foreign
        )

    def text(self, plans: Sequence[Plan]) -> str:
        located = [with_addresses(plan, self.given, self.catalog.indexes) for plan in plans]
        # What one platform takes from a named index is no further index for the others.
        rest = [index for index in located[0][1] if all(index in more for _, more in located)]
        means = replace(self.means, extra_indexes=tuple(rest))
        steps = [plan for plan, _ in located]
        return locked_text(lambda place: shared_lock_steps(steps, place, means), self.run)

    def refused(self, plans: Sequence[Plan]) -> tuple[Pick, ...]:
        """The fewest picks that uv refuses together, by leaving out one by one; none if it is not they."""
        names = list(dict.fromkeys(pick.framework for plan in plans for pick in plan.picks))
        if self._refuses(plans, ()):
            return ()
        for name in reversed(names[:]):
            fewer = [item for item in names if item != name]
            if fewer and self._refuses(plans, fewer):
                names = fewer
        picks = {pick.framework: pick for plan in plans for pick in plan.picks}
        return tuple(picks[name] for name in names)

    def _refuses(self, plans: Sequence[Plan], names: Sequence[str]) -> bool:
        try:
            self.text([self._only(plan, names) for plan in plans])
        except StepFailed as error:
            if _is_refusal(error):
                return True
            raise
        return False

    def _only(self, plan: Plan, names: Sequence[str]) -> Plan:
        """The plan with the requirements of these frameworks alone, and what is asked for besides."""
        left = {text for pick in plan.picks if pick.framework not in names for text in self._asked(pick)}
        kept = tuple(pick for pick in plan.picks if pick.framework in names)
        return replace(
            plan, picks=kept, requirements=tuple(text for text in plan.requirements if text not in left)
        )

    def _asked(self, pick: Pick) -> set[str]:
        framework = self.catalog.framework(pick.framework)
        builds = () if framework is None else framework.of(pick.version)
        own = {
            text
            for build in builds
            if (build.variant, build.index) == (pick.variant, pick.index)
            for text in build.requirements
        }
        return own | {pick.requirement}


def _is_refusal(error: StepFailed) -> bool:
    """Whether uv says that there is no solution, rather than that it could not look."""
    return re.search(r"No solution found", error.message) is not None


def _told(learned: Sequence[tuple[tuple[Pick, ...], str]], plans: Sequence[Plan]) -> list[str]:
    taken = {pick.framework: pick.version for plan in plans for pick in plan.picks}
    told = []
    for picks, message in learned:
        names = " with ".join(f"{pick.framework} {pick.version}" for pick in picks)
        words = message.partition("No solution found")[2].partition(": ")[2] or message
        instead = [
            f"{pick.framework} {taken[pick.framework]}"
            for pick in picks
            if pick.framework in taken and taken[pick.framework] != pick.version
        ]
        end = f"; {' and '.join(instead)} is taken instead" if instead else ""
        told.append(f"uv refuses {names}: {words[:400].rstrip('.')}{end}")
    return told
