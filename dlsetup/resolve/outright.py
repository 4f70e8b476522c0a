"""The answer where nothing stands in the way of anything: the best of everything, taken outright."""

from __future__ import annotations

from dlsetup.resolve.pieces import ALL, CUDA, NO_CUDA, PYTHON, Ask, BuildChoice, Choice
from dlsetup.resolve.question import Question

Settled = dict[str, Choice]


def outright(question: Question) -> Settled | None:
    """The best way without a search; None where that takes one, or where there is no way.

    Each framework takes the build that is best by device, release and variant among all that nothing forbids
    by themselves, on whichever Python; no way can have a better one of any framework. Python is the first
    on which all of these are admitted; no way with these builds can have a better one. If that whole breaks
    no ask either, it is a way, and no way is better in any decision, so it is the best of all.
    """
    if question.wish.prefer not in ("newest", "stable"):
        return None
    builds: dict[str, list[BuildChoice]] = {}
    for name in question.wanted:
        builds[name] = _best_builds(question, name)
    for python in question.choices(PYTHON):
        settled = _on(python, builds)
        if settled is not None and question.admitted(python, ALL):
            return settled if _complete(question, settled) else None
    return None


def _best_builds(question: Question, name: str) -> list[BuildChoice]:
    """The best build of a framework, as a choice for each Python on which nothing forbids it."""
    choices = [item for item in question.choices(name) if isinstance(item, BuildChoice)]
    for preferred in (True, False):
        found: list[BuildChoice] = []
        for choice in choices:
            if found and choice.build is not found[0].build:
                return found
            if choice.facets["preferred"] is preferred and question.admitted(choice, ALL):
                found.append(choice)
        if found:
            return found
    return []


def _on(python: Choice, builds: dict[str, list[BuildChoice]]) -> Settled | None:
    settled: Settled = {PYTHON: python}
    for name, choices in builds.items():
        for choice in choices:
            if choice.facets["python"] == python.facets["python"]:
                settled[name] = choice
    return settled if len(settled) == len(builds) + 1 else None


def _complete(question: Question, settled: Settled) -> bool:
    """Settles what these ask for, as long as only one thing is asked of each key or the best will do."""
    asked: dict[str, list[Ask]] = {CUDA: []}
    waiting = list(settled.values())
    while waiting:
        choice = waiting.pop()
        for ask in question.asks(choice):
            if ask.key in question.frameworks and ask.key not in settled:
                return False
            asked.setdefault(ask.key, []).append(ask)
    return all(_settle(question, settled, key, asks) for key, asks in asked.items())


def _settle(question: Question, settled: Settled, key: str, asks: list[Ask]) -> bool:
    there = [settled[key]] if key in settled else question.choices(key)
    if key == CUDA and not asks:
        there = [choice for choice in there if choice.facets["family"] == NO_CUDA]
    for choice in there:
        if all(ask.admits(choice) for ask in asks) and question.admitted(choice, ALL):
            settled[key] = choice
            return True
    return False
