"""Containers that a file describes: every service of a compose file, every container of a pod.

services:
  trainer:
    image: nvcr.io/nvidia/pytorch:24.05-py3
    shm_size: "8gb"
    environment:
      - NVIDIA_VISIBLE_DEVICES=all
    deploy: {resources: {reservations: {devices: [{driver: nvidia, capabilities: [gpu]}]}}}

kind: Pod
spec:
  initContainers:
  - image: busybox
  containers:
  - name: server
    image: vllm/vllm-openai:v0.6.3
    env:
    - name: CUDA_VISIBLE_DEVICES
      value: "0"
    resources:
      limits:
        nvidia.com/gpu: 1
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from dlsetup.intake.fact import Fact, shown, told
from dlsetup.intake.formats.variables import OF_DEVICES, READ
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.intake.sizes import size_in
from dlsetup.model.machine import Variable
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.report import Contained

_SERVICES = re.compile(r"^(\s{0,40})services:\s*(?:#.*)?$")
_SERVICE = re.compile(r"^\s{1,40}[\"']?([\w.-]{1,80})[\"']?:\s*(?:[#&].*)?$")
_CONTAINERS = re.compile(r"^(\s{0,60}(?:- )?)containers:\s*(?:#.*)?$")
_IMAGE = re.compile(r"^\s{0,60}(?:- )?\s?image: ?[\"']?([^\s\"'#]{1,200})")
_SIZE = re.compile(r"^\s{0,60}shm_size: ?[\"']?([\w.]{1,16})")
_GPU = re.compile(
    r"(?:nvidia|amd)\.com/gpu|\b(?:driver|runtime): ?[\"']?(?:\$\{\w{1,40}:?-)?nvidia\b"
    r"|^\s{1,60}gpus: ?[\"']?(?:all|\d|$)|capabilities: ?\[[^\]]{0,60}\bgpu\b"
    r"|/dev/(?:nvidia|kfd|dri|dxg|davinci)"
)
_ELSEWHERE = re.compile(
    r"<<: ?\*|^\s{1,60}(?:extends|claims|runtime|gpus|devices): ?(?:$|[\"']?\$|\w{1,80}$)"
    r"|privileged: ?true|\{\{|hostPath"
)
"""Lines that may hand over GPUs in another place, or in words that nobody here can read."""
_SHARED = re.compile(r"/dev/shm\b")
_HOST = re.compile(r"^\s{0,60}ipc: ?[\"']?host\b")
_VALUE = re.compile(r"^\s{0,60}(?:- ?)?[\"']?(\w{1,60})(?:=| ?: )[\"']?(.{0,2000}?)[\"']?\s*$")
_PLATFORM = re.compile(r"^\s{0,60}platform: ?[\"']?(linux/[\w/]{1,20})")
_BUILT = re.compile(r"^\s{0,60}build:")
_STARTS = re.compile(r"^\s{0,60}(?:- )?(?:entrypoint|command|args): ?(.{0,2000})$")
_NAMED = re.compile(r"^\s{0,60}- ?name: ?[\"']?(\w{1,60})[\"']?\s*$")
_ITS_VALUE = re.compile(r"^\s{0,60}value: ?[\"']?(.{0,2000}?)[\"']?\s*$")
MOST = 200
"""Containers of one page."""
LONGEST = 4000
"""Lines of one block."""


@reads("pod or compose file", "containers:", "services:")
def files(page: Page) -> Iterator[Fact]:
    """Each container that names an image or asks for GPUs; variables on which all that ask for GPUs agree."""
    variables: dict[str, dict[str, Line]] = {}
    for kind, lines in _blocks(page):
        item = _contained(kind, lines, page)
        if item is not None:
            yield shown("container", item, lines[0])
            told_here = _variables(lines) if item.gpus is True else ()
            for name, value, line in (one for one in told_here if one[0] in READ):
                variables.setdefault(name, {}).setdefault(value, line)
    for name, values in variables.items():
        if len(values) == 1:
            value, line = next(iter(values.items()))
            yield told("variable", Variable(name=name, value=value, found_via=line.place), line)


def _blocks(page: Page) -> Iterator[tuple[str, list[Line]]]:
    """The lines of each container; those of `initContainers` end before the GPU is used."""
    count = 0
    for place, line in enumerate(page.lines):
        if found := _SERVICES.match(line.text):
            kind, blocks = "compose", _services(_below(page, place), len(found[1]))
        elif found := _CONTAINERS.match(line.text):
            kind, blocks = "pod", _items(_below(page, place), len(found[1]))
        else:
            continue
        for block in blocks:
            count += 1
            if count > MOST:
                return
            yield kind, block


def _below(page: Page, place: int) -> Iterator[Line]:
    """The lines that follow, as many as anybody writes under one word."""
    return (page.lines[number] for number in range(place + 1, min(len(page.lines), place + LONGEST)))


def _services(lines: Iterable[Line], outer: int) -> Iterator[list[Line]]:
    """The blocks below `services:`, each begun by a name at the same depth."""
    depth = -1
    block: list[Line] = []
    for line in lines:
        indent = _indent(line)
        if indent is None:
            continue
        if indent <= outer:
            break
        depth = indent if depth < 0 else depth
        if indent == depth and _SERVICE.match(line.text):
            if block:
                yield block
            block = []
        block.append(line)
    if block:
        yield block


def _items(lines: Iterable[Line], outer: int) -> Iterator[list[Line]]:
    """The items of the list below `containers:`; a dash may stand as far left as the word itself."""
    depth = -1
    block: list[Line] = []
    for line in lines:
        indent = _indent(line)
        if indent is None:
            continue
        dash = line.text.lstrip().startswith("- ")
        if depth < 0 and (not dash or indent < outer):
            break
        depth = indent if depth < 0 else depth
        if indent < depth or (indent == depth and not dash):
            break
        if indent == depth and block:
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _indent(line: Line) -> int | None:
    """Blanks before the first letter; None: the line says nothing."""
    text = line.text.lstrip()
    return None if not text or text.startswith("#") else len(line.text) - len(text)


def _contained(kind: str, lines: Sequence[Line], page: Page) -> Contained | None:
    image = next((found[1] for line in lines if (found := _IMAGE.match(line.text))), None)
    gpus = _gpus(kind, lines, page)
    built = kind == "compose" and any(_BUILT.match(line.text) for line in lines)
    if image is None and gpus is not True and not built:
        return None
    size = next((found[1] for line in lines if (found := _SIZE.match(line.text))), None)
    mounted = any(_SHARED.search(line.text) for line in lines)
    host = any(_HOST.match(line.text) for line in lines)
    named = _SERVICE.match(lines[0].text) if kind == "compose" else None
    return Contained(
        kind="pod" if kind == "pod" else "compose",
        name=named[1] if named else "",
        image=image or UNKNOWN,
        built=built,
        gpus=gpus,
        shm_bytes=UNKNOWN if mounted else size_in(size) if size else None,
        host_ipc=host or (kind == "pod" and page.holds("hostIPC: true")),
        platform=next((found[1] for line in lines if (found := _PLATFORM.match(line.text))), ""),
        command=_command(lines),
        settings=tuple(
            f"{name}={value}" for name, value, _ in _variables(lines) if OF_DEVICES.fullmatch(name)
        )[:40],
        source=lines[0].place,
    )


def _gpus(kind: str, lines: Sequence[Line], page: Page) -> bool | Unknown:
    """Whether they are asked for; unknown where another place may do it."""
    if any(_GPU.search(line.text) for line in lines) or _lists_gpu(lines):
        return True
    if kind == "pod" and page.holds("runtimeClassName: nvidia"):
        return True
    return UNKNOWN if any(_ELSEWHERE.search(line.text) for line in lines) else False


def _lists_gpu(lines: Sequence[Line]) -> bool:
    """`capabilities:` with `- gpu` on a line of its own."""
    inside = False
    for line in lines:
        if inside and re.match(r"\s{0,60}- ?[\"']?gpu\b", line.text):
            return True
        inside = (inside and line.text.lstrip().startswith("- ")) or bool(
            re.match(r"\s{0,60}(?:- )?capabilities:\s*$", line.text)
        )
    return False


def _command(lines: Sequence[Line]) -> str:
    """What stands behind `entrypoint:`, `command:` and `args:`, and in the lines below that are deeper."""
    words: list[str] = []
    depth = -1
    for line in lines:
        indent = len(line.text) - len(line.text.lstrip())
        if found := _STARTS.match(line.text):
            depth = indent
            words.append(found[1])
        elif depth >= 0 and (indent > depth or (indent == depth and line.text.lstrip().startswith("- "))):
            words.append(line.text.strip().removeprefix("- "))
        else:
            depth = -1
    return re.sub(r"[\"'\[\],|>]+", " ", " ".join(words))[:2000].strip()


def _variables(lines: Sequence[Line]) -> Iterator[tuple[str, str, Line]]:
    """`- NAME=value`, `NAME: value`, or a name and its value on two lines; names are in capitals."""
    name = ""
    for line in lines:
        found, its = _VALUE.match(line.text), _ITS_VALUE.match(line.text)
        if name and its:
            yield name, its[1], line
        elif found and found[1].isupper():
            yield found[1], found[2], line
        named = _NAMED.match(line.text)
        name = named[1] if named else ""
