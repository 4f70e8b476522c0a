"""What an image will hold: builds out of a plan or out of a lock, and where it has to run."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.version import Version

from dlsetup.model.framework import Accelerator, Build, Catalog
from dlsetup.model.image import Purpose
from dlsetup.model.record import Record
from dlsetup.model.resolution import Plan
from dlsetup.model.target import Target
from dlsetup.model.versions import CudaVersion


class Contents(Record, frozen=True, kw_only=True):
    """The frameworks of an image and what they are for."""

    purpose: Purpose = "train"
    target: Target
    """The host's driver and GPUs with the C library of the image."""
    python: Version
    """Major and minor."""
    builds: tuple[Build, ...]
    packages: tuple[str, ...] = ()
    """Canonical names of all that is installed, as far as it is known."""

    @property
    def compiles(self) -> bool:
        """Whether something is compiled while it is installed."""
        return any(build.from_source for build in self.builds)

    @property
    def cuda(self) -> CudaVersion | None:
        """The newest CUDA that a build was made with."""
        return max((build.cuda for build in self.builds if build.cuda is not None), default=None)

    @property
    def accelerators(self) -> tuple[Accelerator, ...]:
        """What the builds compute on beside the CPU, each once."""
        return tuple(dict.fromkeys(item.accelerator for item in self.builds if item.accelerator != "cpu"))

    @property
    def expects(self) -> tuple[str, ...]:
        """What the builds need of the image: `cudnn>=9,<10`, `nvcc`."""
        return tuple(dict.fromkeys(text for build in self.builds for text in build.expects))


def builds_of(plan: Plan, catalog: Catalog) -> Iterator[Build]:
    """The builds that the picks of a plan name."""
    named = (catalog.build(pick.framework, pick.version, pick.variant, pick.index) for pick in plan.picks)
    return (build for build in named if build is not None)
