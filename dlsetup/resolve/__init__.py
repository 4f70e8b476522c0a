"""Candidates, choice, conflict, ways out."""

from dlsetup.resolve.answer import fitting_plan, resolve

__all__ = ["fitting_plan", "resolve"]
