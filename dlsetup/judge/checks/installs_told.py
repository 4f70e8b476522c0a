"""What was asked of installers, and what came of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from dlsetup.judge.evidence import of_framework, of_message, of_observation
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.judge.wanted import CUDA_INDEX, of_asked
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.framework import Build, Framework
from dlsetup.model.machine import Gap
from dlsetup.model.report import Asked, Command, Message
from dlsetup.model.target import Interpreter
from dlsetup.rules.wheels import has_wheel

CHANNEL_END = (2, 5)
"""Newest minor line of PyTorch on the `pytorch` channel, and of its `pytorch-cuda`: 12.4."""
CHANNEL_CUDA_END = (12, 4)
FAMILY = ("torch", "torchvision", "torchaudio")


@check("python-too-new-for-wheel", told=True)
def no_wheel(scene: Scene) -> Iterator[Answer]:
    """An installer found no file of a framework, and none is made for this Python."""
    for message in scene.messages("pip-no-version"):
        name = message.value("name") or message.value("uvname") or ""
        framework = next((item for item in scene.catalog.frameworks if name in item.distributions), None)
        if framework is None or scene.interpreter is None:
            if framework is not None or name in FAMILY:
                reason = f"whether there is a wheel of {name} depends on it"
                yield Gap(fact="release of Python", reason=reason, ask="python --version")
            continue
        builds = _meant(scene, framework, message)
        if builds and all(has_wheel(build, scene.interpreter, scene.target).refused for build in builds):
            yield _too_new(scene, framework, scene.interpreter, builds, message)
            return


def _meant(scene: Scene, framework: Framework, message: Message) -> list[Build]:
    """The builds that the installer was asked for: of a version, of an index, or all."""
    wanted = message.value("version") or message.value("uvversion") or ""
    builds = list(framework.of(Version(wanted))) if _is_version(wanted) else list(framework.builds)
    variant = next(
        (f"cu{found[1]}" for item in _asked(scene, framework) if (found := CUDA_INDEX.search(item.index))), ""
    )
    local = re.search(r"\+(cu\d+|cpu|rocm[\d.]+|xpu)", wanted)
    variant = local[1] if local else variant
    named = [build for build in builds if build.variant == variant]
    return named or ([] if variant and not _is_version(wanted) else builds)


def _too_new(
    scene: Scene, framework: Framework, python: Interpreter, builds: Sequence[Build], message: Message
) -> Finding:
    release = message.value("version") or message.value("uvversion") or ""
    what = f"{framework.distributions[0]} {release}".strip()
    newest = max((build.version for build in builds), default=None)
    fitting = [
        build
        for build in framework.builds
        if not has_wheel(build, python, scene.target).refused and not build.prerelease
    ]
    remedies = [
        Remedy(
            text=f"Use an older Python, for which {what} has wheels.",
            commands=(f"dlsetup catalog show {framework.name}",),
        )
    ]
    if fitting:
        best = max(fitting, key=lambda build: build.version)
        text = (
            f"Or take {framework.name} {best.version.public}, which has wheels for Python {python.version}."
        )
        remedies.append(Remedy(text=text))
    of_index = f" (the newest there is {newest})" if newest and not release else ""
    return Finding(
        id="python-too-new-for-wheel",
        severity="error",
        title=f"{what} has no wheel for Python {python.version}",
        because=f"The wheels of what was asked for{of_index} are made for other releases of Python.",
        evidence=(
            of_message(message),
            Evidence(fact="Python", value=str(python.version), source=scene.seen("environment.python")),
        ),
        remedies=tuple(remedies),
        rests_on=scene.sources(source for build in builds[:1] for source in build.sources),
    )


@check("pytorch-conda-channel-ended", told=True)
def channel_ended(scene: Scene) -> Iterator[Answer]:
    """The channel of PyTorch was asked for what came after its end."""
    said = [item for item in scene.messages("pytorch-channel-lacks") if _after_end(*_of_message(item))]
    channels = scene.observed("conda.channels")
    on_channel = (
        channels is not None and "pytorch" in channels.value.split() and "conda-forge" not in channels.value
    )
    asked = [
        item
        for item in scene.machine.report.asked
        if item.installer == "conda"
        and (item.index == "pytorch" or on_channel)
        and _after_end(_conda_name(item), _lowest(item))
    ]
    if not said and not asked:
        return
    yield Finding(
        id="pytorch-conda-channel-ended",
        severity="error",
        title="The conda channel of PyTorch ended with 2.5.1",
        because="PyTorch 2.6 and newer, and pytorch-cuda after 12.4, were never published on the channel `pytorch`.",
        evidence=(*map(of_message, said[:2]), *map(of_asked, asked[:2])),
        remedies=(
            Remedy(
                text="Take `pytorch-gpu` from conda-forge.",
                commands=("conda install -c conda-forge pytorch-gpu",),
            ),
            Remedy(
                text="Or install the wheels of PyTorch with pip into the environment.",
                commands=("dlsetup resolve torch",),
            ),
            Remedy(text="Or stay with pytorch=2.5.1 of the channel."),
        ),
        rests_on=scene.sources(["pytorch-channel-end"]),
    )


def _of_message(message: Message) -> tuple[str, str]:
    name = message.value("package") or message.value("other") or ""
    return name, message.value("version") or message.value("wanted") or ""


def _conda_name(item: Asked) -> str:
    return "pytorch" if item.name == "torch" else item.name


def _lowest(item: Asked) -> str:
    found = re.search(r"\d+(?:\.\d+)+", "" if item.specifier.startswith("<") else item.specifier)
    return found[0] if found else ""


def _after_end(name: str, version: str) -> bool:
    parts = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if len(parts) < 2:
        return False
    companion = {"torchvision": (0, 20), "torchaudio": CHANNEL_END}
    end = CHANNEL_CUDA_END if name == "pytorch-cuda" else companion.get(name, CHANNEL_END)
    return name in ("pytorch", "pytorch-cuda", *companion) and parts > end


@check("dependency-replaced-torch", "xpu-wheel-replaced-by-cpu", told=True)
def replaced(scene: Scene) -> Iterator[Answer]:
    """A later install put another build in the place of the one that was chosen."""
    chosen = _chosen(scene)
    now = _present(scene)
    if chosen is None or now is None:
        return
    first, variant = chosen
    later = [
        item
        for item in _installs(scene)
        if _after(item.source, first.source) and not CUDA_INDEX.search(" ".join(item.words))
    ]
    if now == variant or (not later and not scene.messages("torch-uninstalled")):
        return
    xpu = variant == "xpu"
    if xpu:
        yield _replaced_by(first, later)
    yield Finding(
        id="xpu-wheel-replaced-by-cpu" if xpu else "dependency-replaced-torch",
        severity="error",
        title=f"The {variant} build of torch was replaced by {'a ' + now + ' build' if now != 'default' else 'the default one'}",
        because="A later install resolved torch anew, from the default index, and took the build that is there.",
        evidence=(
            of_asked(first),
            *(
                Evidence(fact="then", value=" ".join(item.words)[:200], source=item.source)
                for item in later[:2]
            ),
        ),
        remedies=(
            Remedy(
                text=f"Install torch from the {variant} index again, last, and hold it with a constraint in later installs.",
                commands=_again(first, variant),
            ),
        ),
    )


def _replaced_by(first: Asked, later: Sequence[Command]) -> Finding:
    """Why the build for Intel GPUs is gone."""
    return Finding(
        id="dependency-replaced-torch",
        severity="warning",
        title="A later install replaced torch",
        because="It resolved torch anew, from the default index.",
        evidence=(
            of_asked(first),
            *(
                Evidence(fact="then", value=" ".join(item.words)[:200], source=item.source)
                for item in later[:2]
            ),
        ),
    )


def _again(first: Asked, variant: str) -> tuple[str, ...]:
    pin = f"torch{first.specifier}" if re.fullmatch(r"[=<>~!.,\d+\w]*", first.specifier) else "torch"
    return (
        f"python -m pip install --force-reinstall '{pin}' --index-url https://download.pytorch.org/whl/{variant}",
    )


def _chosen(scene: Scene) -> tuple[Asked, str] | None:
    """The first time that torch was asked for with a build of its own."""
    for item in scene.machine.report.asked:
        found = re.search(r"/whl/(?:nightly/|test/)?(cu\d{2,3}|xpu|rocm[\d.]+)\b", item.index) or re.search(
            r"\+(cu\d{2,3}|xpu|rocm[\d.]+)", item.specifier
        )
        if item.name == "torch" and found:
            return item, found[1]
    return None


def _present(scene: Scene) -> str | None:
    """What torch is built for now; None: nothing tells."""
    seen = scene.observed("torch.__version__")
    local = re.search(r"\+(cpu|cu\d{2,3}|xpu|rocm[\d.]+)", seen.value) if seen else None
    if local:
        return local[1]
    torch = scene.framework("torch")
    if torch is None:
        return None
    if isinstance(torch.variant, str):
        return torch.variant
    return "default" if torch.distribution.version.local is None else None


def _installs(scene: Scene) -> list[Command]:
    return [
        item
        for item in scene.machine.report.commands
        if "install" in item.words or "add" in item.words or "sync" in item.words
    ]


def _after(source: str, other: str) -> bool:
    (file, _, number), (first, _, start) = source.rpartition(":"), other.rpartition(":")
    return file == first and number.isdecimal() and start.isdecimal() and int(number) > int(start)


def _asked(scene: Scene, framework: Framework) -> list[Asked]:
    return [item for item in scene.machine.report.asked if item.name in framework.distributions]


def _is_version(text: str) -> bool:
    try:
        return bool(text) and bool(Version(text))
    except InvalidVersion:
        return False


@check("unsatisfiable-pins", told=True)
def pins_exclude(scene: Scene) -> Iterator[Answer]:
    """Exact pins of torch's family that do not pair, or an installer that found no way."""
    said = scene.messages("pins-conflict")
    pairs = list(_apart(scene))
    if not said and not pairs:
        return
    because = (
        pairs[0][2]
        if pairs
        else "The installer looked at every release and found none that serves all of them."
    )
    yield Finding(
        id="unsatisfiable-pins",
        severity="error",
        title="What is asked for cannot be installed together",
        because=because,
        evidence=(*(of_asked(item) for pair in pairs[:1] for item in pair[:2]), *map(of_message, said[:2])),
        remedies=(
            Remedy(
                text="Ask for releases that belong together; `dlsetup resolve` finds them, or names the smallest reason against them.",
                commands=("dlsetup resolve -r requirements.txt",),
            ),
        ),
    )


def _apart(scene: Scene) -> Iterator[tuple[Asked, Asked, str]]:
    """Pins of two packages of which one's own metadata excludes the other."""
    pinned = {
        item.name: item
        for item in scene.machine.report.asked
        if item.specifier.startswith("==") and item.installer == "pip"
    }
    for name, item in pinned.items():
        framework = next((one for one in scene.catalog.frameworks if name in one.distributions), None)
        version = item.specifier.removeprefix("==").split(",")[0].strip()
        if framework is None or not _is_version(version):
            continue
        builds = framework.of(Version(version))
        texts = {text for build in builds for text in build.requires}
        for other, pin in pinned.items():
            wanted = pin.specifier.removeprefix("==").split(",")[0].strip()
            asks = [text for text in texts if re.match(rf"{re.escape(other)}\b(?!-)", text)]
            if other == name or not asks or not _is_version(wanted):
                continue
            if not any(_admits(text, Version(wanted)) for text in asks):
                yield item, pin, f"{name} {version} asks for {asks[0]}, and {other}=={wanted} is pinned."


def _admits(text: str, version: Version) -> bool:
    found = re.search(r"[<>=!~].*", text.split(";")[0])
    try:
        return found is None or SpecifierSet(found[0].strip("() ")).contains(version.public, prereleases=True)
    except InvalidSpecifier:
        return True


@check("uv-index-not-published", told=True)
def index_stays_behind(scene: Scene) -> Iterator[Answer]:
    """A project's own indexes do not reach those who install its wheel."""
    seen = scene.observed("pyproject.tool.uv.index") or scene.observed("pyproject.tool.uv.sources")
    tools = [
        item
        for item in scene.machine.report.commands
        if item.words[:3] in (("uv", "tool", "install"),) or item.words[0] in ("uvx", "pipx")
    ]
    plain = [
        item
        for item in _installs(scene)
        if not {"-e", ".", "-r", "--index-url", "--extra-index-url", "--index"} & set(item.words)
    ]
    if seen is None or not (tools or plain):
        return
    yield Finding(
        id="uv-index-not-published",
        severity="warning",
        title="The project's indexes are not part of its wheel",
        because="`tool.uv.index` and `tool.uv.sources` are read in the project's own folder; whoever installs the wheel gets torch from his default index.",
        evidence=(
            of_observation(seen),
            *(
                Evidence(fact="installed by", value=" ".join(item.words)[:200], source=item.source)
                for item in (tools or plain)[:1]
            ),
        ),
        remedies=(
            Remedy(
                text="Name the index when it is installed.",
                commands=("uv tool install PACKAGE --index https://download.pytorch.org/whl/cu128",),
            ),
        ),
    )


@check("unpinned-torch", "unpinned-cuda-variant", "unpinned-numpy", told=True)
def unpinned(scene: Scene) -> Iterator[Answer]:
    """A file that asks for a framework, and leaves open what went wrong."""
    asked = {item.name: item for item in scene.machine.report.asked if item.installer == "pip"}
    torch, numpy = asked.get("torch"), asked.get("numpy")
    if torch is not None and not torch.specifier and not torch.index and _driver_trouble(scene):
        yield _open(
            scene,
            "unpinned-torch",
            torch,
            "torch is asked for without a version or an index, so the newest build for the newest CUDA came.",
        )
    if (
        torch is not None
        and re.fullmatch(r"==[\d.]+", torch.specifier)
        and not torch.index
        and _arch_trouble(scene)
    ):
        yield _open(
            scene,
            "unpinned-cuda-variant",
            torch,
            "the version is pinned and its CUDA build is not, so the default build of the index came.",
        )
    if (
        numpy is not None
        and "<" not in numpy.specifier
        and not numpy.specifier.startswith("==")
        and scene.messages("numpy-1-module")
    ):
        yield _open(
            scene,
            "unpinned-numpy",
            numpy,
            "numpy has no upper bound, so NumPy 2 came beside code that was compiled for NumPy 1.",
        )


def _open(scene: Scene, finding: str, item: Asked, because: str) -> Finding:
    return Finding(
        id=finding,
        severity="warning",
        title=f"`{item.name}{item.specifier}` leaves open what matters here",
        because=f"{because[0].upper()}{because[1:]}",
        evidence=(
            of_asked(item),
            *(of_framework(one) for one in scene.installed if one.framework.name == item.name),
        ),
        remedies=(
            Remedy(
                text="Say it in the file: the version, and for torch the index of its CUDA build.",
                scope="project",
            ),
        ),
    )


def _driver_trouble(scene: Scene) -> bool:
    return bool(scene.messages("torch-driver-too-old", "cuda-insufficient-driver"))


def _arch_trouble(scene: Scene) -> bool:
    seen = {item.signature for item in scene.machine.report.messages}
    return any("arch" in name or "kernel-image" in name or "not-compatible" in name for name in seen)
