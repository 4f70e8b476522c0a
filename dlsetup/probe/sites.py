"""Folders that a Python imports installed packages from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import Version

from dlsetup.probe.host import Host
from dlsetup.probe.pythons import Place

PTH_LIMIT = 64 << 10
PTH_LINES = 100


def sites(host: Host, place: Place) -> tuple[str, ...]:
    """Existing folders in the order of `sys.path`, each once under the folder behind its links."""
    found: dict[str, str] = {}
    for folder in host.variable_paths("PYTHONPATH"):
        if host.is_folder(folder):
            found.setdefault(host.real(folder), folder)
    for folder in (*_own(host, place), *_shared(host, place)):
        if host.is_folder(folder):
            for each in (folder, *_added(host, folder)):
                found.setdefault(host.real(each), each)
    return tuple(found.values())


def _added(host: Host, site: str) -> Iterator[str]:
    """Folders that the `.pth` files of a site add, such as the source tree of a development install.

    Lines that begin with `import` are code, and are not looked at.
    """
    for name in host.names(site):
        if not name.endswith(".pth") or name.startswith("."):
            continue
        for line in (host.read(f"{site}/{name}", PTH_LIMIT) or "").splitlines()[:PTH_LINES]:
            told = line.strip()
            if told and not told.startswith("#") and not re.match(r"import[ \t]", told):
                folder = told if re.match(r"/|[A-Za-z]:[/\\]", told) else f"{site}/{told}"
                if host.is_folder(folder):
                    yield folder.rstrip("/")


def _own(host: Host, place: Place) -> Iterator[str]:
    """Its own folder; conda and base Pythons also see the user's, and before their own."""
    if place.environment.kind != "venv":
        yield from _user(host, place)
    yield from _below(host, place.prefix, place)


def _shared(host: Host, place: Place) -> Iterator[str]:
    """What `include-system-site-packages = true` lets a virtual environment see."""
    if place.base:
        yield from _user(host, place)
        yield from _below(host, place.base, place)


def _below(host: Host, prefix: str, place: Place) -> Iterator[str]:
    if host.platform == "win32":
        yield f"{prefix}/Lib/site-packages"
        return
    library = place.library
    if prefix == "/usr" and library:
        yield f"/usr/local/lib/{library}/dist-packages"
        yield from (f"/usr/local/{lib}/{library}/site-packages" for lib in ("lib64", "lib"))
        yield "/usr/lib/python3/dist-packages"
        yield f"/usr/lib/{library}/dist-packages"
    if library:
        if host.link(f"{prefix}/lib64") is None:
            yield f"{prefix}/lib64/{library}/site-packages"
        yield f"{prefix}/lib/{library}/site-packages"


def _user(host: Host, place: Place) -> Iterator[str]:
    """The user's own packages, unless PYTHONNOUSERSITE switches them off."""
    version = place.environment.python
    if host.environ.get("PYTHONNOUSERSITE") or not isinstance(version, Version):
        return
    told = host.environ.get("PYTHONUSERBASE")
    if host.platform == "win32":
        base = told or f"{host.environ.get('APPDATA', 'C:')}/Python"
        yield f"{base}/Python{version.major}{version.minor}/site-packages"
        return
    yield f"{told or host.home + '/.local'}/lib/{place.library}/site-packages"
    if host.platform == "darwin" and not told:
        yield f"{host.home}/Library/Python/{version.major}.{version.minor}/lib/python/site-packages"
