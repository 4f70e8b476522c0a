"""Where a loader searches a name, and in which order: glibc's way and musl's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from dlsetup.model.libraries import Found, Via
from dlsetup.model.loading import LoaderSettings, SharedObject

TOKENS = re.compile(r"\$(?:\{(ORIGIN|LIB|PLATFORM)\}|(ORIGIN|LIB|PLATFORM)(?![A-Za-z0-9_]))")


def folder_of(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def expanded(text: str, origin: str, settings: LoaderSettings) -> str:
    """A path with `$ORIGIN`, `$LIB` and `$PLATFORM` filled in, made absolute."""
    values = {"ORIGIN": origin, "LIB": settings.lib, "PLATFORM": settings.arch}
    path = TOKENS.sub(lambda found: values[found[1] or found[2]], text)
    return path if path.startswith("/") else f"{settings.folder.rstrip('/')}/{path}".rstrip("/")


def variable_folders(settings: LoaderSettings) -> tuple[str, ...]:
    """Folders of LD_LIBRARY_PATH; an empty part of it is the folder where the user stands."""
    if not settings.library_path:
        return ()
    parts = re.split("[:;]" if settings.libc == "glibc" else "[:\n]", settings.library_path)
    origin = folder_of(settings.program)
    return tuple(dict.fromkeys(expanded(part, origin, settings) for part in parts))


def search(
    name: str, chain: Sequence[SharedObject], main: SharedObject, settings: LoaderSettings
) -> Iterator[Found]:
    """Paths where a loader tries a bare name, in order, whether or not there are files.

    `chain`: who asks, who loaded that one, and so on.
    """
    if settings.libc == "musl":
        yield from _musl(name, chain, settings)
        return
    asking = chain[0]
    if not asking.runpath:
        for item in (*chain, *(() if main in chain else (main,))):
            yield from _tried(name, _own(item, item.rpath, settings), "rpath", settings, item.path)
    yield from _tried(name, variable_folders(settings), "library-path", settings)
    yield from _tried(name, _own(asking, asking.runpath, settings), "runpath", settings, asking.path)
    cached = settings.cache.get(name)
    if cached and not (asking.closed and folder_of(cached) in settings.folders):
        yield Found(path=cached, via="cache")
    if not asking.closed:
        yield from _tried(name, settings.folders, "default", settings)


def _musl(name: str, chain: Sequence[SharedObject], settings: LoaderSettings) -> Iterator[Found]:
    """musl looks into the variable first, and takes an RPATH for a RUNPATH that is handed down."""
    yield from _tried(name, variable_folders(settings), "library-path", settings)
    for item in chain:
        via: Via = "runpath" if item.runpath else "rpath"
        yield from _tried(name, _own(item, item.runpath or item.rpath, settings), via, settings, item.path)
    yield from _tried(name, settings.folders, "default", settings)


def _own(item: SharedObject, entries: Iterable[str], settings: LoaderSettings) -> tuple[str, ...]:
    """The folders that a file's own list names; `$ORIGIN` of a program is behind its links."""
    return tuple(dict.fromkeys(expanded(entry, folder_of(item.path), settings) for entry in entries))


def _tried(
    name: str, folders: Iterable[str], via: Via, settings: LoaderSettings, of: str = ""
) -> Iterator[Found]:
    for folder in folders:
        base = folder.rstrip("/")
        for level in settings.levels:
            yield Found(path=f"{base}/glibc-hwcaps/{level}/{name}", via=via, of=of)
        yield Found(path=f"{base}/{name}", via=via, of=of)
