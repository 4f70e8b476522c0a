"""What a file that lists packages means as a wish: its frameworks, and the rest for the installer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from msgspec.structs import replace
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import (
    canonicalize_name,
)
from packaging.version import Version

from dlsetup.model.addresses import without_login
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Catalog, Framework
from dlsetup.model.listing import Left, Listing, Said
from dlsetup.model.locked import LockNote
from dlsetup.model.record import Unknown
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.wish import Kept, Wanted
from dlsetup.resolve.addresses import bare, version_of_file
from dlsetup.resolve.noted import extras_of, is_meant, noted_builds
from dlsetup.resolve.refusals import specifier_admits
from dlsetup.resolve.shapes import asked, both
from dlsetup.rules.installed import asked_for
from dlsetup.rules.libraries import marker_environment

_COMPANIONS = ("nvidia-", "cuda-", "jax-cuda", "jax-rocm", "jax-oneapi", "triton", "pytorch-triton", "jaxlib")
_FOR_THEIR_OWN_SAKE = ("nvidia-ml-py",)
_CONDA = ", conda"


class Taking:
    """Takes one listing after the other; what was made of them is in the attributes."""

    def __init__(
        self,
        catalog: Catalog,
        owners: Mapping[str, str],
        target: Target,
        pythons: Sequence[Interpreter],
        *,
        keep: bool = False,
    ) -> None:
        self.catalog = catalog
        self.owners = owners
        """Framework by the name of each of its distributions."""
        self.target = target
        self.environments = [marker_environment(item, target) for item in pythons]
        self.keep = keep
        self.wanted: dict[str, Wanted] = {}
        self.kept: dict[str, Kept] = {}
        self.packages: list[Said] = []
        self.constraints: list[str] = []
        self.frameworks: list[Said] = []
        self.notes: list[str] = []
        self.left: list[Left] = []

    def take(self, listing: Listing) -> None:
        """Raises `UsageError` where Python decides about a framework and nobody said which Python."""
        self.left += listing.left
        for said in listing.requirements:
            if listing.locked and not self._asks(said):
                continue
            item = self._applying(said)
            if item is not None:
                self._requirement(item, said)
        for said in listing.constraints:
            item = self._applying(said)
            if item is not None:
                self._constraint(item, said)
        self._places(listing)
        if not isinstance(listing.note, Unknown):
            self._noted(listing.note)
        if listing.locked:
            rest = sum(not self._asks(said) for said in listing.requirements)
            self.notes.append(f"{rest} further packages of the lock are left to the installer")

    def _asks(self, said: Said) -> bool:
        """Whether it asks for a framework."""
        name = canonicalize_name(Requirement(said.text).name)
        framework = self._framework(name)
        return framework is not None and name in _names(framework)

    def _requirement(self, item: Requirement, said: Said) -> None:
        name = canonicalize_name(item.name)
        framework = self._framework(name)
        if framework is not None and name in _names(framework):
            self._framework_of(item, said, framework)
        elif name.startswith(_COMPANIONS) and name not in _FOR_THEIR_OWN_SAKE:
            self._companion(item, said)
        elif framework is not None and name not in framework.distributions:
            self._leave(said, f"ask for {framework.name}, of which this is another name")
        elif said.where.endswith(_CONDA) and name not in self.catalog.libraries:
            self._leave(said, "a package of conda; among wheels the name may mean something else")
        elif item.url and "@" in urlsplit(item.url).netloc:
            self._leave(Said(text=item.name, where=said.where), "its address holds a password")
        else:
            self.packages.append(replace(said, text=str(item)))

    def _companion(self, item: Requirement, said: Said) -> None:
        """JAX names its own jaxlib; what else comes with a framework depends on the build."""
        if item.name == "jaxlib" and item.specifier:
            self.packages.append(said)
        else:
            self._leave(said, "it comes with the build of the framework that needs it")

    def _framework_of(self, item: Requirement, said: Said, framework: Framework) -> None:
        specifier = item.specifier
        if item.url:
            found = version_of_file(item.url)
            if found is None:
                self._leave(
                    Said(text=item.name, where=said.where), "an address, which tells no release to judge"
                )
                return
            specifier = SpecifierSet(f"=={found}")
        name = canonicalize_name(item.name)
        one = Wanted(
            framework=framework.name,
            specifier=self._softened(specifier, framework.name),
            extras=tuple(sorted(map(canonicalize_name, item.extras))),
            distribution="" if name == framework.name or name not in _names(framework) else name,
        )
        before = self.wanted.get(framework.name)
        joined = asked(one) if before is None else both(before, one)
        self.wanted[framework.name] = replace(joined, filed=True)
        self.frameworks.append(said)

    def _softened(self, specifier: SpecifierSet, name: str) -> SpecifierSet:
        """With `keep` an exact version is what is there, not what is asked for."""
        pins = [
            Version(item.version) for item in specifier if item.operator == "==" and "*" not in item.version
        ]
        if not self.keep or len(pins) != 1 or len(specifier) != 1:
            return specifier
        local = pins[0].local or ""
        index = "" if local else "default"
        kept = Kept(framework=name, version=Version(pins[0].public), variant=local, index=index)
        self.kept[name] = kept
        return SpecifierSet()

    def _constraint(self, item: Requirement, said: Said) -> None:
        name = canonicalize_name(item.name)
        framework = self._framework(name)
        if framework is not None and framework.name in self.wanted and name in _names(framework):
            bound = Wanted(framework=framework.name, specifier=self._softened(item.specifier, framework.name))
            joined = both(self.wanted[framework.name], bound)
            self.wanted[framework.name] = replace(joined, filed=True)
        elif item.url or (name.startswith(_COMPANIONS) and name not in _FOR_THEIR_OWN_SAKE):
            self._leave(said, "it comes with the build of the framework that needs it")
        else:
            self.constraints.append(f"{item.name}{item.specifier}")

    def _places(self, listing: Listing) -> None:
        """Indexes of the catalog from which the builds of a framework shall come."""
        known = {bare(item.url): item.name for item in self.catalog.indexes if item.url}
        by_name = {
            item.distribution: known[bare(item.address.text)]
            for item in listing.sources
            if bare(item.address.text) in known and self._holds(item.marker)
        }
        everywhere: list[str] = []
        for said in listing.indexes:
            index = known.get(bare(said.text))
            if index is None:
                self._leave(replace(said, text=without_login(said.text)), "no index of the catalog")
            else:
                everywhere.append(index)
        for name, wanted in self.wanted.items():
            framework = self._framework(name)
            if framework is not None:
                names = [by_name[name]] if name in by_name else everywhere
                self._place(wanted, framework, names)

    def _place(self, wanted: Wanted, framework: Framework, names: list[str]) -> None:
        fitting = {item.index for item in framework.builds if specifier_admits(wanted.specifier, item)}
        chosen = tuple(name for name in dict.fromkeys(names) if name in fitting)
        urls = {item.name: item.url for item in self.catalog.indexes}
        if chosen:
            self.wanted[wanted.framework] = replace(wanted, indexes=chosen)
            text = " or ".join(urls[name] or name for name in chosen)
            self.notes.append(f"{wanted.framework} comes from {text}")
        elif names and any(item.index in names for item in framework.builds):
            text = " or ".join(urls[name] or name for name in names)
            self.notes.append(f"{text} has no {wanted.text or wanted.framework}: it may come from elsewhere")

    def _noted(self, note: LockNote) -> None:
        """The very builds of a lock that dlsetup made: what an index serves need not tell the device."""
        for pick in note.picks:
            wanted, framework = self.wanted.get(pick.framework), self._framework(pick.framework)
            if wanted is None or framework is None or not is_meant(note, pick, self.target):
                continue
            builds, exact = noted_builds(pick, framework, self.catalog)
            builds = [build for build in builds if specifier_admits(wanted.specifier, build)]
            if not builds:
                continue
            index = builds[0].index if exact else ""
            kept = self.kept.get(pick.framework)
            if kept is not None:
                self.kept[pick.framework] = replace(kept, variant=builds[0].variant, index=index)
                continue
            extras = tuple(dict.fromkeys((*wanted.extras, *extras_of(builds[0]))))
            of_build = asked(replace(wanted, extras=extras, indexes=(index,) if exact else ()))
            self.wanted[pick.framework] = replace(of_build, filed=True)

    def _holds(self, text: str) -> bool:
        """Whether a marker holds with every Python that may be chosen."""
        if not text:
            return True
        marker = Marker(text)
        return all(each is not None and marker.evaluate(each) for each in self.environments)

    def _applying(self, said: Said) -> Requirement | None:
        """The requirement where its marker holds; None where it does not."""
        item = Requirement(said.text)
        if item.marker is None:
            return item
        marker = item.marker
        answers = {None if each is None else marker.evaluate(each) for each in self.environments}
        if answers == {True}:
            item.marker = None
            return item
        if answers == {False}:
            self._leave(said, f"its marker does not hold on {self.target.name}")
            return None
        framework = self._framework(canonicalize_name(item.name))
        if None in answers:
            self._leave(said, f"nothing tells whether its marker holds on {self.target.name}")
            return None
        if framework is None:
            return item
        hint = "say which Python it shall be: `--python 3.12`"
        raise UsageError(f"{said.where}: which Python it is decides whether `{said.text}` holds", hint=hint)

    def _framework(self, name: str) -> Framework | None:
        return self.catalog.framework(self.owners.get(name, name))

    def _leave(self, said: Said, because: str) -> None:
        self.left.append(Left(text=said.text, where=said.where, because=because))


def frameworks_in(listing: Listing, owners: Mapping[str, str]) -> Iterator[str]:
    """Names of the frameworks that a listing may ask for, whatever its markers say."""
    for said in listing.requirements:
        name = canonicalize_name(Requirement(said.text).name)
        if name in owners:
            yield owners[name]


def _names(framework: Framework) -> set[str]:
    """Names under which an installer is asked for some build of it."""
    return {framework.name}.union(*(asked_for(build) for build in framework.builds))
