"""What a Dockerfile installs into an image for GPUs, and what a later line makes of it."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from dlsetup.judge.evidence import of_driver
from dlsetup.judge.installers import named_version, of_asked, of_command
from dlsetup.judge.recipe_builds import meant, variant_of
from dlsetup.judge.recipes import Recipe, graded, recipes
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.framework import Build, Framework
from dlsetup.model.record import Unknown
from dlsetup.model.report import Asked, Command
from dlsetup.rules.installed import framework_of

_OF_CPU = ("torch", "jax", "paddlepaddle")
"""Frameworks whose builds without a GPU have other words than those with one."""
_RENEWS = {"-U", "--upgrade", "--force-reinstall"}
_LAST_GPU = Version("2.11")
"""The last release of tensorflow-gpu that holds anything."""


@check("cpu-only-<framework>", told=True)
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
                because="What is asked for is a CPU build: no GPU is used, whatever the image and the driver are.",
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
    for item in recipe.asked:
        framework = framework_of(item.name, scene.catalog) if item.installer == "pip" else None
        if framework is None or framework.name not in _OF_CPU or item.name != framework.distributions[0]:
            continue
        later = [
            one for one in recipe.asked if one.name in framework.distributions or _is_part(one, framework)
        ]
        builds = meant(recipe, framework, item)
        if builds and all(build.variant == "cpu" for build in builds) and later[-1:] == [item]:
            yield framework, item


def _is_part(item: Asked, framework: Framework) -> bool:
    return item.name.startswith(f"{framework.name}-cuda")


def _with_gpu(scene: Scene, recipe: Recipe) -> list[Asked]:
    """What else uses GPUs in the image."""
    found = []
    for item in recipe.asked:
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


@check("dependency-replaced-torch", told=True)
def replaced_later(scene: Scene) -> Iterator[Answer]:
    """A later install of the file puts another torch in the place of the one that was chosen."""
    torch = scene.catalog.framework("torch")
    for recipe in recipes(scene) if torch else ():
        chosen: tuple[Asked, Build] | None = None
        for command, items in recipe.installs:
            by = _replacing(scene, recipe, chosen, command, items) if chosen else None
            if chosen and by:
                yield _replaced(scene, chosen, command, by)
                return
            for item in items:
                builds = meant(recipe, torch, item) if torch and item.name == "torch" else []
                if builds and builds[0].cuda and variant_of(recipe, item):
                    chosen = (item, builds[0])


def _replacing(
    scene: Scene, recipe: Recipe, chosen: tuple[Asked, Build], command: Command, items: tuple[Asked, ...]
) -> str | None:
    """What the command asks for that excludes the torch that is there."""
    version = chosen[1].version
    if any(variant_of(recipe, item) != "" for item in items) or {"--no-deps", "--constraint", "-c"} & set(
        command.words
    ):
        return None
    for item in items:
        if item.name == "torch":
            if item.specifier and not _admits(item.specifier, version):
                return f"torch{item.specifier}"
            if _RENEWS & set(command.words):
                return "torch, anew"
        framework = framework_of(item.name, scene.catalog) if item.installer == "pip" else None
        builds = meant(recipe, framework, item) if framework and item.name != "torch" else []
        asks = _torch_of(builds[0]) if builds else None
        if asks is not None and not asks.contains(version.public, prereleases=True):
            return f"{item.name} {builds[0].version.public}, which asks for torch{asks}"
    return None


def _admits(specifier: str, version: Version) -> bool:
    try:
        return SpecifierSet(specifier).contains(version.public, prereleases=True)
    except InvalidSpecifier:
        return True


def _torch_of(build: Build) -> SpecifierSet | None:
    for text in build.requires:
        try:
            found = Requirement(text)
        except InvalidRequirement:
            continue
        if found.name == "torch":
            return found.specifier
    return None


def _replaced(scene: Scene, chosen: tuple[Asked, Build], command: Command, by: str) -> Finding:
    item, build = chosen
    return Finding(
        id="dependency-replaced-torch",
        severity=graded(scene, "error"),
        title=f"A later line replaces torch {build.version.public} ({build.variant})",
        because=f"It installs {by}, from the default index: another torch comes, and not of {build.variant}.",
        evidence=(of_asked(item), of_command(command, "then")),
        remedies=(
            Remedy(
                text="Install both in one command from the index of that CUDA, or take the release that goes with this torch.",
                commands=(f"dlsetup resolve 'torch=={build.version.public}'",),
                scope="project",
            ),
        ),
    )


@check("<framework>-cpu-and-gpu-both", told=True)
def both_in_file(scene: Scene) -> Iterator[Answer]:
    """A Dockerfile installs the CPU and the GPU distribution of a framework over each other."""
    for recipe in recipes(scene):
        asked = {item.name: item for item in recipe.asked if item.installer == "pip"}
        for framework in scene.catalog.frameworks:
            for group in framework.twins:
                both = [asked[name] for name in group if name in asked]
                gpu = [item for item in both if item.name.endswith("-gpu")]
                if len(both) < 2 or not gpu:
                    continue
                names = " and ".join(item.name for item in both)
                yield Finding(
                    id=f"{framework.name}-cpu-and-gpu-both",
                    severity="warning",
                    title=f"{names} are installed side by side",
                    because="They write the same files: what `import` finds is a mixture of both.",
                    evidence=tuple(map(of_asked, both)),
                    remedies=(Remedy(text=f"Ask for {gpu[0].name} alone.", scope="project"),),
                )


@check("package-ended", told=True)
def ended_package(scene: Scene) -> Iterator[Answer]:
    """tensorflow-gpu is asked for, which no longer installs."""
    for recipe in recipes(scene):
        for item in recipe.asked:
            version = named_version(item.specifier)
            bound = version is not None and version < Version("2.12") and item.specifier[:1] in "=<~"
            if item.name != "tensorflow-gpu" or item.installer != "pip" or bound:
                continue
            yield Finding(
                id="package-ended",
                severity=graded(scene, "error"),
                title="tensorflow-gpu no longer installs",
                because=f"It ended with {_LAST_GPU}: what came after it is empty, and fails when it is installed.",
                evidence=(of_asked(item),),
                remedies=(
                    Remedy(
                        text="Take `tensorflow[and-cuda]`, which brings CUDA along.",
                        commands=("dlsetup resolve tensorflow",),
                        scope="project",
                    ),
                ),
                rests_on=scene.sources(("tensorflow-gpu-end",)),
            )
            return


@check("unpinned-torch", told=True)
def newer_than_image(scene: Scene) -> Iterator[Answer]:
    """torch without version and index, in an image of an older CUDA major than its newest build is made with."""
    torch = scene.catalog.framework("torch")
    for recipe in recipes(scene) if torch and isinstance(scene.machine.driver, Unknown) else ():
        asked = [item for item in recipe.asked if item.name == "torch" and item.installer == "pip"]
        builds = meant(recipe, torch, asked[-1]) if torch and asked and not asked[-1].specifier else []
        cuda = builds[0].cuda if builds else None
        held = recipe.row is not None and recipe.row.framework == "torch"
        if cuda is None or recipe.cuda is None or held or cuda.major <= recipe.cuda.major or asked[-1].index:
            continue
        yield Finding(
            id="unpinned-torch",
            severity="warning",
            title="`torch` leaves open what matters here",
            because=f"Neither a version nor an index is named, so the newest build comes, {builds[0].version.public} for "
            f"CUDA {cuda}; a driver that suits this image of CUDA {recipe.cuda} need not run it.",
            evidence=(
                of_asked(asked[-1]),
                Evidence(fact="image", value=recipe.image, source=recipe.stages[0].source),
                *of_driver(scene),
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
