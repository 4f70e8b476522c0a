"""Programs that make small modules while they run, and find no compiler."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.commands import line
from dlsetup.judge.evidence import of_message
from dlsetup.judge.host_compilers import in_conda
from dlsetup.judge.linux_families import Family, install_packages
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.record import Unknown

_PACKAGES: dict[Family, tuple[str, ...]] = {
    "ubuntu": ("build-essential",),
    "debian": ("build-essential",),
    "fedora": ("gcc-c++",),
    "rhel": ("gcc-c++",),
    "amazon": ("gcc-c++",),
    "suse": ("gcc-c++",),
    "arch": ("base-devel",),
}


@check("c-compiler-missing", told=True)
def no_compiler(scene: Scene) -> Iterator[Answer]:
    """Triton or torch.compile find no C compiler while the program runs."""
    messages = scene.messages("no-c-compiler")
    if not messages or scene.messages("no-msvc"):
        return
    yield Finding(
        id="c-compiler-missing",
        severity="error",
        title="There is no C compiler, which is needed while the program runs",
        because="Triton and torch.compile make small C modules at run time, and no compiler was found.",
        evidence=tuple(map(of_message, messages[:3])),
        remedies=tuple(_remedies(scene)),
        rests_on=scene.sources(("triton-build",)),
    )


def _remedies(scene: Scene) -> Iterator[Remedy]:
    if scene.target.os == "windows":
        text = "Install the build tools of Visual Studio with the workload for C++."
        yield Remedy(
            text=text, commands=("winget install Microsoft.VisualStudio.2022.BuildTools",), scope="host"
        )
        return
    if any(item.kind == "dockerfile" for item in scene.machine.report.containers):
        yield _in_recipe(scene)
        return
    if scene.target.os == "macos":
        text = "Install Apple's command line tools, which hold a compiler."
        yield Remedy(text=text, commands=("xcode-select --install",), scope="host")
        return
    commands = install_packages(scene, _PACKAGES)
    if in_conda(scene) and not commands:
        tools = line(scene, ["conda", "install", "-c", "conda-forge", "gxx"])
        yield Remedy(text="Install a C compiler of conda-forge into the environment.", commands=tools)
    else:
        known = commands or ("sudo apt install build-essential",)
        yield Remedy(text="Install a C compiler.", commands=known, scope="host")
    yield Remedy(text="Or name one that is there.", commands=("export CC=/usr/bin/gcc",), scope="host")


def _in_recipe(scene: Scene) -> Remedy:
    """An image for running has none; those that end in `devel` have one."""
    images = [item.image for item in scene.machine.report.containers if item.kind == "dockerfile"]
    image = next((item for item in images if not isinstance(item, Unknown)), "")
    devel = image.replace("-runtime-", "-devel-").replace("-base-", "-devel-")
    instead = f", or build it on `{devel}`" if devel != image else ""
    return Remedy(
        text=f"Install a C compiler in the image{instead}.",
        commands=("RUN apt-get update && apt-get install -y --no-install-recommends build-essential",),
        scope="project",
    )
