"""One consistent remedy for a cuDNN that does not serve, by where the copy that was loaded comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from packaging.version import Version

from dlsetup.judge.commands import install, line
from dlsetup.judge.cudnn_places import own_wheel, package_of
from dlsetup.judge.linux_families import packaging_of, uses_apt
from dlsetup.judge.scene import Scene
from dlsetup.judge.shadows import NAME, foreign_folders
from dlsetup.judge.told_libraries import Apart, cudnn_wheels, is_there, listed_as
from dlsetup.model.finding import Remedy
from dlsetup.model.machine import Distribution, SystemPackage

OF_WHEELS = re.compile(r"site-packages|dist-packages")
_FIRST_WHEELS = Version("8.9")
"""Since then TensorFlow (from 2.14 on) and JAX bring cuDNN as wheels on Linux."""
_NAMES = {
    "paddlepaddle-gpu": "paddlepaddle",
    "jaxlib": "jax",
    "tensorflow-gpu": "tensorflow",
    "jax-cuda12-plugin": "jax",
    "jax-cuda13-plugin": "jax",
    "onnxruntime-gpu": "onnxruntime",
}
_FRAMEWORKS = frozenset(
    {"torch", "tensorflow", "jax", "paddlepaddle", "onnxruntime", "vllm", "mindspore", "oneflow"}
)
"""Names that the catalog has, whether or not the report brought them in."""


def hidden_by_path(scene: Scene, apart: Apart) -> bool:
    """Whether LD_LIBRARY_PATH is what hides a cuDNN of wheels that would serve."""
    wheel = own_wheel(scene)
    if not foreign_folders(scene):
        return bool(apart.message.value("path"))
    if wheel is not None:
        return wheel.version >= apart.built and wheel.version.major == apart.built.major
    value = scene.machine.variable(NAME)
    return "torch" in apart.speakers or (isinstance(value, str) and OF_WHEELS.search(value) is not None)


def renewed(scene: Scene, apart: Apart) -> Iterator[Remedy]:
    """How a cuDNN that serves comes to be the one that is loaded."""
    wheel, system = own_wheel(scene), package_of(scene, "/usr/lib/x86_64-linux-gnu")
    by_conda = next((item for item in cudnn_wheels(scene) if item.name == "cudnn"), None)
    if hidden_by_path(scene, apart):
        text = f"Take {NAME} away, which leads to it: the program then finds the cuDNN that came with it."
        yield Remedy(text=text, commands=(f"unset {NAME}",))
    elif by_conda is not None and not _serves(by_conda.version, apart):
        yield _of_conda(scene, apart)
    elif wheel is not None and not _serves(wheel.version, apart):
        text = f"Install {wheel.name} {apart.built} or newer of the same major."
        yield Remedy(text=text, commands=install(scene, [f"{wheel.name}{_bounds(apart)}"]))
    elif wheel is not None or by_conda is not None:
        yield from _find(scene, wheel or by_conda)
    elif system is not None:
        yield _of_system(scene, system, apart)
    else:
        yield from _unknown_place(scene, apart)


def _serves(version: Version, apart: Apart) -> bool:
    return version >= apart.built and version.major == apart.built.major


def _bounds(apart: Apart) -> str:
    return f">={apart.built},<{apart.built.major + 1}"


def _of_conda(scene: Scene, apart: Apart) -> Remedy:
    return Remedy(
        text=f"Install cuDNN {apart.built} or newer of the same major from conda, as the present one.",
        commands=line(scene, ["conda", "install", "-c", "conda-forge", f"cudnn{_bounds(apart)}"]),
    )


def _of_system(scene: Scene, package: SystemPackage, apart: Apart) -> Remedy:
    """A package of cuDNN is made for one CUDA, which its version names."""
    made_for = re.search(r"\+cuda[\d.]+", package.version)
    wanted = f"{package.name}={apart.built}*{made_for[0] if made_for else ''}"
    dev = [item.name for item in scene.packages if item.name == f"{package.name}-dev"]
    wanted_dev = [wanted.replace(package.name, name, 1) for name in dev]
    commands = (
        (
            *line(scene, ["apt", "list", "--all-versions", package.name]),
            *line(scene, ["sudo", "apt", "install", wanted, *wanted_dev]),
        )
        if uses_apt(scene)
        else line(scene, ["sudo", "dnf", "upgrade", package.name])
        if packaging_of(scene) in ("fedora", "rhel", "amazon")
        else ()
    )
    same = f", for the same CUDA ({made_for[0][1:]})" if made_for else ""
    newer = f"{apart.built} or a newer {apart.built.major}.x"
    text = f"Install the system's package {package.name} in version {newer}{same}."
    return Remedy(text=text, commands=commands, scope="host")


def _unknown_place(scene: Scene, apart: Apart) -> Iterator[Remedy]:
    """Programs of today bring it as a wheel; those before take what lies on the search path."""
    major = _cuda_of_wheels(apart)
    if major and scene.target.os != "windows":
        name = f"nvidia-cudnn-cu{major}"
        text = (
            f"Install the wheel {name} {apart.built} or newer of the same major, and start the program anew."
        )
        yield Remedy(
            text=text, commands=install(scene, [f"{name}{_bounds(apart)}"]) or _pip(scene, name, apart)
        )
    else:
        yield Remedy(
            text=f"Install cuDNN {apart.built} (or a newer {apart.built.major}.x) for the CUDA in use, where "
            f"{apart.loaded} lies now.",
            scope="host",
        )
    yield from _find(scene, None)


def _pip(scene: Scene, name: str, apart: Apart) -> tuple[str, ...]:
    """For an environment of which nothing is known."""
    return (
        line(scene, ["python", "-m", "pip", "install", f"{name}{_bounds(apart)}"])
        if scene.environment is None
        else ()
    )


def _cuda_of_wheels(apart: Apart) -> int | None:
    """The CUDA major of the wheels that a speaker brings; JAX with CUDA 11 ended with cuDNN 8.8."""
    wheels = apart.built >= _FIRST_WHEELS and {"tensorflow", "jax"} & set(apart.speakers)
    return 12 if wheels else None


def _find(scene: Scene, serving: Distribution | None) -> Iterator[Remedy]:
    """Find the copy that was loaded, where a better one is there or may be."""
    first = (
        f"{serving.name} {serving.version} would serve and was not the one that was loaded: find the other"
        if serving
        else "If such a cuDNN is there already, another copy is found before it: find that"
    )
    windows = scene.target.os == "windows"
    commands = ("where cudnn64_*.dll",) if windows else ("ldconfig -p | grep libcudnn", f"echo ${NAME}")
    path = "PATH" if windows else f"{NAME} or the system"
    yield Remedy(text=f"{first}, and take it out of {path}.", commands=commands, scope="host")


def kept_apart(scene: Scene, names: Sequence[str]) -> Remedy:
    """An environment for each of the frameworks."""
    first = next((name for name in map(framework_name, names) if name in _FRAMEWORKS), None)
    commands = line(scene, ["dlsetup", "create", "env", f"{first}-gpu", first]) if first else ()
    text = f"Keep {' and '.join(names)} in environments of their own, each with its own cuDNN."
    return Remedy(text=text, commands=commands)


def cpu_build_of_other(scene: Scene, speaker: str, others: Sequence[str]) -> Iterator[Remedy]:
    """torch that only loads data needs no GPU, and its CPU build brings no cuDNN."""
    torch = listed_as(scene, "torch") or is_there(scene, "torch")
    if "torch" in others and torch and speaker != "torch" and scene.target.os != "macos":
        text = f"Or, where torch needs no GPU beside {speaker}, take its CPU build, which brings no cuDNN."
        index = "https://download.pytorch.org/whl/cpu"
        yield Remedy(text=text, commands=install(scene, ["torch"], index=index))


def framework_name(distribution: str) -> str:
    """The framework that a distribution belongs to, as the catalog calls it."""
    return _NAMES.get(distribution, distribution)


def agreeing_releases(scene: Scene, names: Sequence[str]) -> Remedy:
    """Other releases, found by the resolver, whose demands meet."""
    asked = list(dict.fromkeys(name for name in map(framework_name, names) if name in _FRAMEWORKS))
    commands = line(scene, ["dlsetup", "resolve", *asked]) if len(asked) > 1 else ()
    finds = "; `dlsetup resolve` finds them or says why not" if commands else ""
    return Remedy(text=f"Or take releases of both whose demands meet{finds}.", commands=commands)
