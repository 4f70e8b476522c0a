"""GPUs and boards that are not NVIDIA cards: AMD, Apple silicon, Jetson.

  Name:                    gfx1100
  Marketing Name:          AMD Radeon RX 7900 XTX

Chipset Model: Apple M2 Max

# R35 (release), REVISION: 4.1, GCID: 33958178, BOARD: t186ref, EABI: aarch64
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, Weight, observed, shown
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.model.machine import Gpu
from dlsetup.model.processors import processor
from dlsetup.model.record import UNKNOWN

_GFX = re.compile(
    r"(?:\bName:\s{1,60}|GFX Version:\s{1,20}|gcnArchName\W{1,6}|Target Graphics Version:\s{1,20})"
    r"(gfx[0-9a-f]{3,4})\b"
)
_MARKETING = re.compile(r"(?:Marketing Name|Card [Ss]eries):\s{1,60}(\S.{1,60}?)\s*$")
_APPLE = re.compile(r"\bApple (M[1-9])( (?:Pro|Max|Ultra))?\b")
_PLATFORM = re.compile(r"\bmacOS-\d{2}\.[\d.]{1,6}-(x86_64|arm64)-")
_TEGRA = re.compile(r"#? ?R(\d{2}) \(release\), REVISION: (\d{1,2}(?:\.\d{1,2})?)")
_L4T = re.compile(r"(?:\bL4T:? ?|\bnvidia-l4t-core\s{1,40}|\[L4T )(\d{2}\.\d{1,2}(?:\.\d{1,2})?)")
_MPS = re.compile(r"(?i)\bMPS\b[^\n]{0,60}?\b(built|available)\W{1,6}(True|False)\b")


@reads("rocminfo and rocm-smi", "gfx")
def amd(page: Page) -> Iterator[Fact]:
    """Each GPU with its architecture; the processor is an agent too, and has none."""
    name = ""
    gfx = ""
    for line in page.lines:
        if found := _GFX.search(line.text):
            gfx = found[1]
            yield _amd(gfx, name, line)
        elif (found := _MARKETING.search(line.text)) and gfx:
            yield _amd(gfx, found[1], line)
            gfx = ""


def _amd(gfx: str, name: str, line: Line) -> Fact:
    """The architecture alone, then again with the product's name, in a listing of its own."""
    gpu = Gpu(vendor="amd", name=name or UNKNOWN, arch=gfx, found_via=line.place)
    return shown("gpu", gpu, line, group=f"rocm {'named ' if name else ''}{line.file}")


@reads("Apple silicon", "Apple M")
def apple(page: Page) -> Iterator[Fact]:
    """The chip, whatever tool or person names it: its processor is ARM, whatever Python says of itself."""
    for line in page.lines:
        found = _APPLE.search(line.text)
        if found:
            gpu = Gpu(vendor="apple", name=found[0], arch=f"apple-{found[1].lower()}", found_via=line.place)
            yield Fact("gpu", gpu, line.place, Weight.TOLD, "", "Apple")
            yield Fact("system.arch", "aarch64", line.place, Weight.SHOWN, "the chip is Apple's")
            yield Fact("system.os", "macos", line.place, Weight.INFERRED, "the chip is Apple's")
            return


@reads("platform of Python on a Mac", "macOS-")
def interpreter(page: Page) -> Iterator[Fact]:
    """`macOS-10.16-x86_64-i386-64bit`: what the interpreter was built for."""
    for line in page.lines:
        found = _PLATFORM.search(line.text)
        if found:
            yield shown("environment.arch", processor(found[1]), line)
            return


@reads("Jetson", "(release), REVISION", "L4T", "l4t")
def jetson(page: Page) -> Iterator[Fact]:
    """The release of Jetson Linux, which decides about the board's CUDA and Python."""
    for line in page.lines:
        found = _TEGRA.search(line.text)
        short = None if found else _L4T.search(line.text)
        release = f"{found[1]}.{found[2]}" if found else short[1] if short else ""
        if release:
            yield observed("tegra.release", release, line)
            yield Fact("system.arch", "aarch64", line.place, Weight.INFERRED, "the board is a Jetson")
            yield Fact("system.os", "linux", line.place, Weight.INFERRED, "the board is a Jetson")
            return


@reads("MPS in words", "MPS")
def mps(page: Page) -> Iterator[Fact]:
    """`Is MPS available? False`."""
    for line in page.lines:
        for found in _MPS.finditer(line.text):
            yield observed(f"torch.backends.mps.is_{found[1].lower()}", found[2].capitalize(), line)
