"""TensorFlow as its own log reports it: libraries it did not find, devices it did not list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from packaging.version import Version

from dlsetup.judge.commands import install
from dlsetup.judge.evidence import of_distribution, of_message, of_observation, of_variable
from dlsetup.judge.known_libraries import Needs, in_words, needs_of
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.judge.told_devices import no_gpu_listed, sees_gpu, torch_uses_gpu, wants_gpu
from dlsetup.judge.told_libraries import cuda_at_hand, cudnn_wheels, listed_as, path_to_cuda, seen_version
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.machine import Gap
from dlsetup.model.report import Message

_CUDA_PARTS = frozenset({"cudart", "cublas", "cublaslt", "cufft", "curand", "cusolver", "cusparse"})
_LAST_ON_WINDOWS = Version("2.11")


@check("tensorflow-cannot-find-wheel-libs", told=True)
def wheels_not_found(scene: Scene) -> Iterator[Answer]:
    """TensorFlow cannot open GPU libraries that are installed as wheels."""
    messages = scene.messages("tf-cannot-dlopen")
    version = seen_version(scene, "tensorflow")
    needs = needs_of("tensorflow", version) if version else None
    wheels = [item for item in cudnn_wheels(scene) if item.name != "cudnn"]
    if not messages or not wheels or sees_gpu(scene) or scene.target.os == "windows":
        return
    if needs is not None and not needs.cudnn.contains(wheels[0].version):
        return
    yield Finding(
        id="tensorflow-cannot-find-wheel-libs",
        severity="error",
        title=f"{_name(version)} does not find the CUDA libraries that are installed for it",
        because="They lie in `site-packages/nvidia/*/lib`, where this release does not look by itself; the "
        "log says that it cannot open some of them. A warning about TensorRT beside it is not the cause.",
        evidence=(
            of_message(messages[0]),
            *map(of_distribution, wheels[:1]),
            of_variable(scene, "LD_LIBRARY_PATH"),
        ),
        remedies=(
            Remedy(
                text="Put every `nvidia/*/lib` folder of the environment into LD_LIBRARY_PATH first.",
                commands=(
                    'export LD_LIBRARY_PATH=$(python -c "import glob, os, nvidia; '
                    "print(':'.join(glob.glob(os.path.join(list(nvidia.__path__)[0], '*', 'lib'))))\")",
                ),
            ),
            *_that_looks(scene, version),
        ),
        rests_on=scene.sources(("tensorflow-dso-loader",)),
    )


def _that_looks(scene: Scene, version: Version | None) -> Iterator[Remedy]:
    """A release that looks there by itself, where this one is older."""
    if version is None or version.release < (2, 17):
        text = "Or take a release that looks there, with its own libraries."
        yield Remedy(text=text, commands=install(scene, ["tensorflow[and-cuda]>=2.17"]))


@check("tensorflow-wants-other-cuda-version", "cudnn-major-mismatch", told=True)
def other_cuda(scene: Scene) -> Iterator[Answer]:
    """TensorFlow asks by name for libraries of a CUDA that is not the one at hand."""
    missing = list(_missing(scene))
    if sees_gpu(scene):
        return
    if not missing:
        yield from _not_opened(scene)
        return
    message, wanted = missing[0]
    at_hand = cuda_at_hand(scene)
    if any(_same(wanted, version) for version, _ in at_hand):
        return
    if not at_hand:
        ask = "nvcc --version" if scene.target.os != "windows" else "where cudart64_*.dll"
        yield Gap(fact="CUDA that is installed", reason="the report does not say", ask=ask)
    wanting = wants_gpu(scene) or bool(at_hand) or path_to_cuda(scene) is not None
    found = (
        f", and {' and '.join(sorted({str(version) for version, _ in at_hand}))} is there" if at_hand else ""
    )
    version = seen_version(scene, "tensorflow")
    yield Finding(
        id="tensorflow-wants-other-cuda-version",
        severity="error" if wanting else "warning",
        title=f"{_name(version)} wants CUDA {_shown(wanted)}{found}",
        because=f"It opens `{_file(message)}` by name, which only CUDA {_shown(wanted)} has; without it "
        "TensorFlow goes on with the CPU. Before wheels brought CUDA along, each release was tied to one.",
        evidence=(
            of_message(message),
            *(evidence for _, evidence in at_hand),
            *([path] if (path := path_to_cuda(scene)) else []),
        ),
        remedies=tuple(_for_cuda(scene, wanted, at_hand)),
        rests_on=scene.sources(("tensorflow-dso-loader",)),
    )


def _not_opened(scene: Scene) -> Iterator[Finding]:
    """Newer releases do not say which library they cannot open; their table does."""
    version = seen_version(scene, "tensorflow")
    needs = needs_of("tensorflow", version) if version else None
    messages = scene.messages("tf-cannot-dlopen")
    at_hand = cuda_at_hand(scene)
    if not messages or needs is None or not at_hand or cudnn_wheels(scene):
        return
    if any(needs.cuda.contains(cuda) for cuda, _ in at_hand):
        return
    yield Finding(
        id="tensorflow-wants-other-cuda-version",
        severity="error",
        title=f"{_name(version)} wants CUDA {in_words(needs.cuda)}, and {at_hand[0][0]} is there",
        because="It cannot open some of the libraries for a GPU; those of another CUDA have other names.",
        evidence=(of_message(messages[0]), *(evidence for _, evidence in at_hand)),
        remedies=tuple(_for_cuda(scene, in_words(needs.cuda), at_hand)),
        rests_on=(needs.cited,),
    )


def _missing(scene: Scene) -> Iterator[tuple[Message, str]]:
    """Messages of CUDA libraries that are not found, and the CUDA whose name they bear."""
    messages = list(scene.messages("tf-library-missing"))
    if scene.messages("tf-import-of-native-part"):
        messages += scene.messages("tf-library-import-failed")
    ranked = sorted(messages, key=lambda item: _library(item) != "cudart")
    for message in ranked:
        number = message.value("windows") or message.value("windows2") or message.value("linux") or ""
        if _library(message) in _CUDA_PARTS and number:
            yield message, _cuda_of(_library(message), number)


def _library(message: Message) -> str:
    return (message.value("library") or message.value("library2") or "").lower()


def _cuda_of(library: str, number: str) -> str:
    """`cudart64_101` is 10.1 and `libcudart.so.11.0` every 11.x. Others carry their major alone."""
    if "." not in number and len(number) > 2:
        number = f"{number[:-1]}.{number[-1]}"
    elif "." not in number and library == "cudart" and number == "90":
        number = "9.0"
    major = number.partition(".")[0]
    if library in ("cufft", "curand") and major == "10":
        return "10 or 11"
    return major if int(major) >= 11 else number


def _same(wanted: str, version: str) -> bool:
    parts = wanted.split(" or ")
    return any(version == item or version.startswith(f"{item}.") for item in parts)


def _shown(wanted: str) -> str:
    return wanted if "." in wanted or " " in wanted else f"{wanted}.x"


def _file(message: Message) -> str:
    return message.value("file") or message.value("file2") or "the library"


def _for_cuda(scene: Scene, wanted: str, at_hand: Sequence[tuple[str, Evidence]]) -> Iterator[Remedy]:
    """Another release for the CUDA at hand, or the CUDA of this release, or wheels that bring theirs."""
    fitting = next((_release_for(version) for version, _ in at_hand if _release_for(version)), None)
    if fitting:
        text = f"Take a TensorFlow for the CUDA that is there: {fitting.releases}."
        yield Remedy(text=text, commands=install(scene, [f"tensorflow{fitting.releases}"]))
    version = seen_version(scene, "tensorflow")
    needs = needs_of("tensorflow", version) if version else None
    cudnn = f" with cuDNN {in_words(needs.cudnn)}" if needs else ""
    yield Remedy(
        text=f"Or install CUDA {_shown(wanted)}{cudnn} beside it, and put its folder on the search path.",
        scope="host",
    )
    if scene.target.os != "windows":
        text = "Or take a TensorFlow whose wheels bring CUDA along."
        yield Remedy(text=text, commands=install(scene, ["tensorflow[and-cuda]"]))


def _release_for(cuda: str) -> Needs | None:
    candidates = ("2.14.0", "2.11.0", "2.4.0", "2.3.0", "2.0.0", "1.12.0")
    rows = (needs_of("tensorflow", Version(text)) for text in candidates)
    line = ".".join(cuda.split(".")[:2])
    return next((row for row in rows if row and row.cuda.contains(line)), None)


@check("tensorflow-no-gpu-on-native-windows", told=True)
def windows_itself(scene: Scene) -> Iterator[Answer]:
    """A report of TensorFlow on Windows that lists no GPU."""
    version = seen_version(scene, "tensorflow")
    judged = scene.framework("tensorflow") is not None and bool(scene.gpus("nvidia"))
    if scene.target.os != "windows" or scene.in_wsl or version is None or judged or sees_gpu(scene):
        return
    if not scene.machine.partial:
        return
    if version.release < _LAST_ON_WINDOWS.release or not wants_gpu(scene):
        return
    listed = listed_as(scene, "tensorflow")
    torch = torch_uses_gpu(scene)
    shown = [item for item in (no_gpu_listed(scene), torch) if item]
    yield Finding(
        id="tensorflow-no-gpu-on-native-windows",
        severity="error",
        title=f"TensorFlow {version} has no GPU build for Windows itself",
        because="Since 2.11 TensorFlow has CUDA builds for Linux alone (2.10 was the last one for Windows): "
        f"CUDA, cuDNN and driver are not the cause{', torch sees the GPU' if torch else ''}.",
        evidence=(*([of_distribution(listed)] if listed else []), *map(of_observation, shown)),
        remedies=(
            Remedy(
                text="Use it inside WSL2, where the Windows driver serves Linux programs.",
                commands=("wsl --install", "python3 -m pip install 'tensorflow[and-cuda]'"),
                scope="windows",
            ),
            Remedy(
                text="Or stay on Windows with 2.10, the last one with CUDA there: Python 3.10 at most, CUDA "
                "11.2, cuDNN 8.1.",
                commands=install(scene, ["tensorflow<2.11"]),
            ),
            Remedy(text="Or use the DirectML plugin, or a framework with CUDA builds for Windows."),
        ),
        rests_on=scene.sources(("tensorflow-tested", "tensorflow-platforms")),
    )


def _name(version: Version | None) -> str:
    return f"TensorFlow {version}" if version else "TensorFlow"
