"""What files say of the NVIDIA driver: the loaded module, and the libraries beside it."""

from __future__ import annotations

import re

from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.versions import DriverRelease
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes

PROC_VERSION = "/proc/driver/nvidia/version"
SYS_MODULE = "/sys/module/nvidia"
SECURE_BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
NVML = "libnvidia-ml.so.1"
CUDA = "libcuda.so.1"
WSL_FOLDER = "/usr/lib/wsl/lib"
FOLDERS = (
    "/usr/lib/{arch}-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/lib/{arch}-linux-gnu",
    "/usr/lib/{arch}-linux-gnu/nvidia/current",
    "/usr/lib/{arch}-linux-gnu/nvidia",
    "/usr/lib/{arch}-linux-gnu/tegra",
    "/usr/lib64/nvidia",
    "/usr/local/nvidia/lib64",
    "/usr/local/nvidia/lib",
    "/run/opengl-driver/lib",
    WSL_FOLDER,
)
WINDOWS_FILES = (
    "{SystemRoot}/System32/nvml.dll",
    "{ProgramFiles}/NVIDIA Corporation/NVSMI/nvml.dll",
)
CACHE_LIMIT = 8 << 20
OLDEST_BRANCH = 100


class DriverFiles(Record, frozen=True, kw_only=True):
    """`nvml` and `cuda`: the library that the loader would take; None: there is none."""

    module: DriverRelease | None | Unknown
    userland: DriverRelease | None | Unknown
    nvml: str | None
    cuda: str | None
    loaded: bool = False
    """Whether there is a sign of the loaded module, even if it does not tell its release."""

    @property
    def nothing(self) -> bool:
        """No module and no library: there is no driver as far as files tell."""
        return self.nvml is None and self.cuda is None and not self.loaded


def driver_files(host: Host, notes: Notes) -> DriverFiles:
    """Look for the module and the libraries, and note what each file says."""
    if host.platform == "win32":
        found = windows_library(host)
        return DriverFiles(module=UNKNOWN, userland=UNKNOWN, nvml=found, cuda=None)
    folders = loader_folders(host)
    nvml, cuda = (library(host, name, folders) for name in (NVML, CUDA))
    releases = [note_release(host, notes, path) for path in (nvml, cuda) if path]
    known = [item for item in releases if item is not UNKNOWN]
    return DriverFiles(
        module=module(host, notes),
        userland=known[0] if known else UNKNOWN if releases else None,
        nvml=nvml,
        cuda=cuda,
        loaded=is_loaded(host),
    )


def is_loaded(host: Host) -> bool:
    return host.exists(SYS_MODULE) or host.exists(PROC_VERSION)


def note_obstacles(host: Host, notes: Notes) -> None:
    """What is known to keep the module from loading: Secure Boot, by the firmware's own variable."""
    text = host.read_bytes(SECURE_BOOT, 16)
    if text is not None and len(text) == 5:
        notes.saw("secure boot", "enabled" if text[4] == 1 else "disabled", SECURE_BOOT)


def windows_library(host: Host) -> str | None:
    for pattern in WINDOWS_FILES:
        variable = re.findall(r"\{(\w+)\}", pattern)[0]
        fallback = {"SystemRoot": "C:/Windows", "ProgramFiles": "C:/Program Files"}[variable]
        path = pattern.replace(f"{{{variable}}}", host.environ.get(variable, fallback))
        if host.is_file(path):
            return path
    return None


def module(host: Host, notes: Notes) -> DriverRelease | None | Unknown:
    """Release of the loaded kernel module: None where the kernel lists its modules and it is not there."""
    words = [
        (release_in(host.read(f"{SYS_MODULE}/version") or ""), f"{SYS_MODULE}/version"),
        (module_release(host.read(PROC_VERSION) or ""), PROC_VERSION),
    ]
    for release, source in words:
        if release:
            notes.saw("driver.module", release, source)
    known = [release for release, _ in words if release]
    if known:
        return known[0]
    if is_loaded(host):
        notes.gap("driver.module", "the loaded module does not tell its release", f"cat {PROC_VERSION}")
        return UNKNOWN
    return None if host.is_folder("/sys/module") else UNKNOWN


def module_release(text: str) -> DriverRelease | None:
    """The release in /proc/driver/nvidia/version, in both layouts.

    `NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 …` and
    `NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  560.35.03  Release Build …`.
    """
    found = re.search(r"Kernel Module(?: for \S+)?\s+(\d+(?:\.\d+)+)", text[:2000])
    return release_in(found[1]) if found else None


def release_in(text: str) -> DriverRelease | None:
    """A driver release, if the text is one: three digits before the first dot."""
    found = re.fullmatch(r"\d{3,4}(\.\d{1,4}){1,2}", text.strip())
    if not found or int(text.strip().partition(".")[0]) < OLDEST_BRANCH:
        return None
    return DriverRelease(found[0])


def note_release(host: Host, notes: Notes, path: str) -> DriverRelease | Unknown:
    """The release in the name behind the link: `libcuda.so.1` leads to `libcuda.so.535.129.03`."""
    real = host.real(path)
    release = release_in(real.rpartition(".so.")[2])
    if release is None:
        return UNKNOWN
    notes.saw("driver.userland", release, real)
    return release


def loader_folders(host: Host) -> tuple[str, ...]:
    """Where the loader looks beside its cache: LD_LIBRARY_PATH, then the usual folders."""
    usual = (folder.format(arch=host.arch) for folder in FOLDERS)
    return (*host.variable_paths("LD_LIBRARY_PATH"), *usual)


def library(host: Host, name: str, folders: tuple[str, ...]) -> str | None:
    """The file that the loader would take for a library of the driver; None: there is none."""
    ahead = host.variable_paths("LD_LIBRARY_PATH")
    for path in (*(f"{folder}/{name}" for folder in ahead), *cached(host, re.escape(name))):
        if host.is_file(path):
            return path
    return next((f"{folder}/{name}" for folder in folders if host.is_file(f"{folder}/{name}")), None)


def cached(host: Host, pattern: str) -> list[str]:
    """Paths that the loader's cache has for libraries of a name (a pattern), 64-bit places first."""
    text = host.read_bytes("/etc/ld.so.cache", CACHE_LIMIT) or b""
    found = re.findall(rb"\0(/[^\0]{1,400}/" + pattern.encode() + rb")(?=\0)", text)
    paths = list(dict.fromkeys(item.decode("utf-8", "replace") for item in found))
    return sorted(paths, key=lambda path: "/i386-" in path or path.startswith(("/usr/lib32", "/lib32")))
