"""The plan for an old list: as it is written where that still works, else with fewer of its bounds."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace
from packaging.specifiers import SpecifierSet

from dlsetup.catalog.conda import plain_packages
from dlsetup.commands.conda_builds import wish_of_plan
from dlsetup.commands.question import Question, catalog_of, target_of, wish_of
from dlsetup.model.conda import CondaWish
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.modernised import ListForm, OldFacts
from dlsetup.model.record import UNKNOWN
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish
from dlsetup.plan.modernise import Choice
from dlsetup.plan.old_entries import Asked, Understood
from dlsetup.resolve import resolve


def chosen(question: Question, understood: Understood, form: ListForm, facts: OldFacts) -> Choice | Conflict:
    """The first of the ways below that leads to a plan."""
    target = replace(target_of(question), pythons=UNKNOWN)
    python = _python(understood, facts)
    first: Conflict | None = None
    last: Plan | Conflict | None = None
    catalog: Catalog | None = None
    for asked, loose in _ways(question, understood, python):
        wish = wish_of(asked)
        catalog = catalog or catalog_of(wish, asked)
        last = resolve(wish, target, catalog)
        if isinstance(last, Plan) and (loose or _is_current(last, form)):
            found = _choice(last, catalog, form, _words(first))
            return replace(
                found, reasons=_reasons(understood, last, replace(asked, python=python), (target, catalog))
            )
        first = first or (last if isinstance(last, Conflict) else None)
    if isinstance(last, Conflict) and catalog is not None:
        return _without_one(question, understood, form, (target, catalog)) or last
    raise UsageError(
        "it asks for no framework of the catalog", hint="name a list with torch, tensorflow or jax"
    )


def _is_current(plan: Plan, form: ListForm) -> bool:
    """conda-forge makes no builds for CUDA 11 any more."""
    return form != "conda" or plan.cuda is None or int(plan.cuda.major) >= 12


def _reasons(
    understood: Understood, plan: Plan, question: Question, world: tuple[Target, Catalog]
) -> dict[str, str]:
    """What stands against the version of each framework that became another, asked by itself."""
    taken = {pick.framework: pick.version.public for pick in plan.picks}
    found = {}
    for item in understood.frameworks:
        if item.name in taken and not item.specifier.contains(taken[item.name], prereleases=True):
            alone = replace(question, frameworks=(_text(item, item.specifier),))
            answer = resolve(wish_of(alone), *world)
            if isinstance(answer, Conflict):
                found[item.name] = _words(answer)
            elif not _is_current(answer, "conda"):
                release = item.pin.removesuffix(".*") or str(item.specifier)
                found[item.name] = f"{item.name} {release} is made for CUDA {answer.cuda} at most"
    return found


def _choice(plan: Plan, catalog: Catalog, form: ListForm, because: str) -> Choice:
    wish = wish_of_plan(plan, catalog) if form == "conda" else CondaWish(always=())
    return Choice(plan=plan, wish=wish, form=form, because=because, alike=plain_packages())


def _ways(question: Question, understood: Understood, python: str | None) -> Iterator[tuple[Question, bool]]:
    """As it is written; without its exact versions; without any of its bounds."""
    written = [_text(item, item.specifier) for item in understood.frameworks]
    bounded = [_text(item, SpecifierSet() if item.pin else item.specifier) for item in understood.frameworks]
    free = [_text(item, SpecifierSet()) for item in understood.frameworks]
    cuda = question.cuda or _cuda(understood)
    own = replace(question, cpu=question.cpu or bool(understood.cpu), cuda=None if understood.cpu else cuda)
    if not free:
        return
    ways = [
        (replace(own, frameworks=tuple(dict.fromkeys(written)), python=question.python or python), False),
        (replace(own, frameworks=tuple(dict.fromkeys(bounded)), python=question.python or python), False),
        (replace(own, frameworks=tuple(dict.fromkeys(free)), cuda=question.cuda), True),
    ]
    yield from ways


def _text(asked: Asked, specifier: SpecifierSet) -> str:
    return f"{asked.name}{specifier}"


def _python(understood: Understood, facts: OldFacts) -> str | None:
    """The Python line as it is written, where somebody still maintains it."""
    asked = understood.python
    ended = {item.line for item in facts.python}
    if asked is None or not asked.specifier:
        return None
    pin = ".".join(asked.pin.removesuffix(".*").split(".")[:2])
    if asked.pin:
        return None if pin in ended or not pin.startswith("3.") else pin
    return str(asked.specifier)


def _cuda(understood: Understood) -> str | None:
    """The CUDA family that is asked for, where conda-forge still builds for it."""
    majors = {item.pin.partition(".")[0] for item in understood.toolkits}
    found = next(iter(majors)) if len(majors) == 1 else ""
    return found if found.isdigit() and int(found) >= 12 else None


def _without_one(
    question: Question, understood: Understood, form: ListForm, world: tuple[Target, Catalog]
) -> Choice | None:
    """Leaving one framework out, the last that is named first."""
    names = list(dict.fromkeys(item.name for item in understood.frameworks))
    own = replace(question, cpu=question.cpu or bool(understood.cpu))
    for name in reversed(names if len(names) > 1 else []):
        rest = tuple(item for item in names if item != name)
        wish: Wish = wish_of(replace(own, frameworks=rest))
        found = resolve(wish, *world)
        if isinstance(found, Plan):
            whole = resolve(wish_of(replace(own, frameworks=tuple(names))), *world)
            because = _words(whole if isinstance(whole, Conflict) else None)
            return replace(_choice(found, world[1], form, because), left_out={name: because})
    return None


def _words(conflict: Conflict | None) -> str:
    """What stands against it, in one sentence: rules first, they say the reason."""
    if conflict is None:
        return ""
    texts = [clause.text for clause in conflict.core if clause.kind != "wish"]
    return "; ".join(texts or [clause.text for clause in conflict.core])[:400]
