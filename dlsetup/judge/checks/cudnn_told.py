"""cuDNN as programs report it: the copy that was loaded, and the parts that were not found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dlsetup.judge.commands import install
from dlsetup.judge.cudnn_places import own_wheel
from dlsetup.judge.cudnn_remedies import agreeing_releases, cpu_build_of_other, kept_apart, renewed
from dlsetup.judge.evidence import of_distribution, of_library, of_message
from dlsetup.judge.known_libraries import needs_of
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.judge.shadows import foreign_folders
from dlsetup.judge.told_libraries import (
    MISSING,
    Apart,
    cudnn_apart,
    cudnn_wheels,
    is_there,
    library_versions,
    listed_as,
    seen_version,
    wanted_cudnn,
)
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.machine import Distribution, Gap
from dlsetup.model.record import Unknown
from dlsetup.model.report import Message
from dlsetup.model.versions import CudaVersion

_SHARING = ("torch", "tensorflow", "jax", "paddlepaddle", "onnxruntime-gpu", "ctranslate2", "oneflow")
ASK_CUDNN = "python -m pip list | grep -i -E 'cudnn|torch|tensorflow|jax'"


@check("two-frameworks-share-cudnn", "cudnn-too-old-at-runtime", "cudnn-major-mismatch", told=True)
def loaded_cudnn(scene: Scene) -> Iterator[Answer]:
    """A program says that it loaded another cuDNN than it was built with."""
    apart = next(cudnn_apart(scene), None)
    if apart is None:
        return
    others = () if foreign_folders(scene) else tuple(_sharing(scene, apart))
    if others:
        yield _shared(scene, apart, others)
    yield _too_old(scene, apart, others)


def _sharing(scene: Scene, apart: Apart) -> Iterator[str]:
    """Frameworks that may have loaded that cuDNN first."""
    speaker = next((name for name in apart.speakers if is_there(scene, name)), apart.speakers[0])
    for name in _SHARING:
        listed = listed_as(scene, name)
        idle = listed is not None and listed.variant == "cpu"
        if name != speaker and is_there(scene, name) and not idle and _may_bring(scene, name, apart):
            yield name


def _may_bring(scene: Scene, name: str, apart: Apart) -> bool:
    """Whether nothing tells that this framework uses another cuDNN than the loaded one."""
    version = seen_version(scene, name)
    needs = needs_of(name, version) if version else None
    return needs is None or not str(needs.cudnn) or needs.cudnn.contains(f"{apart.loaded.major}.99")


def _shared(scene: Scene, apart: Apart, others: Sequence[str]) -> Finding:
    speaker = next((name for name in apart.speakers if is_there(scene, name)), apart.speakers[0])
    names = " and ".join([speaker, *others])
    return Finding(
        id="two-frameworks-share-cudnn",
        severity="error",
        title=f"{names} need different versions of cuDNN in one process",
        because=f"Whichever library loads cuDNN first wins: {apart.loaded} was loaded, "
        f"which {others[0]} brings, and {speaker} was built with {apart.built} and needs at least that.",
        evidence=(of_message(apart.message), *map(of_distribution, _listed(scene, (speaker, *others)))),
        remedies=(
            kept_apart(scene, (speaker, *others)),
            *cpu_build_of_other(scene, speaker, others),
            *_in_order(scene, apart, speaker, others[0]),
            agreeing_releases(scene, (speaker, *others)),
        ),
        rests_on=scene.sources(("cudnn-version-checks",)),
    )


def _in_order(scene: Scene, apart: Apart, speaker: str, other: str) -> Iterator[Remedy]:
    """The order of imports decides only where both bring a copy, and of one major."""
    wheel = own_wheel(scene)
    one_copy = wheel is not None and wheel.version.release[:3] == apart.loaded.release[:3]
    if speaker == "jax" and apart.loaded.major == apart.built.major and not one_copy:
        yield Remedy(
            text="As a stop-gap let JAX load its cuDNN first: `jax.devices()` before "
            f"`import {_module(other)}`.",
            scope="project",
        )


def _too_old(scene: Scene, apart: Apart, others: Sequence[str]) -> Finding:
    """Beside a framework that shares the library, its remedy is that of the sharing."""
    other_major = apart.loaded.major != apart.built.major
    works = scene.observed("paddle.run_check") is not None
    risk = " The self-check passes all the same: it is a risk, not a crash." if works else ""
    speaker = next((name for name in apart.speakers if is_there(scene, name)), apart.speakers[0])
    return Finding(
        id="cudnn-major-mismatch" if other_major else "cudnn-too-old-at-runtime",
        severity="warning" if others else "error",
        title=f"cuDNN {apart.loaded} was loaded, and the program was built with {apart.built}",
        because="The loaded cuDNN has to be of the same major and not older than at build time: "
        f"{apart.loaded} is not {apart.built} or newer.{risk}",
        evidence=(
            of_message(apart.message),
            *map(of_distribution, cudnn_wheels(scene)[:2]),
            *map(of_library, library_versions(scene, "cudnn")[:3]),
        ),
        remedies=(kept_apart(scene, (speaker, *others)),) if others else tuple(renewed(scene, apart)),
        rests_on=scene.sources(("cudnn-version-checks",)),
    )


@check("cudnn-major-mismatch", "cudnn-not-on-search-path", told=True)
def missing_cudnn(scene: Scene) -> Iterator[Answer]:
    """A program looks for a cuDNN of one major, and another one is there."""
    messages = [item for item in scene.messages(*MISSING) if wanted_cudnn(item)]
    if not messages or scene.messages("ort-provider-library-missing", "tf-library-missing"):
        return
    wanted = wanted_cudnn(messages[0])
    present = dict(_present(scene))
    if wanted in present:
        yield _not_on_the_path(scene, messages[0], wanted, present[wanted])
        return
    if not present:
        yield Gap(
            fact="version of the cuDNN that is installed", reason="the report does not say", ask=ASK_CUDNN
        )
    there = ", ".join(f"cuDNN {major} ({item.fact} {item.value})" for major, item in sorted(present.items()))
    yield Finding(
        id="cudnn-major-mismatch",
        severity="error",
        title=f"A program needs cuDNN {wanted}"
        + (f", and {there} is there" if there else " and does not find it"),
        because=f"`{messages[0].value('file')}` belongs to cuDNN {wanted}; the files of another major "
        f"have other names and do not serve.{_asker(scene, wanted)}",
        evidence=(of_message(messages[0]), *present.values()),
        remedies=tuple(_for_major(scene, wanted)),
        rests_on=scene.sources(("cudnn-loader",)),
    )


def _present(scene: Scene) -> Iterator[tuple[int, Evidence]]:
    """Majors of cuDNN that are there, and what tells: a wheel, a file, a torch that brings one."""
    for library in library_versions(scene, "cudnn"):
        if not isinstance(library.version, Unknown):
            yield library.version.major, of_library(library)
    torch = seen_version(scene, "torch")
    listed = listed_as(scene, "torch")
    if torch and not (listed and listed.variant == "cpu"):
        needs = needs_of("torch", torch)
        if needs:
            value = str(torch)
            yield (
                (9 if needs.cudnn.contains("9.1") else 8),
                Evidence(fact="torch", value=value, source=needs.source),
            )
    for wheel in cudnn_wheels(scene):
        yield wheel.version.major, of_distribution(wheel)


def _not_on_the_path(scene: Scene, message: Message, wanted: int, present: Evidence) -> Finding:
    return Finding(
        id="cudnn-not-on-search-path",
        severity="warning",
        title=f"cuDNN {wanted} is installed and is not found",
        because=f"`{message.value('file')}` is asked for by its name alone."
        " The loader looks for it in the folders of the search path.",
        evidence=(of_message(message), present),
        remedies=(_found_there(scene),),
    )


def _found_there(scene: Scene) -> Remedy:
    windows = scene.target.os == "windows"
    folder = "site-packages\\nvidia\\cudnn\\bin" if windows else "site-packages/nvidia/cudnn/lib"
    torch = "Import torch first, which loads it; or put" if is_there(scene, "torch") else "Put"
    path = "PATH" if windows else "LD_LIBRARY_PATH"
    return Remedy(text=f"{torch} the wheel's folder (`{folder}`) into {path} for this one program.")


def _asker(scene: Scene, wanted: int) -> str:
    """Which listed program needs that major."""
    for name in ("ctranslate2", "torch", "tensorflow"):
        version = seen_version(scene, name)
        needs = needs_of(name, version) if version else None
        if needs and needs.cudnn.contains(f"{wanted}.9"):
            return f" {name} {version} needs cuDNN {wanted}."
    return ""


def _for_major(scene: Scene, wanted: int) -> Iterator[Remedy]:
    ctranslate2 = seen_version(scene, "ctranslate2")
    torch = seen_version(scene, "torch")
    if ctranslate2 and wanted == 9 and torch and torch.release < (2, 4):
        commands = install(scene, ["torch>=2.4", "torchaudio>=2.4"])
        yield Remedy(
            text="Upgrade torch to 2.4 or newer, whose CUDA builds bring cuDNN 9.", commands=commands
        )
        yield Remedy(
            text="Or stay with this torch and take the last CTranslate2 for cuDNN 8.",
            commands=install(scene, ["ctranslate2==4.4.0"]),
        )
        return
    if ctranslate2 and wanted == 8:
        yield Remedy(
            text="Upgrade CTranslate2 to 4.5 or newer, which is made for cuDNN 9.",
            commands=install(scene, ["ctranslate2>=4.5"]),
        )
    wheel = next((item for item in cudnn_wheels(scene) if item.name != "cudnn"), None)
    yield Remedy(
        text=f"Take releases of all programs that use the same cuDNN: {wanted}, or the one that is there."
    )
    if _alone(scene, wheel):
        name = wheel.name if wheel else f"nvidia-cudnn-cu{_family(scene)}"
        text = f"Or install cuDNN {wanted} beside it in an environment of its own."
        yield Remedy(text=text, commands=install(scene, [f"{name}>={wanted},<{wanted + 1}"]))


def _family(scene: Scene) -> int:
    """The CUDA major that the frameworks here are built with; 12 where they do not tell one."""
    majors = {item.cuda.major for item in scene.installed if isinstance(item.cuda, CudaVersion)}
    return majors.pop() if len(majors) == 1 else 12


def _alone(scene: Scene, wheel: Distribution | None) -> bool:
    """Whether no framework here pins the cuDNN that would be replaced."""
    return wheel is None or not any(is_there(scene, name) for name in ("torch", "jax"))


def _listed(scene: Scene, names: Sequence[str]) -> list[Distribution]:
    return [item for name in names if (item := listed_as(scene, name))]


def _module(name: str) -> str:
    return {"paddlepaddle": "paddle", "onnxruntime-gpu": "onnxruntime"}.get(name, name)
