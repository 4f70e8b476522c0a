"""Forms of trackers: a heading that asks, and under it what somebody filled in.

### Tensorflow Version
v2.11.0-rc2-15-g6290819256d 2.11.0
### Python version
3.9
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import Version

from dlsetup.intake.fact import Fact, in_words
from dlsetup.intake.formats.prose import named_gpu
from dlsetup.intake.packages import named
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads

_HEADING = re.compile(r"^ {0,3}(?:#{2,5} |\*\*)([A-Z][^*#\n]{2,60}?)(?:\*\*)?:?$")
_GPU = re.compile(r"\b(?:gpu|graphics|video card)\b", re.IGNORECASE)
_PYTHON = re.compile(r"\bpython\b", re.IGNORECASE)
_VERSION = re.compile(r"(?<![\w.])v?(\d\.\d{1,2}(?:\.\d[\w+]{0,24}(?:\.[\w+]{1,20})?)?)(?![\w.-]*\d)")
_FRAMEWORKS = {
    "tensorflow": "tensorflow",
    "pytorch": "torch",
    "torch": "torch",
    "jax": "jax",
    "jaxlib": "jaxlib",
    "onnxruntime": "onnxruntime",
    "onnx runtime": "onnxruntime",
    "paddlepaddle": "paddlepaddle",
    "mindspore": "mindspore",
    "lightning": "lightning",
}


@reads("forms of trackers", "### ", "## ", "**")
def form(page: Page) -> Iterator[Fact]:
    """Versions of frameworks and of Python, and the GPU, under headings that ask for them."""
    heading = ""
    for line in page.lines:
        found = _HEADING.match(line.text)
        if found:
            heading = found[1].lower()
        elif heading and line.text.strip() and not line.text.lstrip().startswith("```"):
            yield from _filled_in(heading, line)
            heading = ""


def _filled_in(heading: str, line: Line) -> Iterator[Fact]:
    versions = _VERSION.findall(line.text)
    name = _FRAMEWORKS.get(heading.removesuffix(" version").removesuffix(" release").strip())
    if name and versions:
        yield from named(name, versions[-1], line)
    elif _GPU.search(heading) and (gpu := named_gpu(line)):
        yield gpu
    elif _PYTHON.search(heading) and versions and versions[0].startswith("3."):
        yield in_words("environment.python", Version(versions[0]), line)
