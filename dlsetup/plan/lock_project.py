"""What uv is asked for where one lock has to serve several targets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace
from packaging.requirements import Requirement
from packaging.version import Version

from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Index
from dlsetup.model.machine import Libc
from dlsetup.model.record import Unknown
from dlsetup.model.resolution import Plan
from dlsetup.model.steps import Run, Step, Write
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.versions import LibcVersion, OsRelease
from dlsetup.plan.environment import Means, Place, compiling_steps, lock_steps, project_words, source_words
from dlsetup.plan.toml import index_lines, pinned_sources, quoted
from dlsetup.rules.libraries import marker_environment

Group = tuple[Plan, ...]
"""Plans for targets of one system and processor: they ask for the same."""


def platform_groups(plans: Iterable[Plan]) -> list[Group]:
    """The plans by system and processor."""
    groups: dict[object, list[Plan]] = {}
    for plan in plans:
        groups.setdefault((plan.target.os, plan.target.arch), []).append(plan)
    return [tuple(group) for group in groups.values()]


def shared_lock_steps(plans: Sequence[Plan], place: Place, means: Means) -> tuple[Step, ...]:
    """What leads to one lock for all of the plans."""
    groups = [as_one(group) for group in platform_groups(plans)]
    if len(groups) == 1:
        return lock_steps(groups[0], place, replace(means, foreign=means.foreign or len(plans) > 1))
    wanted, bounds = place.inside("dlsetup", "pyproject.toml"), place.inside("dlsetup", "constraints.txt")
    compiled = next((plan for plan in groups if any(pick.compiled for pick in plan.picks)), groups[0])
    words = ("--quiet", "--universal", "--python-version", str(groups[0].python), *source_words(means))
    files = ("--constraints", bounds, "--format", "pylock.toml", "--output-file", place.lock, wanted)
    compile_ = (means.uv, "pip", "compile")
    project = project_words(compiled, place) or ("--project", place.inside("dlsetup"))
    return (
        *compiling_steps(compiled, place),
        Write(path=wanted, text=universal_project(groups), why="say what is wanted, for each platform"),
        Write(path=bounds, text="".join(f"{item}\n" for item in _bounds(groups)), why="bound the rest"),
        Run(
            argv=(*compile_, *project, *words, *files),
            why="lock every package with its hash",
        ),
    )


def universal_project(plans: Sequence[Plan]) -> str:
    """A `pyproject.toml` in which each platform asks for its own builds, each from its own index."""
    markers = [platform_marker(plan.target, plan.python) for plan in plans]
    lines = ["[project]", 'name = "environment"', 'version = "0"']
    lines += [f'requires-python = "=={plans[0].python}.*"', "dependencies = ["]
    lines += [f"  {quoted(text)}," for text in marked([plan.requirements for plan in plans], markers)]
    lines += ["]", "", "[tool.uv]", f"environments = [{', '.join(map(quoted, markers))}]"]
    sources = [pinned_sources(plan) for plan in plans]
    used = {index for found in sources for index in found.values()}
    named: dict[str, Index] = {index.name: index for plan in plans for index in plan.indexes}
    for name in sorted(used):
        lines += ["", *index_lines(named[name])]
    if used:
        lines += ["", "[tool.uv.sources]", *_sources(sources, markers)]
    return "\n".join(lines) + "\n"


def platform_marker(target: Target, python: Version) -> str:
    """`sys_platform == 'linux' and platform_machine == 'x86_64'`. Raises `UsageError` where nobody knows."""
    environment = marker_environment(Interpreter(version=python), target)
    if environment is None:
        raise UsageError(
            f"one lock for several platforms needs the system and the processor of {target.name}",
            hint="say them: `--target os=linux,arch=x86_64,…`",
        )
    names = ("sys_platform", "platform_machine")
    return " and ".join(f"{name} == '{environment[name]}'" for name in names)


def platforms_of(plans: Iterable[Plan]) -> tuple[str, ...]:
    """The markers of all platforms; none where one of them is not known."""
    found = [group[0] for group in platform_groups(plans)]
    if any(isinstance(plan.target.os, Unknown) or isinstance(plan.target.arch, Unknown) for plan in found):
        return ()
    return tuple(platform_marker(plan.target, plan.python) for plan in found)


def as_one(group: Group) -> Plan:
    """One plan that asks for what all targets of the group need: on the oldest system, with all bounds."""
    constraints = tuple(dict.fromkeys(text for plan in group for text in plan.constraints))
    return replace(group[0], target=_oldest(group), constraints=constraints)


def _oldest(group: Group) -> Target:
    """The target with the oldest C library or macOS: wheels for it install on the others."""
    return min((plan.target for plan in group), key=lambda target: (_libc(target), _release(target)))


def _libc(target: Target) -> LibcVersion:
    if isinstance(target.libc, Libc) and not isinstance(target.libc.version, Unknown):
        return target.libc.version
    return LibcVersion("999")


def _release(target: Target) -> OsRelease:
    return OsRelease("999") if isinstance(target.release, Unknown) else target.release


def _bounds(plans: Sequence[Plan]) -> list[str]:
    markers = [platform_marker(plan.target, plan.python) for plan in plans]
    return list(marked([plan.constraints for plan in plans], markers))


def marked(groups: Sequence[Iterable[str]], markers: Sequence[str]) -> Iterator[str]:
    """Each requirement once, with the platforms that ask for it where not all do."""
    places: dict[str, list[int]] = {}
    for place, texts in enumerate(groups):
        for text in dict.fromkeys(texts):
            places.setdefault(text, []).append(place)
    for text, found in places.items():
        if len(found) == len(groups):
            yield text
        else:
            where = " or ".join(f"({markers[place]})" for place in found)
            yield with_marker(text, where)


def with_marker(text: str, where: str) -> str:
    """A requirement that holds only there."""
    item = Requirement(text)
    own = item.marker
    item.marker = None
    return f"{item} ; ({own}) and ({where})" if own else f"{item} ; {where}"


def _sources(sources: Sequence[dict[str, str]], markers: Sequence[str]) -> Iterator[str]:
    for name in sorted({name for found in sources for name in found}):
        rows = [
            f"{{ index = {quoted(found[name])}, marker = {quoted(marker)} }}"
            for found, marker in zip(sources, markers, strict=True)
            if name in found
        ]
        yield f"{quoted(name)} = [{', '.join(rows)}]"
