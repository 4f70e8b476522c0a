"""The files of a machine as its loader sees them: each is read once, and only what a loader reads."""

from __future__ import annotations

import os
import stat
from typing import BinaryIO

from dlsetup.model.loading import SharedObject, Symbols
from dlsetup.probe.elf import shared_object
from dlsetup.probe.elf_symbols import symbols
from dlsetup.probe.host import Host


class LoaderFiles:
    """Files below the root of a host. Nothing in them is loaded or run; pipes and devices are not opened."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._objects: dict[str, SharedObject | None] = {}
        self._symbols: dict[str, Symbols] = {}
        self._real: dict[str, str] = {}

    def shared_object(self, path: str) -> SharedObject | None:
        """What a file says; None where there is no regular file that this user may read."""
        if path not in self._objects:
            file = self._opened(path)
            if file is None:
                self._objects[path] = None
            else:
                with file:
                    size = os.fstat(file.fileno()).st_size
                    self._objects[path] = shared_object(file, size, path, self.host.arch)
        return self._objects[path]

    def symbols(self, path: str) -> Symbols:
        """Its dynamic symbols."""
        real = self.real(path)
        if real not in self._symbols:
            file = self._opened(path)
            if file is None:
                self._symbols[real] = Symbols()
            else:
                with file:
                    self._symbols[real] = symbols(file, os.fstat(file.fileno()).st_size)
        return self._symbols[real]

    def real(self, path: str) -> str:
        if path not in self._real:
            self._real[path] = self.host.real(path)
        return self._real[path]

    def matching(self, pattern: str) -> tuple[str, ...]:
        return tuple(self.host.glob(pattern))

    def _opened(self, path: str) -> BinaryIO | None:
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        try:
            handle = os.open(self.host.local(path), flags)
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            return None
        return os.fdopen(handle, "rb")
