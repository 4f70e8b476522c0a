"""The kinds of notes, and the one way to ask for one."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module

from dlsetup.model.note import Concern, Harmless, Note, NoteStep, NotOfKind
from dlsetup.model.record import Record
from dlsetup.plan.notes import kinds
from dlsetup.plan.notes.about import about
from dlsetup.plan.notes.finish import finished
from dlsetup.plan.notes.subject import Subject

Steps = Callable[[Subject], Iterable[NoteStep]]
Concerns = Callable[[Subject], NotOfKind | None]


class Kind(Record, frozen=True, kw_only=True):
    """One kind of note: for which machines it is, and its steps."""

    name: str
    title: str
    concerns: Concerns
    """None: it is for this machine; otherwise why it is not."""
    steps: Steps


def every_kind() -> tuple[Kind, ...]:
    """All kinds in `plan/notes/kinds`, in the order of their names."""
    names = sorted(found.name for found in pkgutil.iter_modules(kinds.__path__))
    modules = [import_module(f"{kinds.__name__}.{name}") for name in names]
    return tuple(item for module in modules for item in vars(module).values() if isinstance(item, Kind))


def named(name: str) -> Kind | None:
    """The kind of that name; only its own module is read."""
    module = name.replace("-", "_")
    if module not in {found.name for found in pkgutil.iter_modules(kinds.__path__)}:
        return None
    found = vars(import_module(f"{kinds.__name__}.{module}")).values()
    return next((item for item in found if isinstance(item, Kind) and item.name == name), None)


def names() -> tuple[str, ...]:
    """The names of all kinds, without reading them."""
    return tuple(sorted(found.name.replace("_", "-") for found in pkgutil.iter_modules(kinds.__path__)))


def note(kind: Kind, subject: Subject) -> Note | NotOfKind:
    """The note, or why it is none for this machine."""
    refused = kind.concerns(subject)
    if refused is not None:
        return refused
    return Note(
        kind=kind.name,
        title=kind.title,
        about=about(subject),
        steps=tuple(finished(kind.steps(subject), subject)),
        harmless=tuple(_harmless(kind, subject)),
    )


def _harmless(kind: Kind, subject: Subject) -> Iterator[Harmless]:
    for row in subject.facts.warned:
        if kind.name in row.kinds:
            source = "".join(subject.facts.words(row.source))
            yield Harmless(says=row.says, because=row.because, source=source)


def concerns(subject: Subject) -> Iterator[Concern]:
    """Each kind, whether it is for this machine, and how much it still needs."""
    for kind in every_kind():
        found = note(kind, subject)
        if isinstance(found, Note):
            yield Concern(kind=kind.name, title=kind.title, concerns=True, needed=found.surely)
        else:
            yield Concern(kind=kind.name, title=kind.title, concerns=False, because=found.because)
