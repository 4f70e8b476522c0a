"""What the user told pip, told to uv where the user told uv nothing.

uv reads its own variables and files only. Many machines have a mirror written into pip's configuration
alone; without it, uv would go to an index that the machine may not reach.

`extra-index-url` is left out on purpose: pip takes the newest of all indexes, uv everything of a name
from the first index that knows it, so a small extra index would hide the releases of the large one.
"""

from __future__ import annotations

import configparser
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from dlsetup.act.child import run

_VARIABLES = {"index-url": "UV_DEFAULT_INDEX", "find-links": "UV_FIND_LINKS", "cert": "SSL_CERT_FILE"}
_LARGEST = 1 << 20


def from_pip(uv: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Variables for uv out of pip's variables and files, none that uv or the user has set otherwise."""
    told = {**_from_files(environ), **_from_variables(environ)}
    wanted = {_VARIABLES[name]: value for name, value in told.items() if name in _VARIABLES and value}
    found = {name: value for name, value in wanted.items() if not environ.get(name)}
    if "UV_DEFAULT_INDEX" in found and _uv_has_an_index(uv, environ):
        del found["UV_DEFAULT_INDEX"]
    if "UV_FIND_LINKS" in found:
        found["UV_FIND_LINKS"] = ",".join(found["UV_FIND_LINKS"].split())
    return found


def _from_variables(environ: Mapping[str, str]) -> dict[str, str]:
    names = {name: f"PIP_{name.upper().replace('-', '_')}" for name in _VARIABLES}
    return {name: environ[variable] for name, variable in names.items() if variable in environ}


def _from_files(environ: Mapping[str, str]) -> dict[str, str]:
    """Later files and the section `install` win, as with pip."""
    found: dict[str, str] = {}
    for path in _files(environ):
        parser = configparser.RawConfigParser()
        try:
            if path.stat().st_size > _LARGEST:
                continue
            parser.read_string(path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError, configparser.Error):
            continue
        for section in ("global", "install"):
            if parser.has_section(section):
                found.update(dict(parser.items(section)))
    return found


def _files(environ: Mapping[str, str]) -> Iterator[Path]:
    told = environ.get("PIP_CONFIG_FILE")
    if told == os.devnull:
        return
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or os.path.expanduser("~"))
    if sys.platform == "win32":
        yield Path(environ.get("PROGRAMDATA", r"C:\ProgramData")) / "pip/pip.ini"
        yield home / "pip/pip.ini"
        yield Path(environ.get("APPDATA", str(home))) / "pip/pip.ini"
    else:
        shared = Path("/Library/Application Support") if sys.platform == "darwin" else Path("/etc/xdg")
        yield from (shared / "pip/pip.conf", Path("/etc/pip.conf"), home / ".pip/pip.conf")
        yield Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "pip/pip.conf"
    if told:
        yield Path(told)


def _uv_has_an_index(uv: str, environ: Mapping[str, str]) -> bool:
    """Whether uv's variables or files name another default index than uv has by itself."""
    bare = {name: value for name, value in environ.items() if not name.startswith("UV_")}
    return _default_index(uv, environ) != _default_index(uv, {**bare, "UV_NO_CONFIG": "1"})


def _default_index(uv: str, environ: Mapping[str, str]) -> str:
    """The address that uv prints for an empty request; it asks nobody for that."""
    finished = run(
        (uv, "pip", "compile", "--offline", "--no-header", "--emit-index-url", os.devnull), environ
    )
    return finished.out
