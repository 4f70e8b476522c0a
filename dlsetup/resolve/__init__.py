"""Candidates, choice, conflict, ways out."""

from dlsetup.resolve.answer import fitting_plan, resolve
from dlsetup.resolve.together import resolve_each, resolve_together

__all__ = ["fitting_plan", "resolve", "resolve_each", "resolve_together"]
