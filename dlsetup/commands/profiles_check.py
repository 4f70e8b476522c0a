"""`dlsetup profiles check`: whether profiles can be read, resolve on every target, and can be locked."""

from __future__ import annotations

from collections.abc import Iterator

import tomli
from msgspec.structs import replace

from dlsetup.catalog.profiles import load_profile, profile_names
from dlsetup.commands.question import Question, catalog_of, folders, wish_of
from dlsetup.commands.resolve import Request as Resolving
from dlsetup.commands.targets import Places, targets_of
from dlsetup.model.errors import DataError, StepFailed, UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.record import Record
from dlsetup.model.resolution import Conflict
from dlsetup.model.target import Target
from dlsetup.model.wish import Profile, Wish
from dlsetup.resolve import resolve
from dlsetup.resolve.fitting import told_of
from dlsetup.show import json
from dlsetup.show.lines import write
from dlsetup.show.profiles import Checked, ProfilesCheckDocument, check_lines
from dlsetup.verify.table import IMPORT, TABLE


class Request(Record, frozen=True, kw_only=True):
    """The words of `profiles check`, as they were typed."""

    names: tuple[str, ...] = ()
    """Names or paths; none: every profile."""
    question: Question
    places: Places = Places()
    lock: bool = False
    indexes: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    offline: bool = False
    as_json: bool = False


def run(request: Request) -> int:
    """Print what became of every profile on every target. 1 where one does not come to its end."""
    folder = folders(request.question.catalog)
    targets = targets_of(request.places, request.question.catalog)
    found = tuple(
        row
        for name in dict.fromkeys(request.names or profile_names(folder))
        for row in _checked(name, targets, request)
    )
    document = ProfilesCheckDocument(ok=all(row.outcome == "resolves" for row in found), checked=found)
    if request.as_json:
        json.write(document)
    else:
        write(check_lines(document))
    return 0 if document.ok else 1


def _checked(name: str, targets: tuple[Target, ...], request: Request) -> Iterator[Checked]:
    question = replace(request.question, profile=name)
    try:
        check_words(load_profile(name, folders(question.catalog)))
        wish = wish_of(question)
    except DataError as error:
        yield Checked(profile=name, outcome="malformed", because=error.message)
        return
    try:
        catalog = catalog_of(wish, question)
    except UsageError as error:
        yield Checked(profile=name, outcome="malformed", because=error.message)
        return
    for target in targets:
        yield _on(target, name, wish, catalog, request)


def check_words(profile: Profile) -> None:
    """Raises `DataError` for a word under which nothing can be proved."""
    for word in profile.verify:
        if word != IMPORT and not any(item.answers_to(word) for item in TABLE):
            known = ", ".join(dict.fromkeys((IMPORT, *(item.name for item in TABLE))))
            reason = f"the profile `{profile.name}`: `{word}` names nothing that can be proved"
            raise DataError(reason, hint=f"`verify` takes {known}")


def _on(target: Target, name: str, wish: Wish, catalog: Catalog, request: Request) -> Checked:
    answer = resolve(wish, target, catalog)
    if isinstance(answer, Conflict):
        return Checked(profile=name, target=target.name, outcome="conflict", because=told_of(answer))
    found = Checked(profile=name, target=target.name, outcome="resolves", plan=answer)
    return _locked(found, target, wish, catalog, request) if request.lock else found


def _locked(found: Checked, target: Target, wish: Wish, catalog: Catalog, request: Request) -> Checked:
    """The same with the number of packages in its lock, or with uv's reason against one."""
    from dlsetup.commands.resolve_lock import Refused, made_lock

    asked = Resolving(
        question=request.question,
        places=request.places,
        indexes=request.indexes,
        find_links=request.find_links,
        offline=request.offline,
    )
    try:
        made = made_lock(asked, (wish,), (target,), catalog)
    except StepFailed as error:
        return replace(found, outcome="not locked", because=error.message)
    if isinstance(made, Refused):
        return replace(found, outcome="not locked", because=told_of(made.answer))
    return replace(found, packages=len({row["name"] for row in tomli.loads(made.text).get("packages", [])}))
