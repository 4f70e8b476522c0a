"""`dlsetup why`, also `dlsetup catalog why`: what each rule says of the builds of one release, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from packaging.version import Version

from dlsetup.catalog.load import load, opened
from dlsetup.commands.catalog_matrix import rank
from dlsetup.commands.question import Question, buildable_target_of, folders
from dlsetup.intake.wish import parse_release, parse_wanted, without_extras
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.record import Record
from dlsetup.model.source import Source
from dlsetup.model.standing import Standing
from dlsetup.model.target import Target
from dlsetup.resolve.nearby import nearby
from dlsetup.resolve.standing import standings
from dlsetup.show import json
from dlsetup.show.catalog_document import WhyDocument
from dlsetup.show.catalog_why import why_lines
from dlsetup.show.lines import write


class Request(Record, frozen=True, kw_only=True):
    """The words of `catalog why`, as they were typed."""

    name: str
    """`torch`, or `torch==2.15.0` where no version is given."""
    version: str | None = None
    """`2.15.0`, or `2.15.0+cu130` for one variant; None: the newest final release."""
    machine_file: str | None = None
    target: str | None = None
    catalog: tuple[str, ...] = ()
    as_json: bool = False


def run(request: Request) -> int:
    """Print what decides. 1 where every build is refused."""
    name, release = _asked(request)
    catalog = load([name], opened(folders(request.catalog)))
    framework = next(item for item in catalog.frameworks if item.name == name)
    builds = _builds(framework, _version(release, framework), catalog)
    question = Question(machine_file=request.machine_file, target=request.target, catalog=request.catalog)
    document = _document(framework, builds, buildable_target_of(question), catalog)
    if request.as_json:
        json.write(document)
    else:
        write(why_lines(document, catalog.indexes))
    return 0 if document.ok else 1


def _asked(request: Request) -> tuple[str, str | None]:
    """Framework and release: `torch 2.15.0`, or in one word `torch==2.15.0`."""
    asked = without_extras(parse_wanted(request.name))
    for item in asked.specifier:
        exact = len(asked.specifier) == 1 and item.operator == "==" and "*" not in item.version
        if request.version is not None or not exact:
            raise UsageError(
                f"`{request.name}` does not name one release",
                hint=f"name one after the framework: `dlsetup why {asked.framework} {item.version}`",
            )
        return asked.framework, item.version
    return asked.framework, request.version


def _version(text: str | None, framework: Framework) -> Version:
    known = _known(framework)
    if text is not None:
        hint = f"leave it out for the newest, or ask `dlsetup catalog show {framework.name}` for all"
        asked = parse_release(text, hint)
        return _as_known(asked, known)
    if not known:
        hint = f"`dlsetup catalog refresh {framework.name}` asks the package index for them"
        raise UsageError(f"the catalog has no release of {framework.name}", hint=hint)
    return next((item for item in known if not item.is_prerelease), known[0])


def _as_known(asked: Version, known: Sequence[Version]) -> Version:
    """A version as the catalog writes it: `2.15` is 2.15.0."""
    public = next((item for item in known if item == Version(asked.public)), None)
    if public is None:
        return asked
    return Version(f"{public}+{asked.local}") if asked.local else public


def _builds(framework: Framework, version: Version, catalog: Catalog) -> tuple[Build, ...]:
    """The builds of a release, or of one variant of it. Raises `UsageError` where there are none."""
    builds = framework.of(version)
    if not builds:
        raise _no_release(framework, version, catalog)
    if version.local is None:
        return builds
    of_variant = tuple(item for item in builds if version.local in (item.variant, _local(item.variant)))
    if not of_variant:
        variants = ", ".join(dict.fromkeys(item.variant for item in builds))
        raise UsageError(
            f"the catalog has no build `{version.local}` of {framework.name} {version.public}",
            hint=f"its variants are {variants}",
        )
    return of_variant


def _local(variant: str) -> str:
    """A variant as the local part of a version: letters and digits, dots between them."""
    return "".join(letter if letter.isalnum() else "." for letter in variant).strip(".")


def _no_release(framework: Framework, version: Version, catalog: Catalog) -> UsageError:
    known = _known(framework)
    span = f"{len(known)} releases from {known[-1]} to {known[0]}" if known else "no release at all"
    near = " or ".join(f"`{item}`" for item in _nearest(known, version))
    asks = f"`dlsetup catalog refresh {framework.name}` asks the package index for releases since then."
    return UsageError(
        f"the catalog has no {framework.name} {version.public}: it has {span}, as of {catalog.checked}",
        hint=f"Did you mean {near}? {asks}" if near else asks,
    )


def _known(framework: Framework) -> list[Version]:
    """Newest first."""
    return sorted({item.version for item in framework.builds}, reverse=True)


def _nearest(known: Sequence[Version], version: Version) -> list[Version]:
    """The next older and the next newer release."""
    older = next((item for item in known if item < version), None)
    newer = next((item for item in reversed(known) if item > version), None)
    return [item for item in (older, newer) if item is not None]


def _document(framework: Framework, builds: Sequence[Build], target: Target, catalog: Catalog) -> WhyDocument:
    found = tuple(standings(sorted(nearby(builds, target), key=rank), target, catalog))
    return WhyDocument(
        ok=any(item.answer != "no" for item in found),
        framework=framework.name,
        version=builds[0].version,
        target=target,
        beyond=any(item.beyond for item in builds),
        known_to=framework.known_to,
        standings=found,
        sources=tuple(_cited(found, framework, catalog)),
    )


def _cited(found: Sequence[Standing], framework: Framework, catalog: Catalog) -> Iterator[Source]:
    cited = {source for item in found for source in item.build.sources}
    cited |= {source for item in found for verdict in item.verdicts for source in verdict.sources}
    return (source for source in (*framework.sources, *catalog.hardware.sources) if source.id in cited)
