"""Docker and the NVIDIA container toolkit, asked on their host; /dev/shm as `df` shows it.

$ which docker
/snap/bin/docker
cli-version: 1.9.0
docker info: Cgroup Driver: systemd, Cgroup Version: 2
 Runtimes: io.containerd.runc.v2 nvidia runc
shm              64M     0   64M   0% /dev/shm
(container) $ nvidia-smi
$ docker compose up --build
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, observed, shown
from dlsetup.intake.page import Page
from dlsetup.intake.reading import reads

_SNAP = re.compile(
    r"(?:^|\s)/snap/bin/docker\b|^docker\s{1,20}\d\S{1,20}\s{1,20}\d{1,6}\s.{0,60}canonical|/var/snap/docker/|^docker\.dockerd\s{1,20}(?:enabled|disabled)\b"
)
_TOOLKIT = re.compile(
    r"(?:\bcli-version: |NVIDIA Container (?:Toolkit CLI|Runtime Hook) version )(\d[\w.~-]{1,20})"
)
_RUNTIMES = re.compile(r"^\s{0,4}Runtimes: (\S.{0,200})$")
_CGROUPS = re.compile(r"Cgroup Driver: (systemd|cgroupfs)\b")
_SHM = re.compile(r"^(?:shm|tmpfs|none)\s{1,40}([\d.]{1,12})([KMGT]?)\S{0,2}\s.{0,80}\s/dev/shm\s*$")
_INSIDE = re.compile(r"^\s{0,4}\(container\) ?[$#]|\broot@[0-9a-f]{12}:|\bdocker exec\b")
_TYPED = re.compile(
    r"(?:^|[$#>%`] ?)\s{0,4}(?:sudo )?"
    r"(docker compose|docker-compose|docker|podman|nerdctl|kubectl|crictl|ctr|apptainer|singularity) "
    r"(?:--?\w\S{0,40} (?:[^\s-]\S{0,80} )?){0,3}"
    r"(?:up|run|build|exec|apply|get|logs|describe|shell|start|pull|inspect)\b"
)
_TOOLS = {
    "docker compose": "compose",
    "docker-compose": "compose",
    "podman": "podman",
    "nerdctl": "nerdctl",
    "kubectl": "kubernetes",
    "crictl": "kubernetes",
    "ctr": "containerd",
    "apptainer": "apptainer",
    "singularity": "singularity",
}
_UNITS = {"": 10, "K": 10, "M": 20, "G": 30, "T": 40}


@reads("Docker's host", "docker", "cli-version", "NVIDIA Container", "Cgroup Driver", "Runtimes:")
def host(page: Page) -> Iterator[Fact]:
    """Where Docker comes from, what it can start, and the version of the toolkit."""
    for line in page.lines:
        if _SNAP.search(line.text):
            yield shown("docker.snap", True, line)
        if found := _TOOLKIT.search(line.text):
            yield shown("docker.nvidia_toolkit", found[1], line)
        if found := _RUNTIMES.match(line.text):
            yield shown("docker.runtimes", tuple(found[1].split()), line)
        if found := _CGROUPS.search(line.text):
            yield observed("docker.cgroup_driver", found[1], line)


@reads("inside a container", "(container)", "root@", "docker exec")
def inside(page: Page) -> Iterator[Fact]:
    """Commands that were typed inside a container."""
    line = next((item for item in page.lines if _INSIDE.search(item.text)), None)
    if line is not None:
        yield observed("container.prompt", line.text.strip()[:80], line)


@reads("tools of containers", *_TOOLS, "docker ")
def tools(page: Page) -> Iterator[Fact]:
    """The tool that starts containers, by the commands that are typed; the last one counts."""
    for line in page.lines:
        if found := _TYPED.search(line.text[:400]):
            yield observed("container.tool", _TOOLS.get(found[1], found[1]), line)


@reads("df /dev/shm", "/dev/shm")
def shared_memory(page: Page) -> Iterator[Fact]:
    """The size in bytes; without a unit `df` counts in KiB."""
    for line in page.lines:
        if found := _SHM.match(line.text):
            try:
                size = float(found[1])
            except ValueError:
                continue
            yield shown("system.shm_bytes", int(size * 2 ** _UNITS[found[2]]), line)
