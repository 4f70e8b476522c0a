"""Environment variables that change which libraries and GPUs a program sees.

export CUDA_VISIBLE_DEVICES=2
$ CUDA_VISIBLE_DEVICES=0,1 python train.py
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
PS C:\\> $env:CUDA_HOME = "C:\\cuda"
LD_LIBRARY_PATH=/usr/local/cuda/lib64:
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, shown
from dlsetup.intake.page import Page
from dlsetup.intake.reading import reads
from dlsetup.model.machine import Variable
from dlsetup.model.watched import WATCHED

READ = (
    *WATCHED,
    "NCCL_P2P_DISABLE",
    "NVIDIA_DISABLE_REQUIRE",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_REQUIRE_CUDA",
)
OF_DEVICES = re.compile(r"\w{0,40}(?:DEVICES?|ACCELERATOR)|(?:NVIDIA|CUDA)_\w{1,40}")
"""Names of variables by which programs choose a device."""
OF_INDEXES = (
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "UV_INDEX",
    "UV_INDEX_URL",
    "UV_DEFAULT_INDEX",
    "UV_EXTRA_INDEX_URL",
    "UV_TORCH_BACKEND",
)
"""Variables by which installers ask other indexes."""
_NAMES = "|".join(READ)
_VALUE = r"""(?:"([^"\n]{0,2000})"|'([^'\n]{0,2000})'|([^\s"';]{0,2000}))"""
_SHELL = re.compile(
    rf"^\W{{0,4}}(?:[^$#>\n]{{0,60}}[$#>] )?(?:export |set |SET |\$env:|setx )?({_NAMES})(?: = |=){_VALUE}"
)
_PREFIX = re.compile(rf"(?:^|[\s$#;&`])({_NAMES})={_VALUE}(?= +[\w./])")
_PYTHON = re.compile(rf"""os\.environ\[["']({_NAMES})["']\] ?= ?["']([^"'\n]{{0,400}})["']""")
_DEFAULT = re.compile(
    rf"""os\.(?:putenv|environ\.setdefault)\(["']({_NAMES})["'], ?["']([^"'\n]{{0,400}})["']"""
)
_REQUIRED = re.compile(r"^\W{0,8}(?:export |ENV )?NVIDIA_REQUIRE_CUDA=[\"']?(cuda[^\"'\n]{2,2000})")
"""Its value has blanks in it, and `env` prints it without quotation marks."""
_TRACED = re.compile(r"\bsearch path=(/\S{1,2000})\s+\(LD_LIBRARY_PATH\)")
_ECHO = re.compile(rf"(?:^|[\s$#>])(?:echo|printenv) \"?\$?\{{?({_NAMES})\}}?\"?\s*$")


@reads("environment variables", *READ)
def variables(page: Page) -> Iterator[Fact]:
    """The value of each, as a shell, a script or Python sets it, or as a shell prints it."""
    asked = ""
    for line in page.lines:
        if asked and not line.text.startswith(("$", ">", "#")):
            yield shown("variable", Variable(name=asked, value=line.text.strip(), found_via=line.place), line)
        echo = _ECHO.search(line.text)
        asked = echo[1] if echo else ""
        found = _SHELL.match(line.text) or _PREFIX.search(line.text)
        if found:
            whole = _REQUIRED.match(line.text)
            value = whole[1] if whole else next((part for part in found.groups()[1:] if part is not None), "")
            yield shown("variable", Variable(name=found[1], value=value, found_via=line.place), line)
        if traced := _TRACED.search(line.text):
            value = Variable(name="LD_LIBRARY_PATH", value=_folders(traced[1]), found_via=line.place)
            yield shown("variable", value, line)
        for name, value in (*_PYTHON.findall(line.text), *_DEFAULT.findall(line.text)):
            yield shown("variable", Variable(name=name, value=value, found_via=line.place), line)


def _folders(path: str) -> str:
    """The search path of a loader's trace without the subfolders that it tries for newer processors."""
    folders = (re.sub(r"/(?:glibc-hwcaps|tls|haswell|x86_64)(?:/.*)?$", "", item) for item in path.split(":"))
    return ":".join(dict.fromkeys(folders))
