"""Do two builds agree on the libraries they share, and on the files these write?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from dlsetup.model.framework import Build, Catalog, LibraryWheels
from dlsetup.model.hardware import Hardware, LibraryLine, Overlap
from dlsetup.model.record import Unknown
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.verdict import Verdict
from dlsetup.model.versions import ComputeCapability
from dlsetup.rules.combine import no, unknown, yes
from dlsetup.rules.gpus import capability_of, title_of
from dlsetup.rules.wheels import platform_fits, python_fits

PINS = "pins"
FILES = "files"


def libraries_of(build: Build, interpreter: Interpreter, target: Target) -> dict[str, SpecifierSet]:
    """What `build` asks of other distributions on this Python: canonical name to versions.

    Requirements whose marker does not hold are left out; so are those whose marker asks for what is
    not known of the target, because nothing can be proved with them.
    """
    environment = marker_environment(interpreter, target)
    asked: dict[str, SpecifierSet] = {}
    for text in build.requires:
        item = applying(text, environment)
        if item is not None:
            name = canonicalize_name(item.name)
            asked[name] = asked[name] & item.specifier if name in asked else item.specifier
    return asked


def pins_agree(
    first: Build, second: Build, interpreter: Interpreter, target: Target, catalog: Catalog
) -> Verdict:
    """Whether versions exist that satisfy both builds, for every distribution that both ask for.

    Of several that disagree the reason names one with an exact pin.
    """
    one, two = (libraries_of(build, interpreter, target) for build in (first, second))
    unsure = ""
    for name in sorted(one.keys() & two.keys(), key=lambda name: (not _exact(one[name] & two[name]), name)):
        answer = versions_exist((one[name], two[name]), versions_of(name, catalog))
        asks = f"{first.framework} {first.version} asks for {name}{one[name]}"
        text = f"{asks} and {second.framework} {second.version} for {name}{two[name]}"
        if answer == "no":
            return no(PINS, text, *first.sources, *second.sources)
        if answer == "unknown":
            unsure = unsure or text
    return unknown(PINS, unsure) if unsure else yes(PINS)


def files_apart(
    first: Mapping[str, SpecifierSet], second: Mapping[str, SpecifierSet], catalog: Catalog
) -> Verdict:
    """Whether no distribution of one side writes the files of another one of the other side.

    Each side is what it asks for: canonical name to versions.
    """
    for row in catalog.hardware.overlaps:
        mine, yours = (
            [name for name in sorted(asked) if may_write(row, name, asked[name], catalog)]
            for asked in (first, second)
        )
        pair = sorted({*mine, *yours})
        if mine and yours and len(pair) > 1:
            return no(FILES, f"{' and '.join(pair)} both write {row.path}", row.source)
    return yes(FILES)


def overlap_of(distribution: str, hardware: Hardware) -> Overlap | None:
    """The row that names the files this distribution shares with its siblings."""
    return next((row for row in hardware.overlaps if distribution in row.distributions), None)


def may_write(row: Overlap, distribution: str, asked: SpecifierSet, catalog: Catalog) -> bool:
    """Whether a version that is asked for may write the files that the row names."""
    if distribution not in row.distributions:
        return False
    known = versions_of(distribution, catalog)
    candidates = _exact(asked) if known is None else tuple(asked.filter(known, prereleases=True))
    return not candidates or any(row.writes(distribution, version) for version in candidates)


def versions_of(distribution: str, catalog: Catalog) -> tuple[Version, ...] | None:
    """Every version the registry has; None where the catalog does not list them."""
    return catalog.libraries.get(distribution)


def not_installable(
    distribution: str, interpreter: Interpreter, target: Target, catalog: Catalog
) -> frozenset[Version]:
    """Versions of a library that have neither a wheel for this Python on the target nor a source.

    A fact of the target that is not known refuses nothing, nor does a library of which nobody has read the
    tags.
    """
    rows = catalog.library_wheels.get(distribution, ())
    refused = [row.since for row in rows if not row.source and not _may_fit(row, interpreter, target)]
    if not refused:
        return frozenset()
    starts = [row.since for row in rows]
    versions = versions_of(distribution, catalog) or ()
    return frozenset(
        version
        for version in versions
        if next((since for since in starts if since <= version), None) in refused
    )


def versions_exist(asked: Sequence[SpecifierSet], known: tuple[Version, ...] | None) -> str:
    """`yes` if a known version satisfies all, `no` if none can, `unknown` if nobody can tell."""
    together = SpecifierSet()
    for item in asked:
        together &= item
    candidates = known if known is not None else _exact(together)
    if any(together.contains(version, prereleases=True) for version in candidates):
        return "yes"
    if known is not None or _exact(together):
        return "no"
    return "no" if _disjoint(together) else "unknown"


def library_serves(distribution: str, version: Version, target: Target, hardware: Hardware) -> Verdict:
    """Whether this version of a CUDA library supports every NVIDIA GPU: cuDNN 9.11 dropped Volta."""
    rule = "library"
    for row, least in lines_of(distribution, hardware):
        if not row.versions.contains(version, prereleases=True) or isinstance(target.gpus, Unknown):
            continue
        for gpu in target.gpus:
            capability = capability_of(gpu, hardware)
            if gpu.vendor == "nvidia" and not isinstance(capability, Unknown) and capability < least:
                text = f"{distribution} {row.versions} needs a GPU of {least.sm} or newer"
                return no(rule, f"{text}, not {title_of(gpu, hardware)}", row.source)
    return yes(rule)


def lines_of(distribution: str, hardware: Hardware) -> list[tuple[LibraryLine, ComputeCapability]]:
    """The lines of a distribution of which it is known which GPUs they support, with the oldest one."""
    return [
        (row, row.min_capability)
        for row in hardware.libraries
        if row.distribution == distribution and not isinstance(row.min_capability, Unknown)
    ]


def marker_environment(interpreter: Interpreter, target: Target) -> dict[str, str] | None:
    """The names that markers ask for, of a CPython on the target; None if the platform is not known."""
    if isinstance(target.os, Unknown) or isinstance(target.arch, Unknown):
        return None
    system, platform = {
        "linux": ("Linux", "linux"),
        "windows": ("Windows", "win32"),
        "macos": ("Darwin", "darwin"),
    }[target.os]
    machine = {("windows", "x86_64"): "AMD64", ("macos", "aarch64"): "arm64"}.get((target.os, target.arch))
    version = interpreter.version
    minor = f"{version.major}.{version.minor}"
    return {
        "python_version": minor,
        "python_full_version": str(version) if len(version.release) > 2 else f"{minor}.99",
        "implementation_name": "cpython",
        "implementation_version": minor,
        "platform_python_implementation": "CPython",
        "platform_system": system,
        "sys_platform": platform,
        "os_name": "nt" if target.os == "windows" else "posix",
        "platform_machine": machine or target.arch,
        "platform_release": "",
        "platform_version": "",
        "extra": "",
    }


def applying(text: str, environment: dict[str, str] | None) -> Requirement | None:
    """The requirement, if it surely applies; None if its marker refuses or cannot be told."""
    try:
        item = Requirement(text)
    except InvalidRequirement:
        return None
    if item.marker is None:
        return item
    if environment is None:
        return None
    return item if item.marker.evaluate(environment) else None


def _may_fit(row: LibraryWheels, interpreter: Interpreter, target: Target) -> bool:
    return any(
        python_fits(wheels, interpreter) and not platform_fits(wheels.platform, target).refused
        for wheels in row.wheels
    )


def _exact(asked: SpecifierSet) -> tuple[Version, ...]:
    """Versions that are named with `==` (without a star)."""
    pins = [item.version for item in asked if item.operator in ("==", "===") and "*" not in item.version]
    return tuple(Version(pin) for pin in pins)


def _disjoint(asked: SpecifierSet) -> bool:
    """Whether the lower bounds lie above the upper ones."""
    lowest = [Version(item.version) for item in asked if item.operator in (">=", ">")]
    highest = [(Version(item.version), item.operator) for item in asked if item.operator in ("<", "<=")]
    if not lowest or not highest:
        return False
    top, operator = min(highest, key=lambda pair: (pair[0], pair[1] == "<="))
    strict = any(item.operator == ">" and Version(item.version) == top for item in asked)
    return max(lowest) > top or (max(lowest) == top and (operator == "<" or strict))
