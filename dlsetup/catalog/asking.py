"""How an installer is asked for a build."""

from __future__ import annotations

import re
from collections.abc import Mapping

from packaging.version import Version

from dlsetup.catalog.form import DEFAULT, BuildRow, FrameworkFile
from dlsetup.catalog.requirements import canonical


def requirements_of(row: BuildRow, distribution: str, version: Version) -> tuple[str, ...]:
    """Requirements for exactly one release; for a build of another index by its local version."""
    local = ("{name}=={version}",) if row.index == DEFAULT else ("{name}=={version}+{variant}",)
    words = {"{name}": distribution, "{version}": str(version), "{variant}": row.variant}
    return tuple(_filled(text, words) for text in row.ask or local)


def asked_for(row: BuildRow, file: FrameworkFile) -> set[str]:
    """Names of the distributions that an installer is asked for, to get this build."""
    own = row.distribution or file.distributions[0]
    found = (re.match(r"[A-Za-z0-9._-]+", text.replace("{name}", own)) for text in row.ask)
    return {canonical(item[0]) for item in found if item} or {own}


def _filled(text: str, words: Mapping[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(word, value)
    return text
