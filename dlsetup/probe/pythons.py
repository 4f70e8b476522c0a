"""Pythons on disk: what a folder or an interpreter is, and of which version, without running it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from packaging.version import Version

from dlsetup.model.machine import Environment
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.probe.binary import HEAD, architecture
from dlsetup.probe.host import Host
from dlsetup.probe.metadata import parsed
from dlsetup.probe.notes import printable

LIBRARY = re.compile(r"(python|pypy|graalpy)(3\.\d{1,2})(t?)")
INTERPRETER = re.compile(r"(?:python|pypy)(3(?:\.\d{1,2}t?)?)?(?:\.exe)?")
UV_FOLDER = re.compile(r"(cpython|pypy|graalpy)-(\d+\.\d+\.\d+[a-z0-9]*)(?:\+(\w+))?-")
QUESTION = (
    "import sys; print(sys.version.split()[0], sys.implementation.name, getattr(sys, 'abiflags', '') or '-');"
    "print(sys.executable)"
)
DEADLINE = 3.0


class Place(Record, frozen=True, kw_only=True):
    """A Python and the folders around it.

    `environment.path` is the folder of a virtual or conda environment, and the interpreter of a base
    Python, because one folder such as /usr can hold several.
    """

    environment: Environment
    prefix: str
    """The folder that `lib` lies in."""
    library: str = ""
    """The name of its folder of modules: `python3.12`, `python3.13t`; empty on Windows."""
    base: str = ""
    """For a virtual environment: the prefix it was made from, where it sees that one's packages too."""


def environment_in(host: Host, folder: str) -> Place | None:
    """The virtual or conda environment in a folder; None if it is neither."""
    if host.names(f"{folder}/conda-meta"):
        return _conda(host, folder)
    settings = host.read(f"{folder}/pyvenv.cfg", 64 << 10)
    if settings is not None and _executable(host, folder):
        return _virtual(host, folder, settings)
    return None


def python_at(host: Host, path: str, known: Iterable[Place] = ()) -> Place | None:
    """The environment around an interpreter before its links are followed, else the base behind them.

    One that is already `known` is not asked again.
    """
    real = host.real(path)
    same = next((place for place in known if place.environment.path == real), None)
    return _around(host, path) or same or base_python(host, path)


def _around(host: Host, path: str) -> Place | None:
    return environment_in(host, re.sub(r"[/\\](?:bin[/\\]|Scripts[/\\])?[^/\\]+$", "", path))


def base_python(host: Host, path: str, *, started: bool = False) -> Place | None:
    """The base Python of an interpreter, which is a link into a virtual environment at most in name.

    What only starts an interpreter elsewhere (a shim, a script, Apple's stub) is taken for the one that
    it `started`, if that one knows itself.
    """
    real = host.real(path)
    folder, _, name = real.rpartition("/")
    prefix = folder.removesuffix("/Scripts" if host.platform == "win32" else "/bin")
    inside = environment_in(host, prefix)
    if inside is not None:
        return inside
    if not INTERPRETER.fullmatch(name) or not host.is_file(real):
        return None
    told = _told_by_folders(host, prefix, name)
    if told is not None:
        return _base(host, real, prefix, told)
    said = _told_by_itself(host, real)
    if said is None:
        return None
    told, executable = said
    if host.real(executable) == real or not host.is_file(executable):
        return _base(host, real, prefix, told)
    return None if started else _around(host, executable) or base_python(host, executable, started=True)


def _base(host: Host, real: str, prefix: str, told: tuple[Version, str, str]) -> Place:
    version, implementation, library = told
    kind, label = _maker(host, prefix)
    environment = Environment(
        path=real,
        kind=kind,
        name=label,
        python=version,
        implementation=implementation,
        free_threaded=library.endswith("t"),
        arch=architecture(host.read_bytes(real, HEAD) or b""),
        externally_managed=host.exists(f"{prefix}/lib/{library}/EXTERNALLY-MANAGED"),
    )
    return Place(environment=environment, prefix=prefix, library=library)


def _conda(host: Host, folder: str) -> Place | None:
    """conda writes `python-3.11.9-h955ad1f_0.json`; an environment without Python is none for us."""
    found = [
        match
        for name in host.names(f"{folder}/conda-meta")
        if (match := re.fullmatch(r"python-(\d+\.\d+\.\d+[a-z0-9]*)-(\w+)\.json", name))
    ]
    if not found:
        return None
    library = _library(host, folder, found[0][1])
    is_base = host.is_folder(f"{folder}/condabin") or host.is_folder(f"{folder}/envs")
    environment = Environment(
        path=folder,
        kind="conda",
        name="base" if is_base else printable(folder.rpartition("/")[2]),
        python=_version(found[0][1]),
        implementation="pypy" if "pypy" in found[0][2] else "cpython",
        free_threaded=library.endswith("t") or re.search(r"_cp3\d+t$", found[0][2]) is not None,
        arch=_arch(host, folder),
    )
    return Place(environment=environment, prefix=folder, library=library)


def _virtual(host: Host, folder: str, settings: str) -> Place:
    """`pyvenv.cfg` has `home = /usr/bin` and `version = 3.12.3` or `version_info = 3.12.3.final.0`."""
    words = {
        key.strip().lower(): value.strip()
        for key, _, value in (line.partition("=") for line in settings.splitlines())
    }
    told = re.match(r"\d+\.\d+(\.\d+)?[abrc]*\d*", words.get("version") or words.get("version_info", ""))
    library = _library(host, folder, told[0] if told else "")
    version = _version(told[0]) if told else _version_of_library(library)
    environment = Environment(
        path=folder,
        kind="venv",
        name=printable(re.split(r"[/\\]", folder)[-1]),
        python=version,
        implementation=(words.get("implementation") or _implementation(library) or "cpython").lower(),
        free_threaded=library.endswith("t"),
        arch=_arch(host, folder),
    )
    shared = words.get("include-system-site-packages", "").lower() == "true"
    base = host.slashes(words.get("home", "")).removesuffix("/bin") if shared else ""
    return Place(environment=environment, prefix=folder, library=library, base=base)


def _told_by_folders(host: Host, prefix: str, name: str) -> tuple[Version, str, str] | None:
    """Version, implementation and library, where the folder's name or a header has all three digits."""
    label = prefix.rpartition("/")[2]
    by_uv = UV_FOLDER.match(label)
    version = parsed(by_uv[2]) if by_uv else None
    if by_uv and version:
        return version, by_uv[1], _library(host, prefix, by_uv[2])
    version = parsed(label.rstrip("t")) if re.fullmatch(r"3\.\d+\.\d+t?", label) else None
    if version:
        return version, "cpython", _library(host, prefix, label.rstrip("t"))
    header = re.search(
        r'^#define PY_VERSION\s+"([\w.]+)\+?"',
        host.read(f"{prefix}/include/{name}/patchlevel.h", 64 << 10) or "",
        re.MULTILINE,
    )
    version = parsed(header[1]) if header else None
    return (version, "cpython", name) if version else None


def _told_by_itself(host: Host, path: str) -> tuple[tuple[Version, str, str], str] | None:
    """Where no file tells the whole version, the interpreter does, isolated and without site packages.

    The last part is the path under which it knows itself.
    """
    first, _, executable = host.run([path, "-I", "-S", "-c", QUESTION], DEADLINE).out.partition("\n")
    words = first.split()
    version = _version(words[0].rstrip("+")) if len(words) == 3 else UNKNOWN
    if isinstance(version, Unknown) or version.major < 3:
        return None
    stem = "python" if words[1] == "cpython" else words[1]
    free = "t" if "t" in words[2] else ""
    told = version, printable(words[1]), f"{stem}{version.major}.{version.minor}{free}"
    return told, executable.strip() or path


def _maker(host: Host, prefix: str) -> tuple[Literal["system", "pyenv", "uv"], str]:
    """Who put a base Python there, as kind and name."""
    label = printable(prefix.rpartition("/")[2])
    if UV_FOLDER.match(label):
        return "uv", label
    if prefix.startswith(host.real(f"{pyenv_root(host)}/versions") + "/"):
        return "pyenv", label
    return "system", "homebrew" if "/homebrew" in prefix or "/Cellar/" in prefix else "system"


def pyenv_root(host: Host) -> str:
    return host.environ.get("PYENV_ROOT", "").rstrip("/") or f"{host.home}/.pyenv"


def _library(host: Host, prefix: str, version: str) -> str:
    """The folder of modules that belongs to a version, among those that are there."""
    names = [name for name in host.names(f"{prefix}/lib") if LIBRARY.fullmatch(name)]
    minor = ".".join(version.split(".")[:2])
    fitting = [name for name in names if minor and LIBRARY.fullmatch(name)[2] == minor]  # type: ignore[index]
    return (fitting or names or [""])[0]


def _implementation(library: str) -> str | None:
    found = LIBRARY.fullmatch(library)
    return {"python": "cpython"}.get(found[1], found[1]) if found else None


def _version_of_library(library: str) -> Version | Unknown:
    found = LIBRARY.fullmatch(library)
    return _version(found[2]) if found else UNKNOWN


def _version(text: str) -> Version | Unknown:
    return parsed(text) or UNKNOWN


def _executable(host: Host, folder: str) -> str | None:
    names = (
        ("Scripts/python.exe", "python.exe") if host.platform == "win32" else ("bin/python", "bin/python3")
    )
    return next((f"{folder}/{name}" for name in names if host.is_file(f"{folder}/{name}")), None)


def _arch(host: Host, folder: str) -> str | Unknown:
    executable = _executable(host, folder)
    return architecture(host.read_bytes(executable, HEAD) or b"") if executable else UNKNOWN
