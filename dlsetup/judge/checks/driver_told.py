"""Programs that say themselves that the driver is too old for them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.better import working_build
from dlsetup.judge.commands import install, uninstall
from dlsetup.judge.evidence import of_driver, of_framework, of_message, of_observation
from dlsetup.judge.exchange import other_build
from dlsetup.judge.hints import resolve
from dlsetup.judge.host import ASK_DRIVER, driver_words, install_driver, newer_driver
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Installed, Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.machine import Gap
from dlsetup.model.record import Unknown
from dlsetup.model.versions import CudaVersion
from dlsetup.rules.driver import driver_floor, driver_serves

TOO_OLD = "torch-driver-too-old"
INSUFFICIENT = "cuda-insufficient-driver"
ASK_BUILD = 'python -c "import torch; print(torch.__version__, torch.version.cuda)"'


@check("driver-too-old", told=True)
def said_to_be_too_old(scene: Scene) -> Iterator[Answer]:
    """A program refuses the driver; what it was built with may not be known."""
    messages = scene.messages(TOO_OLD, INSUFFICIENT)
    cuda = _cuda(scene)
    if not messages or scene.nvml_refuses or scene.target.driver is None or scene.target.os == "macos":
        return
    certain = bool(scene.messages(TOO_OLD))
    if not certain and cuda and driver_serves(scene.target, cuda, scene.catalog.hardware).ok:
        return
    torch = scene.framework("torch")
    seen = scene.observed("torch.version.cuda")
    yield Finding(
        id="driver-too-old",
        severity="error",
        title=f"The NVIDIA driver is too old for {_what(scene, torch)}",
        because=_because(scene, cuda),
        evidence=(
            *of_driver(scene),
            *map(of_message, messages[:2]),
            *((of_framework(torch),) if torch else ()),
            *((of_observation(seen),) if seen else ()),
        ),
        remedies=tuple(_remedies(scene, torch, cuda)),
        rests_on=scene.sources(("torch-cuda-functions" if certain else "cuda-errors",)),
    )
    if cuda is None:
        reason = "it decides which driver is new enough"
        jax = any(item.name == "jax" for item in scene.distributions)
        ask = "python -m pip list | grep -i -E 'jax|cuda'" if jax and not torch else ASK_BUILD
        yield Gap(fact="the CUDA that the program was built with", reason=reason, ask=ask)
    if scene.driver is None:
        yield Gap(fact="release of the NVIDIA driver", reason="only its CUDA is known", ask=ASK_DRIVER)


def _what(scene: Scene, torch: Installed | None) -> str:
    plugin = _plugin(scene)
    return torch.title if torch else f"JAX with CUDA {plugin[1]}" if plugin else "what is installed"


def _cuda(scene: Scene) -> CudaVersion | None:
    """The CUDA of the build: as torch says itself, or as the catalog knows."""
    seen = scene.observed("torch.version.cuda")
    if seen is not None:
        try:
            return CudaVersion(seen.value).line
        except ValueError:
            return None
    known = [item.cuda for item in scene.installed]
    of_build = next((cuda for cuda in known if isinstance(cuda, CudaVersion)), None)
    plugin = _plugin(scene)
    return of_build or (CudaVersion(f"{plugin[1]}.0") if plugin else None)


def _plugin(scene: Scene) -> re.Match[str] | None:
    """The plugin of JAX, whose name tells its CUDA."""
    names = (item.name for item in scene.distributions)
    return next((found for name in names if (found := re.fullmatch(r"jax-cuda(\d{2})-plugin", name))), None)


def _because(scene: Scene, cuda: CudaVersion | None) -> str:
    ceiling = scene.target.cuda_ceiling
    knows = (
        "" if isinstance(ceiling, Unknown) or scene.driver is None else f", which knows CUDA up to {ceiling}"
    )
    if cuda is None:
        return f"The program says so itself: this machine has {driver_words(scene)}{knows}."
    windows = scene.target.os == "windows" or scene.in_wsl
    floor = driver_floor(cuda, scene.catalog.hardware, windows=windows)
    needs = f", which needs driver {floor[0]} or newer" if floor else ""
    return f"It was built with CUDA {cuda}{needs}; this machine has {driver_words(scene)}{knows}."


def _remedies(scene: Scene, torch: Installed | None, cuda: CudaVersion | None) -> Iterator[Remedy]:
    newer = newer_driver(scene, cuda) if cuda else None
    yield newer or install_driver(scene, "a newer NVIDIA driver")
    better = working_build(scene, torch) if torch else None
    if torch and better and not scene.in_container:
        yield other_build(scene, torch, better)
        return
    ceiling = scene.target.cuda_ceiling
    plugin = _plugin(scene)
    if plugin and not isinstance(ceiling, Unknown) and ceiling.major < int(plugin[1]):
        yield _other_plugin(scene, plugin[1], ceiling.major)
        return
    line = (
        "an older CUDA"
        if isinstance(ceiling, Unknown)
        else f"CUDA {ceiling} or older (major {ceiling.major})"
    )
    text = f"Or keep the driver and take a build of the framework (or an image) that was made with {line}."
    yield Remedy(text=text, commands=resolve(scene, ["torch"]) if torch else (), scope="environment")


def _other_plugin(scene: Scene, installed: str, major: int) -> Remedy:
    """Two plugins side by side quarrel, so the present one goes first."""
    gone = [f"jax-cuda{installed}-plugin", f"jax-cuda{installed}-pjrt"]
    return Remedy(
        text=f"Or keep the driver and take the plugin of JAX for CUDA {major}.",
        commands=(*uninstall(scene, gone), *install(scene, [f"jax[cuda{major}]"])),
    )
