"""`jax.print_environment_info()`, and what `jax.devices()` prints in a log.

jax:    0.4.31
jaxlib: 0.4.30
numpy:  1.26.4
python: 3.11.9 (main, Apr 19 2024, 16:48:06) [GCC 11.2.0]
device info: NVIDIA A100-SXM4-40GB-1, 1 local devices"
process_count: 1
platform: uname_result(system='Linux', node='host', release='6.5.0-41', version='#41', machine='x86_64')
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import Version

from dlsetup.intake.fact import Fact, observed, shown
from dlsetup.intake.packages import installed
from dlsetup.intake.page import Page
from dlsetup.intake.reading import reads
from dlsetup.model.machine import Gpu
from dlsetup.model.processors import processor

_PART = re.compile(r"^\s{0,4}(jax|jaxlib|numpy): {1,8}(\d[\w.+]{0,40})\s*$")
_PYTHON = re.compile(r"^\s{0,4}python: {1,4}(\d\.\d{1,2}\.\d{1,2})")
_PLATFORM = re.compile(
    r"uname_result\(system='(Linux|Windows|Darwin)'.{0,120}?release='([^']{0,80})'.{0,200}?machine='([\w-]{1,20})'"
)
_INFO = re.compile(r"device info: (?P<name>[A-Za-z][\w .()-]{2,60}?)-(?P<count>\d{1,3}), ")
_DEVICES = re.compile(r"\[(?:(?:Cuda|Gpu|cuda|gpu|StreamExecutorGpu)\w{0,12}\(id=\d{1,3})")
_CPU_ONLY = re.compile(r"^\W{0,3}(?:.{0,60}: {0,2})?\[(?:Cpu|TFRT_CPU|CPU)\w{0,12}\(id=\d{1,3}\)\]\s*$")
_SYSTEMS = {"Linux": "linux", "Windows": "windows", "Darwin": "macos"}


@reads("jax.print_environment_info", "jaxlib:")
def environment_info(page: Page) -> Iterator[Fact]:
    """The releases of jax and its parts, Python and the system."""
    for line in page.lines:
        if found := _PART.match(line.text):
            yield from installed(found[1], found[2], line)
        elif found := _PYTHON.match(line.text):
            yield shown("environment.python", Version(found[1]), line)
        elif found := _PLATFORM.search(line.text):
            yield shown("system.os", _SYSTEMS[found[1]], line)
            yield shown("system.kernel", found[2], line)
            yield shown("system.arch", processor(found[3]), line)
        elif (found := _INFO.search(line.text)) and "cpu" not in found["name"].lower():
            gpu = Gpu(vendor="nvidia", name=found["name"], found_via=line.place)
            yield from (
                shown("gpu", gpu, line, group=f"jax {page.file}") for _ in range(int(found["count"]) % 65)
            )


@reads("devices of JAX", "(id=")
def devices(page: Page) -> Iterator[Fact]:
    """The devices that JAX uses, wherever a log shows the list."""
    for line in page.lines:
        value = "gpu" if _DEVICES.search(line.text) else "cpu" if _CPU_ONLY.match(line.text) else ""
        if value:
            yield observed("jax.devices", line.text.strip()[:200], line)
