"""The command that makes an environment of the framework that comes first: of a profile where one fits."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from dlsetup.catalog.load import load, opened
from dlsetup.catalog.profiles import profile_names
from dlsetup.commands.question import Question, folders, wish_of
from dlsetup.commands.targets import Places
from dlsetup.model.choosing import Ranked, Ranking, Said
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish
from dlsetup.resolve.fitting import fit_of
from dlsetup.show.choose import Offer


def offer_for(found: Ranking, said: Said, target: Target, question: Question, places: Places) -> Offer | None:
    """What makes the first place; None where nothing runs."""
    first = found.places[0]
    if first.fit.plan is None:
        return None
    if first.fit.conflict is not None:
        question = replace(question, cpu=True)
    for name in _profiles(said):
        offer = _of_profile(name, first, target, question, places, said.task.id)
        if offer is not None:
            return offer
    words = _command(replace(question, frameworks=(first.framework,)), places, said.task.id)
    return Offer(framework=first.framework, command=words, plan=first.fit.plan)


def _profiles(said: Said) -> Iterator[str]:
    """The domain's own profile where it suits the task, then that of the task."""
    if said.domain is not None and said.task.id in said.domain.profile_for:
        yield said.domain.profile
    yield said.task.profile


def _of_profile(
    name: str, first: Ranked, target: Target, question: Question, places: Places, task: str
) -> Offer | None:
    """The offer of a profile that begins with the framework and fits no worse than it does alone."""
    place = folders(question.catalog)
    if name not in profile_names(place):
        return None
    asked = replace(question, profile=name)
    wish: Wish = wish_of(asked)
    if wish.wanted[0].framework != first.framework:
        return None
    fit = fit_of(wish, target, load([item.framework for item in wish.wanted], opened(place)))
    if fit.plan is None or fit.conflict is not None:
        return None
    return Offer(
        framework=first.framework, profile=name, command=_command(asked, places, task), plan=fit.plan
    )


def _command(question: Question, places: Places, task: str) -> str:
    """For this machine an environment; for another one the files that uv makes it of there."""
    options = [*_options(question), *_where(places)]
    if places.foreign:
        what = ["create", "files", *question.frameworks, "--form", "uv"]
    else:
        what = ["create", "env", _free(task), *question.frameworks]
    return shlex.join(["dlsetup", *what, *options])


def _free(name: str) -> str:
    """A name that no file here has."""
    names = itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))
    return next(item for item in names if not Path(item).exists())


def _options(question: Question) -> Iterator[str]:
    valued = (
        ("--profile", question.profile),
        ("--python", question.python),
        ("--accelerator", question.accelerator),
        ("--cuda", question.cuda),
    )
    for option, value in valued:
        if value is not None:
            yield from (option, value)
    yield from ["--cpu"] * question.cpu
    yield from ["--allow-cpu"] * question.allow_cpu
    for folder in question.catalog:
        yield from ("--catalog", folder)


def _where(places: Places) -> Iterator[str]:
    for option, values in (("--machine", places.machines), ("--target", places.targets)):
        for value in values:
            yield from (option, value)
    if places.container is not None:
        yield from ("--container", places.container)
