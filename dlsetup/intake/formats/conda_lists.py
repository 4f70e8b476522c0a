"""`conda list`, with or without its heading, and `conda info`.

# packages in environment at /opt/conda/envs/dl:
#
# Name                    Version                   Build  Channel
pytorch                   1.13.1         cpu_py38h92724a6_0
torchaudio                0.13.1                   py38_cpu    pytorch
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import Version

from dlsetup.intake.fact import Fact, shown
from dlsetup.intake.packages import from_conda
from dlsetup.intake.page import Page
from dlsetup.intake.reading import reads

_BUILD = r"(?:\w{0,40}_\d{1,4}|\d{1,5}|cpu|cuda|mkl|openblas|py\d{2,3}(?:_\w{1,40})?|\w{0,40}_cu\w{1,20})"
_ROW = re.compile(
    rf"^\s{{0,4}}([a-z_][\w.-]{{0,80}})\s+(\d[\w.+!-]{{0,50}})\s+([\w.]*(?:{_BUILD}))(?:\s+([\w./:-]{{1,120}}))?\s*$"
)
_PLACE = re.compile(r"# packages in environment at (\S{1,300}?):\s*$")


@reads("conda list", "_0", "Channel", "pypi", "conda")
def conda_list(page: Page) -> Iterator[Fact]:
    """Rows of name, version, build and channel, wherever they stand."""
    for line in page.lines:
        place = _PLACE.search(line.text)
        if place:
            yield shown("environment.path", place[1], line)
            yield shown("environment.kind", "conda", line)
            continue
        row = _ROW.match(line.text)
        if row is None:
            continue
        item = from_conda(
            row[1], row[2], line, build=row[3], channel=(row[4] or "").rstrip("/").split("/")[-1]
        )
        if item is None:
            continue
        yield shown("distribution", item, line)
        if row[1] == "python":
            yield shown("environment.python", Version(item.version.base_version), line)
            yield shown("environment.kind", "conda", line)
