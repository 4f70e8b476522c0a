"""The torch family in a conda environment: from one channel, in releases that belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from packaging.version import Version

from dlsetup.catalog.conda import channel_toolkits
from dlsetup.judge.commands import by_conda, conda, uninstall
from dlsetup.judge.pairs import release_for
from dlsetup.judge.scene import Installed, Scene
from dlsetup.judge.sentences import listed
from dlsetup.model.finding import Remedy
from dlsetup.model.machine import Distribution
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.versions import ComputeCapability, CudaVersion
from dlsetup.rules.driver import driver_serves
from dlsetup.rules.gpus import capability_of
from dlsetup.rules.kernels import toolkit_of

MEMBERS = ("torchvision", "torchaudio")
LAST_OF_CHANNEL = Version("2.5.1")
"""The newest torch on the conda channel `pytorch`."""
FIRST_WITH_PYTORCH_CUDA = Version("1.13")
"""From here on that channel asks for CUDA by `pytorch-cuda`, before by `cudatoolkit`."""
CUDA_SPECS = ("pytorch-cuda=", "cudatoolkit=")
_CHANNEL = re.compile(r"\b(conda-forge|pytorch|defaults|pkgs/main)\b")


def is_by_conda(scene: Scene, name: str) -> bool:
    return any(by_conda(item) for item in scene.copies(name))


def one_channel(scene: Scene, torch: Installed, *names: str) -> Remedy:
    """Take torch and what is there of its family, and `names`, from one conda channel."""
    members = [name for name in MEMBERS if name in names or scene.copies(name)]
    release = torch.distribution.version
    of_pip = [name for name in members if scene.copies(name) and not is_by_conda(scene, name)]
    channels, specs = _of_channel(scene, torch, members)
    text = f"Take {listed(['torch', *members])} from one channel: {channels[0]}."
    commands = _install(scene, release, members, channels, specs)
    return Remedy(text=text, commands=(*uninstall(scene, of_pip), *commands))


def _install(
    scene: Scene, release: Version, members: Sequence[str], channels: Sequence[str], specs: Sequence[str]
) -> tuple[str, ...]:
    """One command. A CUDA build is asked for by its build string: the CPU build that is there has the same
    version, and conda would keep it."""
    cuda = next((spec.partition("=")[2] for spec in specs if spec.startswith(CUDA_SPECS)), "")
    torch = f"{_spec('pytorch', release)}=*cuda{cuda}*" if cuda else _spec("pytorch", release)
    parts = [torch, *(_spec(name, release_for(scene, name, release)) for name in members)]
    words = [word for channel in channels for word in ("--channel", channel)]
    return conda(scene, "install", [*words, *parts, *specs])


def _spec(name: str, release: Version | None) -> str:
    return f"{name}={release.public}" if release else name


def gpu_by_conda(scene: Scene, torch: Installed) -> Remedy | None:
    """The CUDA build of the same release from the channel that was its authors' own; None: it has none that
    runs here, or torch is of conda-forge."""
    release, row = torch.distribution.version, _row(torch)
    if row is None or channel_of(torch.distribution) == "conda-forge":
        return None
    cuda = max((item for item in row if _runs_here(scene, item)), default=None)
    if cuda is None:
        return None
    members = [item.framework.name for item in scene.installed if item.framework.name in MEMBERS]
    channels, specs = _of_cuda(release, cuda)
    text = f"Install the build for CUDA {cuda} of {listed(['torch', *members])} from the channel `pytorch`."
    return Remedy(text=text, commands=_install(scene, release, members, channels, specs))


def _row(torch: Installed) -> tuple[CudaVersion, ...] | None:
    """The CUDA versions that the channel `pytorch` has builds of this release for."""
    rows = (row for row in channel_toolkits() if row.holds_for(torch.distribution.version))
    return next((tuple(CudaVersion(str(item)) for item in row.toolkits) for row in rows), None)


def _runs_here(scene: Scene, cuda: CudaVersion) -> bool:
    """Whether nothing known of driver and GPUs refuses this CUDA."""
    hardware = scene.catalog.hardware
    toolkit = toolkit_of(cuda, hardware)
    codes = [capability_of(gpu, hardware) for gpu in scene.gpus("nvidia")]
    newest = UNKNOWN if toolkit is None else toolkit.max_capability
    known = [code for code in codes if isinstance(code, ComputeCapability)]
    if not isinstance(newest, Unknown) and any(code > newest for code in known):
        return False
    return not driver_serves(scene.mended, cuda, hardware).refused


def _of_channel(scene: Scene, torch: Installed, members: Sequence[str]) -> tuple[list[str], list[str]]:
    """The channels to ask, and what asks there for the same CUDA."""
    parts = [torch.distribution, *(item for name in members for item in scene.copies(name))]
    channels = {channel_of(item) for item in parts if by_conda(item)}
    if channels == {"conda-forge"} or torch.distribution.version > LAST_OF_CHANNEL:
        return ["conda-forge"], []
    if torch.variant == "cpu" and scene.target.os != "macos":
        return ["pytorch"], ["cpuonly"]
    return _of_cuda(torch.distribution.version, torch.cuda)


def _of_cuda(release: Version, cuda: CudaVersion | None | Unknown) -> tuple[list[str], list[str]]:
    if not isinstance(cuda, CudaVersion):
        return ["pytorch"], []
    if release >= FIRST_WITH_PYTORCH_CUDA:
        return ["pytorch", "nvidia"], [f"pytorch-cuda={cuda.line}"]
    return ["pytorch", "conda-forge"], [f"cudatoolkit={cuda.line}"]


def channel_of(distribution: Distribution) -> str:
    """The channel in the origin of a conda package, if it is one of the usual."""
    found = None if isinstance(distribution.origin, Unknown) else _CHANNEL.search(distribution.origin)
    return found[1].replace("pkgs/main", "defaults") if found else ""


def channels_of_parts(scene: Scene) -> Iterator[tuple[str, Distribution]]:
    """Each part of the family that conda installed, with its channel, where that is known."""
    parts = [item.distribution for item in scene.installed if item.framework.family == "torch"]
    yield from ((channel_of(item), item) for item in parts if by_conda(item) and channel_of(item))
