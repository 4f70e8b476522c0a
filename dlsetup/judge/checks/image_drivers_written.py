"""Images and what is installed into them, held against the driver of the host that the same report tells."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.evidence import of_driver, of_gpus
from dlsetup.judge.host import driver_that_knows, newer_driver
from dlsetup.judge.installers import of_asked
from dlsetup.judge.recipe_builds import builds_for
from dlsetup.judge.recipes import Recipe, graded, recipes, row_of
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.judge.sentences import capitalised
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.framework import Build
from dlsetup.model.image import DriverPass, DriverRequirement, Image
from dlsetup.model.record import Unknown
from dlsetup.model.report import Asked
from dlsetup.model.versions import CudaVersion
from dlsetup.rules.driver import ceiling_of, driver_serves
from dlsetup.rules.kernels import serves_every_gpu

_BRANDS = (
    (r"geforce|\b[gr]tx \d{3,4}", ("geforce", "geforcertx")),
    (r"tesla|\b(?:[avhptkl]\d{1,3}s?|gh200|b200)\b", ("tesla",)),
)


@check("container-cuda-requirement-unsatisfied", written=True)
def base_asks_for_more(scene: Scene) -> Iterator[Answer]:
    """The image asks for a newer CUDA than the driver of the host knows."""
    ceiling = ceiling_of(scene.target, scene.catalog.hardware)
    if isinstance(ceiling, Unknown) or isinstance(scene.machine.variable("NVIDIA_REQUIRE_CUDA"), str):
        return
    for image, place, row in _images(scene):
        asks = row.requirement
        floor = _floor(asks.condition) if isinstance(asks, DriverRequirement) else None
        if (
            not isinstance(asks, DriverRequirement)
            or floor is None
            or ceiling >= floor
            or _passes(scene, asks.passes)
        ):
            continue
        newer = driver_that_knows(scene, floor)
        yield Finding(
            id="container-cuda-requirement-unsatisfied",
            severity=graded(scene, "error"),
            title=f"{image} asks for a newer driver than there is",
            because=f"It states `{asks.condition}`, and this driver knows CUDA up to {ceiling}: the "
            "container toolkit does not start it with GPUs.",
            evidence=(Evidence(fact="image", value=image, source=place), *of_driver(scene)),
            remedies=(
                *((newer,) if newer else ()),
                Remedy(text=f"Or take an image of CUDA {ceiling} or older.", scope="project"),
            ),
            rests_on=scene.sources((asks.source, "container-toolkit-guide")),
        )
        return


def _images(scene: Scene) -> Iterator[tuple[str, str, Image]]:
    """What Dockerfiles end with, and what is started with GPUs."""
    named = [(item.image, item.stages[-1].source) for item in recipes(scene) if item.stages[-1].last]
    for box in scene.machine.report.containers:
        if box.gpus is True and not box.built and not isinstance(box.image, Unknown):
            named.append((box.image, box.source))
    for image, place in named:
        row = row_of(scene, image)
        if row is not None:
            yield image, place, row


def _floor(condition: str) -> CudaVersion | None:
    found = re.fullmatch(r"cuda>=(\d{1,2}\.\d{1,2})", condition)
    return CudaVersion(found[1]) if found else None


def _passes(scene: Scene, passes: tuple[DriverPass, ...]) -> bool:
    """Whether the branch of the driver passes for a GPU of this brand, or of one that nobody can tell."""
    if scene.driver is None:
        return bool(passes)
    branch = scene.driver.major
    names = " ".join(gpu.name for gpu in scene.gpus("nvidia") if isinstance(gpu.name, str)).lower()
    brands = next((found for pattern, found in _BRANDS if re.search(pattern, names)), ())
    return any(branch in item.branches and (not brands or set(brands) & set(item.brands)) for item in passes)


@check("driver-too-old", "unpinned-torch", written=True)
def installs_ask_for_more(scene: Scene) -> Iterator[Answer]:
    """What a Dockerfile installs, or its image holds, is made with a CUDA that the driver does not run."""
    for recipe in recipes(scene):
        found = next(_refused_by_driver(scene, recipe), None)
        if found is None and recipe.stages[-1].last:
            found = _refused_image(scene, recipe)
        if found is None:
            continue
        what, cuda, evidence, source = found
        newer = newer_driver(scene, cuda)
        yield Finding(
            id="driver-too-old",
            severity=graded(scene, "error"),
            title=f"The NVIDIA driver is too old for {what}",
            because=f"It is made with CUDA {cuda}, which this driver does not run. The driver of the host "
            "counts, whatever CUDA the image holds.",
            evidence=(evidence, *of_driver(scene)),
            remedies=(
                *((newer,) if newer else ()),
                Remedy(text="Or take a build for an older CUDA.", commands=_older(evidence), scope="project"),
            ),
            rests_on=scene.sources((source,)),
        )
        yield from _open(scene, recipe, evidence)
        return


_Found = tuple[str, CudaVersion, Evidence, str]


def _refused_by_driver(scene: Scene, recipe: Recipe) -> Iterator[_Found]:
    for item in recipe.wishes:
        builds = builds_for(scene, recipe, item)
        for build in builds[:1] if all(_is_refused(scene, one) for one in builds) else []:
            if build.cuda is not None:
                source = next(iter(build.sources), "")
                yield f"{item.name} {build.version.public}", build.cuda, of_asked(item), source


def _is_refused(scene: Scene, build: Build) -> bool:
    return build.cuda is not None and driver_serves(scene.target, build.cuda, scene.catalog.hardware).refused


def _refused_image(scene: Scene, recipe: Recipe) -> _Found | None:
    row = recipe.row
    if (
        row is None
        or row.requirement is not None
        or not row.framework
        or not isinstance(row.cuda, CudaVersion)
    ):
        return None
    if not driver_serves(scene.target, row.cuda, scene.catalog.hardware).refused:
        return None
    place = Evidence(fact="image", value=recipe.image, source=recipe.stages[0].source)
    return recipe.image, row.cuda, place, row.source


def _older(evidence: Evidence) -> tuple[str, ...]:
    name = re.split(r"[=<>~! ]", evidence.value)[0] if evidence.fact == "asked for" else ""
    return (f"dlsetup resolve {name}",) if re.fullmatch(r"[a-z][a-z0-9-]*", name) else ()


def _open(scene: Scene, recipe: Recipe, evidence: Evidence) -> Iterator[Finding]:
    if evidence.fact == "asked for" and evidence.value == "torch":
        yield Finding(
            id="unpinned-torch",
            severity="warning",
            title="`torch` leaves open what matters here",
            because="Neither a version nor an index is named, so the newest build for the newest CUDA comes.",
            evidence=(evidence,),
            remedies=(
                Remedy(
                    text="Say it in the file: the version, and the index of its CUDA build.", scope="project"
                ),
            ),
        )


@check("gpu-arch-not-in-wheel", written=True)
def installs_lack_code(scene: Scene) -> Iterator[Answer]:
    """What a Dockerfile installs holds no code for the GPU that the report tells."""
    gpus = scene.gpus("nvidia")
    for item, build in _asked_builds(scene) if gpus else ():
        verdict = serves_every_gpu(build, scene.target, scene.catalog.hardware)
        if build.cuda is None or not verdict.refused:
            continue
        yield Finding(
            id="gpu-arch-not-in-wheel",
            severity=graded(scene, "error"),
            title=f"{item.name} {build.version.public} ({build.variant}) holds no code for the GPU",
            because=f"{capitalised(verdict.because)}.",
            evidence=(of_asked(item), *of_gpus(scene, gpus)),
            remedies=(
                Remedy(text="Take a build that serves it.", commands=(f"dlsetup resolve {item.name}",)),
            ),
            rests_on=scene.sources(build.sources),
        )
        return


def _asked_builds(scene: Scene) -> Iterator[tuple[Asked, Build]]:
    for recipe in recipes(scene):
        for item in recipe.wishes:
            builds = builds_for(scene, recipe, item)
            if builds and len({(build.variant, build.cuda) for build in builds}) == 1:
                yield item, builds[0]
