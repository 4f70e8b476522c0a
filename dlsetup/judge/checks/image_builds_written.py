"""Builds of frameworks that do not go with an image for GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.installers import of_asked
from dlsetup.judge.recipe_builds import meant, variant_of
from dlsetup.judge.recipes import Recipe, graded, recipes
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.framework import Framework
from dlsetup.model.record import Unknown
from dlsetup.model.report import Asked
from dlsetup.rules.installed import framework_of

_OF_CPU = ("torch", "jax", "paddlepaddle")
"""Frameworks whose builds without a GPU have other words than those with one."""


@check("cpu-only-<framework>", written=True)
def cpu_build_for_gpus(scene: Scene) -> Iterator[Answer]:
    """A build without GPU code is installed into an image for GPUs."""
    for recipe in recipes(scene):
        why = _for_gpus(scene, recipe)
        found = list(_of_cpu(scene, recipe)) if why else []
        for framework, item in found[:1]:
            alone = len(_with_gpu(scene, recipe)) == 0
            yield Finding(
                id=f"cpu-only-{framework.name}",
                severity=graded(scene, "error" if alone and variant_of(recipe, item) == "cpu" else "warning"),
                title=f"{item.name} is installed without GPU code into an image for GPUs",
                because="What is asked for is a CPU build: no GPU is used, whatever image and driver are.",
                evidence=(of_asked(item), *((why,) if why else ())),
                remedies=(_of_gpu(scene, recipe, item),),
                rests_on=scene.sources(()),
            )


def _for_gpus(scene: Scene, recipe: Recipe) -> Evidence | None:
    """What shows that GPUs are meant: the image, or the service that is built of the file."""
    if recipe.of_cuda:
        return Evidence(fact="image", value=recipe.image, source=recipe.stages[0].source)
    if not recipe.stages[-1].last:
        return None
    boxes = [box for box in scene.machine.report.containers if box.kind == "compose" and box.built]
    asking = [box for box in boxes if box.gpus is True]
    return (
        Evidence(fact="GPUs", value="asked for", source=asking[0].source)
        if asking and len(boxes) == 1
        else None
    )


def _of_cpu(scene: Scene, recipe: Recipe) -> Iterator[tuple[Framework, Asked]]:
    known = [framework for framework in scene.catalog.frameworks if framework.name in _OF_CPU]
    last: dict[str, tuple[Framework, Asked]] = {}
    for item in recipe.asked:
        for framework in known:
            if _belongs(item, framework):
                last.pop(framework.name, None)
                last[framework.name] = (framework, item)
    for framework, item in last.values():
        if item.installer == "pip" and item.name == framework.distributions[0]:
            builds = meant(recipe, framework, item)
            if builds and all(build.variant == "cpu" for build in builds):
                yield framework, item


def _belongs(item: Asked, framework: Framework) -> bool:
    return item.name in framework.distributions or _is_part(item, framework)


def _is_part(item: Asked, framework: Framework) -> bool:
    return item.name.startswith(f"{framework.name}-cuda")


def _with_gpu(scene: Scene, recipe: Recipe) -> list[Asked]:
    """What else uses GPUs in the image."""
    found = []
    for item in recipe.wishes:
        framework = framework_of(item.name, scene.catalog)
        if framework is not None and framework.name not in ("torchvision", "torchaudio"):
            builds = meant(recipe, framework, item)
            if (
                not builds
                or any(build.accelerator == "cuda" for build in builds)
                or item.name == "tensorflow"
            ):
                found.append(item)
    return found


def _of_gpu(scene: Scene, recipe: Recipe, item: Asked) -> Remedy:
    cuda = f" --cuda {recipe.cuda.major}" if recipe.cuda else ""
    return Remedy(
        text="Ask for a CUDA build, by its index or its extra.",
        commands=(f"dlsetup resolve {item.name}{cuda}",),
        scope="project",
    )


@check("unpinned-torch", written=True)
def newer_than_image(scene: Scene) -> Iterator[Answer]:
    """torch without version and index, in an image of an older CUDA major than its newest build."""
    torch = scene.catalog.framework("torch")
    for recipe in recipes(scene) if torch and isinstance(scene.machine.driver, Unknown) else ():
        asked = [item for item in recipe.asked if item.name == "torch" and item.installer == "pip"]
        builds = meant(recipe, torch, asked[-1]) if torch and asked and not asked[-1].specifier else []
        cuda = builds[0].cuda if builds else None
        held = recipe.row is not None and recipe.row.framework == "torch"
        own = variant_of(recipe, asked[-1]) if asked else None
        if own and builds and builds[0].variant == own:
            continue
        if cuda is None or recipe.cuda is None or held or cuda.major <= recipe.cuda.major:
            continue
        yield Finding(
            id="unpinned-torch",
            severity="warning",
            title="`torch` leaves open what matters here",
            because="No version is named, nor an index alone, so the newest build comes, "
            f"{builds[0].version.public} for CUDA {cuda}; a driver that suits an image of CUDA {recipe.cuda} "
            "need not run it.",
            evidence=(
                of_asked(asked[-1]),
                Evidence(fact="image", value=recipe.image, source=recipe.stages[0].source),
            ),
            remedies=(
                Remedy(
                    text="Say the version and the index of its CUDA build.",
                    commands=(f"dlsetup resolve torch --cuda {recipe.cuda.major}",),
                    scope="project",
                ),
            ),
        )
        return
