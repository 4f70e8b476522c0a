"""What libraries say of their environment, and what tables and locks list.

- PyTorch version (GPU?): 2.4.0+cpu (False)
- `Accelerate` version: 0.33.0

| onnxruntime | 1.23.2 |

[[package]]
name = "torch"
version = "2.2.0"

ProductVersion:	12.7.6

Successfully installed jax-0.4.38 nvidia-cudnn-cu12-9.6.0.74
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, Weight, observed, shown
from dlsetup.intake.packages import installed
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.model.versions import OsRelease

_FRAMEWORK = re.compile(
    r"^\W{0,4}(PyTorch|Tensorflow|TensorFlow|Jax|JaxLib|Flax)[ \w]{0,30}version[^:]{0,20}: ?"
    r"(\d[\w.+]{1,30})(?: ?\((True|False|cpu|gpu|cuda|NA)\))?"
)
_OWN = re.compile(
    r"^\W{0,6}`?(transformers|[Aa]ccelerate|xFormers|xformers|bitsandbytes|[Nn]umpy|[Ss]afetensors|deepspeed"
    r"|flash_attn|triton)`?(?: (?:library|package))? ?versions?\W{1,6}(\d[\w.+]{1,30})"
)
_MARKDOWN = re.compile(r"^\s{0,4}\|?\s?`?([A-Za-z][\w.-]{1,60})`?\s?\|\s?`?(\d[\w.+!]{0,40})`?\s?\|?\s*$")
_NAME = re.compile(r'^name = "([\w.-]{1,80})"\s*$')
_VERSION = re.compile(r'^version = "(\d[\w.+!]{0,40})"\s*$')
_SW_VERS = re.compile(r"^\W{0,4}ProductVersion:\s{0,8}(\d{2}(?:\.\d{1,2}){0,2})\s*$")
_DONE = re.compile(r"Successfully installed (\S.{1,3000})$")
_PIECE = re.compile(r"^([A-Za-z][\w.-]{0,80}?)-(\d[\w.+!]{0,50})$")
_PYTHON_CELL = re.compile(
    r"^\W{0,4}(TensorFlow|PyTorch|JAX|Python|ONNX Runtime|PaddlePaddle) [Vv]ersion\W{0,4}$"
)
_BARE = re.compile(r"^\W{0,4}v?(?:tf ?|torch ?)?(\d\.\d{1,2}(?:\.\d{1,2})?(?:\+\w{1,10})?)\W{0,2}$")
_NAMES = {"pytorch": "torch", "onnx runtime": "onnxruntime", "flax": "flax"}


@reads("versions of libraries", "version", "Version")
def versions(page: Page) -> Iterator[Fact]:
    """`transformers env` and its like; a heading of an issue's form with the version on a line below."""
    for line, after in zip(page.lines, (*page.lines[1:], None), strict=True):
        found, own, heading = (
            _FRAMEWORK.match(line.text),
            _OWN.match(line.text),
            _PYTHON_CELL.match(line.text),
        )
        if found:
            yield from _framework(found, line)
        elif own:
            yield from _listed(own[1], own[2], line)
        elif heading and after is not None and (bare := _BARE.match(after.text)):
            name = heading[1].lower()
            if name != "python":
                yield from _listed(_NAMES.get(name, name), bare[1], after)


@reads("Markdown table of packages", "|")
def table(page: Page) -> Iterator[Fact]:
    for line in page.lines:
        found = _MARKDOWN.match(line.text)
        if found and found[1].lower() not in ("package", "name", "python", "cuda", "cudnn", "driver", "gpu"):
            yield from _listed(found[1], found[2], line)


@reads("uv.lock or poetry.lock", "[[package]]", "[[packages]]")
def lock(page: Page) -> Iterator[Fact]:
    """What a lock holds is what is installed from it."""
    name = ""
    for line in page.lines:
        named, version = _NAME.match(line.text), _VERSION.match(line.text)
        if named:
            name = named[1]
        elif version and name:
            yield from _listed(name, version[1], line)
            name = ""


@reads("sw_vers", "ProductVersion")
def mac(page: Page) -> Iterator[Fact]:
    for line in page.lines:
        found = _SW_VERS.match(line.text)
        if found:
            yield shown("system.os", "macos", line)
            yield shown("system.release", OsRelease(found[1]), line)
            yield shown("system.name", f"macOS {found[1]}", line)


@reads("pip's last line", "Successfully installed")
def done(page: Page) -> Iterator[Fact]:
    """What an install left."""
    for line in page.lines:
        found = _DONE.search(line.text)
        for word in found[1].split()[:400] if found else ():
            piece = _PIECE.match(word)
            if piece:
                yield from _listed(piece[1], piece[2], line)


def _framework(found: re.Match[str], line: Line) -> Iterator[Fact]:
    name = _NAMES.get(found[1].lower(), found[1].lower())
    yield from _listed(name, found[2], line)
    yield observed(f"{name}.__version__", found[2], line)
    if name == "torch" and found[3] in ("True", "False"):
        yield observed("torch.cuda.is_available", found[3], line)


def _listed(name: str, version: str, line: Line) -> Iterator[Fact]:
    return installed(name, version, line, weight=Weight.TOLD)
