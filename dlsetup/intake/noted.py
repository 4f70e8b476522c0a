"""What notes need of a target beyond what builds do: `distro="Ubuntu 24.04"`, `kernel=`, `memory=32GB` …"""

from __future__ import annotations

import re

from msgspec.structs import replace

from dlsetup.intake.sizes import size_in
from dlsetup.intake.target import parse
from dlsetup.model.errors import UsageError
from dlsetup.model.machine import Driver, Gpu, Machine, Sighting, System, Wsl
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.report import Observation, Report
from dlsetup.model.target import Target
from dlsetup.model.versions import OsRelease

WORDS = ("distro", "kernel", "memory", "secureboot", "l4t")
_ITEM = re.compile(
    r"""(?:^|,)\s*(distro|kernel|memory|secureboot|l4t)\s*=\s*("[^"]*"|'[^']*'|[^,"']*)\s*(?=,|$)"""
)
_RELEASE = re.compile(r"\d{1,5}(?:\.\d{1,5}){0,2}")
_L4T = re.compile(r"\d{2}\.\d{1,2}(?:\.\d{1,2})?")
SAID = "--target"


class Noted(Record, frozen=True, kw_only=True):
    """The words of a target, taken apart."""

    rest: str
    """What every target may say."""
    said: dict[str, str]


def machine_in_words(words: str) -> Machine:
    """The machine that words describe; what they do not say is unknown. Raises `UsageError`."""
    noted = _taken(words)
    target = parse(noted.rest) if noted.rest else Target()
    return Machine(
        system=_system(target, noted.said),
        driver=_driver(target),
        gpus=_gpus(target),
        sightings=tuple(_sightings(noted.said)),
        report=_report(noted.said),
    )


def _taken(words: str) -> Noted:
    said: dict[str, str] = {}
    for word, value in _ITEM.findall(words):
        text = value.strip().strip("\"'").strip()
        if word in said:
            raise UsageError(f"`{word}` is said twice in the target", hint="say it once")
        if not text or len(text) > 100 or not text.isprintable():
            raise UsageError(
                f"nothing that can be read follows `{word}=`", hint='write `distro="Ubuntu 24.04"`'
            )
        said[word] = text
    return Noted(rest=_ITEM.sub("", words).strip().strip(",").strip(), said=said)


def _system(target: Target, said: dict[str, str]) -> System:
    board = "l4t" in said
    linux = board or "distro" in said
    if linux and target.os in ("windows", "macos"):
        raise UsageError(f"the target is said to be {target.os} and Linux at once", hint="name one system")
    release = _RELEASE.search(said.get("distro", ""))
    wsl = UNKNOWN if isinstance(target.wsl, Unknown) else Wsl(version=2) if target.wsl else None
    return System(
        os="linux" if linux else target.os,
        name=said.get("distro", UNKNOWN),
        release=OsRelease(release[0]) if release else target.release,
        kernel=said.get("kernel", UNKNOWN),
        arch="aarch64" if board and isinstance(target.arch, Unknown) else target.arch,
        libc=target.libc,
        memory_bytes=_memory(said),
        wsl=None if linux and isinstance(wsl, Unknown) else wsl,
        container=UNKNOWN if isinstance(target.os, Unknown) and not linux else None,
    )


def _memory(said: dict[str, str]) -> int | Unknown:
    if "memory" not in said:
        return UNKNOWN
    size = size_in(said["memory"])
    if not size:
        raise UsageError(f"cannot read the memory `{said['memory']}`", hint="write `memory=32GB`")
    return size


def _driver(target: Target) -> Driver | None | Unknown:
    """Words say one release: that of module and libraries, which are then taken to work together."""
    if target.driver is None:
        return None
    if isinstance(target.driver, Unknown):
        if isinstance(target.cuda_ceiling, Unknown):
            return UNKNOWN
        return Driver(cuda_ceiling=target.cuda_ceiling, found_via=SAID)
    module = UNKNOWN if target.wsl is True else target.driver
    return Driver(
        module=module,
        userland=target.driver,
        cuda_ceiling=target.cuda_ceiling,
        nvml_error=None,
        found_via=SAID,
    )


def _gpus(target: Target) -> tuple[Gpu, ...] | Unknown:
    if isinstance(target.gpus, Unknown):
        return UNKNOWN
    return tuple(replace(gpu, found_via=SAID) for gpu in target.gpus)


def _sightings(said: dict[str, str]) -> list[Sighting]:
    found = []
    if "secureboot" in said:
        words = {"on": "enabled", "yes": "enabled", "off": "disabled", "no": "disabled"}
        value = words.get(said["secureboot"].lower())
        if value is None:
            raise UsageError(f"cannot read `secureboot={said['secureboot']}`", hint="write on or off")
        found.append(Sighting(fact="secure boot", value=value, source=SAID))
    return found


def _report(said: dict[str, str]) -> Report:
    """The release of Jetson Linux, as reports tell it."""
    if "l4t" not in said:
        return Report()
    if not _L4T.fullmatch(said["l4t"]):
        raise UsageError(f"cannot read `l4t={said['l4t']}`", hint="write `l4t=36.4.3`")
    return Report(observations=(Observation(subject="tegra.release", value=said["l4t"], source=SAID),))
