"""`dlsetup profiles show`: one profile, and what it becomes on this machine or another."""

from __future__ import annotations

from dlsetup.catalog.profiles import load_profile
from dlsetup.commands.question import Question, catalog_of, folders, wish_of
from dlsetup.commands.targets import Places, targets_of
from dlsetup.model.errors import UsageError
from dlsetup.model.record import UNKNOWN
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.resolve import resolve
from dlsetup.show import json
from dlsetup.show.lines import write
from dlsetup.show.profiles import ProfileDocument, profile_lines


def run(question: Question, places: Places, *, as_json: bool = False) -> int:
    """Print the profile with its plan (0), or with what stands against it (1)."""
    if len(places.machines) + len(places.targets) > 1:
        raise UsageError("several targets are named", hint="`dlsetup profiles check` takes several")
    profile = load_profile(question.profile or "", folders(question.catalog))
    wish = wish_of(question)
    (target,) = targets_of(places, question.catalog)
    answer = resolve(wish, target, catalog_of(wish, question))
    document = ProfileDocument(
        ok=isinstance(answer, Plan),
        profile=profile,
        plan=answer if isinstance(answer, Plan) else UNKNOWN,
        conflict=answer if isinstance(answer, Conflict) else UNKNOWN,
    )
    if as_json:
        json.write(document)
    else:
        write(profile_lines(profile, answer))
    return 0 if document.ok else 1
