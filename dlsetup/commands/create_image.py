"""`dlsetup create image`: choose or take a lock, write the files of an image, build it, prove it inside."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import get_args

from msgspec.structs import replace

from dlsetup.act.engine import Engine, Inside
from dlsetup.act.interruption import interruptible
from dlsetup.act.saving import save
from dlsetup.catalog.images import images, system_packages
from dlsetup.commands.asked import asked
from dlsetup.commands.builds import Request as Sources
from dlsetup.commands.image_contents import Filled, planned, taken
from dlsetup.commands.question import Question, folders, target_here, target_of
from dlsetup.intake.target import describe
from dlsetup.model.errors import StepFailed, UsageError
from dlsetup.model.finding import Diagnosis
from dlsetup.model.image import Purpose
from dlsetup.model.outcome import Expected, Outcome
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Conflict
from dlsetup.model.steps import Write
from dlsetup.plan.dockerfile import ENVIRONMENT, run_words
from dlsetup.plan.image_files import BESIDE, image_files
from dlsetup.plan.recipe import Recipe, recipe_for, requirement_of
from dlsetup.plan.serving import is_served_so, serving_recipe
from dlsetup.servers import programs
from dlsetup.show import json
from dlsetup.show.agreement import DECLINED, agreed, meanwhile, must_be_able_to_ask
from dlsetup.show.doctor import finding_lines
from dlsetup.show.image import ImageDocument, ImageFile, base_lines, file_lines, image_lines
from dlsetup.show.lines import Line, write
from dlsetup.show.reading import reading_lines
from dlsetup.show.resolution import conflict_lines, plan_lines
from dlsetup.verify.run import PROGRAMS, verify

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


def run(request: Request) -> int:
    """Write the files, and build (0), say what stands against it (1), or stop because the user says no."""
    purpose, also = _purpose(request), _also(request)
    name = _name(request)
    engine = Engine() if request.build and not request.dry_run else None
    if engine is not None and not request.yes:
        must_be_able_to_ask(hint="`--yes` goes ahead without a question.")
    with interruptible():
        made = _made(request, purpose, name)
        if isinstance(made, (Conflict, Diagnosis)):
            return _refuse(request, made)
        steps = image_files(made.recipe, made.given, also)
        return _carry_out(request, made, steps, engine)


def _made(request: Request, purpose: Purpose, name: str) -> Made | Conflict | Diagnosis:
    if request.lock is None and purpose == "serve":
        said = asked(request.question)
        wish, _ = said.on(target_of(request.question))
        if is_served_so(wish):
            return _served(request, name)
    filled = _filled(request, purpose)
    return _of(filled, request, name) if isinstance(filled, Filled) else filled


def _filled(request: Request, purpose: Purpose) -> Filled | Conflict | Diagnosis:
    question = request.question
    if request.lock is not None:
        if question.frameworks or question.files or question.profile:
            hint = "leave out the lock, or everything else that says what is wanted"
            raise UsageError("a lock says already what is in the image", hint=hint)
        return taken(request.lock, question, purpose, request.base)
    sources = Sources(
        name="pylock.toml",
        question=replace(question, target=question.target or ""),
        indexes=request.indexes,
        find_links=request.find_links,
        offline=request.offline,
    )
    return planned(question, sources, purpose, request.base)


def _of(filled: Filled, request: Request, name: str) -> Made:
    contents, catalog = filled.contents, filled.catalog
    known = {item.name: item.imports for item in catalog.frameworks}
    expected = tuple(
        Expected(framework=item.framework, module=known[item.framework], accelerator=item.accelerator)
        for item in contents.builds
    )
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


def _served(request: Request, name: str) -> Made:
    """TensorFlow Serving stands on an image of its own."""
    if request.base is not None:
        raise UsageError("TensorFlow Serving brings its own base", hint="leave out `--base`")
    target = target_of(request.question)
    wish, _ = asked(request.question).on(target)
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


def _carry_out(request: Request, made: Made, steps: tuple[Write, ...], engine: Engine | None) -> int:
    folder = Path(request.folder)
    files = tuple(_file(folder, step, dry_run=request.dry_run) for step in steps)
    document = replace(made.document, written=files)
    _say(request, *_before(document, made.recipe))
    if request.dry_run:
        return _end(request, document, file_lines(files, dry_run=True))
    _may_write(request, files)
    if (
        engine is not None
        and not request.yes
        and not agreed(f"Write {len(files)} files and build the image?")
    ):
        _say(request, Line(text="Nothing was changed."))
        return DECLINED
    for step in steps:
        _save(folder / step.path, step.text)
    _say(request, *file_lines(files, dry_run=False))
    if engine is not None:
        document = _built(request, made, document, engine)
    return _end(request, document, ())


def _before(document: ImageDocument, recipe: Recipe) -> Iterator[Line]:
    if not isinstance(document.files, Unknown):
        yield from reading_lines(document.files)
    if not isinstance(document.plan, Unknown):
        yield from plan_lines(document.plan)
    for finding in document.findings:
        yield from finding_lines(finding)
    yield from base_lines(recipe.base, recipe.holds)


def _built(request: Request, made: Made, document: ImageDocument, engine: Engine) -> ImageDocument:
    """Builds it, uses every framework inside, and only then gives it its name."""
    image = engine.build(request.folder, request.network, _heard)
    try:
        outcomes, notes = _proved(request, made, engine, image)
        engine.name(image, made.recipe.name)
    except BaseException:
        engine.remove(image)
        raise
    return replace(document, image=image, outcomes=outcomes, notes=(*document.notes, *notes), build=UNKNOWN)


def _heard(text: str) -> None:
    write([Line(text=row, style="faint", wrap=False) for row in text.splitlines()], sys.stderr)


def _proved(
    request: Request, made: Made, engine: Engine, image: str
) -> tuple[tuple[Outcome, ...], tuple[str, ...]]:
    here = not request.question.foreign and target_here().gpus != ()
    gpus = made.recipe.device == "cuda" and here and engine.hands_out_gpus()
    inside = Inside(engine, image, PROGRAMS, gpus=gpus)
    outcomes = verify(inside, f"{ENVIRONMENT}/bin/python", made.expected, gpu_here=gpus)
    bad = [outcome for outcome in outcomes if not outcome.ok]
    if bad:
        reasons = "; ".join(f"{outcome.framework}: {outcome.because}" for outcome in bad)
        raise StepFailed(
            f"the image was built, but does not work, and was removed: {reasons}.",
            hint=next((outcome.hint for outcome in bad if outcome.hint), "another release may do."),
        )
    idle = made.recipe.device == "cuda" and here and not gpus
    note = "the engine hands out no GPU: it was proved without one; `dlsetup doctor` says what is missing."
    return outcomes, (note,) if idle else ()


def _file(folder: Path, step: Write, *, dry_run: bool) -> ImageFile:
    path = folder / step.path
    try:
        there = path.read_bytes() if os.path.lexists(path) else None
    except OSError:
        there = b""
    state = "new" if there is None else "same" if there == step.text.encode() else "other"
    text = step.text if dry_run else UNKNOWN
    return ImageFile(path=str(path), why=step.why, state=state, text=text)  # type: ignore[arg-type]


def _may_write(request: Request, files: tuple[ImageFile, ...]) -> None:
    other = [f"`{file.path}`" for file in files if file.state == "other"]
    if other and not request.force:
        raise UsageError(
            f"{' and '.join(other)} {'is' if len(other) == 1 else 'are'} there and would be replaced",
            hint="`--force` replaces, `--into FOLDER` writes elsewhere; nothing was written",
        )


def _save(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StepFailed(f"cannot make the folder `{path.parent}`: {error.strerror}") from error
    save(path, text)


def _purpose(request: Request) -> Purpose:
    known: tuple[Purpose, ...] = get_args(Purpose)
    for item in known:
        if request.purpose == item:
            return item
    raise UsageError(f"there is no image for `{request.purpose}`", hint=f"`--for` knows {', '.join(known)}")


def _also(request: Request) -> tuple[str, ...]:
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


def _refuse(request: Request, against: Conflict | Diagnosis) -> int:
    if request.as_json:
        if isinstance(against, Conflict):
            json.write(ImageDocument(ok=False, conflict=against))
        else:
            json.write(ImageDocument(ok=False, findings=against.findings))
    elif isinstance(against, Conflict):
        write(conflict_lines(against))
    else:
        for finding in against.findings:
            write(finding_lines(finding))
        write(
            [Line(), Line(mark="✗", text="The lock does not serve there: nothing was written.", style="bad")]
        )
    return 1


def _end(
    request: Request, document: ImageDocument, more: Iterator[Line] | Mapping[str, str] | tuple[()]
) -> int:
    if request.as_json:
        json.write(document)
    else:
        write(more)  # type: ignore[arg-type]
        write(image_lines(document))
    return 0


def _say(request: Request, *lines: Line) -> None:
    meanwhile(lines, as_json=request.as_json, asks=request.build and not request.yes)
