"""Whether the files of packages are as installers left them: gone, changed, twice, left over, shared."""

from __future__ import annotations

import base64
import csv
from collections.abc import Iterator
from glob import escape

from dlsetup.model.libraries import Trouble
from dlsetup.model.machine import Environment
from dlsetup.model.record import Unknown
from dlsetup.probe.distributions import concerns
from dlsetup.probe.host import Host
from dlsetup.probe.metadata import editable_source, name_and_version
from dlsetup.probe.notes import whole_number

RECORD_LIMIT = 32 << 20
HASHED_SIZE = 1 << 20
"""Files up to this size are read; of larger ones the size is enough."""
LIBRARY_FOLDERS = ("nvidia/*/lib", "torch/lib", "tensorflow", "cusparselt/lib", "tensorrt_libs")
FILES_LIMIT = 60_000
"""Of one distribution: torch has 12 000."""


def troubles(host: Host, environment: Environment, sites: tuple[str, ...]) -> tuple[Trouble, ...]:
    """Of distributions that concern frameworks, in every folder that packages are imported from."""
    found = [item for site in sites for item in _of_site(host, site)]
    unowned = () if environment.kind == "conda" else (item for site in sites for item in _unowned(host, site))
    return (*found, *unowned, *_twice(host, sites), *_shared(environment))


def _unowned(host: Host, site: str) -> Iterator[Trouble]:
    """Libraries in folders of packages that no RECORD names, though it names others of the same package."""
    entries = [entry for entry in host.names(site) if entry.endswith(".dist-info")]
    owned = {
        path
        for entry in entries
        if (told := name_and_version(host, site, entry)) and concerns(told[0], ())
        for path, _, _ in _recorded(host.read(f"{site}/{entry}/RECORD", RECORD_LIMIT) or "")
    }
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


def _of_site(host: Host, site: str) -> Iterator[Trouble]:
    for entry in host.names(site):
        told = name_and_version(host, site, entry)
        if told is not None and concerns(told[0], ()) and entry.endswith(".dist-info"):
            yield from _of_distribution(host, site, told[0], entry)
            yield from _editable(host, site, told[0], entry)
        elif entry.startswith("~"):
            text = f"`{entry}` is left of an installation that broke off"
            yield Trouble(kind="leftover", text=text, example=entry, count=1)


def _editable(host: Host, site: str, name: str, entry: str) -> Iterator[Trouble]:
    """That it is imported from a source tree, whatever its metadata says of the release."""
    tree = editable_source(host, site, entry)
    if tree:
        there = host.is_folder(tree)
        text = f"{name} is installed for development from `{tree}`"
        yield Trouble(
            kind="editable",
            distributions=(name,),
            text=text if there else f"{text}, which is gone",
            example=entry,
            count=1,
            breaks=not there,
        )


def _of_distribution(host: Host, site: str, name: str, entry: str) -> Iterator[Trouble]:
    """Files of its RECORD that are gone or differ; byte code and scripts outside the folder do not count."""
    gone: list[str] = []
    changed: list[str] = []
    for path, digest, size in _recorded(host.read(f"{site}/{entry}/RECORD", RECORD_LIMIT) or ""):
        there = host.size(f"{site}/{path}")
        if there is None:
            gone.append(path)
        elif (size is not None and there != size) or _differs(host, f"{site}/{path}", there, digest):
            changed.append(path)
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


def _recorded(text: str) -> Iterator[tuple[str, str, int | None]]:
    lines = (line for line in text.splitlines()[:FILES_LIMIT] if len(line) < 4096 and "\0" not in line)
    for row in csv.reader(lines, strict=False):
        if len(row) != 3 or not row[0] or not row[1]:
            continue
        path = row[0]
        if path.startswith(("..", "/")) or "__pycache__" in path or ".dist-info/" in path:
            continue
        yield path, row[1], whole_number(row[2].strip())


def _differs(host: Host, path: str, size: int, digest: str) -> bool:
    """Whether the content is another than the recorded one; of large files only the size tells."""
    if size > HASHED_SIZE or not digest.startswith("sha256="):
        return False
    data = host.read_bytes(path, HASHED_SIZE + 1)
    if data is None:
        return False
    from hashlib import sha256

    return base64.urlsafe_b64encode(sha256(data).digest()).decode().rstrip("=") != digest[7:].rstrip("=")


def _twice(host: Host, sites: tuple[str, ...]) -> Iterator[Trouble]:
    """Distributions with more than one metadata folder: in one folder of packages, or in two."""
    places: dict[str, list[str]] = {}
    trees: set[str] = set()
    for site in sites:
        for entry in host.names(site):
            told = name_and_version(host, site, entry)
            if told is not None and concerns(told[0], ()):
                places.setdefault(told[0], []).append(f"{site}/{entry}")
                trees.add(editable_source(host, site, entry))
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
