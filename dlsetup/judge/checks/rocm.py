"""AMD GPUs: does the installed build hold code for them?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.commands import install_builds
from dlsetup.judge.evidence import of_framework, of_gpus, of_message, of_observation
from dlsetup.judge.exchange import companions
from dlsetup.judge.installers import comes_after
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Installed, Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.framework import Build
from dlsetup.model.machine import Gap, Gpu
from dlsetup.model.record import Unknown
from dlsetup.rules.gpus import gfx_of
from dlsetup.rules.kernels import kernels_run_on

OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"
STAND_INS = (
    (re.compile(r"gfx103\d"), "gfx1030", "10.3.0"),
    (re.compile(r"gfx110\d"), "gfx1100", "11.0.0"),
    (re.compile(r"gfx90c"), "gfx900", "9.0.0"),
)
"""Architectures whose code runs on their siblings, and what tells ROCm to try it."""
FAILURES = ("hip-no-binary", "tf-rocm-ignores")
MISSING, BUNDLED = "hip-object-missing", "hip-object-bundled"
"""With `AMD_LOG_LEVEL` ROCm lists which architecture it looked for, and which ones it found."""
CRASH = "hip-crash"
"""Says nothing of the GPU: it counts where the architecture is one that nobody builds for."""


@check("rocm-gfx-not-in-build")
def without_code(scene: Scene) -> Iterator[Answer]:
    """The build for ROCm holds no code for any AMD GPU that is here."""
    if isinstance(scene.machine.variable(OVERRIDE), str):
        return
    gpus = scene.gpus("amd")
    for installed in scene.leading:
        build = installed.build
        if gpus and isinstance(build, Build) and build.accelerator == "rocm":
            verdicts = [kernels_run_on(build, gpu, scene.target, scene.catalog.hardware) for gpu in gpus]
            if all(verdict.refused for verdict in verdicts):
                held = () if isinstance(build.gfx, Unknown) else tuple(build.gfx)
                sources = [source for verdict in verdicts for source in verdict.sources]
                yield _finding(scene, held, (of_framework(installed),), sources, installed)
                return


@check("rocm-gfx-not-in-build", told=True)
def said_to_lack_code(scene: Scene) -> Iterator[Answer]:
    """ROCm or a framework says that it has no code for the GPU."""
    messages = scene.messages(*FAILURES) or (scene.messages(CRASH) if _stand_in(_gfx(scene)) else ())
    if not messages or scene.gpus("nvidia") or _overridden(scene, messages[0].source):
        return
    bundled = (message.value("built") or "" for message in (messages[0], *scene.messages(BUNDLED)))
    held = tuple(dict.fromkeys(gfx for text in bundled for gfx in re.findall(r"gfx[0-9a-f]{3,4}", text)))
    yield _finding(scene, held, tuple(map(of_message, messages[:2])), ["rocm-gfx"], None)
    if not _gfx(scene):
        reason = "it decides which build has code for it"
        yield Gap(fact="architecture of the AMD GPU", reason=reason, ask="rocminfo | grep gfx")


@check("rocm-gfx-not-in-build", told=True)
def listed_without_code(scene: Scene) -> Iterator[Answer]:
    """torch's own list of architectures lacks that of the AMD GPU."""
    listed, gfx = scene.observed("torch.cuda.get_arch_list"), _gfx(scene)
    held = tuple(re.findall(r"gfx[0-9a-f]{3,4}", listed.value)) if listed else ()
    if listed is None or not held or not gfx or gfx in held or scene.gpus("nvidia"):
        return
    if not _overridden(scene, listed.source) and not scene.messages(*FAILURES):
        yield _finding(scene, held, (of_observation(listed),), ["rocm-gfx"], scene.framework("torch"))


def _overridden(scene: Scene, failure: str) -> bool:
    """Whether ROCm was told to take other code when it failed; what is set further down came too late."""
    known = scene.machine.variables
    places = () if isinstance(known, Unknown) else (item.found_via for item in known if item.name == OVERRIDE)
    return any(not comes_after(place, failure) for place in places)


def _gfx(scene: Scene) -> str:
    """The architecture of the first GPU, as it is listed or as a message names it."""
    known = [gfx_of(gpu, scene.catalog.hardware) for gpu in scene.gpus("amd")]
    said = [message.value("gfx") for message in scene.messages(*FAILURES, MISSING)]
    return next((gfx for gfx in (*known, *said) if isinstance(gfx, str)), "")


def _stand_in(gfx: str) -> tuple[re.Pattern[str], str, str] | None:
    """The row of an architecture that has to borrow the code of a sibling."""
    return next((row for row in STAND_INS if row[0].fullmatch(gfx) and row[1] != gfx), None)


def _finding(
    scene: Scene,
    held: tuple[str, ...],
    evidence: tuple[Evidence, ...],
    sources: list[str],
    installed: Installed | None,
) -> Finding:
    gfx = _gfx(scene)
    gpus: tuple[Gpu, ...] = scene.gpus("amd")
    what = installed.title if installed else "The installed build"
    holds = f" It holds code for {', '.join(held)}." if held else ""
    stand_in = _stand_in(gfx)
    also = f" {gfx} is not built; {stand_in[1]} is compatible." if stand_in else ""
    return Finding(
        id="rocm-gfx-not-in-build",
        severity="error",
        title=f"{what} holds no code for {gfx or 'this AMD GPU'}",
        because=f"The code for AMD GPUs is made for each architecture.{holds}{also}",
        evidence=(*of_gpus(scene, gpus), *evidence),
        remedies=tuple(_remedies(scene, held, stand_in[1:] if stand_in else None)),
        rests_on=scene.sources(sources),
    )


def _remedies(scene: Scene, held: tuple[str, ...], stand_in: tuple[str, str] | None) -> Iterator[Remedy]:
    if stand_in and (not held or stand_in[0] in held) and scene.target.os != "windows":
        text = f"Let ROCm run the code for {stand_in[0]}, which AMD does not support officially."
        yield Remedy(text=text, commands=(f"export {OVERRIDE}={stand_in[1]}",), scope="project")
    yield _other_build(scene, _gfx(scene))


def _other_build(scene: Scene, gfx: str) -> Remedy:
    """The newest build of torch that holds code for the architecture, where the catalog knows of one."""
    torch = scene.catalog.framework("torch")
    builds = [build for build in (torch.builds if torch else ()) if not build.prerelease]
    known = [(build, build.gfx) for build in builds if not isinstance(build.gfx, Unknown)]
    best = next((build for build, held in known if gfx in held), None)
    if not gfx or not known:
        text = "Or take a build that holds code for this GPU, or build it from source with its architecture."
        return Remedy(text=text)
    if best is None:
        text = f"Or build torch from source for it (`PYTORCH_ROCM_ARCH={gfx}`): no published build that is "
        return Remedy(text=f"{text}known holds code for {gfx}.", scope="project")
    text = f"Or take torch {best.version.public} for {best.variant}, which holds code for {gfx}."
    present = scene.framework("torch")
    family = [best, *(companions(scene, present, best) if present else ())]
    return Remedy(text=text, commands=install_builds(scene, family))
