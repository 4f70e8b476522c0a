"""The least change, by trying every set of tiny wheels: a second opinion that knows nothing of dlsetup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from tiny.faults import Fault, Moves
from tiny.wheels import TinyWheel
from tiny.world import shelves

Cost = tuple[int, int, int]
"""Frameworks of another release, frameworks of another build, distributions that come, go or change."""
FRAMEWORKS = ("torch", "torchvision", "jax", "onnxruntime", "onnxruntime-gpu", "tensorflow")
TWINS = ("onnxruntime", "onnxruntime-gpu")
LIBRARIES = ("jax-cuda12-plugin", "nvidia-cudnn-cu12", "nvidia-cudnn-cu13", "onnxruntime-gpu")
"""What may come, where something asks for it, and may go."""
Chosen = dict[str, TinyWheel]


def changed(moves: Moves) -> Cost:
    """What a repair costs; what is only written again costs nothing."""
    real = {name: pair for name, pair in moves.items() if pair[0] != pair[1]}
    frameworks = [pair for name, pair in real.items() if name in FRAMEWORKS and name not in TWINS]
    releases = sum(_public(before) != _public(after) for before, after in frameworks)
    return releases, len(frameworks), len(real)


def least(versions: Mapping[str, str], fault: Fault) -> Cost:
    """The cheapest set of wheels that works on the machine of the fault."""
    return min(changed(_moves(versions, chosen)) for chosen in _sets(versions) if _works(chosen, fault))


def _sets(versions: Mapping[str, str]) -> Iterator[Chosen]:
    """Every set: what is installed stays in some version, libraries and twins may come and go."""
    wheels: dict[str, dict[str, TinyWheel]] = {}
    for index, shelf in shelves().items():
        for wheel in shelf:
            if index == "default" or wheel.name != "numpy":
                wheels.setdefault(canonicalize_name(wheel.name), {})[wheel.version] = wheel
    free = {name for name in LIBRARIES if name in wheels and _asked(name, versions)}
    names = sorted({*versions, *free})
    options: list[list[TinyWheel | None]] = [
        [*wheels[name].values(), *([None] if name in (*LIBRARIES, *TWINS) else [])] for name in names
    ]
    for found in product(*options):
        yield {name: wheel for name, wheel in zip(names, found, strict=True) if wheel is not None}


def _asked(name: str, versions: Mapping[str, str]) -> bool:
    """Whether it concerns something installed, so that the sets stay few."""
    users = {"jax-cuda12-plugin": "jax", "onnxruntime-gpu": "onnxruntime"}
    return users.get(name, name) in versions or name.startswith("nvidia-cudnn")


def _works(chosen: Chosen, fault: Fault) -> bool:
    names = set(chosen)
    if {"nvidia-cudnn-cu12", "nvidia-cudnn-cu13"} <= names or set(TWINS) <= names:
        return False
    asked = ((text, extras) for wheel, extras in _with_extras(chosen, fault) for text in wheel.requires)
    whole = all(_is_met(text, chosen, extras) for text, extras in asked)
    return whole and _serves(chosen, fault) and _in_step(chosen)


def _with_extras(chosen: Chosen, fault: Fault) -> Iterator[tuple[TinyWheel, set[str]]]:
    """Extras are asked for where there is a GPU, or where the plugin is there."""
    for wheel in chosen.values():
        wanted = fault.gpu is not None or (wheel.name == "jax" and "jax-cuda12-plugin" in chosen)
        yield wheel, set(wheel.extras) if wanted else set()


def _is_met(text: str, chosen: Chosen, extras: set[str]) -> bool:
    wanted = Requirement(text)
    if wanted.marker and not any(wanted.marker.evaluate({"extra": extra}) for extra in (*extras, "")):
        return True
    found = chosen.get(canonicalize_name(wanted.name))
    return found is not None and wanted.specifier.contains(found.version, prereleases=True)


def _serves(chosen: Chosen, fault: Fault) -> bool:
    """Whether torch and ONNX Runtime use the GPU that is there, and only that."""
    variants = {_variant(wheel) for name, wheel in chosen.items() if name in ("torch", "torchvision")}
    if len(variants) > 1:
        return False
    if fault.gpu is None:
        return "onnxruntime" in chosen or "onnxruntime-gpu" in chosen or not _has_twin(fault)
    _, capability, driver = fault.gpu
    serving = {
        variant
        for variant, newest, oldest_driver in (("cu126", "9.0", 525), ("cu130", "12.1", 580))
        if Version(capability) <= Version(newest) and int(driver.split(".")[0]) >= oldest_driver
    }
    return variants <= serving and ("onnxruntime-gpu" in chosen or not _has_twin(fault))


def _has_twin(fault: Fault) -> bool:
    return any(text.startswith("onnxruntime") for _, *texts in fault.puts for text in texts)


def _in_step(chosen: Chosen) -> bool:
    parts = [chosen[name].version for name in ("jaxlib", "jax-cuda12-plugin") if name in chosen]
    return len(set(parts)) < 2


def _variant(wheel: TinyWheel) -> str:
    return Version(wheel.version).local or "cu130"


def _moves(versions: Mapping[str, str], chosen: Chosen) -> Moves:
    after = {name: wheel.version for name, wheel in chosen.items()}
    names = {*versions, *after}
    return {name: (versions.get(name), after.get(name)) for name in names}


def _public(version: str | None) -> str:
    return "" if version is None else Version(version).public
