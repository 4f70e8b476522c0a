"""What a later line of a Dockerfile makes of an earlier one, and packages that no longer install."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from dlsetup.judge.installers import named_version, of_asked, of_command
from dlsetup.judge.recipe_builds import builds_for, meant, variant_of
from dlsetup.judge.recipes import Recipe, graded, recipes
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.framework import Build
from dlsetup.model.report import Asked, Command

_RENEWS = {"-U", "--upgrade", "--force-reinstall"}
_LAST_GPU = Version("2.11")
"""The last release of tensorflow-gpu that holds anything."""


@check("dependency-replaced-torch", written=True)
def replaced_later(scene: Scene) -> Iterator[Answer]:
    """A later install of the file puts another torch in the place of the one that was chosen."""
    torch = scene.catalog.framework("torch")
    for recipe in recipes(scene) if torch else ():
        chosen: tuple[Asked, Build] | None = None
        folder = ""
        if any("uninstall" in text for text in recipe.runs):
            continue
        for command, items in recipe.installs:
            same = chosen is not None and _folder(command) == folder
            by = _replacing(scene, recipe, chosen, command, items) if chosen and same else None
            if chosen and by:
                yield _replaced(scene, chosen, command, by)
                return
            for item in items:
                builds = meant(recipe, torch, item) if torch and item.name == "torch" else []
                if builds and builds[0].cuda and variant_of(recipe, item) == builds[0].variant:
                    chosen, folder = (item, builds[0]), _folder(command)


def _folder(command: Command) -> str:
    """Of the installer, which tells one environment from another."""
    return command.words[0].rpartition("/")[0]


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
        builds = builds_for(scene, recipe, item) if item.name != "torch" else []
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
                text="Install both in one command from the index of that CUDA, or take the release that goes "
                "with it.",
                commands=(f"dlsetup resolve 'torch=={build.version.public}'",),
                scope="project",
            ),
        ),
    )


@check("<framework>-cpu-and-gpu-both", written=True)
def both_in_file(scene: Scene) -> Iterator[Answer]:
    """A Dockerfile installs the CPU and the GPU distribution of a framework over each other."""
    for recipe in recipes(scene):
        asked = {item.name: item for item in recipe.asked if item.installer == "pip"}
        removed = any("uninstall" in text for text in recipe.runs)
        for framework in () if removed else scene.catalog.frameworks:
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


@check("package-ended", written=True)
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
                because=f"It ended with {_LAST_GPU}: what came after is empty, and fails to install.",
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
