"""Candidates, choice, conflict, ways out."""

from __future__ import annotations

from dlsetup.model.framework import Catalog
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish


def resolve(wish: Wish, target: Target, catalog: Catalog) -> Plan | Conflict:
    """The best set of builds that work together on the target, or the smallest reason why there is none.

    Raises `UsageError` for a wish that names a framework the catalog does not have.
    """
    from dlsetup.resolve.answer import answer

    return answer(wish, target, catalog)
