"""Which builds of the catalog a Dockerfile's installs mean, and whether they go into its image."""

from __future__ import annotations

import re

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from dlsetup.judge.installers import CUDA_INDEX, LOCAL, OF_INDEX
from dlsetup.judge.recipes import Recipe, wish_of
from dlsetup.judge.scene import Scene
from dlsetup.model.framework import Build, Framework
from dlsetup.model.record import Unknown
from dlsetup.model.report import Asked
from dlsetup.model.target import Target
from dlsetup.rules.installed import framework_of
from dlsetup.rules.wheels import accepts_python, has_platform, has_wheel

_END = re.compile(r"[\[=<>~! ]")
"""Of the name in a requirement."""


def variant_of(recipe: Recipe, item: Asked) -> str | None:
    """`cu126`, `cpu`, or empty for the default index; None where nobody can tell."""
    found = LOCAL.search(item.specifier) or OF_INDEX.search(item.index)
    if found:
        return found[1]
    if re.search(r"/whl/(?:\w+/)?cpu\b", item.index):
        return "cpu"
    if cuda := CUDA_INDEX.search(item.index):
        return f"cu{cuda[1]}"
    return None if item.index or recipe.own_index else ""


def framework_for(scene: Scene, item: Asked) -> Framework | None:
    """The framework of the catalog that pip is asked for."""
    return framework_of(item.name, scene.catalog) if item.installer == "pip" else None


def builds_for(scene: Scene, recipe: Recipe, item: Asked) -> list[Build]:
    """What is meant by what pip is asked for; empty where it is no framework, or nobody can tell."""
    framework = framework_for(scene, item)
    return meant(recipe, framework, item) if framework else []


def meant(recipe: Recipe, framework: Framework, item: Asked) -> list[Build]:
    """The builds for Linux that an installer would take one of: of the release that is named, else of the
    newest that the image admits. Empty where nobody can tell."""
    question = ("meant", framework.name, recipe.own_index, wish_of(item))
    return recipe.once(question, lambda: _meant(recipe, framework, item))


def _meant(recipe: Recipe, framework: Framework, item: Asked) -> list[Build]:
    variant, builds = variant_of(recipe, item), _candidates(recipe, framework, item)
    release = max((build.version for build in builds), default=None)
    same = [build for build in builds if build.version == release and _has_extras(build, item)]
    return [build for build in same if variant and build.variant == variant] or same


def release_of(recipe: Recipe, framework: Framework, item: Asked) -> Version | None:
    """The release that comes, with or without the extras that another build of it needs."""
    return max((build.version for build in _candidates(recipe, framework, item)), default=None)


def _candidates(recipe: Recipe, framework: Framework, item: Asked) -> list[Build]:
    variant, bound = variant_of(recipe, item), _bound(item.specifier)
    if variant is None or bound is None:
        return []
    words = (framework.name, item.name, variant, item.beside)
    builds = recipe.once(("offered", *words), lambda: _offered(recipe, framework, item, variant))
    if "==" not in item.specifier:
        fitting = (one for one in builds if not one.prerelease and not_for(recipe, one) is None)
        builds = recipe.once(("fitting", *words), lambda: list(fitting))
    return [build for build in builds if bound.contains(build.version.public)]


def _offered(recipe: Recipe, framework: Framework, item: Asked, variant: str) -> list[Build]:
    """Builds of all releases for Linux that these words may bring."""
    arch = "x86_64" if isinstance(recipe.target.arch, Unknown) else recipe.target.arch
    usual = Target(os="linux", arch=arch)
    return [
        build
        for build in framework.builds
        if not build.yanked
        and (_is_asked(build, variant, item) or _may_come(build, item))
        and not has_platform(build, usual).refused
    ]


def asked_for(recipe: Recipe, framework: Framework, item: Asked) -> list[Build]:
    """Every build that the words admit, for whatever system: of the release that is named, else of all."""
    variant, bound = variant_of(recipe, item), _bound(item.specifier)
    if variant is None or bound is None or not framework.builds:
        return []
    asked = (build for build in framework.builds if _is_asked(build, variant, item))
    builds = recipe.once(("asked for", framework.name, item.name, variant), lambda: list(asked))
    return [build for build in builds if bound.contains(build.version.public)]


def _is_asked(build: Build, variant: str, item: Asked) -> bool:
    """Whether the words of the file mean this build, by its distribution and its index or variant."""
    if build.variant != variant if variant else build.index != "default":
        return False
    return any(_END.split(text, maxsplit=1)[0] == item.name for text in build.requirements)


def _may_come(build: Build, item: Asked) -> bool:
    """Whether it may come of the default index that is asked too; what only one index tells is left out."""
    return item.beside and not build.beyond and _is_asked(build, "", item)


def _has_extras(build: Build, item: Asked) -> bool:
    extras = {extra for text in build.requirements for extra in re.findall(r"\[([\w,.-]+)\]", text)}
    return not extras or bool(extras & {",".join(item.extras), *item.extras})


def _bound(specifier: str) -> SpecifierSet | None:
    try:
        return SpecifierSet(re.sub(r"\+[\w.]+", "", specifier), prereleases=True)
    except InvalidSpecifier:
        return None


def not_for(recipe: Recipe, build: Build) -> str | None:
    """Why no wheel of the build goes into the image; None where one may."""
    if not build.wheels:
        return None
    platform = has_platform(build, recipe.target)
    if platform.refused:
        return platform.because
    if recipe.python is None:
        return None
    for verdict in (accepts_python(build, recipe.python), has_wheel(build, recipe.python, recipe.target)):
        if verdict.refused:
            return verdict.because
    return None
