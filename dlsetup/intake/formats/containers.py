"""How containers are started by a command: `docker run`, `podman run`, `apptainer exec`.

docker run --gpus all -it --shm-size=8g -v $(pwd):/workspace trainer:v1 bash
singularity exec --nv pytorch_24.01.sif python train.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, shown
from dlsetup.intake.formats.run_words import image_and_command, option, settings
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.intake.sizes import size_in
from dlsetup.model.record import UNKNOWN
from dlsetup.model.report import Contained

_RUN = re.compile(r"\b(docker|podman|nerdctl) (?:container )?run (.{1,2000})")
_APPTAINER = re.compile(r"\b(apptainer|singularity) (?:run|exec|shell) (.{1,2000})")
_SIZE = re.compile(r"--shm-size[= ][\"']?([\w.]{1,16})")
_GPUS = re.compile(r"--gpus\b|--runtime[= ]nvidia\b|nvidia\.com/gpu|--device[= ]/dev/nvidia")


@reads("docker run", "docker run", "podman run", "nerdctl run", "container run")
def runs(page: Page) -> Iterator[Fact]:
    """Each command, with the lines that a backslash joins to it."""
    for place, line in enumerate(page.lines):
        if found := _RUN.search(line.text):
            yield shown("container", _started(found[1], _joined(page, place, found[2]), line), line)


@reads("apptainer exec", "apptainer ", "singularity ")
def apptainer_runs(page: Page) -> Iterator[Fact]:
    """`--nv` hands NVIDIA GPUs over; /dev/shm is that of the host."""
    for place, line in enumerate(page.lines):
        if found := _APPTAINER.search(line.text):
            words = _joined(page, place, found[2])
            gpus = bool(re.search(r"(?:^|\s)--(?:nv|nvccli|rocm)\b", words))
            item = Contained(kind="apptainer", tool=found[1], gpus=gpus, host_ipc=True, source=line.place)
            yield shown("container", item, line)


def _joined(page: Page, place: int, words: str) -> str:
    following = place + 1
    while words.endswith("\\") and following < min(len(page.lines), place + 40):
        words = f"{words[:-1]} {page.lines[following].text}"
        following += 1
    return words


def _started(tool: str, words: str, line: Line) -> Contained:
    size = _SIZE.search(words)
    image, command = image_and_command(words)
    return Contained(
        kind="run",
        tool=tool,
        image=image or UNKNOWN,
        command=command,
        platform=option(words, "--platform"),
        settings=settings(words),
        gpus=bool(_GPUS.search(words)),
        shm_bytes=UNKNOWN if ":/dev/shm" in words else size_in(size[1]) if size else None,
        host_ipc=bool(re.search(r"--ipc[= ]host", words)),
        devices=tuple(re.findall(r"--device[= ](\S{1,100})", words)[:40]),
        volumes=tuple(re.findall(r"(?:^|\s)(?:-v|--volume)[= ](\S{1,200})", words)[:40]),
        source=line.place,
    )
