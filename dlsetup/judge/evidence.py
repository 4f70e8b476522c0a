"""The facts a finding shows, each with the place it was seen."""

from __future__ import annotations

from collections.abc import Iterable

from dlsetup.judge.demands import Demand
from dlsetup.judge.scene import Installed, Scene
from dlsetup.model.finding import Evidence
from dlsetup.model.machine import Distribution, Driver, Gpu, Library, SystemPackage
from dlsetup.model.record import Unknown
from dlsetup.model.report import Message, Observation
from dlsetup.rules.gpus import title_of


def of_driver(scene: Scene) -> tuple[Evidence, ...]:
    """Release and CUDA ceiling of the NVIDIA driver."""
    driver = scene.machine.driver
    if not isinstance(driver, Driver):
        return ()
    facts = {
        "NVIDIA driver, loaded module": "not loaded" if driver.module is None else driver.module,
        "NVIDIA driver, libraries": "not there" if driver.userland is None else driver.userland,
        "newest CUDA the driver knows": driver.cuda_ceiling,
    }
    known = {fact: value for fact, value in facts.items() if not isinstance(value, Unknown)}
    return tuple(
        Evidence(fact=fact, value=str(value), source=driver.found_via) for fact, value in known.items()
    )


def of_nvml(scene: Scene) -> tuple[Evidence, ...]:
    """The driver, and the error NVML answers with."""
    driver = scene.machine.driver
    said = driver.nvml_error if isinstance(driver, Driver) else None
    error = (Evidence(fact="NVML", value=said, source="NVML"),) if isinstance(said, str) else ()
    return (*of_driver(scene), *error)


def of_gpus(scene: Scene, gpus: Iterable[Gpu]) -> tuple[Evidence, ...]:
    hardware = scene.catalog.hardware
    return tuple(Evidence(fact="GPU", value=title_of(gpu, hardware), source=gpu.found_via) for gpu in gpus)


def of_distribution(distribution: Distribution) -> Evidence:
    variant = "" if isinstance(distribution.variant, Unknown) else f" ({distribution.variant})"
    via = f", {distribution.variant_via}" if distribution.variant_via else ""
    place = distribution.location or distribution.found_via
    source = f"{place}{via}" if place else via.lstrip(", ")
    return Evidence(fact=distribution.name, value=f"{distribution.version}{variant}", source=source)


def of_framework(installed: Installed) -> Evidence:
    return of_distribution(installed.distribution)


def of_library(library: Library) -> Evidence:
    version = "of unknown version" if isinstance(library.version, Unknown) else str(library.version)
    name = library.soname or {"cudnn": "cuDNN"}.get(library.library, library.library)
    return Evidence(fact=name, value=version, source=library.path or "the report")


def of_package(package: SystemPackage) -> Evidence:
    return Evidence(fact=package.name, value=package.version, source="the system's package list")


def of_variable(scene: Scene, name: str) -> Evidence:
    value = scene.machine.variable(name)
    return Evidence(
        fact=name, value=value if isinstance(value, str) else "unset", source="environment variable"
    )


def of_container(scene: Scene) -> tuple[Evidence, ...]:
    kind = scene.machine.system.container
    return (Evidence(fact="container", value=kind, source="the system"),) if isinstance(kind, str) else ()


def of_demand(demand: Demand) -> Evidence:
    value = f"asks for {demand.name}{demand.specifier}"
    return Evidence(fact=demand.owner.name, value=value, source=demand.owner.location or "its metadata")


def of_message(message: Message) -> Evidence:
    return Evidence(fact="message", value=message.text, source=message.source)


def of_observation(observation: Observation) -> Evidence:
    return Evidence(fact=observation.subject, value=observation.value, source=observation.source)
