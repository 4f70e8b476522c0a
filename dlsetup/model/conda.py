"""What a distribution is called on conda-forge, and what conda has put into an environment."""

from __future__ import annotations

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.model.record import UNKNOWN, Record, Unknown


class CondaPackage(Record, frozen=True, kw_only=True):
    """One distribution. The match specs hold `{minor}` where the release line goes: `2.14`."""

    distribution: str
    cuda: tuple[str, ...] = ()
    """Specs for an NVIDIA GPU; empty: conda-forge has no such build."""
    cpu: tuple[str, ...] = ()
    mps: tuple[str, ...] = ()
    package: str = ""
    """Name of the package; empty: that of the distribution."""
    built: str = ""
    """Name of the package whose build string tells CPU and CUDA; empty: what it depends on decides."""
    of_cpu: tuple[str, ...] = ()
    """Packages without files that hold an environment to the CPU build."""
    of_cuda: tuple[str, ...] = ()
    """Packages without files that hold an environment to the CUDA build."""
    source: str
    checked: str

    @property
    def name(self) -> str:
        """What conda calls it."""
        return self.package or self.distribution


class CondaRecord(Record, frozen=True, kw_only=True):
    """One installed package, by conda's own record of it."""

    name: str
    version: str
    build: str
    channel: str = ""
    """Address without platform, token and password, or a name."""
    depends: tuple[str, ...] = ()
    """Names of packages that it asks for."""
    distribution: str = ""
    """The Python distribution that it brought, by its canonical name; empty: none."""
    distribution_version: str = ""
    whole: bool = True
    """Whether the metadata of that distribution is still what conda put there: pip may have replaced it."""


class ChannelToolkits(Record, frozen=True, kw_only=True):
    """For which CUDA the `pytorch` channel has builds of some releases."""

    releases: SpecifierSet
    toolkits: tuple[Version, ...]
    source: str
    checked: str

    def holds_for(self, version: Version) -> bool:
        return self.releases.contains(version.public, prereleases=True)


class VirtualPackage(Record, frozen=True, kw_only=True):
    """What a solver is told of the machine: `__cuda=12.2`."""

    name: str
    version: str
    build: str = "0"


class SolvedPackage(Record, frozen=True, kw_only=True):
    """One package of a solution, with its one address."""

    name: str
    version: str
    build: str
    url: str
    sha256: str = ""
    md5: str = ""
    size_bytes: int | Unknown = UNKNOWN


class CondaSolution(Record, frozen=True, kw_only=True):
    """Every package of an environment, in an order in which each comes after what it needs."""

    subdir: str
    """The platform in conda's words: `linux-64`."""
    packages: tuple[SolvedPackage, ...]
    virtual: tuple[VirtualPackage, ...] = ()
    """What the solver was told of the machine."""


class CondaWish(Record, frozen=True, kw_only=True):
    """A plan in conda's words."""

    always: tuple[str, ...]
    """Match specs that concern the environment as a whole: Python, CUDA."""
    frameworks: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Each framework with its match specs."""
    packages: tuple[str, ...] = ()
    """Match specs of further packages."""
    pip: tuple[str, ...] = ()
    """What conda-forge does not have: requirements, behind the options that say where they come from."""
    channels: tuple[str, ...] = ("conda-forge",)

    @property
    def specs(self) -> tuple[str, ...]:
        """All of them, in the order in which a file lists them."""
        pip = ("pip",) if self.pip else ()
        return (*self.always, *(spec for _, own in self.frameworks for spec in own), *self.packages, *pip)
