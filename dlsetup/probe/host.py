"""The one seam to a machine: its files, folders, environment and programs, all under one root."""

from __future__ import annotations

import fnmatch
import os
import stat
import sys
from collections.abc import Mapping, Sequence

from dlsetup.probe.programs import Outcome, run

READ_LIMIT = 1 << 20
LIST_LIMIT = 100_000
LINK_LIMIT = 40


class Host:
    """A machine under `root` (empty: this machine). Every path is one of the machine, not of ours.

    Symbolic links are followed inside the root, so that a copied or mounted system can be looked at.
    Reading never blocks on a pipe or a device, and never takes more than its limit.
    """

    def __init__(
        self,
        root: str | os.PathLike[str] = "",
        environ: Mapping[str, str] | None = None,
        *,
        platform: str = "linux",
        arch: str = "",
        release: str = "",
        folder: str = "/",
        own: str = "",
    ) -> None:
        self.root = os.fspath(root).rstrip("/")
        self.environ = dict(environ or {})
        self.platform = platform
        self.arch = arch
        """As the kernel spells it: `x86_64`, `aarch64`, `arm64`, `AMD64`."""
        self.release = release
        """Kernel release; on Windows `10.0.22631`."""
        self.folder = self.slashes(folder)
        """Where the user stands."""
        self.own = self.slashes(own)
        """The folder of the environment that dlsetup itself runs in."""

    @classmethod
    def here(cls, environ: Mapping[str, str]) -> Host:
        """This machine, with the environment of this process."""
        release, arch = _kernel(environ)
        try:
            folder = os.getcwd()
        except OSError:
            folder = "/"
        return cls(
            "", environ, platform=sys.platform, arch=arch, release=release, folder=folder, own=sys.prefix
        )

    @property
    def home(self) -> str:
        told = self.environ.get("USERPROFILE" if self.platform == "win32" else "HOME", "")
        if told or self.root:
            return self.slashes(told).rstrip("/")
        found = os.path.expanduser("~")
        return "" if found == "~" else self.slashes(found).rstrip("/")

    def slashes(self, path: str) -> str:
        """The path as all of dlsetup writes it: `C:/Users/ada`."""
        return path.replace("\\", "/") if self.platform == "win32" else path

    def variable_paths(self, name: str) -> tuple[str, ...]:
        """The folders of a variable such as PATH, in order, without empty and relative entries."""
        separator = ";" if self.platform == "win32" else ":"
        parts = self.environ.get(name, "").split(separator)
        named = (self.slashes(part).rstrip("/") or "/" for part in parts if _is_absolute(part))
        return tuple(dict.fromkeys(named))

    # files and folders

    def real(self, path: str) -> str:
        """The path with every symbolic link followed."""
        return _inside(self.root, path) if self.root else self.slashes(os.path.realpath(path))

    def local(self, path: str) -> str:
        """Where a path of the machine lies for this process."""
        return self.root + _inside(self.root, path) if self.root else path

    def exists(self, path: str) -> bool:
        return os.path.exists(self.local(path))

    def is_folder(self, path: str) -> bool:
        return os.path.isdir(self.local(path))

    def is_file(self, path: str) -> bool:
        return os.path.isfile(self.local(path))

    def is_socket(self, path: str) -> bool:
        try:
            return stat.S_ISSOCK(os.stat(self.local(path)).st_mode)
        except (OSError, ValueError):
            return False

    def size(self, path: str) -> int | None:
        """Bytes of a regular file; None if there is none."""
        try:
            seen = os.stat(self.local(path))
        except (OSError, ValueError):
            return None
        return seen.st_size if stat.S_ISREG(seen.st_mode) else None

    def read_bytes(self, path: str, limit: int = READ_LIMIT) -> bytes | None:
        """The beginning of a regular file, at most `limit` bytes; None if it cannot be read."""
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        try:
            handle = os.open(self.local(path), flags)
        except (OSError, ValueError):
            return None
        try:
            return _drain(handle, limit) if stat.S_ISREG(os.fstat(handle).st_mode) else None
        except OSError:
            return None
        finally:
            os.close(handle)

    def read(self, path: str, limit: int = READ_LIMIT) -> str | None:
        """Like `read_bytes`, as text; what is not UTF-8 is replaced."""
        found = self.read_bytes(path, limit)
        return None if found is None else found.decode("utf-8", "replace")

    def names(self, path: str) -> list[str]:
        """Sorted names in a folder; none if it cannot be listed."""
        try:
            return sorted(os.listdir(self.local(path)))[:LIST_LIMIT]
        except (OSError, ValueError):
            return []

    def link(self, path: str) -> str | None:
        """What a symbolic link says; None if the path is no link."""
        folder, _, name = path.rpartition("/")
        try:
            return os.readlink(f"{self.local(folder or '/').rstrip('/')}/{name}")
        except (OSError, ValueError):
            return None

    def can_list(self, path: str) -> bool:
        """Whether this user may see what a folder holds."""
        return os.access(self.local(path), os.R_OK | os.X_OK)

    def glob(self, pattern: str) -> list[str]:
        """Existing paths that match, sorted. Wildcards (`*`, `?`, `[…]`) stand for parts of one name."""
        found = [""]
        for part in pattern.lstrip("/").split("/"):
            if any(sign in part for sign in "*?["):
                found = [
                    f"{at}/{name}" for at in found for name in fnmatch.filter(self.names(at or "/"), part)
                ]
            else:
                found = [f"{at}/{part}" for at in found]
        return [path for path in found if self.exists(path)]

    def space(self, path: str) -> tuple[int, int] | None:
        """Total and free bytes of the file system that holds a path; None if nobody says."""
        try:
            if hasattr(os, "statvfs"):
                seen = os.statvfs(self.local(path))
                return seen.f_blocks * seen.f_frsize, seen.f_bavail * seen.f_frsize
            import shutil

            usage = shutil.disk_usage(self.local(path))
        except (OSError, ValueError):
            return None
        return usage.total, usage.free

    def capacity(self) -> tuple[int, int | None, int | None]:
        """Memory in bytes, physical cores, logical processors, where no file tells them."""
        import psutil

        return psutil.virtual_memory().total, psutil.cpu_count(logical=False), psutil.cpu_count()

    # programs

    def which(self, name: str) -> str | None:
        """The program that a shell would start."""
        for folder in self.variable_paths("PATH"):
            for ending in ("", ".exe", ".bat", ".cmd") if self.platform == "win32" else ("",):
                path = f"{folder}/{name}{ending}"
                local = self.local(path)
                if os.path.isfile(local) and os.access(local, os.X_OK):
                    return path
        return None

    def run(self, argv: Sequence[str], deadline: float, **changes: str | None) -> Outcome:
        """Run a program of the machine for at most `deadline` seconds. `changes` None unset a variable."""
        return run([self.local(argv[0]), *argv[1:]], deadline, self._variables(changes))

    def run_own(self, argv: Sequence[str], deadline: float, **changes: str | None) -> Outcome:
        """Run one of dlsetup's own scripts in a new, isolated process of this Python."""
        return run([sys.executable, "-I", *argv], deadline, self._variables(changes))

    def _variables(self, changes: Mapping[str, str | None]) -> dict[str, str]:
        merged: dict[str, str | None] = {**self.environ, "LC_ALL": "C", **changes}
        return {name: value for name, value in merged.items() if value is not None}


def _kernel(environ: Mapping[str, str]) -> tuple[str, str]:
    if sys.platform == "win32":
        version = sys.getwindowsversion()
        arch = environ.get("PROCESSOR_ARCHITEW6432") or environ.get("PROCESSOR_ARCHITECTURE", "")
        return f"{version.major}.{version.minor}.{version.build}", arch
    seen = os.uname()
    return seen.release, seen.machine


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or path[1:3] in (":\\", ":/")


def _inside(root: str, path: str) -> str:
    """Follow every link of a path below `root`, as the machine itself would."""
    done, rest, links = "", path.split("/")[::-1], 0
    while rest:
        part = rest.pop()
        if part in ("", "."):
            continue
        if part == "..":
            done = done.rpartition("/")[0]
            continue
        try:
            target = os.readlink(f"{root}{done}/{part}")
        except (OSError, ValueError):
            done = f"{done}/{part}"
            continue
        links += 1
        if links > LINK_LIMIT:
            return path
        done = "" if target.startswith("/") else done
        rest.extend(target.split("/")[::-1])
    return done or "/"


def _drain(handle: int, limit: int) -> bytes:
    parts, left = [], limit
    while left > 0:
        part = os.read(handle, left)
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
