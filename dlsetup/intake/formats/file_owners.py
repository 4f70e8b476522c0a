"""Which package of the system a library belongs to, as `dpkg -S`, `rpm -qf` and `pacman -Qo` answer.

$ dpkg -S libcudnn.so.8
libcudnn8:amd64: /usr/lib/x86_64-linux-gnu/libcudnn.so.8
dpkg-query: no path found matching pattern /usr/local/cuda/lib64/libcudnn.so.8
$ rpm -qf /usr/lib64/libcudnn.so.9
libcudnn9-cuda-12-9.1.0.70-1.x86_64
file /usr/local/cuda/lib64/libcudnn.so.8 is not owned by any package
/usr/lib/libcudnn.so.9.5.1 is owned by cudnn 9.5.1.17-1
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, shown
from dlsetup.intake.formats.library_files import library_at
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.model.machine import Owner, SystemPackage

_DPKG = re.compile(r"^\W{0,4}?([a-z0-9][a-z0-9.+-]{1,60})(?::(?:amd64|arm64))?: (/\S{2,300})\s*$")
_PACMAN = re.compile(r"^\W{0,4}?(/\S{2,300}) is owned by ([\w.+-]{2,60}) (\d\S{0,40})\s*$")
_NOBODY = re.compile(
    r"(?:file |no path found matching pattern \*?|No package owns )(/\S{2,300}?)\*?"
    r"(?: is not owned by any package)?\s*$"
)
_RPM_ASKED = re.compile(r"\brpm\s+-qf\s+(/\S{2,300})\s*$")
_RPM_NAME = re.compile(
    r"^([a-z][\w.+-]{1,60}?)-(?:\d{1,2}:)?(\d[\w.~+]{0,30}-[\w.~+]{1,40})\.(?:x86_64|aarch64)\s*$"
)


@reads("owners of files", "dpkg", ": /usr/", "rpm -qf", "is owned by", "not owned by", "No package owns")
def owners(page: Page) -> Iterator[Fact]:
    """A library with the package that brought it; nobody's was copied there."""
    asked = ""
    for line in page.lines:
        if found := _DPKG.match(line.text):
            yield from _owned(found[2], found[1], "", line)
        elif found := _PACMAN.match(line.text):
            yield from _owned(found[1], found[2], found[3], line)
        elif asked and (found := _RPM_NAME.match(line.text)):
            yield from _owned(asked, found[1], found[2], line)
        elif found := _NOBODY.search(line.text):
            library = library_at(found[1], Owner(kind="nobody"))
            if library:
                yield shown("library", library, line)
        asked = found[1] if (found := _RPM_ASKED.search(line.text)) else ""


def _owned(path: str, name: str, version: str, line: Line) -> Iterator[Fact]:
    library = library_at(path, Owner(kind="system", name=name))
    if library is None:
        return
    yield shown("library", library, line)
    if version:
        package = SystemPackage(name=name, version=version, found_via=line.place)
        yield shown("package", package, line)
