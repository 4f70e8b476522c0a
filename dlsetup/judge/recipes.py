"""What Dockerfiles make, stage by stage, and whether they stand by themselves."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

from msgspec import field
from msgspec.structs import replace

from dlsetup.catalog.containers import inside_of, reference
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Severity
from dlsetup.model.image import Image
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.report import Asked, Command, Stage
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.versions import CudaVersion

_OTHER_PYTHON = re.compile(
    r"\b(?:conda|mamba|micromamba|pyenv|pixi|poetry|uv (?:venv|python|sync|run)|deadsnakes|--python|"
    r"install [^;&|]{0,300}python3?(?:\.\d+)?\b)"
)
_OF_CUDA = re.compile(
    r"(?:^|/)(?:nvidia/cuda|nvidia/(?:pytorch|tensorflow|jax))\b|[-:_.]cuda-?\d|cu\d{3}\b|-gpu\b"
)
_NAMED = re.compile(r"(?:^|[\s/:])([\w.-]+)")
"""Words of a command, and parts of paths, that may be names of packages."""
_OF_FILES = ("conda.", "pyproject.", "pixi.", "container.tool")
"""Observations that files make by themselves."""
_ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64", "aarch64": "aarch64", "x86_64": "x86_64"}
MOST = 2000
"""Commands, and packages asked for, that are looked at in all images: more no files of anybody have."""
MOST_LETTERS = 1 << 20
"""Of what all images run; a stage that many build on counts for each."""
MOST_QUESTIONS = 300
"""Different wishes for different images: each is held against every build of a framework."""
_UNBUILT = ("image-manifest-unknown", "container-words")

T = TypeVar("T")


class Recipe(Record, frozen=True, kw_only=True, dict=True):
    """All that one image of a Dockerfile is made of, from its root on."""

    stages: tuple[Stage, ...]
    """From the one that begins with an image to the last."""
    row: Image | None
    """What the catalog knows of that image."""
    target: Target
    """Where its packages have to work, as far as the image tells."""
    python: Interpreter | None
    installs: tuple[tuple[Command, tuple[Asked, ...]], ...]
    """What is installed and asked for, in order; files of requirements in the place of the command."""
    answers: dict[Hashable, Any] = field(default_factory=dict)
    """Of questions whose answers rest on `target` and `python` alone; recipes alike there share it."""

    def once(self, question: Hashable, work: Callable[[], T]) -> T:
        """The answer to a question about images with this target and Python, worked out once."""
        if question not in self.answers:
            self.answers[question] = work()
        found: T = self.answers[question]
        return found

    @property
    def image(self) -> str:
        return self.stages[-1].image

    @cached_property
    def asked(self) -> tuple[Asked, ...]:
        return tuple(item for _, items in self.installs for item in items)

    @cached_property
    def wishes(self) -> tuple[Asked, ...]:
        """Of what is asked for again and again in the same words the first."""
        first: dict[Hashable, Asked] = {}
        for item in self.asked:
            first.setdefault(wish_of(item), item)
        return tuple(first.values())

    @cached_property
    def names(self) -> frozenset[str]:
        """Of all that is asked for."""
        return frozenset(item.name for item in self.asked)

    @cached_property
    def runs(self) -> tuple[str, ...]:
        return tuple(text for stage in self.stages for text in stage.runs)

    @property
    def of_cuda(self) -> bool:
        """Whether the image is made for CUDA, by what is known of it or by its name."""
        if self.row is not None and not isinstance(self.row.cuda, Unknown):
            return self.row.cuda is not None
        return _OF_CUDA.search(self.image) is not None

    @cached_property
    def own_index(self) -> bool:
        """Whether variables or settings name an index, so that no command tells which one is asked."""
        words = " ".join(self.runs)
        named = any(stage.indexes for stage in self.stages)
        return named or any(word in words for word in ("pip config", "pip.conf", "--torch-backend"))

    @property
    def cuda(self) -> CudaVersion | None:
        """The CUDA that the image holds; None where it holds none or nobody can tell."""
        return self.row.cuda if self.row is not None and isinstance(self.row.cuda, CudaVersion) else None


def recipes(scene: Scene) -> tuple[Recipe, ...]:
    """One for each stage that no other builds on, as far as all of them stay within what is looked at."""
    return scene.once("recipes", _recipes)[0]


def left_out(scene: Scene) -> str:
    """The image at which the bounds were reached: it and what follows was not looked at. Or empty."""
    return scene.once("recipes", _recipes)[1]


def _recipes(scene: Scene) -> tuple[tuple[Recipe, ...], str]:
    stages = {stage.source: stage for stage in scene.machine.report.stages}
    below = {stage.above for stage in stages.values()}
    found: list[Recipe] = []
    asked = letters = 0
    questions: set[Hashable] = set()
    alike: dict[Hashable, dict[Hashable, Any]] = {}
    for stage in stages.values():
        if stage.source in below:
            continue
        recipe = _recipe(scene, stage, stages)
        asked += len(recipe.asked)
        letters += sum(map(len, recipe.runs))
        inside = (recipe.target, recipe.python)
        questions |= {(inside, wish_of(item)) for item in _known(scene, recipe)}
        if asked > MOST or letters > MOST_LETTERS or len(questions) > MOST_QUESTIONS:
            return tuple(found), stage.image
        found.append(replace(recipe, answers=alike.setdefault(inside, {})))
    return tuple(found), ""


def wish_of(item: Asked) -> Hashable:
    """What is asked for, wherever that stands."""
    return item.name, item.specifier, item.installer, item.extras, item.index, item.beside


def _known(scene: Scene, recipe: Recipe) -> Iterator[Asked]:
    """What it asks for of the frameworks of the catalog."""
    names = {name for framework in scene.catalog.frameworks for name in framework.distributions}
    return (item for item in recipe.wishes if item.name in names)


def _recipe(scene: Scene, stage: Stage, stages: dict[str, Stage]) -> Recipe:
    chain = [stage]
    while chain[0].above in stages and len(chain) < 40:
        chain.insert(0, stages[chain[0].above])
    known = scene.catalog.images.images
    inside = inside_of(stage.image, known, scene.catalog.hardware.distributions)
    other = any(_OTHER_PYTHON.search(text) for item in chain for text in item.runs)
    python = None if other or isinstance(inside.python, Unknown) else Interpreter(version=inside.python)
    return Recipe(
        stages=tuple(chain),
        row=row_of(scene, stage.image),
        target=Target(
            name="the image",
            os="linux",
            arch=architecture(stage.platform) if stage.platform else scene.target.arch,
            libc=inside.libc,
            driver=scene.target.driver,
            cuda_ceiling=scene.target.cuda_ceiling,
            gpus=scene.target.gpus,
        ),
        python=python,
        installs=tuple(_installs(scene, chain)),
    )


def row_of(scene: Scene, image: str) -> Image | None:
    """What the catalog knows of an image."""
    repository, tag = reference(image)
    rows = scene.catalog.images.images
    return next((row for row in rows if row.repository == repository and tag in row.tags), None)


def architecture(platform: str) -> str | Unknown:
    """Of `linux/arm64`; unknown where no platform is named."""
    return _ARCHITECTURES.get(platform.partition("/")[2].partition("/")[0], UNKNOWN)


def _installs(scene: Scene, chain: Sequence[Stage]) -> Iterator[tuple[Command, tuple[Asked, ...]]]:
    by_place: dict[str, list[Asked]] = {}
    by_file: dict[str, list[Asked]] = {}
    for item in scene.machine.report.asked[:MOST]:
        by_place.setdefault(item.source, []).append(item)
        by_file.setdefault(item.source.rpartition(":")[0].rpartition("/")[2], []).append(item)
    built = [item for item in scene.machine.report.commands[:MOST] if item.kind == "build"]
    for stage in chain:
        for command in built:
            if _within(command.source, stage) and "uninstall" not in command.words:
                own = _of_command(by_place.get(command.source, ()), command)
                yield command, (*own, *(item for name in _files(command) for item in by_file.get(name, ())))


def _within(source: str, stage: Stage) -> bool:
    (file, _, number), (own, _, first) = source.rpartition(":"), stage.source.rpartition(":")
    last = stage.end.rpartition(":")[2]
    return file == own and number.isdecimal() and int(first) < int(number) <= int(last)


def _of_command(asked: Sequence[Asked], command: Command) -> Iterator[Asked]:
    """What the very command asks for, of all that stand on its line."""
    words = _NAMED.findall(" ".join(command.words).lower()) if asked else ()
    names = {re.sub("[_.]", "-", word) for word in words}
    return (item for item in asked if item.name in names)


def _files(command: Command) -> list[str]:
    """Names of the files of requirements that a command takes, without their folders."""
    pairs = zip(command.words, command.words[1:], strict=False)
    named = (after.rpartition("/")[2] for word, after in pairs if word in ("-r", "--requirement"))
    return list(dict.fromkeys(filter(None, named)))


def alone(scene: Scene) -> bool:
    """Whether files stand by themselves, without a word of a program that was built or run with them."""
    report = scene.machine.report
    said = [item for item in report.messages if item.signature not in _UNBUILT]
    seen = [item for item in report.observations if not item.subject.startswith(_OF_FILES)]
    return not said and not seen


def graded(scene: Scene, severity: Severity) -> Severity:
    """An error only where the files stand by themselves: beside what a program said, they are a remark."""
    return "warning" if severity == "error" and not alone(scene) else severity
