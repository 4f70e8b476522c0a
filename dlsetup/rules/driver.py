"""Does this driver run that CUDA, and does it drive that GPU?

Three numbers are kept apart: the driver's release (550.54.15), the newest CUDA the driver knows (its
ceiling, 12.4) and the CUDA a build was made with. A driver runs every toolkit of a CUDA major once it
meets the floor of that major; only PTX asks for more (see `rules.kernels`).
"""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.model.hardware import CudaToolkit, DriverBranch, Hardware
from dlsetup.model.machine import Gpu
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.target import Target
from dlsetup.model.verdict import Verdict
from dlsetup.model.versions import CudaVersion, DriverRelease
from dlsetup.rules.combine import agreed, no, unknown, yes
from dlsetup.rules.gpus import capability_of, title_of

RULE = "driver"
FIRST_FAMILY = 11
"""Since CUDA 11 all minors of a major share a floor; before, each toolkit needs its own driver."""


def driver_serves(target: Target, cuda: CudaVersion, hardware: Hardware) -> Verdict:
    """Whether the target's driver runs a build made with `cuda`.

    Inside WSL the driver is the one of Windows and is judged by the Windows floors.
    """
    if target.os == "macos":
        return no(RULE, "there is no NVIDIA driver for macOS")
    if target.driver is None:
        return no(RULE, f"CUDA {cuda} needs an NVIDIA driver")
    by_ceiling = _by_ceiling(target, cuda)
    if by_ceiling is not None:
        return by_ceiling
    known = (
        _by_release(release, cuda, windows, hardware) for release, windows in _readings(target, hardware)
    )
    return agreed(known, otherwise=_without_release(target, cuda))


def driver_floor(cuda: CudaVersion, hardware: Hardware, *, windows: bool) -> tuple[DriverRelease, str] | None:
    """The oldest driver that runs `cuda`, with the source; None where no row tells."""
    rows: list[tuple[DriverRelease, str]] = []
    for floor in hardware.floors:
        if floor.major == cuda.major and cuda.major >= FIRST_FAMILY:
            rows.append((floor.windows if windows else floor.linux, floor.source))
    for toolkit in _toolkits(cuda, hardware):
        shipped = toolkit.driver_windows if windows else toolkit.driver_linux
        if not isinstance(shipped, Unknown):
            rows.append((shipped, toolkit.source))
    return min(rows, default=None, key=lambda row: row[0])


def same_line(one: CudaVersion, other: CudaVersion) -> bool:
    """Whether both belong to one line: 12.6.3 and 12.6."""
    return (one.major, one.minor) == (other.major, other.minor)


def ceiling_of(target: Target, hardware: Hardware) -> CudaVersion | Unknown:
    """The newest CUDA the driver knows: as it says itself, or else by its branch."""
    if not isinstance(target.cuda_ceiling, Unknown):
        return target.cuda_ceiling
    if target.driver is None or isinstance(target.driver, Unknown):
        return UNKNOWN
    row = branch_of(target.driver, hardware)
    return row.cuda_ceiling if row else UNKNOWN


def branch_of(driver: DriverRelease, hardware: Hardware) -> DriverBranch | None:
    """The branch a driver belongs to; a release between two branches belongs to none."""
    return next((row for row in hardware.branches if row.branch == driver.major), None)


def driver_drives(target: Target, gpu: Gpu, hardware: Hardware) -> Verdict:
    """Whether the driver's branch still supports this NVIDIA GPU: R580 is the last for Pascal."""
    if gpu.vendor != "nvidia":
        return yes(RULE)
    if target.driver is None or isinstance(target.driver, Unknown):
        return unknown(RULE, "the release of the NVIDIA driver is not known")
    capability = capability_of(gpu, hardware)
    if isinstance(capability, Unknown):
        return unknown(RULE, f"the compute capability of {title_of(gpu, hardware)} is not known")
    dropped = [row for row in _older_branches(target.driver, hardware) if not _drives(row, capability.parts)]
    if dropped:
        row = min(dropped, key=lambda item: item.branch)
        text = f"NVIDIA drivers from branch {row.branch} on do not support {title_of(gpu, hardware)}"
        return no(RULE, text, row.source)
    own = branch_of(target.driver, hardware)
    if own is None or isinstance(own.min_capability, Unknown):
        return unknown(RULE, f"no row tells which GPUs driver {target.driver} supports")
    return yes(RULE, f"driver {target.driver} supports {title_of(gpu, hardware)}", own.source)


def _drives(row: DriverBranch, capability: tuple[int, ...]) -> bool:
    return isinstance(row.min_capability, Unknown) or capability >= row.min_capability.parts


def _older_branches(driver: DriverRelease, hardware: Hardware) -> list[DriverBranch]:
    """Branches up to the driver's own: what one of them dropped, no later one supports again."""
    return [row for row in hardware.branches if row.branch <= driver.major]


def _by_ceiling(target: Target, cuda: CudaVersion) -> Verdict | None:
    """A driver that names this CUDA or a newer one as its ceiling runs it, whatever its release."""
    if isinstance(target.cuda_ceiling, Unknown) or target.cuda_ceiling < cuda.line:
        return None
    return yes(RULE, f"the driver knows CUDA up to {target.cuda_ceiling}")


def _without_release(target: Target, cuda: CudaVersion) -> Verdict:
    """Where no row has the ceiling that alone is known: no driver runs a major that it does not know."""
    ceiling = target.cuda_ceiling
    if isinstance(target.driver, Unknown) and not isinstance(ceiling, Unknown) and ceiling.major < cuda.major:
        return no(RULE, f"CUDA {cuda.major} needs a driver that knows it, not only CUDA up to {ceiling}")
    return unknown(RULE, "the release of the NVIDIA driver is not known")


def _readings(target: Target, hardware: Hardware) -> Iterator[tuple[DriverRelease, bool]]:
    """Every release and column (Windows or not) the target may mean."""
    release = _release(target, hardware)
    if release is None:
        return
    if target.os != "windows" and target.wsl is not True:
        yield release, False
    if target.os != "linux" or target.wsl is not False:
        yield release, True


def _release(target: Target, hardware: Hardware) -> DriverRelease | None:
    """The driver's release, or the first branch that has its ceiling."""
    if isinstance(target.driver, DriverRelease):
        return target.driver
    if isinstance(target.cuda_ceiling, Unknown):
        return None
    branches = [row.branch for row in hardware.branches if row.cuda_ceiling == target.cuda_ceiling.line]
    return DriverRelease(str(min(branches))) if branches else None


def _by_release(release: DriverRelease, cuda: CudaVersion, windows: bool, hardware: Hardware) -> Verdict:
    floor = driver_floor(cuda, hardware, windows=windows)
    if floor is None:
        return unknown(RULE, f"no row tells which NVIDIA driver CUDA {cuda} needs")
    oldest, source = floor
    system = "Windows" if windows else "Linux"
    text = f"CUDA {_family(cuda)} needs NVIDIA driver {oldest} or newer on {system}"
    return yes(RULE, text, source) if release >= oldest else no(RULE, text, source)


def _family(cuda: CudaVersion) -> str:
    return str(cuda.major) if cuda.major >= FIRST_FAMILY else str(cuda)


def _toolkits(cuda: CudaVersion, hardware: Hardware) -> list[CudaToolkit]:
    """The row of exactly this toolkit, or the newest of its line."""
    line = [row for row in hardware.toolkits if same_line(row.version, cuda)]
    exact = [row for row in line if row.version == cuda]
    return exact or sorted(line, key=lambda row: row.version)[-1:]
