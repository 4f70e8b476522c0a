"""`dlsetup create image`: choose or take a lock, write the files of an image, build it, prove it inside."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from dlsetup.act.engine import Engine, Inside
from dlsetup.act.interruption import interruptible
from dlsetup.act.saving import save_all
from dlsetup.commands.images import Made, Request, beside, made
from dlsetup.commands.proof import must_work
from dlsetup.commands.question import target_here
from dlsetup.model.errors import StepFailed, UsageError
from dlsetup.model.finding import Diagnosis
from dlsetup.model.outcome import Outcome
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.resolution import Conflict
from dlsetup.model.steps import Write
from dlsetup.plan.dockerfile import ENVIRONMENT
from dlsetup.plan.image_files import image_files
from dlsetup.plan.recipe import Recipe
from dlsetup.show import json
from dlsetup.show.agreement import DECLINED, agreed, meanwhile, must_be_able_to_ask
from dlsetup.show.doctor import finding_lines
from dlsetup.show.image import ImageDocument, ImageFile, base_lines, file_lines, image_lines
from dlsetup.show.lines import Line, write
from dlsetup.show.reading import reading_lines
from dlsetup.show.resolution import conflict_lines, plan_lines
from dlsetup.verify.asked import PROGRAMS
from dlsetup.verify.run import verify


def run(request: Request) -> int:
    """Write the files, and build (0), say what stands against it (1), or stop because the user says no."""
    also = beside(request)
    builds = request.build and not request.dry_run
    engine = Engine() if builds or request.pin else None
    if builds and not request.yes:
        must_be_able_to_ask(hint="`--yes` goes ahead without a question.")
    with interruptible():
        image = made(request)
        if isinstance(image, (Conflict, Diagnosis)):
            return _refuse(request, image)
        if engine is not None:
            image = _pinned(image, engine)
        steps = image_files(image.recipe, image.given, also)
        return _carry_out(request, image, steps, engine if builds else None)


def _pinned(image: Made, engine: Engine) -> Made:
    """With the digests of its bases, where the engine can tell them."""
    base = image.recipe.base
    digests = {name: engine.digest(name) for name in {base.image, base.builder} if "@" not in name}
    names = {name: f"{name}@{digest}" for name, digest in digests.items() if digest}
    pinned = replace(
        base, image=names.get(base.image, base.image), builder=names.get(base.builder, base.builder)
    )
    recipe, document = replace(image.recipe, base=pinned), replace(image.document, base=pinned)
    return replace(image, recipe=recipe, document=document)


def _carry_out(request: Request, image: Made, steps: tuple[Write, ...], engine: Engine | None) -> int:
    folder = Path(request.folder)
    files = tuple(_file(folder, step, dry_run=request.dry_run) for step in steps)
    document = replace(image.document, written=files)
    _say(request, *_before(document, image.recipe))
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
    _write({folder / step.path: step.text for step in steps})
    _say(request, *file_lines(files, dry_run=False))
    if engine is not None:
        document = _built(request, image, document, engine)
    return _end(request, document, ())


def _before(document: ImageDocument, recipe: Recipe) -> Iterator[Line]:
    if not isinstance(document.files, Unknown):
        yield from reading_lines(document.files)
    if not isinstance(document.plan, Unknown):
        yield from plan_lines(document.plan)
    for finding in document.findings:
        yield from finding_lines(finding)
    yield from base_lines(recipe.base, recipe.holds)


def _built(request: Request, image: Made, document: ImageDocument, engine: Engine) -> ImageDocument:
    """Builds it, uses every framework inside, and only then gives it its name."""
    built = engine.build(request.folder, request.network, _heard)
    try:
        outcomes, notes = _proved(request, image, engine, built)
        engine.name(built, image.recipe.name)
    except BaseException:
        engine.remove(built)
        raise
    return replace(document, image=built, outcomes=outcomes, notes=(*document.notes, *notes), build=UNKNOWN)


def _heard(text: str) -> None:
    write([Line(text=row, style="faint", wrap=False) for row in text.splitlines()], sys.stderr)


def _proved(
    request: Request, image: Made, engine: Engine, built: str
) -> tuple[tuple[Outcome, ...], tuple[str, ...]]:
    if not image.expected:
        return (), ("its server comes with the base and was not started.",)
    here = not request.question.foreign and target_here().gpus != ()
    gpus = image.recipe.device == "cuda" and here and engine.hands_out_gpus()
    inside = Inside(engine, built, PROGRAMS, gpus=gpus)
    outcomes = verify(inside, f"{ENVIRONMENT}/bin/python", image.expected, gpu_here=gpus)
    must_work(outcomes, "the image", hint="another release may do.")
    idle = image.recipe.device == "cuda" and here and not gpus
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


def _write(texts: Mapping[Path, str]) -> None:
    for path in texts:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StepFailed(f"cannot make the folder `{path.parent}`: {error.strerror}") from error
    save_all(texts)


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


def _end(request: Request, document: ImageDocument, more: Iterable[Line]) -> int:
    if request.as_json:
        json.write(document)
    else:
        write(more)
        write(image_lines(document))
    return 0


def _say(request: Request, *lines: Line) -> None:
    meanwhile(lines, as_json=request.as_json, asks=request.build and not request.yes)
