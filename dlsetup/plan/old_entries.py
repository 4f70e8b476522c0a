"""What each entry of an old list asks for, before anything is chosen."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from dlsetup.intake.environment_file import specifier_of
from dlsetup.model.addresses import without_login
from dlsetup.model.framework import Ended
from dlsetup.model.modernised import Change, Entry, OldFacts, OldList, OldPackage, What
from dlsetup.model.record import Record

_SPEC = re.compile(r"(?:([\w./:-]+)::)?([A-Za-z0-9_][\w.-]*)\s*(.*)", re.DOTALL)
_PIP_ALONE = ("-e", "--editable", "-r", "--requirement", "-c", "--constraint", "--extra-index-url", "-i")


class Asked(Record, frozen=True, kw_only=True):
    """One entry that asks for a package."""

    at: int
    """Its place among the entries."""
    name: str
    specifier: SpecifierSet = SpecifierSet()
    pip: bool = False
    as_is: str = ""
    """Its text, where it is no more than text to us: an address, a spec that cannot be read."""
    because: str = ""
    source: str = ""
    """What is to be said of its name."""

    @property
    def pin(self) -> str:
        """The one version that it names; empty: it leaves a choice."""
        pins = [item.version for item in self.specifier if item.operator == "=="]
        return pins[0] if len(pins) == len(self.specifier) == 1 else ""


class Understood(Record, frozen=True, kw_only=True):
    """An old list, understood. Every entry is in exactly one place."""

    frameworks: tuple[Asked, ...]
    python: Asked | None
    toolkits: tuple[Asked, ...]
    cpu: tuple[Asked, ...]
    others: tuple[Asked, ...]
    channels: tuple[tuple[int, str], ...]
    """Channels that stay."""
    settled: tuple[tuple[int, Change], ...]
    """Entries of which everything is said."""


class Names(Record, frozen=True, kw_only=True):
    """What is known of names."""

    facts: OldFacts
    owners: Mapping[str, str]
    """Framework by distribution."""
    ended: Mapping[str, Ended]
    """Frameworks that are not released any more."""
    served: Collection[str] = ()
    """Frameworks that conda-forge builds."""


def understand(old: OldList, names: Names) -> Understood:
    """Sorts the entries; nothing is chosen yet."""
    reader = _Reader(names)
    for at, entry in enumerate(old.entries):
        reader.take(at, entry)
    return reader.understood()


def change(entry: Entry, what: What, became: str = "", because: str = "", *, source: str = "") -> Change:
    """What became of an entry, without the passwords in its addresses."""
    return Change(
        text=without_login(entry.text),
        line=entry.line,
        what=what,
        became=without_login(became),
        because=because,
        source=source,
    )


class _Reader:
    def __init__(self, names: Names) -> None:
        self.names = names
        self.old = {name: item for item in names.facts.package for name in item.names}
        self.old_channels = {name: item for item in names.facts.channel for name in item.names}
        self.frameworks: list[Asked] = []
        self.python: Asked | None = None
        self.toolkits: list[Asked] = []
        self.cpu: list[Asked] = []
        self.others: list[Asked] = []
        self.channels: list[tuple[int, str]] = []
        self.settled: list[tuple[int, Change]] = []

    def understood(self) -> Understood:
        return Understood(
            frameworks=tuple(self.frameworks),
            python=self.python,
            toolkits=tuple(self.toolkits),
            cpu=tuple(self.cpu),
            others=tuple(self.others),
            channels=tuple(self.channels),
            settled=tuple(self.settled),
        )

    def take(self, at: int, entry: Entry) -> None:
        by_part: dict[str, Callable[[int, Entry], None]] = {
            "channel": self._channel,
            "conda": self._conda,
            "pip": self._pip,
            "option": self._option,
        }
        by_part.get(entry.part, self._other)(at, entry)

    def _settle(self, at: int, found: Change) -> None:
        self.settled.append((at, found))

    def _channel(self, at: int, entry: Entry) -> None:
        name = _short(entry.text)
        known = self.old_channels.get(name) or self.old_channels.get(name.partition("/")[0])
        if name in ("conda-forge", "nodefaults"):
            self._settle(at, change(entry, "kept", name))
        elif known is not None:
            moved = "dropped" if known.names[0] == "defaults" else "moved"
            became = "" if moved == "dropped" else "conda-forge"
            self._settle(at, change(entry, moved, became, known.because, source=known.source))  # type: ignore[arg-type]
        else:
            self.channels.append((at, entry.text))

    def _conda(self, at: int, entry: Entry) -> None:
        found = _SPEC.fullmatch(entry.text.strip()) if entry.text.isprintable() else None
        specifier = None if found is None else specifier_of(_without_build(found[3]))
        if found is None or specifier is None:
            self.others.append(
                Asked(at=at, name="", as_is=entry.text, because="it cannot be read as a package")
            )
            return
        name = found[2].lower()
        one = Asked(at=at, name=name, specifier=specifier)
        if name == "python" and self.python is None:
            self.python = one
        elif name == "python":
            self._settle(at, change(entry, "dropped", "", "Python is asked for above"))
        elif name == "pip":
            self._settle(at, change(entry, "kept", "pip"))
        else:
            self._named(at, entry, one)

    def _pip(self, at: int, entry: Entry) -> None:
        try:
            item = Requirement(re.sub(r"\s--?[A-Za-z].*$", "", entry.text, flags=re.DOTALL))
        except (InvalidRequirement, RecursionError):
            because = "an address or a path, not the name of a package"
            self.others.append(Asked(at=at, name="", pip=True, as_is=entry.text, because=because))
            return
        name = canonicalize_name(item.name)
        specifier = SpecifierSet(",".join(str(each).partition("+")[0] for each in item.specifier))
        one = Asked(at=at, name=name, specifier=specifier, pip=True)
        if item.url or item.marker or (item.extras and name not in self.names.owners):
            self.others.append(Asked(at=at, name=name, pip=True, as_is=entry.text))
        elif name.startswith("nvidia-") and name not in ("nvidia-ml-py", "nvidia-dali-cuda120"):
            known = self.old["cudnn"]
            self._settle(at, change(entry, "dropped", "", known.because, source=known.source))
        else:
            self._named(at, entry, one)

    def _named(self, at: int, entry: Entry, one: Asked) -> None:
        known = self.old.get(one.name)
        framework = known.framework if known is not None else self.names.owners.get(one.name, "")
        ended = self.names.ended.get(framework)
        if ended is not None:
            words = f"{framework} has ended with {ended.last} ({ended.when}); in its place: {ended.instead}"
            self._settle(at, change(entry, "dropped", "", words, source=ended.source))
        elif known is None and (not framework or not (one.pip or framework in self.names.served)):
            self.others.append(one)
        elif known is not None and not framework:
            self._old(at, entry, one, known)
        else:
            self._framework(one, known, framework)

    def _framework(self, one: Asked, known: OldPackage | None, framework: str) -> None:
        told = ("", "") if known is None else (known.because, known.source)
        named = Asked(
            at=one.at, name=framework, specifier=one.specifier, pip=one.pip, because=told[0], source=told[1]
        )
        self.frameworks.append(named)
        if known is not None and known.cpu:
            self.cpu.append(named)

    def _old(self, at: int, entry: Entry, one: Asked, known: OldPackage) -> None:
        if known.toolkit:
            self.toolkits.append(one)
        elif known.cpu:
            self.cpu.append(one)
        elif known.became:
            named = Asked(at=at, name=known.became, because=known.because, source=known.source)
            self.others.append(named)
        else:
            self._settle(at, change(entry, "dropped", "", known.because, source=known.source))

    def _option(self, at: int, entry: Entry) -> None:
        word, _, value = entry.text.partition(" ")
        word, _, same = word.partition("=")
        if "download.pytorch.org" in f"{value}{same}":
            because = "the plan names the index of each of its builds itself"
            self._settle(at, change(entry, "dropped", "", because))
        elif word in _PIP_ALONE or word in ("--index-url", "--find-links", "-f"):
            self.others.append(
                Asked(at=at, name="", pip=True, as_is=entry.text, because="for pip, as it stands")
            )
        else:
            self._settle(at, change(entry, "dropped", "", "an option of one call, not of an environment"))

    def _other(self, at: int, entry: Entry) -> None:
        if entry.text == "prefix":
            self._settle(at, change(entry, "dropped", "", "a path of one machine"))
        else:
            because = "nothing that lists packages; it is left as it is"
            self._settle(at, change(entry, "unknown", "", because))


def _short(text: str) -> str:
    """`https://conda.anaconda.org/pytorch` is `pytorch`; another address stays what it is."""
    found = re.fullmatch(
        r"https?://(?:conda\.|repo\.)anaconda\.(?:org|com)/(.+?)(?:/(?:linux-64|noarch))?/?", text
    )
    return (found[1] if found else text).strip().lower()


def _without_build(text: str) -> str:
    """`1.10.0 py3.8_cuda11.3` without its build."""
    words = text.split()
    return words[0] if len(words) == 2 and not re.search(r"[<>=!~,|]", text) else text
