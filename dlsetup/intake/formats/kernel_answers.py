"""What Linux answers when it is asked for NVIDIA's modules and devices, and that it answers nothing.

$ lsmod | grep nvidia
nvidia_uvm           1527808  0
nvidia              56508416  1534 nvidia_uvm,nvidia_modeset
$ lsmod | grep nvidia
$ lspci | grep -i nvidia
user@box:~$ nvidia-smi
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from dlsetup.intake.driver_inference import NONE
from dlsetup.intake.fact import Fact, Weight, observed, shown
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads

_PROMPT = re.compile(
    r"^\s{0,4}(?:[\w.@~:/()\[\] -]{0,80}[$#❯➜]|\(\w{1,40}\)) ?\S"
    r"|^[^\s@]{1,40}@\S{1,60}[:~].{0,80}[$#]"
)
_MODULES = re.compile(r"[$#❯➜] ?(?:sudo )?lsmod ?\| ?(?:e?grep|rg) (?:-\w{1,4} )?[\"']?\^?nvidia[\"']?\s*$")
_BUS = re.compile(
    r"[$#❯➜] ?(?:sudo )?lspci(?: -\w{1,4})? ?\| ?(?:e?grep|rg) (?:-\w{1,4} )?[\"']?"
    r"(?:nvidia|NVIDIA)[\"']?\s*$"
)
_LOADED = re.compile(r"^\W{0,4}nvidia\s{1,30}\d{5,10}\s{1,8}\d{1,6}\b")
_NOUVEAU = re.compile(r"^\W{0,4}nouveau\s{1,30}\d{5,10}\s{1,8}\d{1,6}\b")
_ELSEWHERE = (
    "WSL",
    "microsoft-standard",
    "/usr/lib/wsl",
    "docker exec",
    "(container)",
    "/.dockerenv",
    "modprobe nvidia",
)
"""Where the bus or the modules say nothing of the GPU, or the answer is no longer true."""


@reads("lsmod", "lsmod")
def modules(page: Page) -> Iterator[Fact]:
    """Whether modules are loaded, by the last answer on the page. An answer that is cut off is none."""
    last: Fact | None = None
    for line, after in pairwise(page.lines):
        if _MODULES.search(line.text) and _is_silent(after):
            last = shown(NONE, "none", line)
        elif _LOADED.match(line.text):
            last = observed("lsmod.nvidia", "loaded", line)
        elif _NOUVEAU.match(line.text) and not page.holds("\nnvidia "):
            yield shown("kernel driver in use", "nouveau", line)
    if last is not None and not (last.about == NONE and page.holds(*_ELSEWHERE)):
        yield last


@reads("lspci without an answer", "lspci")
def bus(page: Page) -> Iterator[Fact]:
    """That no device of NVIDIA is on the bus; virtual machines of WSL and containers do not show theirs."""
    for line, after in pairwise(page.lines):
        if _BUS.search(line.text) and _is_silent(after) and not page.holds(*_ELSEWHERE):
            yield Fact("gpus", (), line.place, Weight.TOLD, "`lspci` shows no device of NVIDIA")
            return


def _is_silent(after: Line) -> bool:
    """Whether the next prompt stands where the answer would be."""
    return bool(_PROMPT.match(after.text))
