"""What an address tells: the version of a file, and one index from another."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import Version


def version_of_file(url: str) -> Version | None:
    """The version of a file by its address: `…/torch-2.1.0%2Bcu118-cp310-cp310-linux_x86_64.whl`."""
    try:
        name = unquote(urlsplit(url).path.rpartition("/")[2])
        return parse_wheel_filename(name)[1] if name.endswith(".whl") else parse_sdist_filename(name)[1]
    except (InvalidWheelFilename, InvalidSdistFilename, ValueError):
        return None


def bare(url: str | None) -> str:
    """An address as far as it tells one index from another."""
    return re.sub(r"^https?://([^/@]*@)?", "", (url or "").strip()).rstrip("/").lower()
