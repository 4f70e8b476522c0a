"""Bounds that no package metadata states, each with the place it was read and the day."""

from __future__ import annotations

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.model.record import Record
from dlsetup.model.versions import OsRelease

CHECKED = "2026-12-02"


class Bound(Record, frozen=True, kw_only=True):
    """What releases of a framework have in common."""

    framework: str
    releases: SpecifierSet
    source: str

    def holds_for(self, framework: str, version: Version) -> bool:
        return framework == self.framework and self.releases.contains(version.public, prereleases=True)

    @property
    def cited(self) -> str:
        return f"{self.source} (checked {CHECKED})"


class MacBound(Bound, frozen=True, kw_only=True):
    oldest: OsRelease
    """The oldest macOS on which these releases use the GPU."""
    certain: bool = True


def numpy1_builds() -> tuple[Bound, ...]:
    """Releases whose machine code was built for NumPy 1 and does not load under NumPy 2."""
    return (
        Bound(
            framework="torch",
            releases=SpecifierSet("<2.3"),
            source="release notes of PyTorch 2.3, the first release for NumPy 2",
        ),
        Bound(
            framework="tensorflow",
            releases=SpecifierSet("<2.18"),
            source="wheel metadata of TensorFlow: 2.18.0 is the first release that admits NumPy 2",
        ),
        Bound(
            framework="jax",
            releases=SpecifierSet("<0.4.26"),
            source="changelog of JAX: jaxlib 0.4.26 is the first release for NumPy 2",
        ),
        Bound(
            framework="onnxruntime",
            releases=SpecifierSet("<1.19"),
            source="wheel metadata of ONNX Runtime: 1.18.1 asks for numpy<2.0, 1.19.0 admits NumPy 2",
        ),
    )


def blind_to_wheels() -> tuple[Bound, ...]:
    """Releases of TensorFlow that do not look for CUDA libraries where their own extra installs them."""
    return (
        Bound(
            framework="tensorflow",
            releases=SpecifierSet("==2.16.1"),
            source="https://github.com/tensorflow/tensorflow/issues/63362",
        ),
    )


def mac_bounds() -> tuple[MacBound, ...]:
    """The macOS that the GPU support of PyTorch needs, the newest releases first."""
    return (
        MacBound(
            framework="torch",
            releases=SpecifierSet(">=2.9"),
            oldest=OsRelease("14.0"),
            certain=False,
            source="release notes of PyTorch 2.9: MPS needs macOS 14",
        ),
        MacBound(
            framework="torch",
            releases=SpecifierSet(">=2.5"),
            oldest=OsRelease("13.0"),
            source="release notes of PyTorch 2.5: MPS no longer works on macOS 12",
        ),
        MacBound(
            framework="torch",
            releases=SpecifierSet(">=1.12"),
            oldest=OsRelease("12.3"),
            source="installation notes of PyTorch 1.12: MPS needs macOS 12.3",
        ),
    )
