"""Whether the files of packages are as installers left them: gone, changed, twice, left over, shared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from glob import escape
from itertools import islice
from typing import NamedTuple

from dlsetup.model.libraries import Trouble
from dlsetup.model.machine import Environment
from dlsetup.model.record import Unknown
from dlsetup.probe.distributions import concerns
from dlsetup.probe.host import Host
from dlsetup.probe.metadata import editable_source, name_and_version
from dlsetup.probe.record import Recorded, digest_of, recorded

RECORD_LIMIT = 32 << 20
HASHED_SIZE = 1 << 20
"""Files up to this size are read; of larger ones the size is enough."""
LIBRARY_FOLDERS = ("nvidia/*/lib", "torch/lib", "tensorflow", "cusparselt/lib", "tensorrt_libs")
FILES_LIMIT = 60_000
"""Of one distribution: torch has 12 000."""


class Listed(NamedTuple):
    """One metadata folder of a distribution that concerns frameworks."""

    site: str
    entry: str
    name: str
    files: tuple[Recorded, ...]
    """What its RECORD names; byte code does not count."""
    tree: str
    """The source tree that it is imported from, where it is installed for development."""


def troubles(host: Host, environment: Environment, sites: tuple[str, ...]) -> tuple[Trouble, ...]:
    """Of distributions that concern frameworks, in every folder that packages are imported from."""
    listed = {site: tuple(_listed(host, site)) for site in sites}
    found = [item for site in sites for item in _of_site(host, site, listed[site])]
    owned = sites if environment.kind != "conda" else ()
    unowned = [item for site in owned for item in _unowned(host, site, listed[site])]
    every = [item for site in sites for item in listed[site]]
    return (*found, *unowned, *_twice(every), *_shared(environment))


def _listed(host: Host, site: str) -> Iterator[Listed]:
    for entry in host.names(site):
        told = name_and_version(host, site, entry)
        if told is not None and concerns(told[0], ()):
            rows = islice(recorded(host, f"{site}/{entry}", RECORD_LIMIT), FILES_LIMIT)
            files = tuple(row for row in rows if "__pycache__" not in row.path)
            yield Listed(site, entry, told[0], files, editable_source(host, site, entry))


def _of_site(host: Host, site: str, listed: Iterable[Listed]) -> Iterator[Trouble]:
    for item in listed:
        if item.entry.endswith(".dist-info"):
            yield from _of_distribution(host, item)
            yield from _editable(host, item)
    for entry in host.names(site):
        if entry.startswith("~"):
            text = f"`{entry}` is left of an installation that broke off"
            yield Trouble(kind="leftover", text=text, example=entry, count=1)


def _unowned(host: Host, site: str, listed: Iterable[Listed]) -> Iterator[Trouble]:
    """Libraries in folders of packages that no RECORD names, though it names others of the same package."""
    owned = {row.path for item in listed for row in item.files}
    packages = {path.partition("/")[0] for path in owned}
    there = [
        f"{folder.removeprefix(site + '/')}/{name}"
        for pattern in LIBRARY_FOLDERS
        for folder in host.glob(f"{escape(site)}/{pattern}")
        for name in host.names(folder)
        if ".so" in name
    ]
    left = [path for path in there if path not in owned and path.partition("/")[0] in packages]
    if left:
        text = f"{len(left)} of the libraries in `{site}` belong to no installed package"
        yield Trouble(kind="unowned", text=text, example=left[0], count=len(left))


def _editable(host: Host, item: Listed) -> Iterator[Trouble]:
    """That it is imported from a source tree, whatever its metadata says of the release."""
    if item.tree:
        there = host.is_folder(item.tree)
        text = f"{item.name} is installed for development from `{item.tree}`"
        yield Trouble(
            kind="editable",
            distributions=(item.name,),
            text=text if there else f"{text}, which is gone",
            example=item.entry,
            count=1,
            breaks=not there,
        )


def _of_distribution(host: Host, item: Listed) -> Iterator[Trouble]:
    """Files of its RECORD that are gone or differ; scripts outside the folder do not count."""
    gone: list[str] = []
    changed: list[str] = []
    for row in item.files:
        path = f"{item.site}/{row.path}"
        there = host.size(path)
        if there is None:
            gone.append(row.path)
        elif (row.size is not None and there != row.size) or _differs(host, path, there, row.digest):
            changed.append(row.path)
    name = item.name
    if gone:
        yield _trouble("gone", name, gone, f"{name} has lost {len(gone)} of its files")
    if changed:
        yield _trouble(
            "changed", name, changed, f"{name} has {len(changed)} files that are not what was installed"
        )


def _trouble(kind: str, name: str, paths: list[str], text: str) -> Trouble:
    example = min(paths, key=lambda path: (".so" not in path, path))
    return Trouble(
        kind="gone" if kind == "gone" else "changed",
        distributions=(name,),
        text=text,
        example=example,
        count=len(paths),
        breaks=any(map(_is_code, paths)) if kind == "gone" else ".so" in example,
    )


def _is_code(path: str) -> bool:
    """Whether programs need it: makers of small images take tests and headers away on purpose."""
    return (".so" in path or path.endswith(".py")) and "/tests/" not in path and "/test/" not in path


def _differs(host: Host, path: str, size: int, digest: str) -> bool:
    """Whether the content is another than the recorded one; of large files only the size tells."""
    if size > HASHED_SIZE or not digest.startswith("sha256="):
        return False
    found = digest_of(host, path, HASHED_SIZE)
    return found is not None and found != digest.rstrip("=")


def _twice(listed: Iterable[Listed]) -> Iterator[Trouble]:
    """Distributions with more than one metadata folder: in one folder of packages, or in two."""
    places: dict[str, list[str]] = {}
    trees: set[str] = set()
    for item in listed:
        places.setdefault(item.name, []).append(f"{item.site}/{item.entry}")
        trees.add(item.tree)
    for name, every in places.items():
        found = [path for path in every if not any(tree and path.startswith(f"{tree}/") for tree in trees)]
        if len(found) > 1:
            yield Trouble(
                kind="twice",
                distributions=(name,),
                text=f"{name} is installed {len(found)} times",
                example=found[1],
                count=len(found),
            )


def _shared(environment: Environment) -> Iterator[Trouble]:
    """What two distributions own: known of the environment already."""
    for item in () if isinstance(environment.shared_files, Unknown) else environment.shared_files:
        text = f"{' and '.join(item.owners)} own {item.count} of the same files"
        damaged = not isinstance(item.damaged, Unknown) and bool(item.damaged)
        yield Trouble(
            kind="shared",
            distributions=item.owners,
            text=text,
            example=item.example,
            count=item.count,
            breaks=damaged and ".so" in item.example,
        )
