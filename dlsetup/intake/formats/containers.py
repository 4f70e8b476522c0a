"""How containers are started: `docker run`, a pod, a compose file; what a Dockerfile begins with.

docker run --gpus all -it --shm-size=8g -v $(pwd):/workspace trainer:v1 bash
FROM nvidia/cuda:11.8.0-cudnn8-devel-ubuntu20.04 AS build
        nvidia.com/gpu: 4
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, shown
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.model.record import UNKNOWN
from dlsetup.model.report import Contained

_RUN = re.compile(r"\b(?:docker|podman|nvidia-docker) (?:container )?run (.{1,2000})")
_SIZE = re.compile(r"(?:--shm-size[= ]|shm_size: ?)[\"']?(\d{1,12}) ?([kKmMgG]?)")
_FROM = re.compile(r"^\s{0,4}FROM (?:--platform=\S{1,40} )?(\S{1,200})(?: (?:AS|as) (\S{1,60}))?\s*$")
_ARG = re.compile(r"^\s{0,4}ARG (\w{1,60})=[\"']?([^\s\"']{1,200})")
_IMAGE = re.compile(r"^\s{0,40}-?\s?image: ?[\"']?([^\s\"']{1,200})")
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30}


@reads("docker run", "docker run", "podman run", "container run")
def runs(page: Page) -> Iterator[Fact]:
    """Each command, with the lines that a backslash joins to it."""
    for place, line in enumerate(page.lines):
        if not (found := _RUN.search(line.text)):
            continue
        words, following = found[1], place + 1
        while words.endswith("\\") and following < min(len(page.lines), place + 40):
            words = f"{words[:-1]} {page.lines[following].text}"
            following += 1
        yield shown("container", _started(words, line), line)


@reads("Dockerfile", "FROM ")
def dockerfile(page: Page) -> Iterator[Fact]:
    """The image of the last stage, its variables filled in and names of stages followed."""
    arguments: dict[str, str] = {}
    stages: dict[str, str] = {}
    last: tuple[str, Line] | None = None
    for line in page.lines:
        if found := _ARG.match(line.text):
            arguments[found[1]] = found[2]
        elif found := _FROM.match(line.text):
            image = _filled(found[1], arguments)
            image = stages.get(image, image)
            if found[2]:
                stages[found[2]] = image
            last = (image, line)
    if last is not None:
        item = Contained(kind="dockerfile", image=last[0], source=last[1].place)
        yield shown("container", item, last[1])


@reads("pod or compose file", "kind: Pod", "kind: Deployment", "kind: Job", "services:")
def files(page: Page) -> Iterator[Fact]:
    """The first container of the file."""
    line = next((item for item in page.lines if _IMAGE.match(item.text)), None)
    found = _IMAGE.match(line.text) if line else None
    if line is None or found is None:
        return
    pod = page.holds("containers:")
    memory = bool(re.search(r"mountPath: ?[\"']?/dev/shm", page.text))
    item = Contained(
        kind="pod" if pod else "compose",
        image=found[1],
        gpus=page.holds("nvidia.com/gpu", "driver: nvidia", "runtime: nvidia"),
        shm_bytes=UNKNOWN if memory else _size(page.text),
        host_ipc=page.holds("hostIPC: true", "ipc: host", 'ipc: "host"'),
        source=line.place,
    )
    yield shown("container", item, line)


def _started(words: str, line: Line) -> Contained:
    return Contained(
        kind="run",
        gpus="--gpus" in words or "--runtime=nvidia" in words or "nvidia.com/gpu" in words,
        shm_bytes=UNKNOWN if ":/dev/shm" in words else _size(words),
        host_ipc=bool(re.search(r"--ipc[= ]host", words)),
        devices=tuple(re.findall(r"--device[= ](\S{1,100})", words)[:40]),
        volumes=tuple(re.findall(r"(?:^|\s)(?:-v|--volume)[= ](\S{1,200})", words)[:40]),
        source=line.place,
    )


def _size(words: str) -> int | None:
    found = _SIZE.search(words)
    return int(found[1]) << _UNITS[found[2].lower()] if found else None


def _filled(image: str, arguments: dict[str, str]) -> str:
    return re.sub(r"\$\{?(\w{1,60})\}?", lambda found: arguments.get(found[1], found[0]), image)
