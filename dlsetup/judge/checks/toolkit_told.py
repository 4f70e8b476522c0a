"""Something is compiled against CUDA, and there is no compiler for it."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.commands import line
from dlsetup.judge.evidence import of_framework, of_message
from dlsetup.judge.host_compilers import in_conda
from dlsetup.judge.installers import CUDA_INDEX
from dlsetup.judge.linux_families import FAMILIES, install_packages
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.versions import CudaVersion

REPOSITORY = "https://developer.nvidia.com/cuda-downloads"


@check("cuda-toolkit-missing-for-build", told=True)
def no_toolkit(scene: Scene) -> Iterator[Answer]:
    """A package is compiled, and no `nvcc` is found."""
    messages = scene.messages("no-cuda-home")
    if not messages:
        return
    torch = scene.framework("torch")
    yield Finding(
        id="cuda-toolkit-missing-for-build",
        severity="error",
        title="There is no CUDA toolkit to compile with",
        because="Something is compiled against CUDA, and no `nvcc` was found: wheels bring libraries to run "
        "with, not the compiler.",
        evidence=(*map(of_message, messages[:3]), *([of_framework(torch)] if torch else [])),
        remedies=tuple(_remedies(scene)),
        rests_on=scene.sources(("torch-cpp-extension",)),
    )


def _remedies(scene: Scene) -> Iterator[Remedy]:
    yield Remedy(
        text="Install a wheel of the package that is already compiled, where there is one for this torch, "
        "CUDA and Python."
    )
    cuda = _cuda(scene)
    named = f"CUDA {cuda}" if cuda else "the CUDA that torch was built with"
    if any(item.kind == "dockerfile" for item in scene.machine.report.containers):
        text = f"Or build on an image `nvidia/cuda:…-devel-…` of {named}, which has the toolkit."
        yield Remedy(text=text, commands=("dlsetup catalog show images",), scope="project")
    elif scene.target.os == "windows":
        text = f"Or install the toolkit of {named} ({REPOSITORY}) beside Visual C++, and open a new prompt."
        yield Remedy(text=text, scope="host")
    elif in_conda(scene):
        version = f"={cuda}" if cuda else ""
        compiler = line(scene, ["conda", "install", "-c", "conda-forge", f"cuda-nvcc{version}"])
        text = f"Or install the compiler of {named} into the environment, and point CUDA_HOME to it."
        yield Remedy(text=text, commands=(*compiler, "export CUDA_HOME=$CONDA_PREFIX"))
    else:
        yield _of_system(scene, cuda, named)


def _cuda(scene: Scene) -> CudaVersion | None:
    """The CUDA of torch: of the installed build, else of the index that it is asked from."""
    torch = scene.framework("torch")
    if torch and isinstance(torch.cuda, CudaVersion):
        return torch.cuda
    asked = (item.index for item in scene.machine.report.asked if item.name == "torch")
    indexes = (found for text in asked if (found := CUDA_INDEX.search(text)))
    return next((CudaVersion.from_variant(f"cu{found[1]}") for found in indexes), None)


def _of_system(scene: Scene, cuda: CudaVersion | None, named: str) -> Remedy:
    """NVIDIA's packages bear the line of their CUDA; `nvidia-cuda-toolkit` of a distribution is of any."""
    package = (f"cuda-toolkit-{cuda.major}-{cuda.minor}",) if cuda else ()
    install = install_packages(scene, {family: package for family in FAMILIES if family != "arch"})
    folder = f"/usr/local/cuda-{cuda.major}.{cuda.minor}" if cuda else "/usr/local/cuda"
    return Remedy(
        text=f"Or install the toolkit of {named} from NVIDIA's repository ({REPOSITORY}), not a driver, and "
        "point CUDA_HOME to it.",
        commands=(*install, f"export CUDA_HOME={folder}"),
        scope="host",
    )
