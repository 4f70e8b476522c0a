"""Frameworks of which an installer found no file for this Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dlsetup.judge.evidence import of_message
from dlsetup.judge.installers import CUDA_INDEX, LOCAL, version_of
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.framework import Build, Framework
from dlsetup.model.machine import Gap
from dlsetup.model.report import Message
from dlsetup.model.target import Interpreter
from dlsetup.rules.installed import framework_of
from dlsetup.rules.wheels import has_wheel


@check("python-too-new-for-wheel", told=True)
def no_wheel(scene: Scene) -> Iterator[Answer]:
    """An installer found no file of a framework, and none is made for this Python."""
    for message in scene.messages("pip-no-version"):
        name, release = _wanted(message)
        framework = framework_of(name, scene.catalog)
        if framework is None:
            continue
        if scene.interpreter is None:
            reason = f"whether there is a wheel of {name} depends on it"
            yield Gap(fact="release of Python", reason=reason, ask="python --version")
            continue
        builds = _meant(scene, framework, release)
        if builds and not _fitting(scene, scene.interpreter, builds):
            yield _too_new(scene, framework, scene.interpreter, builds, message)
            return


def _wanted(message: Message) -> tuple[str, str]:
    """The name and the release, as pip or uv says them; an empty release: any."""
    name = message.value("name") or message.value("uvname") or ""
    return name, message.value("version") or message.value("uvversion") or ""


def _meant(scene: Scene, framework: Framework, release: str) -> list[Build]:
    """The builds that the installer was asked for: of a release, of an index, or all."""
    version, local = version_of(release), LOCAL.search(release)
    builds = list(framework.builds if version is None else framework.of(version))
    variant = local[1] if local else _of_index(scene, framework)
    named = [build for build in builds if build.variant == variant]
    return named or ([] if variant and version is None else builds)


def _of_index(scene: Scene, framework: Framework) -> str:
    asked = (item for item in scene.machine.report.asked if item.name in framework.distributions)
    return next((f"cu{found[1]}" for item in asked if (found := CUDA_INDEX.search(item.index))), "")


def _fitting(scene: Scene, python: Interpreter, builds: Sequence[Build]) -> list[Build]:
    """Those of the builds that may have a wheel for this Python."""
    return [build for build in builds if not has_wheel(build, python, scene.target).refused]


def _too_new(
    scene: Scene, framework: Framework, python: Interpreter, builds: Sequence[Build], message: Message
) -> Finding:
    release = _wanted(message)[1]
    what = f"{framework.distributions[0]} {release}".strip()
    newest = max(build.version for build in builds)
    of_index = "" if release else f" (the newest there is {newest})"
    python_seen = Evidence(fact="Python", value=str(python.version), source=scene.seen("environment.python"))
    return Finding(
        id="python-too-new-for-wheel",
        severity="error",
        title=f"{what} has no wheel for Python {python.version}",
        because=f"The wheels of what was asked for{of_index} are made for other releases of Python.",
        evidence=(of_message(message), python_seen),
        remedies=tuple(_ways_out(scene, framework, python, what)),
        rests_on=scene.sources(source for build in builds[:1] for source in build.sources),
    )


def _ways_out(scene: Scene, framework: Framework, python: Interpreter, what: str) -> Iterator[Remedy]:
    show = f"dlsetup catalog show {framework.name}"
    yield Remedy(text=f"Use an older Python, for which {what} has wheels.", commands=(show,))
    final = [build for build in framework.builds if not build.prerelease]
    newest = max((build.version for build in _fitting(scene, python, final)), default=None)
    if newest is not None:
        wheels = f"which has wheels for Python {python.version}"
        yield Remedy(text=f"Or take {framework.name} {newest.public}, {wheels}.")
