"""What messages of a report tell of CUDA libraries: which was loaded, which was wanted, who was there."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.version import Version

from dlsetup.judge.installers import version_of
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence
from dlsetup.model.machine import Distribution, Library
from dlsetup.model.record import Record, Unknown
from dlsetup.model.report import Message

OLDER = {
    "cudnn-older-than-built-jax": ("jax",),
    "cudnn-older-than-built-paddle": ("paddlepaddle",),
    "cudnn-older-than-built-torch": ("torch",),
    "cudnn-older-than-built-opencv": ("opencv",),
    "cudnn-older-than-built-tensorflow": ("tensorflow",),
    "cudnn-older-than-built": ("tensorflow", "jax"),
}
"""Messages that compare the cuDNN that was loaded with that of the build, and who prints them."""
MISSING = ("cudnn-part-not-loaded", "cudnn-library-missing")
_ALIASES = {
    "torch": ("torch.__version__",),
    "tensorflow": ("tensorflow.__version__", "tf.__version__"),
    "jax": ("jax.__version__", "jaxlib.__version__"),
    "paddlepaddle": ("paddle.__version__",),
    "onnxruntime-gpu": ("onnxruntime.__version__", "ort.__version__", "rt.__version__"),
    "mindspore": ("mindspore.__version__",),
}
_NAMES = {
    "tensorflow": ("tensorflow", "tensorflow-gpu", "tensorflow-intel", "tf-nightly", "tensorflow-cpu"),
    "jax": ("jax", "jaxlib"),
    "paddlepaddle": ("paddlepaddle-gpu", "paddlepaddle"),
    "torch": ("torch", "pytorch"),
}
"""Distributions under which a framework may be listed."""


class Apart(Record, frozen=True, kw_only=True):
    """One cuDNN was loaded, another one was there when the program was built."""

    message: Message
    built: Version
    loaded: Version
    speakers: tuple[str, ...]
    """Frameworks that print this message."""


def cudnn_apart(scene: Scene) -> Iterator[Apart]:
    """What messages say of the cuDNN that was loaded, where it does not serve."""
    for message in scene.messages(*OLDER):
        built, loaded = _pair(message)
        if built and loaded and (loaded < built or loaded.major != built.major):
            yield Apart(message=message, built=built, loaded=loaded, speakers=OLDER[message.signature])


def _pair(message: Message) -> tuple[Version | None, Version | None]:
    if message.value("built_number"):
        return _of_number(message.value("built_number")), _of_number(message.value("loaded_number"))
    if message.value("b1"):
        return _joined(message, "b"), _joined(message, "l")
    return version_of(message.value("built")), version_of(message.value("loaded"))


def _joined(message: Message, letter: str) -> Version | None:
    return version_of(".".join(message.value(f"{letter}{place}") or "0" for place in (1, 2, 3)))


def _of_number(text: str | None) -> Version | None:
    """`cudnnGetVersion`: 8700 is 8.7.0 and, since 9, 90100 is 9.1.0."""
    number = int(text or 0)
    size = 10000 if number >= 90000 else 1000
    return version_of(f"{number // size}.{number % size // 100}.{number % 100}") if number else None


def seen_version(scene: Scene, name: str) -> Version | None:
    """The release of a framework that is listed or that it told itself."""
    for alias in _ALIASES.get(name, ()):
        told = scene.observed(alias)
        if told and (version := version_of(told.value.strip("'\" "))):
            return version
    listed = listed_as(scene, name)
    return listed.version if listed else None


def listed_as(scene: Scene, name: str) -> Distribution | None:
    """The distribution by which a framework is listed."""
    found = (item for other in _NAMES.get(name, (name,)) for item in scene.copies(other))
    return next(found, None)


def is_there(scene: Scene, name: str) -> bool:
    """Whether a framework is listed, told of, or asked for by a command of the report."""
    if seen_version(scene, name) is not None:
        return True
    report = scene.machine.report
    names = _NAMES.get(name, (name,))
    if any(item.name in names for item in report.asked):
        return True
    if name == "torch" and scene.messages("imports-torch"):
        return True
    return any(word.split("=")[0].split("[")[0] in names for item in report.commands for word in item.words)


def library_versions(scene: Scene, library: str) -> tuple[Library, ...]:
    """Known copies of a library whose version is known."""
    return tuple(
        item for item in scene.libraries if item.library == library and not isinstance(item.version, Unknown)
    )


def cudnn_wheels(scene: Scene) -> tuple[Distribution, ...]:
    """cuDNN as wheels, or as a package of conda."""
    return tuple(
        item
        for item in scene.distributions
        if item.name.startswith("nvidia-cudnn-cu") or item.name == "cudnn"
    )


def wanted_cudnn(message: Message) -> int:
    """The major of cuDNN in the name of the file that was not found."""
    return int(message.value("linux") or message.value("windows") or 0)


def cuda_at_hand(scene: Scene) -> tuple[tuple[str, Evidence], ...]:
    """Versions of CUDA toolkits, of packages of them and of `libcudart` that the report shows, and where."""
    toolkits = () if isinstance(scene.machine.toolkits, Unknown) else scene.machine.toolkits
    found = [
        (
            str(item.version),
            Evidence(fact="CUDA toolkit", value=str(item.version), source=item.found_via or item.path),
        )
        for item in toolkits
        if not isinstance(item.version, Unknown)
    ]
    found += [
        (str(item.version), Evidence(fact=item.name, value=str(item.version), source=item.found_via))
        for item in scene.distributions
        if item.name in ("cudatoolkit", "cuda-cudart", "nvidia-cuda-runtime-cu11", "nvidia-cuda-runtime-cu12")
    ]
    found += [
        (_release(item.version), Evidence(fact="libcudart", value=str(item.version), source=item.path))
        for item in library_versions(scene, "cudart")
        if not isinstance(item.version, Unknown)
    ]
    return tuple(found)


def path_to_cuda(scene: Scene) -> Evidence | None:
    """A search path that leads to a toolkit of CUDA: somebody set it for a GPU."""
    told = (item for item in scene.messages("tf-library-missing") if item.value("path"))
    message = next((item for item in told if "/cuda" in (item.value("path") or "")), None)
    if message is None:
        return None
    return Evidence(fact="LD_LIBRARY_PATH", value=message.value("path") or "", source=message.source)


def _release(version: Version) -> str:
    return f"{version.major}.{version.minor}"
