"""Runs inside the environment that is observed: `python -I loader_child.py STEPS SECONDS`.

Opens the files that importing a framework would open, in its order, and nothing of Python. Imports nothing
but the standard library. Prints one line of JSON: what failed, and what is in the process at the end.
"""

from __future__ import annotations

import contextlib
import ctypes
import glob
import importlib.machinery
import json
import os
import signal
import sys
from typing import Any


class Opener:
    """Does the steps, and keeps what the loader said where one ended the import."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self.sites: list[str] = asked["sites"]
        self.major = asked["major"]
        self.failure = ""

    def follow(self, steps: list[dict[str, Any]]) -> None:
        """All steps, until one ends the import."""
        for step in steps:
            if step.get("when") and not any(step["when"] in path for path in mapped()):
                continue
            try:
                self.take(step)
            except OSError as error:
                self.failure = str(error)
                return

    def take(self, step: dict[str, Any]) -> None:
        if step.get("open"):
            self.open(step)
        elif step.get("preload"):
            with contextlib.suppress(OSError):
                self.preload(step)

    def open(self, step: dict[str, Any]) -> None:
        path = self.importable(step["open"])
        if path is None:
            return
        try:
            ctypes.CDLL(path)
        except OSError as error:
            if step.get("later"):
                return
            stems = [item[1].split(".")[0] for item in step.get("preload", [])]
            if not step.get("rescue") or not any(stem in str(error) for stem in stems):
                raise
            self.preload(step)
            ctypes.CDLL(path)

    def preload(self, step: dict[str, Any]) -> None:
        for folder, name in step["preload"]:
            path = self.place_of(step["places"], folder, name)
            if path is None:
                if step.get("ends") == "absence":
                    raise OSError(f"{name} is not in any folder of packages")
                continue
            try:
                ctypes.CDLL(path)
            except OSError:
                if step.get("ends", "never") != "never":
                    raise

    def place_of(self, places: list[str], folder: str, name: str) -> str | None:
        for site in self.sites:
            for place in places:
                if "{major}" in place and self.major is None:
                    continue
                inside = place.format(folder=folder, major=self.major)
                found = sorted(glob.glob(os.path.join(glob.escape(site), inside, name)))
                if found:
                    return found[0]
        return None

    def importable(self, pattern: str) -> str | None:
        endings = tuple(item for item in importlib.machinery.EXTENSION_SUFFIXES if "cpython" in item)
        for site in self.sites:
            for path in sorted(glob.glob(os.path.join(glob.escape(site), pattern))):
                if ".cpython-" not in os.path.basename(path) or path.endswith(endings):
                    return path
        return None


def mapped() -> list[str]:
    """Shared objects in this process."""
    with open("/proc/self/maps", errors="replace") as file:
        paths = {line.split(None, 5)[5].strip() for line in file if len(line.split(None, 5)) > 5}
    return sorted(path for path in paths if path.startswith("/") and ".so" in os.path.basename(path))


def main(text: str, seconds: int) -> None:
    answer = os.dup(1)
    os.dup2(2, 1)
    signal.alarm(seconds)
    asked = json.loads(text)
    opener = Opener(asked)
    opener.follow(asked["steps"])
    for name in asked["names"]:
        try:
            ctypes.CDLL(name)
        except OSError as error:
            opener.failure = opener.failure or str(error)
    told = {"failure": opener.failure, "mapped": mapped()}
    os.write(answer, (json.dumps(told) + "\n").encode())
    # What was loaded may hang at exit; the answer is given.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
