"""The NVIDIA driver: is it there, is it whole, is it new enough?"""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.better import working_build
from dlsetup.judge.commands import ASK_TORCH
from dlsetup.judge.evidence import of_driver, of_framework
from dlsetup.judge.exchange import other_build
from dlsetup.judge.host import ASK_DRIVER, driver_words, newer_driver
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Installed, Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.machine import Gap, SystemPackage
from dlsetup.model.verdict import Verdict
from dlsetup.model.versions import CudaVersion
from dlsetup.rules.driver import driver_serves


@check("driver-too-old")
def driver_too_old(scene: Scene) -> Iterator[Answer]:
    """The driver is older than an installed build needs."""
    if scene.target.driver is None or scene.gpu_withheld:
        return
    if scene.driver is None and not scene.gpus("nvidia"):
        return
    for installed in scene.leading:
        cuda = installed.cuda
        if not isinstance(cuda, CudaVersion):
            continue
        verdict = driver_serves(scene.target, cuda, scene.catalog.hardware)
        if verdict.refused:
            yield _too_old(scene, installed, cuda, verdict)
        elif not verdict.ok:
            reason = (
                f"{installed.title} is here, and whether the driver runs it is not known: {verdict.because}"
            )
            yield Gap(fact="release of the NVIDIA driver", reason=reason, ask=ASK_DRIVER)


def _too_old(scene: Scene, installed: Installed, cuda: CudaVersion, verdict: Verdict) -> Answer:
    package = _compatibility_package(scene, cuda)
    if package or scene.on_tegra is not False:
        what = f"`{package.name}` may lend it a newer one" if package else "the driver is part of the board"
        reason = f"{installed.title} needs a newer driver than {driver_words(scene)}, but {what}"
        ask = ASK_TORCH if installed.framework.name == "torch" else ""
        return Gap(fact=f"{installed.framework.name} on this driver", reason=reason, ask=ask)
    better = working_build(scene, installed)
    remedies = [other_build(scene, installed, better)] if better else []
    newer = newer_driver(scene, cuda)
    remedies += [newer] if newer else []
    return Finding(
        id="driver-too-old",
        severity="error",
        title=f"The NVIDIA driver is too old for {installed.title}",
        because=f"{verdict.because}, and this machine has {driver_words(scene)}.",
        evidence=(*of_driver(scene), of_framework(installed)),
        remedies=tuple(remedies) or (_other_gpu(),),
        rests_on=scene.sources(verdict.sources),
    )


def _other_gpu() -> Remedy:
    return Remedy(
        text="No newer driver supports this GPU: use an older release of the framework, or another GPU."
    )


def _compatibility_package(scene: Scene, cuda: CudaVersion) -> SystemPackage | None:
    """NVIDIA's forward-compatibility package for that CUDA or a newer one of its major."""
    prefix = f"cuda-compat-{cuda.major}-"
    return next((item for item in scene.packages if item.name.startswith(prefix)), None)
