"""Every copy of the CUDA libraries that programs fight over: where it lies, which version, whose it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from glob import escape

from packaging.version import Version

from dlsetup.model.cuda_names import FORMS, PARTS, word_of
from dlsetup.model.machine import Distribution, Environment, Library, Owner
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.probe.host import Host
from dlsetup.probe.library_versions import library_version
from dlsetup.probe.notes import Notes
from dlsetup.probe.nvidia_files import WSL_FOLDER, cached

PACKAGES = {
    "cudart": ("cuda-runtime", "cuda-cudart"),
    "cublas": ("cublas", "libcublas"),
    "cublaslt": ("cublas", "libcublas"),
    "cudnn": ("cudnn", "libcudnn"),
    "cufft": ("cufft", "libcufft"),
    "curand": ("curand", "libcurand"),
    "cusolver": ("cusolver", "libcusolver"),
    "cusparse": ("cusparse", "libcusparse"),
    "cusparselt": ("cusparselt", "libcusparselt"),
    "nvjitlink": ("nvjitlink", "libnvjitlink"),
    "nvrtc": ("cuda-nvrtc",),
    "nccl": ("nccl", "libnccl"),
    "nvshmem": ("nvshmem", "libnvshmem"),
    "cupti": ("cuda-cupti",),
    "cufile": ("cufile", "libcufile"),
    "tensorrt": ("tensorrt", "libnvinfer"),
}
"""What wheels call a library after `nvidia-`, and what conda calls it."""
OF_ONE_MAJOR = ("cudart", "cublas", "cublaslt", "nvjitlink", "nvrtc", "cupti")
"""Libraries whose name has the major of CUDA; those of the others are called the same in all."""
SYSTEM_FOLDERS = ("/usr/lib/{arch}-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib", WSL_FOLDER)
TOOLKIT_FOLDERS = ("lib64", "lib", "targets/*/lib", "bin", "bin/x64")
WHEEL_FOLDERS = (
    "nvidia/*/lib",
    "nvidia/*/bin",
    "nvidia/*/bin/x86_64",
    "cusparselt/lib",
    "tensorrt_libs",
    "torch/lib",
    "paddle/libs",
)
SUFFIX = re.compile(r"-cu\d\d$")
COUNT_LIMIT = 500


class _Place(Record, frozen=True, kw_only=True):
    """A folder to look into, and who owns what lies there."""

    folder: str
    owner: Owner
    environment: str | None = None


def libraries(
    host: Host,
    notes: Notes,
    environment: Environment | None,
    toolkits: tuple[str, ...] = (),
    *,
    parts: bool = False,
) -> tuple[Library, ...]:
    """All copies, each once under the file behind its links, in the order of their paths.

    `toolkits` are the folders of the CUDA toolkits that were found. `parts`: with the files that a library is
    shipped in beside its own, such as `libcudnn_ops.so.9`.
    """
    if host.platform == "darwin":
        return ()
    pattern = _pattern(host, parts=parts)
    found: dict[str, Library] = {}
    for place in _places(host, environment, toolkits):
        for name in host.names(place.folder):
            match = pattern.fullmatch(name)
            if match is None:
                continue
            real = host.real(f"{place.folder}/{name}")
            known = found.get(real)
            if known is None or (len(name) < len(known.soname) and known.owner.kind == place.owner.kind):
                found[real] = _library(host, place, name, real, environment)
            if len(found) >= COUNT_LIMIT:
                notes.gap("libraries", f"more than {COUNT_LIMIT} copies: the rest was not looked at")
                return _sorted(found)
    return _sorted(found)


def _pattern(host: Host, *, parts: bool = True) -> re.Pattern[str]:
    """`libcudnn.so.9`, `libcudart-d0da41ae.so.11.0` inside old torch wheels, `cudnn64_9.dll`."""
    words = "|".join((*FORMS.values(), *(PARTS.values() if parts else ())))
    if host.platform == "win32":
        return re.compile(rf"(?P<library>{words})(?:64)?_(?P<major>\d{{1,3}})(?:_\d+)?\.dll")
    return re.compile(rf"lib(?P<library>{words})(?:-[0-9a-f]{{8}})?\.so\.(?P<major>\d+)(?:\.\d+)*")


def _sorted(found: dict[str, Library]) -> tuple[Library, ...]:
    return tuple(sorted(found.values(), key=lambda item: item.path))


def _places(host: Host, environment: Environment | None, toolkits: tuple[str, ...]) -> Iterator[_Place]:
    """Folders in the order in which an owner is believed: the environment first."""
    if environment is not None:
        yield from _of_environment(host, environment)
    for home in toolkits:
        owner = Owner(kind="toolkit", name=home)
        for pattern in TOOLKIT_FOLDERS:
            yield from (
                _Place(folder=folder, owner=owner) for folder in host.glob(f"{escape(home)}/{pattern}")
            )
    for pattern in SYSTEM_FOLDERS:
        folder = pattern.format(arch=host.arch)
        owner = Owner(kind="wsl", name=folder) if folder == WSL_FOLDER else Owner(kind="system")
        yield _Place(folder=folder, owner=owner)
    for folder in _loaded_from(host):
        home = folder.rpartition("/")[0]
        is_conda = host.is_folder(f"{home}/conda-meta")
        owner = Owner(kind="conda", name=home) if is_conda else Owner(kind="nobody")
        yield _Place(folder=folder, owner=owner)


def _loaded_from(host: Host) -> list[str]:
    """Folders that the loader knows by a variable or its cache."""
    name = "PATH" if host.platform == "win32" else "LD_LIBRARY_PATH"
    cache = [
        path.rpartition("/")[0] for path in cached(host, rf"lib(?:{'|'.join(FORMS.values())})\.so\.[\d.]+")
    ]
    return list(dict.fromkeys((*host.variable_paths(name), *cache)))


def _of_environment(host: Host, environment: Environment) -> Iterator[_Place]:
    wheel = Owner(kind="wheel")
    for site in dict.fromkeys(item.location for item in _installed(environment)):
        for pattern in WHEEL_FOLDERS:
            for folder in host.glob(f"{escape(site)}/{pattern}"):
                yield _Place(folder=folder, owner=wheel, environment=environment.path)
    if environment.kind == "conda":
        for folder in ("lib", "Library/bin"):
            yield _Place(
                folder=f"{environment.path}/{folder}",
                owner=Owner(kind="conda"),
                environment=environment.path,
            )


def _installed(environment: Environment) -> tuple[Distribution, ...]:
    return () if isinstance(environment.distributions, Unknown) else environment.distributions


def _library(host: Host, place: _Place, name: str, real: str, environment: Environment | None) -> Library:
    match = _pattern(host).fullmatch(name)
    spelling, major = (match["library"], match["major"]) if match else ("", "")
    library = word_of(spelling)
    path = f"{place.folder}/{name}"
    owner, version = place.owner, library_version(host, library, real)
    if environment is not None and place.environment is not None:
        owner, told = _owner(place, library, major, environment)
        version = version if told is UNKNOWN else told
    return Library(
        library=library,
        version=version,
        soname=name,
        path=path,
        owner=owner,
        environment=place.environment,
    )


def _owner(
    place: _Place, library: str, major: str, environment: Environment
) -> tuple[Owner, Version | Unknown]:
    """The installed package that brings the library, and its version.

    Where two claim the same file nobody can say from the place whose it is: both are named.
    """
    if place.owner.kind == "conda":
        return _conda(library, environment)
    if place.folder.endswith("/tensorrt_libs"):
        return _of_tensorrt(environment)
    if re.search(r"[/\\]nvidia[/\\]|/cusparselt/", place.folder) is None:
        return Owner(kind="wheel", name=place.folder.split("/")[-2]), UNKNOWN
    stems = {f"nvidia-{name}" for name in PACKAGES[library]}
    own = [item for item in _installed(environment) if SUFFIX.sub("", item.name) in stems]
    if library in OF_ONE_MAJOR:
        of_major = [item for item in own if item.name.endswith(f"-cu{major[:2]}")]
        own = of_major or [item for item in own if not SUFFIX.search(item.name)]
    if len(own) == 1:
        return Owner(kind="wheel", name=own[0].name), own[0].version
    return Owner(kind="wheel" if own else "nobody", name=", ".join(item.name for item in own)), UNKNOWN


def _of_tensorrt(environment: Environment) -> tuple[Owner, Version | Unknown]:
    """`tensorrt-libs`, `tensorrt-cu12-libs`: one of them, or nobody can say."""
    own = [item for item in _installed(environment) if re.fullmatch(r"tensorrt(-cu\d+)?-libs", item.name)]
    name = ", ".join(item.name for item in own)
    return Owner(kind="wheel" if own else "nobody", name=name), own[0].version if len(own) == 1 else UNKNOWN


def _conda(library: str, environment: Environment) -> tuple[Owner, Version | Unknown]:
    """conda has one package a library; before CUDA 12 `cudatoolkit` held most of them."""
    by_name = {item.name: item for item in _installed(environment) if item.installer == "conda"}
    for name in (*PACKAGES[library], "cudatoolkit"):
        if name in by_name:
            version = UNKNOWN if name == "cudatoolkit" else by_name[name].version
            return Owner(kind="conda", name=name), version
    return Owner(kind="conda"), UNKNOWN
