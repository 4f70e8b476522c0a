"""Whether the loader was seen to do what was predicted of it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from dlsetup.model.cuda_names import library_of
from dlsetup.model.libraries import Difference, Found, Observed, Seen
from dlsetup.rules.loader import Process


def differences(program: str, process: Process, failure: str, observed: Observed) -> Iterator[Difference]:
    """Where the two differ. What a library asks for later was not to be seen, and is no difference."""
    if observed.gap:
        return
    predicted = _searched(process)
    seen: dict[str, list[Seen]] = {}
    for item in observed.seen:
        if item.name in predicted or library_of(item.name):
            seen.setdefault(item.name, []).append(item)
    for name in dict.fromkeys((*predicted, *seen)):
        for one, two in zip_longest(predicted.get(name, ()), seen.get(name, ())):
            if two is None and (name not in seen or one is None):
                continue
            difference = _differ(program, name, one, two, process)
            if difference is not None:
                yield difference
    if bool(failure) != bool(observed.failure):
        yield Difference(
            program=program,
            name="import",
            predicted=failure or "it succeeds",
            observed=observed.failure or "it succeeds",
        )


def _searched(process: Process) -> dict[str, list[Found]]:
    """By bare name, the files that searches led to, in their order."""
    found: dict[str, list[Found]] = {}
    for arrival in process.history:
        if "/" not in arrival.name and arrival.found.via != "loaded":
            found.setdefault(arrival.name, []).append(arrival.found)
    return found


def _differ(
    program: str, name: str, one: Found | None, two: Seen | None, process: Process
) -> Difference | None:
    predicted = process.files.real(one.path) if one and one.path else ""
    observed = process.files.real(two.path) if two and two.path else ""
    if predicted == observed:
        return None
    return Difference(
        program=program,
        name=name,
        predicted=one.path if one and one.path else "nothing",
        observed=two.path if two and two.path else "nothing",
    )
