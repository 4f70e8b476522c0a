"""What goes into an image: builds and their lock, chosen for the host through the base, or taken as is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace
from packaging.version import Version

from dlsetup.catalog.containers import Inside, inside
from dlsetup.catalog.images import images
from dlsetup.commands.asked import Asked
from dlsetup.commands.check_lock import catalog_for
from dlsetup.commands.question import Question, folders
from dlsetup.commands.resolve import Request
from dlsetup.commands.resolve_lock import Refused, made_lock, must_serve
from dlsetup.commands.targets import Places, in_container
from dlsetup.intake.lock import parse, read
from dlsetup.intake.place import image_name
from dlsetup.judge.locked import builds_in, judge_lock
from dlsetup.model.errors import StepFailed, UsageError
from dlsetup.model.finding import Diagnosis
from dlsetup.model.framework import Catalog
from dlsetup.model.image import Image, Purpose
from dlsetup.model.listing import Reading
from dlsetup.model.locked import Locked
from dlsetup.model.machine import Libc
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.model.target import Interpreter, Target
from dlsetup.plan.base_image import PYTHON, Base, base_for, named_base
from dlsetup.plan.contents import Contents, builds_of
from dlsetup.plan.lock_text import as_pylock, is_pylock
from dlsetup.plan.toml import compiling
from dlsetup.resolve import resolve

ROUNDS = 3
"""How often another base may ask for other builds, and these for another base."""


class Filled(Record, frozen=True, kw_only=True):
    """An image's contents with the base that suits them."""

    contents: Contents
    base: Base
    files: dict[str, str]
    """The lock, and what says how to compile, by name."""
    lock_name: str
    catalog: Catalog
    plan: Plan | Unknown = UNKNOWN
    """Unknown where a lock was given."""
    readings: tuple[Reading, ...] = ()
    learned: tuple[str, ...] = ()
    diagnosis: Diagnosis = Diagnosis(findings=())
    """What was remarked on a lock that was given."""


class Bases:
    """Bases that can be chosen, and the host as it is seen from inside each."""

    def __init__(self, question: Question, host: Target, base: str | None) -> None:
        catalog = folders(question.catalog)
        self.images: Sequence[Image] = images(catalog)
        self.host = host
        self.named = None if base is None else inside(image_name(base), catalog)
        self.any_python = question.python is not None

    def first(self) -> Target:
        """Inside the base that was named, or one that has Python and no more."""
        rows = [row for row in self.images if row.repository == PYTHON]
        listed = tuple(
            Interpreter(version=Version(str(row.python)), path=f"{PYTHON}:{row.tags[0]}") for row in rows
        )
        if self.named is not None:
            own = self.named.python
            brought = listed if isinstance(own, Unknown) or self.any_python else (Interpreter(version=own),)
            return in_container(self.host, self.named, brought)
        libc = Libc(name="glibc", version=rows[0].glibc)
        found = Inside(image=f"an image of {PYTHON}", libc=libc, architectures=rows[0].architectures)
        return in_container(self.host, found, listed)

    def base(self, contents: Contents) -> Base:
        if self.named is None:
            return base_for(contents, self.images)
        libc = self.named.libc
        known = libc.version if isinstance(libc, Libc) and libc.name == "glibc" else UNKNOWN
        return named_base(self.named.image, contents, known, self.named.python)

    def on(self, base: Base, target: Target) -> Target:
        """The target inside that base."""
        libc = target.libc if isinstance(base.libc, Unknown) else Libc(name="glibc", version=base.libc)
        return replace(target, name=f"{base.image} on {self.host.name}", libc=libc)


def planned(request: Request, said: Asked, bases: Bases, purpose: Purpose) -> Filled | Conflict:
    """Builds chosen for the host, in the base that they need, and locked. The package index is asked."""
    target = bases.first()
    for _ in range(ROUNDS):
        found = _chosen(said, bases, target, purpose)
        if isinstance(found, Conflict):
            return found
        inner = bases.on(found, target)
        if inner.libc == target.libc:
            asked_for = replace(request, lock="pylock.toml", places=Places(container=found.image))
            return _locked_plan(said, bases, inner, asked_for, purpose)
        target = inner
    raise StepFailed("no base goes with what is chosen in it", hint="name one: `--base IMAGE`")


def _chosen(said: Asked, bases: Bases, target: Target, purpose: Purpose) -> Base | Conflict:
    wish, _ = said.on(target)
    answer = resolve(wish, target, said.catalog)
    return answer if isinstance(answer, Conflict) else bases.base(_of_plan(answer, said.catalog, purpose))


def _locked_plan(
    said: Asked, bases: Bases, target: Target, request: Request, purpose: Purpose
) -> Filled | Conflict:
    wish, readings = said.on(target)
    made = made_lock(request, (wish,), (target,), said.catalog)
    if isinstance(made, Refused):
        return made.answer
    plan = made.plans[0]
    text = as_pylock(made.text, made.note, made.plans)
    must_serve(text, "pylock.toml", (target,), said.catalog)
    contents = replace(
        _of_plan(plan, said.catalog, purpose), packages=_names(parse(text, Path("pylock.toml")))
    )
    settings = compiling(plan)
    return Filled(
        contents=contents,
        base=bases.base(contents),
        files={"pylock.toml": text} | ({"uv.toml": settings} if settings else {}),
        lock_name="pylock.toml",
        catalog=said.catalog,
        plan=plan,
        readings=readings,
        learned=made.note.learned,
    )


def _of_plan(plan: Plan, catalog: Catalog, purpose: Purpose) -> Contents:
    builds = tuple(builds_of(plan, catalog))
    return Contents(purpose=purpose, target=plan.target, python=plan.python, builds=builds)


def taken(file: str, question: Question, bases: Bases, purpose: Purpose) -> Filled | Diagnosis:
    """What a lock holds, where it serves the host inside the base; else what speaks against it."""
    locked, text = read(Path(file)), Path(file).read_text("utf-8")
    catalog = catalog_for(locked, question.catalog)
    target = bases.first()
    found = builds_in(locked, target, catalog)
    if found is None:
        return judge_lock(locked, target, catalog)
    python, builds = found
    target = replace(target, pythons=(python,))
    contents = Contents(
        purpose=purpose,
        target=target,
        python=Version(f"{python.version.major}.{python.version.minor}"),
        builds=builds,
        packages=_names(locked),
    )
    if not contents.builds:
        raise UsageError(f"`{file}` holds no framework of the catalog", hint="name one, as in `torch`")
    chosen = bases.base(contents)
    inner = bases.on(chosen, target)
    diagnosis = judge_lock(locked, inner, catalog)
    if not diagnosis.well:
        return diagnosis
    name = "pylock.toml" if is_pylock(Path(file).name) else "requirements.txt"
    return Filled(
        contents=replace(contents, target=inner),
        base=chosen,
        files={name: text, **dict(_settings(file, contents))},
        lock_name=name,
        catalog=catalog,
        diagnosis=diagnosis,
    )


def _settings(file: str, contents: Contents) -> Iterator[tuple[str, str]]:
    """How to compile what has no wheel, as it lies beside the lock."""
    path = Path(file).with_name("uv.toml")
    if not contents.compiles:
        return
    if not path.is_file():
        raise UsageError(
            f"`{file}` has packages to compile, and no `uv.toml` beside it says how",
            hint="name the frameworks instead of the lock",
        )
    yield "uv.toml", path.read_text("utf-8")


def _names(locked: Locked) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.name for item in locked.packages))
