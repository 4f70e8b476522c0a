"""What a note is about: a machine in the light of the catalog, with the facts that steps rest on."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.driver_parts import parts_by_branch
from dlsetup.judge.linux_families import Family, family_of, major_of, release_of
from dlsetup.judge.module_loading import IN_USE, SECURE_BOOT
from dlsetup.judge.scene import Installed, Scene
from dlsetup.model.finding import Evidence
from dlsetup.model.machine import Driver, Gpu, Sighting, SystemPackage, Toolkit
from dlsetup.model.note_facts import NoteFacts, Repository
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.versions import ComputeCapability, CudaVersion
from dlsetup.rules.gpus import capability_of


class Subject(Record, frozen=True, kw_only=True):
    """A scene, the facts of notes, and what both say together."""

    scene: Scene
    facts: NoteFacts
    name: str = "this machine"

    @property
    def family(self) -> Family | None:
        return family_of(self.scene)

    @property
    def release(self) -> str:
        """As rows name it: `22.04` of Ubuntu, `9` of every other system; empty: unknown."""
        release = release_of(self.scene)
        return release if self.family == "ubuntu" else release.partition(".")[0]

    @property
    def major(self) -> int | None:
        return major_of(self.scene)

    @property
    def nvidia(self) -> tuple[Gpu, ...]:
        return self.scene.gpus("nvidia")

    @property
    def capabilities(self) -> tuple[ComputeCapability, ...]:
        """Those of the NVIDIA GPUs, as far as they are known, the oldest first."""
        found = (capability_of(gpu, self.scene.catalog.hardware) for gpu in self.nvidia)
        return tuple(sorted(item for item in found if isinstance(item, ComputeCapability)))

    @property
    def driver(self) -> Driver | None:
        """What is known of the NVIDIA driver; None: nothing, or that there is none."""
        return self.scene.machine.driver if isinstance(self.scene.machine.driver, Driver) else None

    @property
    def kernel(self) -> str:
        """Empty: unknown."""
        kernel = self.scene.machine.system.kernel
        return "" if isinstance(kernel, Unknown) else kernel

    @property
    def toolkits(self) -> tuple[Toolkit, ...]:
        known = self.scene.machine.toolkits
        return () if isinstance(known, Unknown) else known

    @property
    def driver_works(self) -> bool:
        """Whether its release is known and NVML is not known to refuse: a report seldom tells more."""
        driver = self.driver
        refused = driver is not None and isinstance(driver.nvml_error, str)
        return driver is not None and not refused and self.scene.driver is not None

    @property
    def driver_packages(self) -> tuple[SystemPackage, ...]:
        """Installed packages that the driver is made of."""
        return tuple(item for parts in parts_by_branch(self.scene).values() for item in parts)

    @property
    def secure_boot(self) -> bool | Unknown:
        """Whether the firmware has it switched on."""
        seen = self.sighted(SECURE_BOOT)
        return UNKNOWN if seen is None else "enabled" in seen.value.lower()

    @property
    def bound_driver(self) -> str:
        """The kernel driver that has the GPU: `nouveau`, `nvidia`; empty: unknown."""
        for item in self.scene.machine.sightings:
            probed = item.fact.startswith("gpu ") and item.fact.endswith(" kernel driver")
            if (probed or item.fact == IN_USE) and item.value != "none":
                return item.value
        return ""

    @property
    def cuda_frameworks(self) -> tuple[tuple[Installed, CudaVersion], ...]:
        """The installed frameworks that were built with CUDA, and with which."""
        return tuple((item, item.cuda) for item in self.scene.leading if isinstance(item.cuda, CudaVersion))

    @property
    def repository(self) -> Repository | None:
        """NVIDIA's repository for this system and processor; None: no row knows one."""
        family = "wsl" if self.scene.in_wsl and self.family == "ubuntu" else self.family
        for row in self.facts.repositories:
            if row.family == family and row.release in ("", self.release):
                return row if self.scene.target.arch in row.arches else None
        return None

    def sighted(self, *facts: str) -> Sighting | None:
        """The last word on one of these facts."""
        return next((item for item in reversed(self.scene.machine.sightings) if item.fact in facts), None)

    def bound(self, name: str) -> str:
        """A bound of the facts; empty where the catalog has none of that id."""
        row = self.facts.bound(name)
        return row.value if row else ""

    def sources(self, *ids: str) -> tuple[str, ...]:
        """Sources of the facts and of the catalog, in words."""
        return (*self.facts.words(*ids), *self.scene.sources(ids))

    def package(self, *beginnings: str) -> SystemPackage | None:
        """The first installed package whose name begins with one of these."""
        return next((item for item in self.scene.packages if item.name.startswith(beginnings)), None)


def of_sighting(seen: Sighting) -> Evidence:
    """A sighting as evidence."""
    return Evidence(fact=seen.fact, value=seen.value, source=seen.source)


def of_toolkits(toolkits: tuple[Toolkit, ...]) -> Iterator[Evidence]:
    """CUDA toolkits on disk as evidence."""
    for item in toolkits:
        version = "of unknown version" if isinstance(item.version, Unknown) else str(item.version)
        yield Evidence(fact="CUDA toolkit", value=version, source=item.path or item.found_via)


def of_tool(name: str, version: str, path: str) -> Evidence:
    """A program as evidence."""
    return Evidence(fact=name, value=version or "there", source=path)


def of_system(fact: str, value: object, source: str = "the system") -> Evidence:
    """A fact of the system as evidence."""
    return Evidence(fact=fact, value=str(value), source=source)
