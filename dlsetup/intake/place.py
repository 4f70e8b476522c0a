"""A name and a container in the words of a target: `name=login`, `container=python:3.12-slim`."""

from __future__ import annotations

import re

from dlsetup.model.errors import UsageError
from dlsetup.model.record import Record

_ITEM = re.compile(r"""(?:^|,)\s*(name|container)\s*=\s*("[^"]*"|'[^']*'|[^,"']*)\s*(?=,|$)""")
_IMAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:@-]{0,250}")


class Placed(Record, frozen=True, kw_only=True):
    """The words of a target without those two."""

    words: str
    """Empty: this machine."""
    name: str = ""
    container: str = ""


def placed(words: str) -> Placed:
    """Takes name and container out of the words of a target. Raises `UsageError`."""
    said: dict[str, str] = {}
    for word, value in _ITEM.findall(words):
        if word in said:
            raise UsageError(f"`{word}` is said twice in the target", hint="say it once")
        said[word] = value.strip().strip("\"'").strip()
        if not said[word] or len(said[word]) > 250 or not said[word].isprintable():
            raise UsageError(f"nothing that can be read follows `{word}=`", hint="write `name=login`")
    rest = _ITEM.sub("", words).strip().strip(",").strip()
    return Placed(words=rest, name=said.get("name", ""), container=image_name(said.get("container", "")))


def image_name(text: str) -> str:
    """The name of an image, checked. Raises `UsageError`."""
    if text and not _IMAGE.fullmatch(text):
        raise UsageError(f"cannot read the image `{text[:100]}`", hint="write it like `python:3.12-slim`")
    return text
