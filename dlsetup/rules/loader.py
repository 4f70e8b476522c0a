"""A process as its loader fills it: which file every name leads to, without loading anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from dlsetup.model.libraries import Found, Lack
from dlsetup.model.loading import LoaderSettings, SharedObject, Symbols
from dlsetup.model.record import Record
from dlsetup.rules.loader_lacks import lacks_of, refusal
from dlsetup.rules.loader_search import search

OBJECTS_LIMIT = 4000


class Files(Protocol):
    """The files of a machine, as far as a loader looks at them."""

    def shared_object(self, path: str) -> SharedObject | None:
        """What a file says; None where there is no such file."""
        ...

    def real(self, path: str) -> str:
        """The path with every link followed: one file has one."""
        ...

    def symbols(self, path: str) -> Symbols:
        """Its dynamic symbols; none where they cannot be read."""
        ...

    def matching(self, pattern: str) -> tuple[str, ...]:
        """Existing paths that a pattern fits."""
        ...


class Refused(Exception):
    """The loader gives up on what it was asked to open; the text is what it says."""


class Arrival(Record, frozen=True, kw_only=True):
    """One name that was asked for, and the file it led to."""

    name: str
    consumer: str
    """Path of the file that asked; of the interpreter, where Python code did."""
    found: Found


class Resident:
    """A file in the process, under every name it has come by."""

    def __init__(self, file: SharedObject, real: str, found: Found, loader: Resident | None) -> None:
        self.file = file
        self.real = real
        self.found = found
        self.loader = loader
        self.names = {file.path}

    @property
    def chain(self) -> tuple[SharedObject, ...]:
        """Itself, who loaded it, and so on."""
        above = self.loader
        files = [self.file]
        while above is not None:
            files.append(above.file)
            above = above.loader
        return tuple(files)

    def answers(self, name: str, libc: str) -> bool:
        """Whether it is what a name means; musl does not know a library by its SONAME."""
        return name in self.names or (libc == "glibc" and name == self.file.soname != "")


class Process:
    """A program and what its loader has brought into it. Raises `Refused` where the program cannot start."""

    def __init__(self, settings: LoaderSettings, files: Files) -> None:
        self.settings = settings
        self.files = files
        self.residents: list[Resident] = []
        self.arrivals: list[Arrival] = []
        self.undone: list[Arrival] = []
        """Of attempts that failed, after which the loader has taken everything back."""
        self.history: list[Arrival] = []
        """All of them in their order, but for what is looked up lazily: what a child can be seen to do."""
        self._lazy = False
        self.lacks: list[tuple[str, Lack]] = []
        """By the file that lacks something, behind its links; also of attempts that failed."""
        program = files.shared_object(settings.program)
        if program is None or program.foreign or program.fault:
            raise Refused(f"{settings.program}: {program.fault if program else 'no such file'}")
        self.main = self._stay(program, Found(path=program.path, via="path"), None)
        self._start()

    def open(self, name: str, caller: Resident | None = None, *, lazy: bool = False) -> Resident:
        """What `dlopen` does: the file and all it needs come in, or nothing does and `Refused` is raised.

        `lazy`: functions are looked up when they are called, so that one that is missing stops nothing here.
        """
        before, known = len(self.residents), len(self.arrivals)
        names = [set(item.names) for item in self.residents]
        self._lazy = lazy
        try:
            first = self._bring(name, caller or self.main)
            self._complete(before)
            self._check(before)
        except Refused:
            del self.residents[before:]
            for item, old in zip(self.residents, names, strict=True):
                item.names = old
            self.undone += self.arrivals[known:]
            del self.arrivals[known:]
            raise
        finally:
            self._lazy = False
        return first

    def resident(self, name: str) -> Resident | None:
        """What is in the process under a name."""
        return next((item for item in self.residents if item.answers(name, self.settings.libc)), None)

    def would_meet(self, name: str, consumer: Resident) -> Iterator[Found]:
        """Every file that a search of the name meets, also behind the first."""
        seen = set()
        for found in search(name, consumer.chain, self.main.file, self.settings):
            if found.path in seen:
                continue
            seen.add(found.path)
            file = self.files.shared_object(found.path)
            if file is not None and not file.foreign:
                yield found

    def _check(self, first: int) -> None:
        """Whether what came in finds its versions and symbols; musl knows no versions."""
        if self.settings.libc == "musl":
            return
        found = [
            (consumer, provider, lack)
            for consumer in self.residents[first:]
            for provider, lack in lacks_of(consumer, self.residents, self.files)
        ]
        self.lacks += [(provider.real, lack) for _, provider, lack in found]
        for consumer, provider, lack in found:
            if lack.versions or not self._lazy:
                raise Refused(refusal(consumer, provider, lack))

    def _start(self) -> None:
        """LD_PRELOAD first; what cannot be preloaded is left out with a warning."""
        for name in self.settings.preload:
            try:
                self._bring(name, self.main, via="preload")
            except Refused:
                continue
        self._complete(0)

    def _complete(self, first: int) -> None:
        """Everything that the files need, breadth first, as the loader walks."""
        at = first
        while at < len(self.residents):
            asking = self.residents[at]
            for name in asking.file.needed:
                self._bring(name, asking)
            at += 1
            if len(self.residents) > OBJECTS_LIMIT:
                raise Refused(f"{asking.file.path}: more than {OBJECTS_LIMIT} files are needed")

    def _bring(self, name: str, asking: Resident, via: str = "") -> Resident:
        known = self.resident(name)
        if known is not None:
            return self._note(name, asking, known, Found(path=known.file.path, via="loaded"))
        found, file = self._first(name, asking)
        if via == "preload":
            found = Found(path=found.path, via="preload")
        if file.fault:
            self._remember(name, asking, found)
            raise Refused(f"{found.path}: {file.fault}")
        real = self.files.real(found.path)
        same = next((item for item in self.residents if item.real == real), None)
        if same is not None:
            same.names |= {name, found.path}
            return self._note(name, asking, same, found)
        come = self._stay(file, found, asking)
        come.names.add(name)
        return self._note(name, asking, come, found)

    def _first(self, name: str, asking: Resident) -> tuple[Found, SharedObject]:
        """The first file of the search that is made for this processor."""
        if "/" in name:
            ways = iter((Found(path=name, via="path"),))
        else:
            ways = search(name, asking.chain, self.main.file, self.settings)
        for found in ways:
            file = self.files.shared_object(found.path)
            if file is not None and not file.foreign:
                return found, file
        self._remember(name, asking, Found(path="", via="default"))
        raise Refused(f"{name}: cannot open shared object file: No such file or directory")

    def _stay(self, file: SharedObject, found: Found, loader: Resident | None) -> Resident:
        come = Resident(file, self.files.real(file.path), found, loader)
        self.residents.append(come)
        return come

    def _note(self, name: str, asking: Resident, resident: Resident, found: Found) -> Resident:
        self.arrivals.append(self._remember(name, asking, found))
        return resident

    def _remember(self, name: str, asking: Resident, found: Found) -> Arrival:
        come = Arrival(name=name, consumer=asking.file.path, found=found)
        if not self._lazy:
            self.history.append(come)
        return come
