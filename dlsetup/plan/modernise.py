"""An old list as it is written today, and what became of each of its entries."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from msgspec.structs import replace

from dlsetup.model.conda import CondaWish
from dlsetup.model.modernised import Change, ListForm, Modernised, OldFacts, OldList, What
from dlsetup.model.record import Record
from dlsetup.model.resolution import Pick, Plan
from dlsetup.plan.conda import wish_text
from dlsetup.plan.old_entries import Asked, Understood, change
from dlsetup.plan.old_spec import base_name, spec_text

_FORGE = "https://conda-forge.org/packages/"


class Choice(Record, frozen=True, kw_only=True):
    """What was chosen for an old list, and why not what it says."""

    plan: Plan
    wish: CondaWish
    form: ListForm
    because: str = ""
    """What stood against the versions as they are written; empty: nothing did."""
    reasons: Mapping[str, str] = {}
    """What stands against the version of one framework, by itself."""
    alike: Collection[str] = ()
    """Packages of conda whose wheels have the same name."""
    left_out: Mapping[str, str] = {}
    """Frameworks without which alone there is a plan, with what stands against them."""


def modernised(old: OldList, understood: Understood, choice: Choice, facts: OldFacts) -> Modernised:
    """Every entry becomes something, in the order of the list."""
    writer = _Writer(old, understood, choice, facts)
    changes = dict(writer.settled())
    for asked in understood.frameworks:
        changes[asked.at] = writer.framework(asked)
    if understood.python is not None:
        changes[understood.python.at] = writer.python(understood.python)
    for asked in understood.toolkits:
        changes[asked.at] = writer.toolkit(asked)
    for asked in understood.cpu:
        if asked.at not in changes:
            changes[asked.at] = writer.cpu(asked)
    for asked in understood.others:
        changes[asked.at] = writer.other(asked)
    for at, name in understood.channels:
        changes[at] = writer.channel(at, name)
    ordered = tuple(changes[at] for at in sorted(changes))
    return Modernised(
        form=choice.form, changes=ordered, plan=choice.plan, text=writer.text(), notes=tuple(writer.notes())
    )


class _Writer:
    def __init__(self, old: OldList, understood: Understood, choice: Choice, facts: OldFacts) -> None:
        self.old = old
        self.understood = understood
        self.choice = choice
        self.plan = choice.plan
        self.conda = choice.form == "conda"
        self.facts = facts
        self.picks = {pick.framework: pick for pick in choice.plan.picks}
        self.packages: list[str] = []
        self.pip: list[str] = []
        self.remarks: list[str] = []
        self.moved = self._moved()
        """Whether Python or a framework is another than the list says."""

    def _moved(self) -> bool:
        python = self.understood.python
        if python is not None and not python.specifier.contains(f"{self.plan.python}.99"):
            return True
        return any(not self._fits(item) for item in self.understood.frameworks)

    def settled(self) -> Iterator[tuple[int, Change]]:
        """What was said before anything was chosen; requirements have neither channels nor pip itself."""
        for at, found in self.understood.settled:
            part = self.old.entries[at].part
            if not self.conda and (part == "channel" or (part == "conda" and found.became == "pip")):
                words = "wheels come from no channel" if part == "channel" else "the installer itself"
                found = replace(found, what="dropped", became="", because=words, source="")
            yield at, found

    def _fits(self, asked: Asked) -> bool:
        pick = self.picks.get(asked.name)
        return pick is not None and asked.specifier.contains(pick.version.public, prereleases=True)

    def _change(
        self, asked: Asked, what: What, became: str = "", because: str = "", *, source: str = ""
    ) -> Change:
        return change(self.old.entries[asked.at], what, became, because, source=source or asked.source)

    def framework(self, asked: Asked) -> Change:
        pick = self.picks.get(asked.name)
        if pick is None:
            because = self.choice.left_out.get(asked.name, "there is no plan with it")
            return self._change(asked, "dropped", "", because)
        became = self._became(asked.name, pick)
        if not self._fits(asked):
            because = self.choice.reasons.get(asked.name) or "it goes with the others that are newer"
            return self._change(asked, "newer", became, because)
        if asked.pip and self.conda and not became.startswith("pip: "):
            because = "conda-forge has it, and one solver then sees all of it"
            return self._change(asked, "moved", became, because, source=_FORGE)
        written = self.old.entries[asked.at].text
        if base_name(written) == base_name(became):
            return self._change(asked, "kept", became, asked.because)
        because = asked.because or "the build for the target is asked for by its name"
        return self._change(asked, "renamed", became, because)

    def _became(self, name: str, pick: Pick) -> str:
        own = dict(self.choice.wish.frameworks).get(name) if self.conda else None
        if own is not None:
            return " ".join(own)
        return f"pip: {pick.requirement}" if self.conda else pick.requirement

    def python(self, asked: Asked) -> Change:
        became = f"python={self.plan.python}" if self.conda else ""
        if not self.conda:
            return self._change(asked, "dropped", "", f"Python {self.plan.python} is meant")
        if asked.specifier.contains(f"{self.plan.python}.99"):
            return self._change(asked, "kept", became)
        row = next((item for item in self.facts.python if asked.pin.startswith(item.line)), None)
        if row is not None:
            because = f"Python {row.line} has not been maintained since {row.ended}"
            return self._change(asked, "newer", became, because, source=row.source)
        return self._change(asked, "newer", became, self.choice.because or "the frameworks need another")

    def toolkit(self, asked: Asked) -> Change:
        cuda = self.plan.cuda
        if cuda is None:
            because = f"no CUDA build is taken for {self.plan.target.name}"
            return self._change(asked, "dropped", "", because)
        if not self.conda:
            return self._change(asked, "dropped", "", f"wheels bring their own CUDA, here {cuda}")
        row = next((item for item in self.facts.package if asked.name in item.names), None)
        because = "" if row is None else row.because
        source = "" if row is None else row.source
        became = f"cuda-version={cuda.major}"
        if asked.pin.partition(".")[0] in ("", str(cuda.major)):
            what: What = "kept" if asked.name == "cuda-version" else "renamed"
            return self._change(asked, what, became, because, source=source)
        return self._change(asked, "newer", became, because, source=source)

    def cpu(self, asked: Asked) -> Change:
        row = next((item for item in self.facts.package if asked.name in item.names), None)
        builds = " ".join(spec for _, own in self.choice.wish.frameworks for spec in own)
        source = "" if row is None else row.source
        if not self.conda:
            builds = " ".join(pick.requirement for pick in self.plan.picks)
        return self._change(asked, "renamed", builds, "" if row is None else row.because, source=source)

    def channel(self, at: int, name: str) -> Change:
        entry = self.old.entries[at]
        if not self.conda:
            return change(entry, "dropped", "", "wheels come from no channel")
        return change(entry, "kept", name, "nothing is known of it: it comes behind conda-forge")

    def other(self, asked: Asked) -> Change:
        entry = self.old.entries[asked.at]
        if asked.as_is:
            return self._as_is(asked)
        loosened = bool(asked.pin) and self.moved
        release = asked.pin.removesuffix(".*")
        if self.conda and not asked.pip:
            became = f"{asked.name}>={release}" if loosened else spec_text(asked, entry.text)
            self.packages.append(became)
        elif self.conda or asked.pip or asked.name in self.choice.alike:
            became = f"{asked.name}>={release}" if loosened else f"{asked.name}{asked.specifier}"
            self.pip.append(became)
        else:
            self.remarks.append(f"{entry.text}: a package of conda; its wheel may have another name")
            return self._change(
                asked, "unknown", "", "a package of conda: what its wheel is called is not known"
            )
        if loosened:
            because = "its one release was chosen beside others of its time; an older one is not asked for"
            return self._change(asked, "newer", became, because)
        what: What = "renamed" if asked.because else "kept"
        return self._change(asked, what, became, asked.because)

    def _as_is(self, asked: Asked) -> Change:
        entry = self.old.entries[asked.at]
        if asked.pip:
            self.pip.append(asked.as_is)
        elif self.conda:
            self.packages.append(asked.as_is)
        else:
            self.remarks.append(entry.text)
            return self._change(asked, "unknown", "", asked.because)
        return self._change(
            asked, "unknown", asked.as_is, f"{asked.because or 'not judged'}; it stays as it is"
        )

    def text(self) -> str:
        pip = [*self.choice.wish.pip, *self.pip] if self.conda else self._requirements()
        pip = list(dict.fromkeys(sorted(pip, key=lambda item: not item.startswith("--"))))
        if not self.conda:
            return "".join(f"{line}\n" for line in [*self._comments(), *pip])
        wish = replace(
            self.choice.wish,
            packages=tuple(dict.fromkeys((*self.choice.wish.packages, *self.packages))),
            pip=tuple(pip),
            channels=("conda-forge", *dict.fromkeys(name for _, name in self.understood.channels)),
        )
        return wish_text(wish, name=self.old.name)

    def _requirements(self) -> Iterator[str]:
        used = {index for _, index in self.plan.sources}
        for index in self.plan.indexes:
            if index.url and index.name in used:
                yield f"--extra-index-url {index.url}"
        yield from self.plan.requirements
        yield from self.pip

    def _comments(self) -> Iterator[str]:
        yield f"# Python {self.plan.python}"
        for text in self.remarks:
            yield "# " + " ".join(text.split())

    def notes(self) -> Iterator[str]:
        cuda = self.plan.cuda
        if self.conda and cuda is not None and int(cuda.major) < 12:
            yield (
                f"conda-forge makes no more builds for CUDA {cuda.major}, the newest that this driver runs: "
                "older ones may do; `--to requirements` names wheels that are there"
            )
        for framework, because in self.choice.left_out.items():
            yield f"{framework} is left out: {because}"
