"""What was asked of `create image`, and the image that comes of it, before a file of it is written."""

from __future__ import annotations

import hashlib
import re
import shlex
from importlib.metadata import version
from pathlib import Path
from typing import get_args

from msgspec.structs import replace

from dlsetup.catalog.images import images, system_packages
from dlsetup.commands import resolve
from dlsetup.commands.asked import asked
from dlsetup.commands.image_contents import Bases, Filled, planned, taken
from dlsetup.commands.question import Question, folders, target_of
from dlsetup.intake.target import describe
from dlsetup.model.errors import UsageError
from dlsetup.model.finding import Diagnosis
from dlsetup.model.image import Purpose
from dlsetup.model.outcome import Expected
from dlsetup.model.record import UNKNOWN, Record
from dlsetup.model.resolution import Conflict
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish
from dlsetup.plan.dockerfile import run_words
from dlsetup.plan.expectation import expectations_of
from dlsetup.plan.image_files import BESIDE
from dlsetup.plan.recipe import Recipe, recipe_for, requirement_of
from dlsetup.plan.serving import is_served_so, serving_recipe
from dlsetup.servers import programs
from dlsetup.show.image import ImageDocument

_NAME = re.compile(
    r"(?:[a-z0-9][a-z0-9.-]*(?::\d+)?/)?[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
    r"(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?"
)


class Request(Record, frozen=True, kw_only=True):
    """The words of `create image`, as they were typed."""

    question: Question
    lock: str | None = None
    """A lock to take instead of choosing."""
    purpose: str = "train"
    folder: str = "."
    name: str | None = None
    base: str | None = None
    also: tuple[str, ...] = ()
    indexes: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    offline: bool = False
    plain: bool = False
    """For builders that are not BuildKit."""
    build: bool = False
    pin: bool = False
    """Name bases by their digests too; `build` means it."""
    network: str | None = None
    """Of the builder: `host`."""
    force: bool = False
    dry_run: bool = False
    yes: bool = False
    as_json: bool = False


class Made(Record, frozen=True, kw_only=True):
    """An image before a file of it is written."""

    recipe: Recipe
    given: dict[str, str]
    """The texts that go into it as they are, by name."""
    expected: tuple[Expected, ...] = ()
    document: ImageDocument


def made(request: Request) -> Made | Conflict | Diagnosis:
    """The image before a file of it is written, or what stands against it. Raises `UsageError`."""
    purpose, name, question = _purpose(request), _name(request), request.question
    if request.lock is not None:
        _check_chosen(question)
        filled = taken(request.lock, question, Bases(question, target_of(question), request.base), purpose)
        return _of(filled, request, name) if isinstance(filled, Filled) else filled
    said, host = asked(question), target_of(question)
    if purpose == "serve" and is_served_so(wish := said.on(host)[0]):
        return _served(request, name, wish, host)
    shared = resolve.Request(
        question=question,
        indexes=request.indexes,
        find_links=request.find_links,
        offline=request.offline,
    )
    chosen = planned(shared, said, Bases(question, host, request.base), purpose)
    return _of(chosen, request, name) if isinstance(chosen, Filled) else chosen


def _check_chosen(question: Question) -> None:
    if question.frameworks or question.files or question.profile:
        hint = "leave out the lock, or everything else that says what is wanted"
        raise UsageError("a lock says already what is in the image", hint=hint)


def _of(filled: Filled, request: Request, name: str) -> Made:
    contents, catalog = filled.contents, filled.catalog
    expected = expectations_of(contents.builds, catalog)
    recipe = recipe_for(
        contents,
        filled.base,
        system_packages(folders(request.question.catalog)),
        name=name,
        imports=tuple(item.module for item in expected),
        target=describe(replace(contents.target, pythons=UNKNOWN)),
        lock_name=filled.lock_name,
        lock=hashlib.sha256(filled.files[filled.lock_name].encode()).hexdigest(),
        uv=version("uv"),
        requirement=requirement_of(contents, catalog.hardware),
        mounts=not (request.plain or request.build),
    )
    server = programs(recipe.server.program) if recipe.server else {}
    document = replace(
        _document(recipe, request),
        plan=filled.plan,
        notes=filled.learned,
        findings=filled.diagnosis.findings,
        files=filled.readings or UNKNOWN,
    )
    return Made(recipe=recipe, given={**filled.files, **server}, expected=expected, document=document)


def _served(request: Request, name: str, wish: Wish, target: Target) -> Made:
    """TensorFlow Serving stands on an image of its own."""
    if request.base is not None:
        raise UsageError("TensorFlow Serving brings its own base", hint="leave out `--base`")
    words = describe(replace(target, pythons=UNKNOWN))
    recipe = serving_recipe(wish, target, images(folders(request.question.catalog)), name=name, words=words)
    document = _document(recipe, request)
    note = "models lie in models/model/1: as `saved_model.pb` with its variables."
    return Made(recipe=recipe, given={}, document=replace(document, notes=(note,)))


def _document(recipe: Recipe, request: Request) -> ImageDocument:
    place = "." if request.folder == "." else shlex.quote(request.folder)
    return ImageDocument(
        ok=True,
        name=recipe.name,
        base=recipe.base,
        holds=recipe.holds,
        build=f"docker build -t {recipe.name} {place}",
        start=" ".join(run_words(recipe)),
    )


def _purpose(request: Request) -> Purpose:
    known: tuple[Purpose, ...] = get_args(Purpose)
    for item in known:
        if request.purpose == item:
            return item
    raise UsageError(f"there is no image for `{request.purpose}`", hint=f"`--for` knows {', '.join(known)}")


def beside(request: Request) -> tuple[str, ...]:
    """What stands beside the Dockerfile. Raises `UsageError`."""
    if "all" in request.also:
        return tuple(BESIDE)
    for item in request.also:
        if item not in BESIDE:
            hint = f"`--also` knows {', '.join(BESIDE)} and all"
            raise UsageError(f"`{item}` does not stand beside a Dockerfile", hint=hint)
    return request.also


def _name(request: Request) -> str:
    """The name that was given, or that of the folder."""
    if request.name is not None:
        if not _NAME.fullmatch(request.name) or len(request.name) > 255:
            raise UsageError(
                f"an image cannot be called `{request.name[:100]}`", hint="write it like `lab/demo:1`"
            )
        return request.name
    words = re.findall(r"[a-z0-9]+", Path(request.folder).resolve().name.lower())
    return "-".join(words)[:100] or "image"
