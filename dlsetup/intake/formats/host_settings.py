"""Settings of a host: `.wslconfig` of Windows, `daemon.json` of Docker, links of `nvidia-smi topo -m`.

[wsl2]
memory=8GB
kernel=C:\\\\kernels\\\\bzImage

{ "default-runtime": "nvidia",
  "runtimes": { "nvidia": { "path": "nvidia-container-runtime", "runtimeArgs": [] } },
  "features": { "cdi": true } }

        GPU0    GPU1    CPU Affinity    NUMA Affinity
GPU0     X      NV12    0-31            0
GPU1    NV12     X      0-31            0
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, Weight, observed, shown, told
from dlsetup.intake.page import Page
from dlsetup.intake.reading import reads
from dlsetup.intake.sizes import size_in
from dlsetup.model.links import HEADING, links_in_row
from dlsetup.model.machine import Gpu

_SECTION = re.compile(r"^\s{0,4}\[(\w{2,20})\]\s*$")
_SETTING = re.compile(r"^\s{0,4}(memory|kernel)\s{0,4}=\s{0,4}(\S.{0,200}?)\s*$", re.IGNORECASE)
_RUNTIME = re.compile(
    r'"([\w.-]{1,40})"\s{0,40}:\s{0,40}\{\s{0,40}(?:"\w{1,20}"\s{0,8}:\s{0,8}\[\s{0,8}\],\s{0,40})?"path"'
)
_DEFAULT = re.compile(r'"default-runtime"\s{0,8}:\s{0,8}"([\w.-]{1,40})"')
_CDI = re.compile(r'"cdi"\s{0,8}:\s{0,8}(true|false)')


@reads(".wslconfig", "[wsl2]")
def wslconfig(page: Page) -> Iterator[Fact]:
    """The memory that Windows gives to WSL 2, and a kernel of somebody's own."""
    section = ""
    for line in page.lines:
        if head := _SECTION.match(line.text):
            section = head[1]
        elif section == "wsl2" and (found := _SETTING.match(line.text)):
            size = size_in(found[2])
            if found[1].lower() == "memory" and size:
                yield told("system.memory_bytes", size, line)
            elif found[1].lower() == "kernel":
                yield observed("wsl.kernel", found[2], line)


@reads("daemon.json", '"runtimes"', '"default-runtime"', '"cdi"')
def docker_daemon(page: Page) -> Iterator[Fact]:
    """The runtimes that Docker is told of, `runc` beside them. One that is not named may still be there."""
    text = page.text
    if not page.holds("runtime"):
        return
    names = {found[1]: found for found in _RUNTIME.finditer(text)}
    if any("nvidia" in name for name in names):
        line = page.line_at(next(iter(names.values())).start())
        yield shown("docker.runtimes", (*names, "runc"), line)
    for subject, pattern in (("docker.default_runtime", _DEFAULT), ("docker.features.cdi", _CDI)):
        if found := pattern.search(text):
            yield observed(subject, found[1], page.line_at(found.start()))


@reads("nvidia-smi topo -m", "GPU0")
def topology(page: Page) -> Iterator[Fact]:
    """How many GPUs there are, and by what each pair is linked."""
    inside = False
    links: list[str] = []
    for line in page.lines:
        if HEADING.match(line.text):
            inside, links = True, []
        elif inside and (row := links_in_row(line.text)):
            links += [f"GPU{link.first}-GPU{link.second} {link.kind}" for link in row[1]]
            gpu = Gpu(vendor="nvidia", found_via=line.place)
            yield Fact("gpu", gpu, line.place, Weight.TOLD, "", f"nvidia-smi topo {page.file}")
            last = line
        elif inside and links and not line.text.strip():
            yield observed("nvidia-smi.topo", ", ".join(links)[:400], last)
            inside, links = False, []
    if inside and links:
        yield observed("nvidia-smi.topo", ", ".join(links)[:400], last)
