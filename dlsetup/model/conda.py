"""What a distribution is called on conda-forge, and what conda has put into an environment."""

from __future__ import annotations

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.model.record import Record


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
