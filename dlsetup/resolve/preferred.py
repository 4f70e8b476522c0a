"""Why a release was preferred, where that is not for being the newest."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.version import Version

from dlsetup.model.framework import Build
from dlsetup.model.record import Unknown
from dlsetup.resolve.pieces import ALL, BuildChoice
from dlsetup.resolve.question import Question
from dlsetup.resolve.sources import other_extras


def reason_to_prefer(question: Question, choice: BuildChoice) -> tuple[str, str] | None:
    """What the wish prefers, as far as it decided about this pick, and what speaks against others.

    None: the newest release was taken.
    """
    prefer, build = question.wish.prefer, choice.build
    if prefer == "stable":
        return _stable(question, build)
    if prefer == "smallest":
        weight = choice.facets["bytes"]
        known = isinstance(weight, tuple) and weight[0] == 0
        recent = "" if choice.facets["recent"] else "no recent release fits; "
        return (f"{recent}the fewest known bytes that fit", "") if known else None
    if prefer == "keep":
        return _kept(question, build)
    return None


def preference_unknowns(question: Question, choices: list[BuildChoice]) -> Iterator[str]:
    """What could not be weighed: bytes that nobody says, days that are not known, extras."""
    for choice in choices:
        build = choice.build
        name = f"{build.framework} {build.version}"
        if question.wish.prefer == "smallest" and choice.facets["bytes"] == (1, 0):
            yield f"how many bytes {name} ({build.variant}) has is not known"
        if question.wish.prefer == "stable" and isinstance(build.released, Unknown):
            yield f"when {name} was released is not known"
        extras = other_extras(question.wanted.get(build.framework), question.frameworks[build.framework])
        if extras:
            yield f"what `{'`, `'.join(extras)}` of {build.framework} brings along is left to the installer"


def _stable(question: Question, build: Build) -> tuple[str, str] | None:
    framework = question.frameworks[build.framework]
    own = question.preference.why_not_stable(framework, build)
    if own:
        return "newest that fits, no stable release does", f"{build.framework} {build.version}: {own}"
    passed = [
        item
        for item in framework.builds
        if item.version > build.version and not item.prerelease and not item.yanked
    ]
    over = [item for item in passed if question.preference.instability(framework, item)]
    if not over:
        return None
    nearest = min(over, key=lambda item: item.version)
    why = question.preference.why_not_stable(framework, nearest)
    newest = "newest stable release" if len(over) == len(passed) else "newest stable release that fits"
    return newest, f"{build.framework} {nearest.version}: {why}"


def _kept(question: Question, build: Build) -> tuple[str, str] | None:
    kept = question.preference.kept.get(build.framework)
    if kept is None:
        return None
    if Version(build.version.public) != kept.version:
        why = _why_gone(question, build)
        return f"the nearest release to {kept.version} that fits", f"{build.framework} {kept.version}: {why}"
    if kept.variant and kept.variant != build.variant:
        return "the release may stay", f"its {kept.variant} build may not"
    if kept.index and kept.index != build.index:
        return "the release may stay", "its usual build may not"
    return ("it may stay" if kept.variant or kept.index else "the release may stay"), ""


def _why_gone(question: Question, build: Build) -> str:
    """What speaks against the release that was there: by itself, or only beside the rest."""
    kept = question.preference.kept[build.framework]
    choices = [
        item
        for item in question.choices(build.framework)
        if isinstance(item, BuildChoice) and Version(item.build.version.public) == kept.version
    ]
    if not choices:
        return "the catalog has no such release"
    if any(question.admitted(item, ALL) for item in choices):
        return "it does not go with the rest"
    refused = [tuple(question.refusals(item)) for item in choices]
    return min(refused, key=len)[0].because
