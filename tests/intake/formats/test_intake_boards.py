"""AMD GPUs, Apple silicon and Jetson boards, as tools and people name them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlsetup.intake.fact import Fact
from dlsetup.intake.formats.boards import amd, apple, interpreter, jetson, mps
from dlsetup.intake.page import Page
from dlsetup.model.machine import Gpu

ROCMINFO = """\
*******
Agent 1
*******
  Name:                    AMD Ryzen 9 7950X 16-Core Processor
  Marketing Name:          AMD Ryzen 9 7950X 16-Core Processor
*******
Agent 2
*******
  Name:                    gfx1100
  Marketing Name:          AMD Radeon RX 7900 XTX
      Name:                    amdgcn-amd-amdhsa--gfx1100
"""


def facts(parser: object, text: str) -> list[Fact]:
    return list(parser.parser(Page(text, "paste")))  # type: ignore[attr-defined]


def test_a_processor_is_no_gpu() -> None:
    gpus = {fact.value.arch for fact in facts(amd, ROCMINFO)}
    names = {fact.value.name for fact in facts(amd, ROCMINFO) if isinstance(fact.value.name, str)}
    assert gpus == {"gfx1100"}
    assert names == {"AMD Radeon RX 7900 XTX"}


@pytest.mark.parametrize(
    "text", ["Apple M2 Max", "      Chipset Model: Apple M2 Max", "machdep.cpu.brand_string: Apple M2 Max"]
)
def test_the_chip_of_a_mac(text: str) -> None:
    found = {fact.about: fact.value for fact in facts(apple, text)}
    assert found["system.arch"] == "aarch64"
    assert isinstance(found["gpu"], Gpu)
    assert (found["gpu"].name, found["gpu"].arch) == ("Apple M2 Max", "apple-m2")


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("# R35 (release), REVISION: 4.1, GCID: 33958178, BOARD: t186ref, EABI: aarch64", "35.4.1"),
        ("Jetpack: 5.1.1 [L4T 35.3.1]", "35.3.1"),
        ("L4T: 36.4.0", "36.4.0"),
    ],
)
def test_the_release_of_a_board(text: str, release: str) -> None:
    found = next(fact.value for fact in facts(jetson, text) if fact.about == "observation")
    assert (found.subject, found.value) == ("tegra.release", release)


@pytest.mark.parametrize(("word", "arch"), [("10.16-x86_64-i386", "x86_64"), ("14.5-arm64-arm", "aarch64")])
def test_what_the_interpreter_was_built_for(word: str, arch: str) -> None:
    found = facts(interpreter, f"Platform: macOS-{word}-64bit")
    assert [(fact.about, fact.value) for fact in found] == [("environment.arch", arch)]


def test_mps_in_words() -> None:
    text = "Is MPS (Metal Performance Shader) built? True\nIs MPS available? False\n"
    found = {fact.value.subject: fact.value.value for fact in facts(mps, text)}
    assert found == {"torch.backends.mps.is_built": "True", "torch.backends.mps.is_available": "False"}


@given(st.lists(st.sampled_from([*ROCMINFO.splitlines(), "Apple M", "L4T", "MPS"]) | st.text(max_size=60)))
def test_nothing_in_a_text_raises(lines: list[str]) -> None:
    for parser in (amd, apple, interpreter, jetson, mps):
        facts(parser, "\n".join(lines))
