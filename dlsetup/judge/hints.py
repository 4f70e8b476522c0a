"""`dlsetup resolve …` as a hint: the question, with what is known of pins, Python and machine.

Of a report the system, driver and GPUs are said with `--target`, since whoever runs the command may sit at
another machine. The command is accepted as it is written: what `--target` would not take is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec.structs import replace
from packaging.version import Version

from dlsetup.intake.target import describe, parse
from dlsetup.judge.commands import line
from dlsetup.judge.demands import required_name
from dlsetup.judge.installers import exact_pin
from dlsetup.judge.scene import Scene
from dlsetup.model.errors import UsageError
from dlsetup.model.machine import Gpu
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.versions import ComputeCapability
from dlsetup.rules.installed import framework_of


def resolve(scene: Scene, wanted: Sequence[str], *options: str) -> tuple[str, ...]:
    """The command that asks for builds of `wanted` (`torch==2.6.0`, `torchvision`) for this machine."""
    words = ["dlsetup", "resolve", *dict.fromkeys(wanted), *options]
    if scene.machine.partial:
        target = _in_words(_told(scene))
        return line(scene, [*words, *(["--target", target] if target else [])])
    python = [] if scene.interpreter is None else ["--python", _minor(scene.interpreter)]
    return line(scene, [*words, *python])


def pinned(scene: Scene, name: str) -> str:
    """`torch==2.6.0` where that release is here, or is asked for, and the catalog has it; else `torch`."""
    release, framework = release_here(scene, name), scene.catalog.framework(name)
    if release is None or framework is None or not framework.of(release):
        return name
    return f"{name}=={release.public}"


def framework_behind(scene: Scene, distribution: str) -> str | None:
    """The framework that a distribution is, or is a part of: `jax` of `jax-cuda12-plugin`."""
    framework = framework_of(distribution, scene.catalog)
    if framework is not None:
        return framework.name
    for item in scene.catalog.frameworks:
        if distribution.startswith(f"{item.name}-"):
            texts = (text for build in islice(item.builds, 100) for text in build.requires)
            if any(required_name(text) == distribution for text in texts):
                return item.name
    return None


def release_here(scene: Scene, name: str) -> Version | None:
    """The release of a framework that is installed, or that is asked for and no other."""
    installed = scene.framework(name)
    if installed is not None:
        return installed.distribution.version
    asked = (exact_pin(item.specifier) for item in scene.machine.report.asked if item.name == name)
    return next((version for version in asked if version), None)


def _told(scene: Scene) -> Target:
    """What a report tells of the machine. That no GPU or driver is there is left out: both are meant."""
    target, python = scene.mended, scene.interpreter
    gpus = () if isinstance(target.gpus, Unknown) else tuple(dict.fromkeys(map(_plain, target.gpus)))
    return replace(
        target,
        driver=UNKNOWN if target.driver is None else target.driver,
        cuda_ceiling=target.cuda_ceiling if isinstance(target.driver, Unknown) else UNKNOWN,
        gpus=gpus or UNKNOWN,
        pythons=UNKNOWN if python is None else (replace(python, version=Version(_minor(python))),),
    )


def _plain(gpu: Gpu) -> Gpu:
    """The GPU as it is asked for: its architecture, where that is known, or its maker and name."""
    if isinstance(gpu.compute_capability, ComputeCapability):
        return Gpu(vendor=gpu.vendor, compute_capability=gpu.compute_capability)
    known = None if isinstance(gpu.arch, Unknown) else gpu.arch
    return Gpu(vendor=gpu.vendor, arch=known or UNKNOWN, name=UNKNOWN if known else gpu.name)


def _in_words(target: Target) -> str:
    """The target in words that are accepted; as little as possible is left out."""
    for shortened in _shortened(target):
        words = describe(shortened).replace('"', "").replace("'", "")
        try:
            parse(words)
        except UsageError:
            continue
        return words
    return ""


def _shortened(target: Target) -> Iterator[Target]:
    yield target
    yield replace(target, gpus=UNKNOWN)
    yield replace(target, gpus=UNKNOWN, pythons=UNKNOWN)


def _minor(python: Interpreter) -> str:
    return f"{python.version.major}.{python.version.minor}"
