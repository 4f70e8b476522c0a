"""What notes rest on: repositories, packages, bounds and messages, each with its source."""

from __future__ import annotations

from typing import Literal

from packaging.version import Version

from dlsetup.model.note import Harmless
from dlsetup.model.record import Record
from dlsetup.model.source import Source
from dlsetup.model.versions import CudaVersion


class Repository(Record, frozen=True, kw_only=True):
    """NVIDIA's repository of driver and toolkit for a release of a system."""

    family: str
    release: str = ""
    """`22.04`, `9`; empty: every release that no other row names."""
    folder: str
    """`ubuntu2204`."""
    arches: tuple[str, ...]
    source: str


class DriverPackage(Record, frozen=True, kw_only=True):
    """Packages of a system that bring a branch of the NVIDIA driver; `{branch}` stands for it."""

    family: str
    use: Literal["desktop", "server"]
    modules: Literal["open", "proprietary"]
    packages: tuple[str, ...]
    releases: tuple[str, ...] = ()
    """Releases of the system that have them; empty: all."""
    source: str


class OwnDriver(Record, frozen=True, kw_only=True):
    """The one branch of the NVIDIA driver that a release of a system has in its own repositories."""

    family: str
    release: str
    branch: int
    packages: tuple[str, ...]
    components: tuple[str, ...] = ()
    """Parts of the repository that have to be switched on."""
    source: str


class OwnToolkit(Record, frozen=True, kw_only=True):
    """The CUDA toolkit that a release of a system has in its own repositories."""

    family: str
    release: str
    package: str
    cuda: CudaVersion
    source: str


class Hold(Record, frozen=True, kw_only=True):
    """How the packages of the driver are kept as they are; `{packages}` stands for their names."""

    families: tuple[str, ...]
    commands: tuple[str, ...]
    undo: tuple[str, ...]
    check: str
    source: str


class ContainerSource(Record, frozen=True, kw_only=True):
    """How NVIDIA's container toolkit is made known to the package manager of some systems."""

    families: tuple[str, ...]
    commands: tuple[str, ...]
    undo: tuple[str, ...]
    source: str


class WheelIndex(Record, frozen=True, kw_only=True):
    """Where wheels for a Jetson come from."""

    l4t: tuple[str, ...]
    """Beginnings of releases of Jetson Linux: `36.4`."""
    url: str
    form: Literal["index", "files"]
    """An index that an installer can ask, or a folder of files to choose from."""
    source: str


class RocmInstaller(Record, frozen=True, kw_only=True):
    """The package with which AMD's installer begins."""

    version: Version
    file: str
    series: tuple[str, ...]
    """Releases of Ubuntu by their own names."""
    source: str


class AscendDriver(Record, frozen=True, kw_only=True):
    """Releases of Ascend's driver and firmware (HDK) that go with a CANN."""

    cann: str
    hdk: tuple[str, ...]
    source: str


class CannFiles(Record, frozen=True, kw_only=True):
    """What the installers of CANN are called; `{cann}`, `{arch}` and `{chip}` stand in them."""

    since: Version
    before: Version | None = None
    files: tuple[str, ...]
    source: str

    def holds_for(self, cann: Version) -> bool:
        """Whether a CANN lies in the range."""
        return cann >= self.since and (self.before is None or cann < self.before)


class Switched(Record, frozen=True, kw_only=True):
    """GPUs that NVSwitch joins where so many of them are in one machine."""

    pattern: str
    """Regular expression on the product name."""
    least: int
    source: str


class Bound(Record, frozen=True, kw_only=True):
    """A single number or name by its id."""

    id: str
    value: str
    source: str


class Warned(Harmless, frozen=True, kw_only=True):
    """A harmless message, and the notes that tell of it."""

    kinds: tuple[str, ...]


class NoteFacts(Record, frozen=True, kw_only=True):
    """All of it."""

    repositories: tuple[Repository, ...] = ()
    driver_packages: tuple[DriverPackage, ...] = ()
    own_drivers: tuple[OwnDriver, ...] = ()
    own_toolkits: tuple[OwnToolkit, ...] = ()
    holds: tuple[Hold, ...] = ()
    container_sources: tuple[ContainerSource, ...] = ()
    wheel_indexes: tuple[WheelIndex, ...] = ()
    rocm_installers: tuple[RocmInstaller, ...] = ()
    ascend_drivers: tuple[AscendDriver, ...] = ()
    cann_files: tuple[CannFiles, ...] = ()
    switched: tuple[Switched, ...] = ()
    bounds: tuple[Bound, ...] = ()
    warned: tuple[Warned, ...] = ()
    sources: tuple[Source, ...] = ()

    def bound(self, name: str) -> Bound | None:
        """The bound of that id; None: a catalog that does not know it."""
        return next((row for row in self.bounds if row.id == name), None)

    def words(self, *ids: str) -> tuple[str, ...]:
        """Sources in words."""
        known = {source.id: f"{source.what} (checked {source.checked})" for source in self.sources}
        return tuple(known[name] for name in dict.fromkeys(ids) if name in known)
