"""What every check is shown: a machine, the catalog, and what follows from the two at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from msgspec import field
from msgspec.structs import replace

from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.machine import (
    Distribution,
    Driver,
    Environment,
    Gpu,
    Library,
    Machine,
    SystemPackage,
    Vendor,
)
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.report import Message, Observation
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.versions import CudaVersion, DriverRelease
from dlsetup.rules.gpus import with_capabilities
from dlsetup.rules.installed import build_of
from dlsetup.rules.wheels import has_platform

T = TypeVar("T")


class Installed(Record, frozen=True, kw_only=True):
    """A framework in the examined environment, and the build of the catalog that it is."""

    framework: Framework
    distribution: Distribution
    build: Build | None | Unknown
    """None: no build of the catalog is like it; unknown: several may be."""

    @property
    def variant(self) -> str | Unknown:
        """What it was built for: `cpu`, `cu126`, as the environment or the catalog tells."""
        return self.build.variant if isinstance(self.build, Build) else self.distribution.variant

    @property
    def cuda(self) -> CudaVersion | None | Unknown:
        """The CUDA it was built with; None: it is no CUDA build."""
        if isinstance(self.build, Build):
            return self.build.cuda
        if isinstance(self.variant, Unknown):
            return UNKNOWN
        return CudaVersion.from_variant(self.variant)

    @property
    def same_release(self) -> tuple[Build, ...]:
        """Every build of the installed release."""
        return self.framework.of(self.distribution.version)

    @property
    def title(self) -> str:
        """`torch 2.14.1 (cu130)`."""
        variant = "" if isinstance(self.variant, Unknown) else f" ({self.variant})"
        return f"{self.distribution.name} {self.distribution.version.public}{variant}"


class Scene(Record, frozen=True, kw_only=True):
    machine: Machine
    catalog: Catalog
    target: Target
    environment: Environment | None
    """The examined one."""
    installed: tuple[Installed, ...] = ()
    kept: dict[str, Any] = field(default_factory=dict)
    """What several checks ask for, worked out by the first of them."""

    @classmethod
    def of(cls, machine: Machine, catalog: Catalog) -> Scene:
        environment = machine.environment
        target = with_capabilities(Target.of(machine), catalog.hardware)
        return cls(
            machine=machine,
            catalog=catalog,
            target=target,
            environment=environment,
            installed=tuple(_frameworks(environment, target, catalog)) if environment else (),
        )

    def once(self, name: str, work: Callable[[Scene], T]) -> T:
        """What `work` makes of this scene, made once. `name` says what it is."""
        if name not in self.kept:
            self.kept[name] = work(self)
        found: T = self.kept[name]
        return found

    @property
    def interpreter(self) -> Interpreter | None:
        """The Python of the examined environment, where its version is known."""
        environment = self.environment
        if environment is None or isinstance(environment.python, Unknown):
            return None
        return Interpreter(version=environment.python, free_threaded=environment.free_threaded is True)

    @property
    def distributions(self) -> tuple[Distribution, ...]:
        """What is installed in the examined environment, as far as it is known."""
        known = self.environment.distributions if self.environment else ()
        return () if isinstance(known, Unknown) else known

    @property
    def packages(self) -> tuple[SystemPackage, ...]:
        """Installed packages of the operating system that concern GPUs, as far as they are known."""
        known = () if isinstance(self.machine.packages, Unknown) else self.machine.packages
        return tuple(item for item in known if item.state == "installed")

    @property
    def libraries(self) -> tuple[Library, ...]:
        """Copies of CUDA libraries on disk, as far as they are known."""
        return () if isinstance(self.machine.libraries, Unknown) else self.machine.libraries

    @property
    def driver(self) -> DriverRelease | None:
        """The release of the NVIDIA driver, where there is one and it is known."""
        return self.target.driver if isinstance(self.target.driver, DriverRelease) else None

    @property
    def nvml_refuses(self) -> bool:
        """Whether NVML answers with an error, so that it tells nothing of the GPUs."""
        return isinstance(self.machine.driver, Driver) and isinstance(self.machine.driver.nvml_error, str)

    @property
    def mended(self) -> Target:
        """The target once its own driver is loaded: what a remedy can count on."""
        driver = self.machine.driver
        if not isinstance(driver, Driver) or not isinstance(driver.userland, DriverRelease):
            return self.target
        return replace(self.target, driver=driver.userland) if self.target.driver is None else self.target

    @property
    def in_container(self) -> bool:
        return isinstance(self.machine.system.container, str)

    @property
    def in_wsl(self) -> bool:
        return self.target.wsl is True

    @property
    def on_tegra(self) -> bool | Unknown:
        """Whether it is a Jetson, whose GPU and driver are part of the board. Its kernel or release tells."""
        if self.observed("tegra.release"):
            return True
        kernel = self.machine.system.kernel
        if not isinstance(kernel, Unknown):
            return "tegra" in kernel
        return UNKNOWN if self.target.arch == "aarch64" else False

    @property
    def leading(self) -> tuple[Installed, ...]:
        """The installed frameworks, without those that follow another: torchvision follows torch."""
        names = {item.framework.name for item in self.installed}
        return tuple(
            item
            for item in self.installed
            if item.framework.family in ("", item.framework.name) or item.framework.family not in names
        )

    @property
    def gpu_withheld(self) -> bool:
        """Whether this is a container that sees the host's module or bus, and was given no GPU."""
        driver = self.machine.driver
        if isinstance(driver, Unknown):
            return self.in_container
        return self.machine.system.container is not None and (driver is None or driver.userland is None)

    @property
    def reachable_nvidia(self) -> tuple[Gpu, ...]:
        """The NVIDIA GPUs that programs here may use, if the driver works."""
        return () if self.gpu_withheld or self.machine.driver is None else self.gpus("nvidia")

    def gpus(self, vendor: Vendor) -> tuple[Gpu, ...]:
        """The known GPUs of one vendor."""
        known = () if isinstance(self.machine.gpus, Unknown) else self.machine.gpus
        return tuple(gpu for gpu in known if gpu.vendor == vendor)

    def framework(self, name: str) -> Installed | None:
        """The installed framework of that name."""
        return next((item for item in self.installed if item.framework.name == name), None)

    def copies(self, name: str) -> tuple[Distribution, ...]:
        """Every copy of a distribution in the examined environment."""
        return tuple(item for item in self.distributions if item.name == name)

    def messages(self, *signatures: str) -> tuple[Message, ...]:
        """What a report holds of these messages, in its order."""
        return tuple(item for item in self.machine.report.messages if item.signature in signatures)

    def observed(self, subject: str) -> Observation | None:
        """What a program answered last when it was asked about `subject`."""
        found = [item for item in self.machine.report.observations if item.subject == subject]
        return found[-1] if found else None

    def seen(self, fact: str) -> str:
        """Where a report tells of a part of a record: `system.kernel`."""
        return next((item.source for item in self.machine.sightings if item.fact == fact), "")

    def sources(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Sources in words: `what (checked on 2026-12-02)`."""
        found = (self.catalog.source(source_id) for source_id in dict.fromkeys(ids))
        return tuple(f"{source.what} (checked {source.checked})" for source in found if source)


def _frameworks(environment: Environment, target: Target, catalog: Catalog) -> Iterator[Installed]:
    """The frameworks whose first distribution (`jax` before `jaxlib`) is there."""
    for framework in catalog.frameworks:
        found = (environment.distribution(name) for name in framework.distributions)
        distribution = next((item for item in found if item), None)
        if distribution:
            release = _for_platform(framework, distribution, target)
            alone = replace(framework, builds=release)
            build = build_of(distribution, environment, replace(catalog, frameworks=(alone,)))
            yield Installed(
                framework=framework,
                distribution=distribution,
                build=_of_every_platform(build, release) if isinstance(build, Build) else build,
            )


def _for_platform(framework: Framework, distribution: Distribution, target: Target) -> tuple[Build, ...]:
    """The builds of the installed release for this platform; all of them where none is made for it."""
    builds = framework.of(distribution.version)
    return tuple(build for build in builds if not has_platform(build, target).refused) or builds


def _of_every_platform(build: Build, builds: tuple[Build, ...]) -> Build:
    """The build without what it does not share with its like for another platform that this may be."""
    name = (build.variant, build.index, build.requirements)
    alike = [item for item in builds if (item.variant, item.index, item.requirements) == name]
    if all((item.kernels, item.ptx) == (build.kernels, build.ptx) for item in alike):
        return build
    return replace(build, kernels=UNKNOWN, ptx=UNKNOWN)
