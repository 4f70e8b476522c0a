"""Wheels that do not go into the image that a Dockerfile installs them into."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace
from packaging.version import Version

from dlsetup.judge.installers import of_asked
from dlsetup.judge.recipe_builds import asked_for, framework_for, not_for
from dlsetup.judge.recipes import Recipe, graded, recipes
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.framework import Build
from dlsetup.model.machine import Libc
from dlsetup.model.record import Unknown
from dlsetup.model.report import Asked
from dlsetup.model.target import Interpreter
from dlsetup.rules.wheels import platform_of

WHEELS_ALONE = (
    "torch",
    "torchvision",
    "torchaudio",
    "tensorflow",
    "jax",
    "onnxruntime",
    "paddlepaddle",
    "triton",
    "cupy",
)
"""Frameworks whose releases have no source in the index, so that nothing is compiled in a wheel's place."""
PYTHONS = tuple(Version(f"3.{minor}") for minor in range(6, 16))


@check("python-too-new-for-wheel", written=True)
def none_for_the_image(scene: Scene) -> Iterator[Answer]:
    """A release has no wheel for the Python, the C library or the processor of the image."""
    for recipe in recipes(scene):
        for item in recipe.wishes:
            framework = framework_for(scene, item)
            alone = framework is not None and framework.name in WHEELS_ALONE and item.name != "cupy"
            builds = asked_for(recipe, framework, item) if framework and alone else []
            if builds and all(not_for(recipe, build) for build in builds):
                yield _finding(scene, recipe, item, builds)
                return


def _finding(scene: Scene, recipe: Recipe, item: Asked, builds: Sequence[Build]) -> Finding:
    pythons = [python for python in PYTHONS if any(_fits(recipe, build, python) for build in builds)]
    name = f"{item.name}{item.specifier}"
    version = recipe.python.version if recipe.python else None
    if version and pythons:
        title = f"{name} has no wheel for the Python {version} of the image"
        because = f"Its wheels are made for Python {_range(pythons)}."
    else:
        where = platform_of(recipe.target)
        title = f"{name} has no wheel for the image"
        because = f"The image is {where}, for which no wheel is made."
    stage = recipe.stages[-1]
    return Finding(
        id="python-too-new-for-wheel",
        severity=graded(scene, "error"),
        title=title,
        because=because,
        evidence=(
            of_asked(item),
            Evidence(fact="image", value=recipe.image, source=recipe.stages[0].source or stage.source),
        ),
        remedies=tuple(_remedies(recipe, item, pythons)),
        rests_on=scene.sources(source for build in builds[:1] for source in build.sources),
    )


def _fits(recipe: Recipe, build: Build, python: Version) -> bool:
    return not_for(replace(recipe, python=Interpreter(version=python), answers={}), build) is None


def _range(pythons: Sequence[Version]) -> str:
    return str(pythons[0]) if len(pythons) == 1 else f"{pythons[0]} to {pythons[-1]}"


def _remedies(recipe: Recipe, item: Asked, pythons: Sequence[Version]) -> Iterator[Remedy]:
    libc = recipe.target.libc
    if isinstance(libc, Libc) and libc.name == "musl":
        version = f"{recipe.python.version}" if recipe.python else "3.12"
        yield Remedy(text=f"Begin with an image that has glibc: `python:{version}-slim`.", scope="project")
        return
    if pythons and recipe.python:
        yield Remedy(text=f"Begin with an image of Python {pythons[-1]}.", scope="project")
        yield Remedy(
            text=f"Or take a release of {item.name} that has wheels for Python {recipe.python.version}.",
            commands=(f"dlsetup resolve {item.name} --python {recipe.python.version}",),
            scope="project",
        )
        return
    words = [] if isinstance(recipe.target.arch, Unknown) else [f"arch={recipe.target.arch}"]
    target = f" --target os=linux,{words[0]}" if words else ""
    yield Remedy(
        text="Take another release, another index, or an image with a newer system.",
        commands=(f"dlsetup resolve {item.name}{target}",),
        scope="project",
    )
