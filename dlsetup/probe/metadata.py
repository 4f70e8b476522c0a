"""One installed distribution, from the files in its metadata folder."""

from __future__ import annotations

import json
import re

from packaging.version import InvalidVersion, Version

from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.probe.host import Host
from dlsetup.probe.notes import printable

HEADER_LIMIT = 256 << 10
LINE_LIMIT = 1000
COUNT_LIMIT = 500
SEPARATORS = re.compile(r"[-_.]+")


class Details(Record, frozen=True, kw_only=True):
    """What is read only of distributions that concern frameworks."""

    requires: tuple[str, ...] | Unknown = UNKNOWN
    tags: tuple[str, ...] | Unknown = UNKNOWN
    installer: str | Unknown = UNKNOWN
    origin: str | Unknown = UNKNOWN


def canonical(name: str) -> str:
    """`Torch_Vision` is `torch-vision`."""
    return SEPARATORS.sub("-", name).lower()


def name_and_version(host: Host, site: str, folder: str) -> tuple[str, Version] | None:
    """From the folder's name, `torch-2.9.1+cu126.dist-info`; from the file inside where that is not enough.

    None for what is no metadata, or the remains of an installation that broke off (`~orch-2.9.1.dist-info`).
    """
    stem, ending = folder.rsplit(".", 1) if folder.endswith((".dist-info", ".egg-info")) else ("", "")
    if not stem or stem.startswith("~"):
        return None
    if ending == "egg-info":
        stem = re.sub(r"-py\d(\.\d+)?$", "", stem)
    name, _, number = stem.rpartition("-")
    version = parsed(number)
    if name and version is not None:
        return canonical(name), version
    text = header(host, site, folder)
    told = re.search(r"^Name:\s*([\w.-]+)\s*$", text, re.MULTILINE)
    version = parsed(_field(text, "Version"))
    return (canonical(told[1]), version) if told and version is not None else None


def parsed(text: str) -> Version | None:
    """A version, or None for anything else."""
    try:
        return Version(text) if len(text) <= 100 else None
    except InvalidVersion:
        return None


def header(host: Host, site: str, folder: str) -> str:
    """The fields of METADATA or PKG-INFO, without the description below them."""
    for path in (f"{site}/{folder}/METADATA", f"{site}/{folder}/PKG-INFO", f"{site}/{folder}"):
        text = host.read(path, HEADER_LIMIT)
        if text is not None:
            return text.replace("\r\n", "\n").partition("\n\n")[0]
    return ""


def details(host: Host, site: str, folder: str) -> Details:
    """Requirements, wheel tags, installer and origin, each unknown where its file is missing."""
    path = f"{site}/{folder}"
    text = header(host, site, folder)
    requires = _fields(text, "Requires-Dist")
    wheel = host.read(f"{path}/WHEEL", HEADER_LIMIT)
    installer = host.read(f"{path}/INSTALLER", 1024)
    return Details(
        # An egg keeps its requirements in another file: that PKG-INFO names none says nothing.
        requires=requires if requires or (text and folder.endswith(".dist-info")) else UNKNOWN,
        tags=_fields(wheel, "Tag") if wheel else UNKNOWN,
        installer=printable(installer).lower() or UNKNOWN if installer else UNKNOWN,
        origin=_origin(host.read(f"{path}/direct_url.json", HEADER_LIMIT)),
    )


def _fields(text: str, name: str) -> tuple[str, ...]:
    found = re.findall(rf"^{name}:[ \t]*(.+?)[ \t\r]*$", text, re.MULTILINE)
    return tuple(_line(item) for item in found[:COUNT_LIMIT])


def _field(text: str, name: str) -> str:
    return next(iter(_fields(text, name)), "")


def _line(text: str) -> str:
    return "".join(sign for sign in text[:LINE_LIMIT] if sign.isprintable())


def editable_source(host: Host, site: str, folder: str) -> str:
    """The source tree that a distribution is imported from; empty where it is installed as others are."""
    try:
        told = json.loads(host.read(f"{site}/{folder}/direct_url.json", HEADER_LIMIT) or "null")
    except (ValueError, RecursionError):
        return ""
    about = told.get("dir_info") if isinstance(told, dict) else None
    url = told.get("url") if isinstance(about, dict) and about.get("editable") is True else None
    if not isinstance(url, str) or not url.startswith("file:///"):
        return ""
    from urllib.parse import unquote

    return _line(unquote(url.removeprefix("file://"))).rstrip("/")


def _origin(text: str | None) -> str | Unknown:
    """`{"url": "file:///tmp/x.whl", "archive_info": {}}` of an installation that did not ask an index."""
    try:
        told = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return UNKNOWN
    url = told.get("url") if isinstance(told, dict) else None
    return _line(url) if isinstance(url, str) else UNKNOWN
