"""Frameworks of which an installer found no file for this Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from packaging.version import Version

from dlsetup.judge.commands import install, install_builds
from dlsetup.judge.evidence import of_message
from dlsetup.judge.hints import release_here, resolve
from dlsetup.judge.installers import CUDA_INDEX, LOCAL, version_of
from dlsetup.judge.pairs import release_for
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.judge.sentences import listed
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.framework import Build, Framework
from dlsetup.model.machine import Gap
from dlsetup.model.report import Message
from dlsetup.model.target import Interpreter
from dlsetup.rules.driver import driver_serves
from dlsetup.rules.installed import framework_of
from dlsetup.rules.kernels import serves_every_gpu
from dlsetup.rules.wheels import accepts_python, has_platform, has_wheel, platform_of

_SPEAKERS = ("", "uv", "abi", "dist", "lock")
"""What stands before `name` and `version` in the groups of the message, by the tool that prints it."""
PYTHONS = tuple(Version(f"3.{minor}") for minor in range(6, 16))
"""Releases of Python that wheels may be made for."""


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
            yield _none_for(scene, framework, scene.interpreter, builds, message)
            return
        later = () if builds else _listed_later(framework, message)
        if later:
            yield _before_the_list(scene, framework, scene.interpreter, later, message)
            return


def _wanted(message: Message) -> tuple[str, str]:
    """The name and the release, as pip, uv, poetry or pdm says them; an empty release: any."""
    names = (message.value(f"{by}name") for by in _SPEAKERS)
    versions = (message.value(f"{by}version") for by in (*_SPEAKERS, "pin"))
    return next(filter(None, names), ""), next(filter(None, versions), "")


def _listed_later(framework: Framework, message: Message) -> list[Version]:
    """What the index has for this Python, where all of it that is built is newer than what was asked for.

    Of a release older than every one of the catalog; pip leaves out files for other releases of Python.
    """
    asked = version_of(_wanted(message)[1])
    texts = (message.value("versions") or "").split(",")
    versions = sorted(version for text in texts if (version := version_of(text.strip())))
    known = min((build.version for build in framework.builds), default=None)
    if asked is None or known is None or asked >= known or asked in versions:
        return []
    return [version for version in versions if version > asked and not version.is_prerelease]


def _before_the_list(
    scene: Scene, framework: Framework, python: Interpreter, later: Sequence[Version], message: Message
) -> Finding:
    name, release = framework.distributions[0], _wanted(message)[1]
    minor = f"{python.version.major}.{python.version.minor}"
    return Finding(
        id="python-too-new-for-wheel",
        severity="error",
        title=f"{name} {release} has no wheel for Python {python.version}",
        because=f"Of what the index has for Python {minor}, {later[0]} is the first that is newer: {release} "
        "was released before there were wheels for it.",
        evidence=(
            of_message(message),
            Evidence(fact="Python", value=str(python.version), source=scene.seen("environment.python")),
        ),
        remedies=(
            Remedy(text=f"Use an older Python, one that was supported when {name} {release} was released."),
            Remedy(
                text=f"Or take {name} {later[0]}, the oldest after it that has wheels for Python {minor}.",
                commands=install(scene, [f"{name}=={later[0]}"]),
            ),
        ),
        rests_on=scene.sources(("pip-resolver",)),
    )


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
    return [
        build
        for build in builds
        if not has_wheel(build, python, scene.target).refused and not accepts_python(build, python).refused
    ]


def _none_for(
    scene: Scene, framework: Framework, python: Interpreter, builds: Sequence[Build], message: Message
) -> Finding:
    release, index = _wanted(message)[1], _of_index(scene, framework)
    name = framework.distributions[0]
    newest = max(build.version for build in builds)
    made = [build for build in builds if release or build.version == newest]
    pythons = _pythons(scene, made)
    for_these = f"Python {_range(pythons)}" if pythons else "other releases of Python"
    of_index = bool(index) and not release
    title = f"{name} {release}".strip() + f" has no wheel for Python {python.version}"
    because = f"The wheels of what was asked for are made for {for_these}."
    if of_index:
        title = f"The index of {index} has no {name} for Python {python.version}"
        because = f"The newest {name} there is {newest.public}, whose wheels are made for {for_these}."
    same = framework.of(made[0].version)
    if not pythons and all(has_platform(build, scene.target).refused for build in same):
        title = f"{name} {release}".strip() + f" has no wheel for {platform_of(scene.target)}"
        because = "The wheels of what was asked for are made for other systems or processors."
    seen = Evidence(fact="Python", value=str(python.version), source=scene.seen("environment.python"))
    newer = _other_release(scene, framework, python, newest)
    ways = [_older_python(framework, made, pythons), newer or _last_release(scene, framework, python)]
    return Finding(
        id="python-too-new-for-wheel",
        severity="error",
        title=title,
        because=because,
        evidence=(of_message(message), seen),
        remedies=tuple(way for way in (ways[::-1] if of_index else ways) if way is not None),
        rests_on=scene.sources(source for build in builds[:1] for source in build.sources),
    )


def _pythons(scene: Scene, builds: Sequence[Build]) -> list[Version]:
    """The releases of Python that one of the builds has a wheel for."""
    return [item for item in PYTHONS if _fitting(scene, Interpreter(version=item), builds)]


def _range(pythons: Sequence[Version]) -> str:
    return str(pythons[0]) if len(pythons) == 1 else f"{pythons[0]} to {pythons[-1]}"


def _older_python(framework: Framework, builds: Sequence[Build], pythons: Sequence[Version]) -> Remedy | None:
    """The newest Python for which the very release has wheels, in an environment of its own."""
    if not pythons:
        return None
    release, python = builds[0].version.public, pythons[-1]
    name = f"{framework.name}-py{python.major}{python.minor}"
    command = f"dlsetup create env {name} {framework.name}=={release} --python {python}"
    text = f"Use Python {_range(pythons)}, for which {framework.name} {release} has wheels."
    return Remedy(text=text, commands=(command,))


def _other_release(scene: Scene, framework: Framework, python: Interpreter, than: Version) -> Remedy | None:
    """The first newer release with wheels for this Python that runs here, with what follows it."""
    plain = (build for build in framework.builds if not build.prerelease and not build.yanked)
    fitting = [build for build in _fitting(scene, python, list(plain)) if _may_run(scene, build)]
    first = min((build.version for build in fitting if build.version > than), default=None)
    if first is None:
        return None
    build = next(item for item in fitting if item.version == first)
    minor = f"{python.version.major}.{python.version.minor}"
    followers = _followers(scene, first) if framework.name == "torch" else []
    names = listed(
        [f"{framework.name} {first.public}", *(f"{name} {version}" for name, version in followers)]
    )
    text = f"Or take {names} or newer, which has wheels for Python {minor}."
    commands = () if followers else install_builds(scene, [build])
    wanted = [f"{framework.name}>={first.public}", *(name for name, _ in followers)]
    return Remedy(text=text, commands=commands or resolve(scene, wanted))


def _last_release(scene: Scene, framework: Framework, python: Interpreter) -> Remedy | None:
    """The newest release that still has a wheel here: of torch 2.2.2 for a Mac with an Intel processor."""
    plain = [build for build in framework.builds if not build.prerelease and not build.yanked]
    build = max(_fitting(scene, python, plain), key=lambda item: item.version, default=None)
    if build is None:
        return None
    text = f"Or take {framework.name} {build.version.public}, the newest that has wheels here."
    return Remedy(text=text, commands=install_builds(scene, [build]))


def _may_run(scene: Scene, build: Build) -> bool:
    """Whether nothing known of driver and GPUs refuses it; a CUDA build, where there is an NVIDIA GPU."""
    hardware = scene.catalog.hardware
    if build.cuda is None:
        return not scene.gpus("nvidia") and build.accelerator in ("cpu", "mps")
    target = scene.mended
    served = not driver_serves(target, build.cuda, hardware).refused
    return served and not serves_every_gpu(build, target, hardware).refused


def _followers(scene: Scene, torch: Version) -> list[tuple[str, str]]:
    """torchvision and torchaudio, where the report has or wants them, in the release for this torch."""
    asked = {item.name for item in scene.machine.report.asked}
    names = [name for name in ("torchvision", "torchaudio") if name in asked or release_here(scene, name)]
    found = ((name, release_for(scene, name, torch)) for name in names)
    return [(name, version.public) for name, version in found if version]
