"""The import of a framework, step by step as its catalog file tells, as the loader would see it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dlsetup.model.libraries import Unmet
from dlsetup.model.loading import Asking, Loading, LoadStep, Preload
from dlsetup.rules.loader import Process, Refused, Resident

STEM = re.compile(r"[^.*?\[]+")


class Following:
    """A process that follows the steps of one framework. `failure` says why its import ends early."""

    def __init__(self, process: Process, major: int | None = None) -> None:
        self.process = process
        self.major = major
        """Of the CUDA that the framework was built with, where it was."""
        self.opens: list[str] = []
        self.failure = ""
        self.unmet: list[Unmet] = []

    def follow(self, loading: Loading, askings: Sequence[Asking]) -> None:
        """The steps, then what the CUDA libraries that came in ask for themselves."""
        for step in loading.step:
            if step.when and not any(step.when in item.file.path for item in self.process.residents):
                continue
            try:
                self._take(step)
            except Refused as exc:
                self.failure = str(exc)
                return
        self.ask_further(askings)

    def ask_further(self, askings: Sequence[Asking]) -> None:
        """What CUDA libraries ask for when they are used; their parts may ask in turn."""
        for asking in askings:
            self._ask(asking.ask, asking.of)

    def found(self, name: str) -> bool:
        """Whether a program that opens a bare name gets anything, whatever that lacks."""
        try:
            self.python_opens(name)
        except Refused:
            return bool(self.process.undone)
        return True

    def python_opens(self, path: str) -> Resident:
        """What `ctypes.CDLL(path)` does."""
        return self.process.open(path, self._of_ctypes())

    def _take(self, step: LoadStep) -> None:
        if step.open:
            self._open(step)
        elif step.preload:
            try:
                self._preload(step)
            except Refused:
                return
        elif step.ask:
            self._ask(step.ask, step.of)

    def _open(self, step: LoadStep) -> None:
        path = next(iter(self._importable(step.open)), None)
        if path is None:
            return
        self.opens.append(path)
        caller = self._of_ctypes() if step.by == "ctypes" else self._of_python()
        try:
            self.process.open(path, caller)
        except Refused as exc:
            if step.later:
                self.unmet.append(Unmet(name=path.rpartition("/")[2], consumer=path, says=str(exc)))
                return
            if not step.rescue or not any(_stem(item.name) in str(exc) for item in step.preload):
                raise
            self._preload(step)
            self.process.open(path, caller)

    def _preload(self, step: LoadStep) -> None:
        """Raises `Refused` where the step ends early."""
        for item in step.preload:
            path = self._place_of(item, step.places)
            if path is None:
                if step.ends == "absence":
                    raise Refused(f"{item.name} is not in any folder of packages")
                continue
            self.opens.append(path)
            try:
                self.python_opens(path)
            except Refused:
                if step.ends != "never":
                    raise

    def _place_of(self, item: Preload, places: Sequence[str]) -> str | None:
        """The first file in the first folder of packages that has one."""
        for site in self.process.settings.sites:
            for place in places:
                if "{major}" in place and self.major is None:
                    continue
                folder = place.format(folder=item.folder, major=self.major)
                found = self.process.files.matching(f"{_quoted(site)}/{folder}/{item.name}")
                if found:
                    return found[0]
        return None

    def _ask(self, names: Sequence[str], of: str) -> None:
        caller = self.process.resident(of)
        if caller is None:
            return
        for name in names:
            try:
                self.process.open(name, caller, lazy=True)
            except Refused as exc:
                self.unmet.append(Unmet(name=name, consumer=caller.file.path, says=str(exc)))

    def _importable(self, pattern: str) -> Iterator[str]:
        """Files of the first folder of packages that has any, without those for other Pythons."""
        settings = self.process.settings
        for site in settings.sites:
            for path in self.process.files.matching(f"{_quoted(site)}/{pattern}"):
                tagged = re.search(r"\.(cpython-\d+t?)-", path.rpartition("/")[2])
                if tagged is None or not settings.abi or tagged[1] == settings.abi:
                    yield path

    def _of_ctypes(self) -> Resident:
        """Who calls the loader when Python code opens a library."""
        path = self.process.settings.ctypes
        if not path:
            return self._of_python()
        try:
            return self.process.open(path, self._of_python())
        except Refused:
            return self._of_python()

    def _of_python(self) -> Resident:
        """Who calls the loader for an extension module: the interpreter, or its own shared library."""
        return next(
            (item for item in self.process.residents if item.file.soname.startswith("libpython3.")),
            self.process.main,
        )


def _stem(pattern: str) -> str:
    """`libcublas.so.*[0-9]` is about `libcublas`."""
    found = STEM.match(pattern)
    return found[0] if found else pattern


def _quoted(path: str) -> str:
    """A path that stands for itself in a pattern."""
    return re.sub(r"([*?[])", r"[\1]", path)
