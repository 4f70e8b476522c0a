"""`dlsetup libs`: which copy of each CUDA library an environment loads, and whether its files are whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal, NamedTuple

from msgspec.structs import replace

from dlsetup.catalog.load import Places, opened
from dlsetup.catalog.loading import loadings
from dlsetup.commands.examined import catalog_of_examined
from dlsetup.commands.question import folders, machine_of
from dlsetup.judge.scene import Installed, Scene
from dlsetup.model.errors import UsageError
from dlsetup.model.libraries import Course, Difference, Libraries, Observed
from dlsetup.model.loading import LoaderSettings, Loading, LoadingKnowledge
from dlsetup.model.machine import Environment, Gap, Library, Machine
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.versions import CudaVersion
from dlsetup.probe.host import Host
from dlsetup.probe.inventory import troubles
from dlsetup.probe.libraries import libraries
from dlsetup.probe.loader import interpreter, settings
from dlsetup.probe.loader_files import LoaderFiles
from dlsetup.probe.notes import Notes
from dlsetup.probe.parallel import Together
from dlsetup.probe.pythons import environment_in, python_at
from dlsetup.rules.loader import Process, Refused
from dlsetup.rules.loader_agreement import differences
from dlsetup.rules.loader_choices import Copies, choices, mixed_parts, of_library
from dlsetup.rules.loader_course import Following
from dlsetup.show import json
from dlsetup.show.libs import Wanted, libs_lines
from dlsetup.show.lines import write

DEADLINE = 60.0
"""Seconds for all files together: a folder may lie on a network file system that does not answer."""


class Request(Record, frozen=True, kw_only=True):
    """The words of `libs`, as they were typed."""

    environment: str | None = None
    library: str | None = None
    every: bool = False
    observe: bool = False
    as_json: bool = False
    catalog: tuple[str, ...] = ()


class LibsDocument(Record, frozen=True, kw_only=True):
    """`ok`: all was read, every library has what is asked of it, and every file is as it was installed."""

    schema: Literal["dlsetup.libs/1"] = "dlsetup.libs/1"
    ok: bool
    libraries: Libraries
    unknown: tuple[Gap, ...] = ()


class Followed(NamedTuple):
    """A course, and how it came to it where a framework was followed."""

    course: Course
    loading: Loading | None = None
    following: Following | None = None


class Ground(Record, frozen=True, kw_only=True):
    """What the courses of all frameworks share."""

    python: str
    settings: LoaderSettings
    files: LoaderFiles
    copies: Copies
    known: LoadingKnowledge


def run(request: Request) -> int:
    """Print the libraries. 1 where one lacks what is asked of it, or files are not whole."""
    host = Host.here(os.environ)
    if host.platform != "linux":
        raise UsageError(
            "only the loader of Linux is followed",
            hint="`dlsetup doctor` looks at an environment on every system",
        )
    places = opened(folders(request.catalog))
    machine = machine_of(None, request.environment, places)
    environment = _examined(machine)
    notes = Notes()
    scene = Scene.of(machine, catalog_of_examined(machine, places))
    together = Together(notes, DEADLINE)
    ground = _ground(host, together, machine, environment, scene, places)
    inventory = together.begin("installed files", lambda: troubles(host, environment, ground.settings.sites))
    followed = _courses(scene, ground, together, every=request.every)
    troubled = together.end(inventory)
    found = Libraries(
        environment=environment.path,
        program=ground.settings.program,
        courses=tuple(item.course for item in followed),
        troubles=troubled,
        unread=tuple(together.unread),
    )
    if request.observe:
        found = _observed(found, followed, host, ground)
    if request.library is not None:
        found = _about(found, request.library)
    if request.as_json:
        json.write(LibsDocument(ok=found.well, libraries=found, unknown=tuple(notes.gaps)))
    else:
        write(libs_lines(found, notes.gaps, Wanted(every=request.every, one=request.library is not None)))
    return 0 if found.well else 1


def _examined(machine: Machine) -> Environment:
    environment = machine.environment
    if environment is None:
        raise UsageError("there is no environment to look at", hint="name one: `dlsetup libs --env PATH`")
    return environment


def _ground(
    host: Host, together: Together, machine: Machine, environment: Environment, scene: Scene, places: Places
) -> Ground:
    place = environment_in(host, environment.path) or python_at(host, environment.path)
    if place is None:
        raise UsageError(
            f"there is no Python in `{environment.path}`", hint="name another: `dlsetup libs --env PATH`"
        )
    toolkits = () if isinstance(machine.toolkits, Unknown) else machine.toolkits
    homes = tuple(item.path for item in toolkits)
    own = Notes()

    def copies() -> dict[str, Library]:
        return {host.real(item.path): item for item in libraries(host, own, environment, homes, parts=True)}

    found = together.end(together.begin("copies of libraries", copies))
    together.notes.gaps.extend(own.gaps)
    return Ground(
        python=interpreter(host, place.environment.path),
        settings=settings(host, place),
        files=LoaderFiles(host),
        copies=Copies(by_real={} if isinstance(found, Unknown) else found),
        known=loadings((item.framework.name for item in scene.installed), places),
    )


def _courses(scene: Scene, ground: Ground, together: Together, *, every: bool) -> tuple[Followed, ...]:
    """One for each framework whose files can be read in time: one that hangs holds up no other."""
    ways = list(_ways(scene, ground, every=every))
    begun = [together.begin(f"libraries of {program}", follow) for program, follow in ways]
    followed: list[Followed] = []
    for probe in begun:
        found = together.end(probe)
        if not isinstance(found, Unknown):
            followed.append(found)
    return tuple(followed)


def _ways(scene: Scene, ground: Ground, *, every: bool) -> Iterator[tuple[str, Callable[[], Followed]]]:
    known = [
        (installed, loading)
        for installed in scene.installed
        if (loading := ground.known.of(installed.framework.name, installed.distribution.version))
    ]
    for installed, loading in known:
        name = installed.framework.name
        yield name, partial(_course, name, loading, _major(installed), ground)
    if every or not known:
        yield "any program", lambda: Followed(course=_of_any_program(ground))


def _major(installed: Installed) -> int | None:
    cuda = installed.cuda
    return cuda.major if isinstance(cuda, CudaVersion) else None


def _course(program: str, loading: Loading, major: int | None, ground: Ground) -> Followed:
    try:
        following = Following(Process(ground.settings, ground.files), major)
    except Refused as exc:
        return Followed(course=Course(program=program, failure=str(exc)))
    following.follow(loading, ground.known.askings)
    told = _told(program, following, ground, ground.known.words(loading.source))
    return Followed(course=told, loading=loading, following=following)


def _observed(found: Libraries, followed: tuple[Followed, ...], host: Host, ground: Ground) -> Libraries:
    """With what the real loader was seen to do, framework by framework."""
    from dlsetup.verify.loader import observe

    seen: list[Observed] = []
    differing: list[Difference] = []
    for item in followed:
        if item.loading is None or item.following is None:
            continue
        program, following = item.course.program, item.following
        said = observe(
            host, ground.python, ground.settings, program, item.loading.step, major=following.major
        )
        seen.append(said)
        differing += differences(program, following.process, following.failure, said)
    return replace(found, observed=tuple(seen), differences=tuple(differing))


def _of_any_program(ground: Ground) -> Course:
    """What a program gets that opens the libraries by their names, each in a process of its own."""
    sonames = dict.fromkeys(_soname(ground, path) for path in ground.copies.by_real)
    found = Course(program="python")
    for name in sonames:
        try:
            following = Following(Process(ground.settings, ground.files))
        except Refused as exc:
            return replace(found, failure=str(exc))
        if following.found(name):
            told = _told("python", following, ground, "")
            choice = tuple(item for item in told.choices if item.soname == name)
            found = replace(found, choices=(*found.choices, *choice))
    return found


def _soname(ground: Ground, path: str) -> str:
    file = ground.files.shared_object(path)
    return file.soname if file and file.soname else path.rpartition("/")[2]


def _told(program: str, following: Following, ground: Ground, source: str) -> Course:
    chosen = choices(program, following.process, ground.copies)
    return Course(
        program=program,
        opens=tuple(following.opens),
        failure=following.failure,
        unmet=tuple(following.unmet),
        choices=chosen,
        mixed=tuple(mixed_parts(chosen)),
        source=source,
    )


def _about(found: Libraries, word: str) -> Libraries:
    """The part that is about one library. Raises `UsageError` where no program asks for it."""
    courses = tuple(replace(item, choices=of_library(item.choices, word)) for item in found.courses)
    if not any(item.choices for item in courses) and not found.unread:
        known = sorted({choice.library for item in found.courses for choice in item.choices})
        hint = f"asked for: {', '.join(known)}" if known else "no CUDA library is asked for here"
        raise UsageError(f"no program here asks for a library `{word}`", hint=hint)
    return replace(found, courses=courses, troubles=UNKNOWN)
