"""Every copy of the CUDA libraries that programs fight over: where it lies, which version, whose it is."""

from __future__ import annotations

import re

from packaging.version import Version

from dlsetup.model.machine import Environment, Library, Owner
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes
from dlsetup.probe.nvidia_files import WSL_FOLDER

WATCHED = {
    "libcudart": "cudart",
    "libcublas": "cublas",
    "libcudnn": "cudnn",
    "libnvJitLink": "nvjitlink",
    "libnccl": "nccl",
}
SONAME = re.compile(rf"({'|'.join(WATCHED)})\.so\.(\d+(?:\.\d+)*)$")
SYSTEM_FOLDERS = ("/usr/lib/{arch}-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib", WSL_FOLDER)
TOOLKIT_FOLDERS = ("/usr/local/cuda*/lib64", "/usr/local/cuda*/targets/*/lib", "/opt/cuda*/lib64")
WHEEL_FOLDERS = ("nvidia/*/lib", "torch/lib", "tensorflow", "cusparselt/lib", "paddle/libs")
CUDNN_HEADERS = ("../include/cudnn_version.h", "../../include/cudnn_version.h", "../include/cudnn.h")
COUNT_LIMIT = 500


class _Place(Record, frozen=True, kw_only=True):
    """A folder to look into, and who owns what lies there unless something better is known."""

    folder: str
    kind: str
    name: str = ""
    environment: str | None = None


def libraries(host: Host, notes: Notes, environment: Environment | None) -> tuple[Library, ...]:
    """All copies, each once under the file behind its links, in the order of their paths."""
    if not host.platform.startswith("linux"):
        return ()
    found: dict[str, Library] = {}
    for place in _places(host, environment):
        for name in host.names(place.folder):
            named = SONAME.match(name)
            if named is None:
                continue
            path = f"{place.folder}/{name}"
            real = host.real(path)
            if real not in found or len(name) < len(found[real].soname):
                found[real] = _library(host, place, path, real, environment)
            if len(found) >= COUNT_LIMIT:
                notes.gap("libraries", f"more than {COUNT_LIMIT} copies: the rest was not looked at")
                return _sorted(found)
    return _sorted(found)


def _sorted(found: dict[str, Library]) -> tuple[Library, ...]:
    return tuple(sorted(found.values(), key=lambda item: item.path))


def _places(host: Host, environment: Environment | None) -> list[_Place]:
    """Folders in the order in which an owner is believed: the environment first."""
    places: list[_Place] = []
    if environment is not None:
        places.extend(_of_environment(host, environment))
    for pattern in TOOLKIT_FOLDERS:
        for folder in host.glob(pattern):
            home = re.sub(r"/(lib|lib64|targets/.*)$", "", host.real(folder))
            places.append(_Place(folder=folder, kind="toolkit", name=home))
    for pattern in SYSTEM_FOLDERS:
        folder = pattern.format(arch=host.arch)
        places.append(_Place(folder=folder, kind="wsl" if folder == WSL_FOLDER else "system"))
    for folder in host.variable_paths("LD_LIBRARY_PATH"):
        places.append(_Place(folder=folder, kind="nobody"))
    return places


def _of_environment(host: Host, environment: Environment) -> list[_Place]:
    path = environment.path
    places = [
        _Place(folder=folder, kind="wheel", environment=path)
        for site in host.glob(f"{path}/lib/python3*/site-packages")
        for pattern in WHEEL_FOLDERS
        for folder in host.glob(f"{site}/{pattern}")
    ]
    if environment.kind == "conda":
        places.append(_Place(folder=f"{path}/lib", kind="conda", environment=path))
    return places


def _library(host: Host, place: _Place, path: str, real: str, environment: Environment | None) -> Library:
    soname = path.rpartition("/")[2]
    library = WATCHED[soname.partition(".")[0]]
    owner, version = _owner(host, place, library, real, environment)
    return Library(
        library=library,
        version=version if version is not UNKNOWN else _version(host, library, real),
        soname=soname,
        path=path,
        owner=owner,
        environment=place.environment,
    )


def _owner(
    host: Host, place: _Place, library: str, real: str, environment: Environment | None
) -> tuple[Owner, Version | Unknown]:
    """The installed package that brings this library, with its version, if one is known to."""
    if place.kind == "wheel" and environment is not None:
        return _wheel(host, place, library, real, environment)
    if place.kind == "conda" and environment is not None:
        return _conda(library, environment)
    if place.kind == "toolkit":
        return Owner(kind="toolkit", name=place.name), UNKNOWN
    if place.kind == "wsl":
        return Owner(kind="wsl", name=WSL_FOLDER), UNKNOWN
    return Owner(kind="system" if place.kind == "system" else "nobody", name=place.name), UNKNOWN


def _wheel(
    host: Host, place: _Place, library: str, real: str, environment: Environment
) -> tuple[Owner, Version | Unknown]:
    """`nvidia/cudnn/lib` belongs to `nvidia-cudnn-cu12` or its twins; `torch/lib` to torch itself.

    Two twins claim the same file: then nobody can say from the place whose it is.
    """
    if "/nvidia/" not in place.folder:
        name = place.folder.partition("/site-packages/")[2].partition("/")[0]
        return Owner(kind="wheel", name=name), UNKNOWN
    stem = {"cudart": "cuda-runtime"}.get(library, library)
    names = {f"nvidia-{stem}", *(f"nvidia-{stem}-cu{major}" for major in (11, 12, 13))}
    installed = () if isinstance(environment.distributions, Unknown) else environment.distributions
    twins = [item for item in installed if item.name in names]
    major = re.search(r"\.so\.(\d+)", real)
    if library in ("cudart", "cublas", "nvjitlink") and major:
        suffix = f"-cu{major[1]}"
        own = [item for item in twins if item.name.endswith(suffix)]
        twins = own or [item for item in twins if "-cu" not in item.name]
    if len(twins) == 1:
        return Owner(kind="wheel", name=twins[0].name), twins[0].version
    return Owner(kind="wheel" if twins else "nobody", name=", ".join(item.name for item in twins)), UNKNOWN


def _conda(library: str, environment: Environment) -> tuple[Owner, Version | Unknown]:
    """conda-forge has one package a library; before CUDA 12 `cudatoolkit` held them all."""
    names = {"cudart": "cuda-cudart", "cublas": "libcublas", "nvjitlink": "libnvjitlink"}
    installed = {} if isinstance(environment.distributions, Unknown) else environment.distributions
    for name in (names.get(library, library), library, f"lib{library}", "cudatoolkit"):
        item = next((item for item in installed if item.name == name), None)
        if item is not None:
            return Owner(kind="conda", name=name), UNKNOWN if name == "cudatoolkit" else item.version
    return Owner(kind="conda"), UNKNOWN


def _version(host: Host, library: str, real: str) -> Version | Unknown:
    """From the header beside cuDNN, else from the file's name: `libcublas.so.12.4.5.8`."""
    if library == "cudnn":
        header = _cudnn_header(host, real)
        if header is not None:
            return header
    number = real.rpartition(".so.")[2]
    return Version(number) if number.count(".") >= 1 else UNKNOWN


def _cudnn_header(host: Host, real: str) -> Version | None:
    folder = real.rpartition("/")[0]
    for relative in CUDNN_HEADERS:
        text = host.read(f"{folder}/{relative}")
        parts = [
            re.search(rf"^#define CUDNN_{part} (\d+)", text or "", re.MULTILINE)
            for part in ("MAJOR", "MINOR", "PATCHLEVEL")
        ]
        if all(parts):
            return Version(".".join(part[1] for part in parts if part))
    return None
