"""What a distribution is called on conda-forge."""

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
    source: str
    checked: str


class ChannelToolkits(Record, frozen=True, kw_only=True):
    """For which CUDA the `pytorch` channel has builds of some releases."""

    releases: SpecifierSet
    toolkits: tuple[Version, ...]
    source: str
    checked: str

    def holds_for(self, version: Version) -> bool:
        return self.releases.contains(version.public, prereleases=True)
