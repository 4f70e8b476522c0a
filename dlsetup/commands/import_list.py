"""`dlsetup import`: an old list of packages as it is written today, and what became of each line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace
from packaging.specifiers import SpecifierSet

from dlsetup.catalog.conda import conda_packages, old_facts
from dlsetup.catalog.load import load, opened, owners
from dlsetup.commands.conda_builds import wish_of_plan
from dlsetup.commands.question import Question, catalog_of, folders, target_of, wish_of
from dlsetup.intake.old_list import is_command, read_old
from dlsetup.model.conda import CondaWish
from dlsetup.model.errors import StepFailed, UsageError
from dlsetup.model.framework import Catalog, Ended
from dlsetup.model.modernised import Modernised, OldList
from dlsetup.model.record import UNKNOWN, Record
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish
from dlsetup.plan.modernise import Choice, Form, modernised
from dlsetup.plan.old_entries import Asked, Names, Understood, understand
from dlsetup.resolve import resolve
from dlsetup.show import json
from dlsetup.show.lines import write
from dlsetup.show.modernised import ImportDocument, modernised_lines
from dlsetup.show.resolution import conflict_lines

LARGEST = 1 << 20
FORMS: tuple[Form, ...] = ("conda", "requirements")


class Request(Record, frozen=True, kw_only=True):
    """The words of `import`, as they were typed."""

    source: str
    question: Question
    to: str | None = None
    output: str | None = None
    in_place: bool = False
    dry_run: bool = False
    as_json: bool = False


def run(request: Request) -> int:
    """Say what became of each line (0), or what stands against any plan (1)."""
    _check(request)
    text, where = _read(request.source)
    old = read_old(text, where)
    form = _form(request, old)
    places = opened(folders(request.question.catalog))
    facts = old_facts()
    known = owners(places)
    names = Names(
        facts=facts,
        owners=known,
        ended=_ended(load(sorted(set(known.values())), places)),
        served={item.distribution for item in conda_packages()},
    )
    understood = understand(old, names)
    found = _chosen(request, understood, form)
    if isinstance(found, Conflict):
        return _refuse(request, found)
    modern = modernised(old, understood, found, facts)
    if request.in_place:
        from dlsetup.plan.yaml_edit import edited

        modern = replace(modern, text=edited(text, modern, modern.text))
    _show(request, _written(request, modern), where)
    return 0


def _check(request: Request) -> None:
    if request.in_place and (request.output or request.source == "-" or not Path(request.source).is_file()):
        raise UsageError(
            "`--in-place` rewrites the file that is named", hint="leave out `-o`, and name a file"
        )
    if request.output is not None and os.path.lexists(request.output):
        raise UsageError(
            f"`{request.output}` exists already and is left as it is", hint="choose another name for `-o`"
        )


def _form(request: Request, old: OldList) -> Form:
    pip_alone = all(entry.part in ("pip", "option") for entry in old.entries)
    form = request.to or ("requirements" if pip_alone else "conda")
    for item in FORMS:
        if form == item:
            if request.in_place and (old.kind, item) != ("environment", "conda"):
                raise UsageError(
                    "only an `environment.yml` that stays one is rewritten in place",
                    hint="name a file with `-o`",
                )
            return item
    raise UsageError(f"`{form}` is no form of a list", hint=f"`--to` knows {', '.join(FORMS)}")


def _read(source: str) -> tuple[str, str]:
    """The text and what it is called. A command may stand for itself."""
    if source == "-":
        return sys.stdin.read(LARGEST), "standard input"
    path = Path(source)
    try:
        if path.is_file():
            with path.open("rb") as file:
                data = file.read(LARGEST + 1)
            if len(data) > LARGEST:
                raise UsageError(f"`{source}` is larger than 1 MiB", hint="name a list of packages")
            return data.decode("utf-8-sig", "replace"), path.name
    except (OSError, ValueError) as exc:
        if not is_command(source):
            raise UsageError(f"`{source[:200]}` cannot be read", hint="name a list of packages") from exc
    if is_command(source):
        return source, "the command"
    raise UsageError(
        f"there is no file `{source[:200]}`",
        hint="name an environment.yml or requirements.txt, or quote a command: `'conda install pytorch'`",
    )


def _ended(catalog: Catalog) -> dict[str, Ended]:
    return {item.name: item.ended for item in catalog.frameworks if item.ended is not None}


def _chosen(request: Request, understood: Understood, form: Form) -> Choice | Conflict:
    """The first of the ways below that leads to a plan."""
    target = replace(target_of(request.question), pythons=UNKNOWN)
    first: Conflict | None = None
    last: Plan | Conflict | None = None
    catalog: Catalog | None = None
    for question, loose in _ways(request.question, understood):
        wish = wish_of(question)
        catalog = catalog or catalog_of(wish, question)
        last = resolve(wish, target, catalog)
        if isinstance(last, Plan) and (loose or _is_current(last, form)):
            return _choice(last, catalog, form, _words(first))
        first = first or (last if isinstance(last, Conflict) else None)
    if isinstance(last, Conflict) and catalog is not None:
        return _without_one(request.question, understood, target, catalog, form) or last
    raise UsageError(
        "it asks for no framework of the catalog", hint="name a list with torch, tensorflow or jax"
    )


def _is_current(plan: Plan, form: Form) -> bool:
    """conda-forge makes no builds for CUDA 11 any more."""
    return form != "conda" or plan.cuda is None or int(plan.cuda.major) >= 12


def _choice(plan: Plan, catalog: Catalog, form: Form, because: str) -> Choice:
    wish = wish_of_plan(plan, catalog) if form == "conda" else CondaWish(always=())
    return Choice(plan=plan, wish=wish, form=form, because=because)


def _ways(question: Question, understood: Understood) -> Iterator[tuple[Question, bool]]:
    """As it is written; without its exact versions; without any of its bounds."""
    python = _python(understood)
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


def _python(understood: Understood) -> str | None:
    """The Python line as it is written, where somebody still maintains it."""
    asked = understood.python
    ended = {item.line for item in old_facts().python}
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
    question: Question, understood: Understood, target: Target, catalog: Catalog, form: Form
) -> Choice | None:
    """Leaving one framework out, the last that is named first."""
    names = list(dict.fromkeys(item.name for item in understood.frameworks))
    own = replace(question, cpu=question.cpu or bool(understood.cpu))
    for name in reversed(names if len(names) > 1 else []):
        rest = tuple(item for item in names if item != name)
        wish: Wish = wish_of(replace(own, frameworks=rest))
        found = resolve(wish, target, catalog)
        if isinstance(found, Plan):
            whole = resolve(wish_of(replace(own, frameworks=tuple(names))), target, catalog)
            because = _words(whole if isinstance(whole, Conflict) else None)
            return replace(_choice(found, catalog, form, because), left_out={name: because})
    return None


def _words(conflict: Conflict | None) -> str:
    """What stands against it, in one sentence: rules first, they say the reason."""
    if conflict is None:
        return ""
    texts = [clause.text for clause in conflict.core if clause.kind == "rule"]
    return "; ".join(texts or [clause.text for clause in conflict.core])[:400]


def _written(request: Request, modern: Modernised) -> Modernised:
    path = request.source if request.in_place else request.output
    if path is None or request.dry_run:
        return modern
    try:
        # A file that appeared meanwhile is not overwritten.
        with open(path, "w" if request.in_place else "x", encoding="utf-8") as file:
            file.write(modern.text)
    except OSError as error:
        raise StepFailed(
            f"`{path}` cannot be written: {error.strerror}.", hint="choose another place."
        ) from error
    return replace(modern, path=path)


def _refuse(request: Request, conflict: Conflict) -> int:
    if request.as_json:
        json.write(ImportDocument(ok=False, conflict=conflict))
    else:
        write(conflict_lines(conflict))
    return 1


def _show(request: Request, modern: Modernised, where: str) -> None:
    if request.as_json:
        json.write(ImportDocument(ok=True, modernised=modern))
    else:
        write(modernised_lines(modern, where))
