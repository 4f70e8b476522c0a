"""Windows: libraries that are not there, and packages that have none for it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import Version

from dlsetup.judge.commands import install
from dlsetup.judge.evidence import of_distribution, of_message
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.judge.told_devices import torch_uses_gpu
from dlsetup.model.finding import Finding, Remedy

_OF_TORCH = re.compile(
    r"torch[\\/]+lib[\\/]+(?!cu|nv)[\w.-]+\.dll|onnxruntime_pybind11_state|_pywrap_tensorflow_internal"
)
FIRST_FOR_WINDOWS = Version("0.43.0")


@check("windows-runtime-dll-missing", told=True)
def runtime_missing(scene: Scene) -> Iterator[Answer]:
    """A DLL of a framework is there, and one of the system that it needs is not."""
    for message in scene.messages("winerror-126"):
        named = message.value("path") or message.value("module") or ""
        if not _OF_TORCH.search(named):
            continue
        name = re.split(r"[\\/]", named)[-1]
        openmp = name.lower() == "fbgemm.dll"
        also = " or LLVM's OpenMP (`libomp140.x86_64.dll`)" if openmp else ""
        yield Finding(
            id="windows-runtime-dll-missing",
            severity="error",
            title=f"A system library that `{name}` needs is missing",
            because=f"`{name}` is present; a dependency is missing: most often the Visual C++ 2015-2022 x64 "
            f"runtime{also}.",
            evidence=(of_message(message),),
            remedies=tuple(_runtimes(scene, openmp)),
            rests_on=scene.sources(("torch-windows-dlls",)),
        )
        return


def _runtimes(scene: Scene, openmp: bool) -> Iterator[Remedy]:
    """LLVM's OpenMP is no part of the redistributable; torch 2.4.0 alone asks for it without bringing it."""
    torch = scene.framework("torch")
    if openmp and (torch is None or torch.distribution.version.release[:3] == (2, 4, 0)):
        text = "Take torch 2.4.1 or newer, which does not ask for `libomp140.x86_64.dll`."
        yield Remedy(text=text, commands=install(scene, ["torch>=2.4.1"]))
    other = "Or, where another DLL is missing, install" if openmp else "Install"
    yield Remedy(
        text=f"{other} the Microsoft Visual C++ 2015-2022 Redistributable (x64), then start anew.",
        commands=("winget install --id Microsoft.VCRedist.2015+.x64",),
        scope="windows",
    )


@check("package-has-no-windows-gpu-build", told=True)
def no_gpu_build(scene: Scene) -> Iterator[Answer]:
    """bitsandbytes before 0.43 carries libraries for Linux alone."""
    messages = scene.messages("bitsandbytes-cpu-library")
    package = next(iter(scene.copies("bitsandbytes")), None)
    if not messages or scene.target.os != "windows":
        return
    if package is not None and package.version >= FIRST_FOR_WINDOWS:
        return
    sees = " torch sees the GPU." if scene.gpus("nvidia") or torch_uses_gpu(scene) else ""
    yield Finding(
        id="package-has-no-windows-gpu-build",
        severity="error",
        title="This release of bitsandbytes has no GPU library for Windows",
        because="The releases before 0.43.0 carry Linux .so files only; on Windows they fall back to "
        f"`libbitsandbytes_cpu.so`.{sees}",
        evidence=(*map(of_message, messages[:1]), *((of_distribution(package),) if package else ())),
        remedies=(
            Remedy(
                text="Install release 0.43.0 or newer: `bitsandbytes>=0.43.0`.",
                commands=install(scene, [f"bitsandbytes>={FIRST_FOR_WINDOWS}"]),
            ),
        ),
        rests_on=scene.sources(("bitsandbytes-windows",)),
    )
