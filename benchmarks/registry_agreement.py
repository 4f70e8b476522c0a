"""Draws releases at random and holds the catalog's generated rows against the package index.

    .venv/bin/python benchmarks/registry_agreement.py [FRAMEWORK...] [--releases 30] [--seed 7]

The index is read by other means than the refresher's (`index_reader`), and requirements are compared by
what they come to on many machines, not by their text. Prints one line a framework and what differs;
ends with 1 where anything does.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import tomli
from index_reader import Index, Wheel, family, is_wheel, modern, newness, python_names, version_of, wheels
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.catalog.folders import PACKAGED
from dlsetup.catalog.registry import configured_index

SHOWN = 10
"""How many differences of a framework are printed."""
PYTHONS = ("3.6", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
SYSTEMS = {
    "linux": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    "windows": {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
    "macos": {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
}


class Drawn(NamedTuple):
    """One release that is to be compared."""

    framework: str
    distribution: dict[str, Any]
    version: Version
    entries: list[dict[str, Any]]
    ours: dict[str, Any] | None


def draw(framework: Path, rows: dict[str, Any], index: Index, count: int, dice: random.Random) -> list[Drawn]:
    """Releases of all distributions that a framework is composed of, those that either side knows."""
    file = tomli.loads(framework.read_text(encoding="utf-8"))
    every: list[Drawn] = []
    for name in sorted(item["name"] for item in file.get("distribution", [])):
        row = rows[name]
        path = framework.parents[1] / "generated" / f"{name}.json"
        known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        ours = {item["version"]: item for item in known.get("releases", [])}
        theirs = by_version(index.files(name), row)
        every += [
            Drawn(file["name"], row, version, theirs.get(version, []), ours.get(str(version)))
            for version in sorted({*theirs, *map(Version, ours)})
        ]
    return dice.sample(every, min(count, len(every)))


def wanted_rows(frameworks: Iterable[Path]) -> dict[str, Any]:
    """What all frameworks together want to know of each distribution."""
    found: dict[str, Any] = {}
    for path in frameworks:
        for row in tomli.loads(path.read_text(encoding="utf-8")).get("distribution", []):
            one = found.setdefault(
                row["name"], {"name": row["name"], "since": row.get("since", "0"), "extras": []}
            )
            one["since"] = min(one["since"], row.get("since", "0"), key=Version)
            one["extras"] = sorted({*one["extras"], *row.get("extras", [])})
            one["sources"] = one.get("sources", False) or row.get("sources", False)
    return found


def by_version(entries: Iterable[dict[str, Any]], row: dict[str, Any]) -> dict[Version, list[dict[str, Any]]]:
    """Files that an installer could take, but for old releases and prereleases that a release overtook."""
    found: dict[Version, list[dict[str, Any]]] = {}
    for entry in entries:
        version = version_of(entry["filename"], row)
        if version is not None:
            found.setdefault(version, []).append(entry)
    found = {
        version: files for version, files in found.items() if row.get("sources") or any(map(is_wheel, files))
    }
    newest = max((version for version in found if not version.is_prerelease), default=Version("0"))
    since = Version(row.get("since", "0"))
    return {
        version: files
        for version, files in found.items()
        if version >= since and (version > newest or not version.is_prerelease)
    }


def differences(drawn: Drawn, index: Index) -> Iterator[str]:
    """Everything that the catalog says otherwise than the index."""
    ours, there = drawn.ours, wheels(drawn.entries)
    if ours is None or not drawn.entries:
        yield "only the index has it" if ours is None else "only the catalog has it"
        return
    pages = [item.entry for item in there] or drawn.entries
    bounds = {str(SpecifierSet(item.get("requires-python") or "")) for item in pages}
    if str(SpecifierSet(ours.get("python", ""))) not in bounds:
        yield f"Python {ours.get('python', '')!r}, on the index {sorted(bounds)}"
    if ours.get("yanked", False) != all(item.get("yanked", False) is not False for item in pages):
        yield f"yanked {ours.get('yanked', False)}, on the index it is not so"
    day = min(str(item.get("upload-time", ""))[:10] for item in pages)
    if ours.get("released", "") != day:
        yield f"released {ours.get('released')}, on the index {day}"
    if drawn.distribution.get("sources") and ours.get("sdist", False) != (len(there) < len(drawn.entries)):
        yield "there is a source on one side only"
    yield from tag_differences(ours, there)
    yield from requirement_differences(drawn, ours, there, index)


def tag_differences(ours: dict[str, Any], there: list[Wheel]) -> Iterator[str]:
    """Tags have to be backed by a wheel, and each wheel has to be found by one of its tags."""
    said = {(python, tag) for pythons, tag, _size in ours.get("wheels", []) for python in pythons.split()}
    backed = {(name, modern(tag)) for item in there for name in python_names(item) for tag in item.platforms}
    for python, tag in sorted(said - backed):
        yield f"no wheel for {python} on {tag}"
    for item in there:
        for name in python_names(item):
            for kin in {family(tag) for tag in item.platforms}:
                if not any((name, modern(tag)) in said for tag in item.platforms if family(tag) == kin):
                    yield f"{item.entry['filename']} is not told of for {name} on {kin}"


def requirement_differences(
    drawn: Drawn, ours: dict[str, Any], there: list[Wheel], index: Index
) -> Iterator[str]:
    """One wheel of each family of platforms: what it requires on every Python, with every extra kept."""
    by_family = {family(tag): item for item in sorted(there, key=newness) for tag in item.platforms}
    for kin, wheel in sorted(by_family.items()):
        told = index.requires(wheel.entry)
        if told is None:
            continue
        rows = [row for row in ours.get("requires", []) if {kin, "any"} & set(row.get("platforms", ["any"]))]
        row = rows[0] if rows else {}
        kept = drawn.distribution.get("extras", [])
        for extra in ["", *(extras_of(told) if "*" in kept else kept)]:
            mine = [*row.get("base", []), *row.get("extras", {}).get(extra, [])]
            for python in PYTHONS:
                here, said = applying(told, kin, python, extra), applying(mine, kin, python, extra)
                if here != said:
                    yield f"{kin}, Python {python}, [{extra}]: {sorted(here ^ said)[:4]}"
                    break


def extras_of(texts: Iterable[str]) -> set[str]:
    """Every extra that some requirement is for."""
    return {name for text in texts for name in re.findall(r"""extra\s*==\s*["']([^"']+)["']""", text)}


def applying(texts: Iterable[str], kin: str, python: str, extra: str) -> set[str]:
    """Names, extras and versions of what has to be there on such a machine."""
    system, _, arch = kin.partition("-")
    words = SYSTEMS.get(system, SYSTEMS["linux"])
    machine = {"amd64": "AMD64", "any": "x86_64", "": "x86_64"}.get(arch, arch)
    place = {
        **words,
        "platform_machine": machine,
        "python_version": python,
        "python_full_version": f"{python}.0",
    }
    found = set()
    for text in texts:
        try:
            item = Requirement(text)
        except InvalidRequirement:
            found.add(text)
            continue
        if item.marker is None or item.marker.evaluate({**place, "extra": extra}):
            names = ",".join(sorted(item.extras))
            found.add(f"{item.name.lower().replace('_', '-').replace('.', '-')}[{names}]{item.specifier}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("frameworks", nargs="*", metavar="FRAMEWORK", help="none: all")
    parser.add_argument("--releases", type=int, default=30, help="how many of each framework")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--data", type=Path, default=PACKAGED, metavar="DIR", help="another catalog folder")
    asked = parser.parse_args()
    index = Index(configured_index())
    every = sorted((asked.data / "frameworks").glob("*.toml"))
    rows = wanted_rows(every)
    wrong = total = 0
    for path in [item for item in every if not asked.frameworks or item.stem in asked.frameworks]:
        drawn = draw(path, rows, index, asked.releases, random.Random(f"{asked.seed} {path.stem}"))
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda item: list(differences(item, index)), drawn))
        agreeing = sum(not item for item in found)
        print(f"{path.stem:24} {agreeing:3} of {len(drawn):3} releases agree", flush=True)
        lines = [
            f"    {item.distribution['name']} {item.version}: {text}"
            for item, texts in zip(drawn, found, strict=True)
            for text in texts
        ]
        print("".join(f"{line}\n" for line in lines[:SHOWN]), end="")
        if len(lines) > SHOWN:
            print(f"    and {len(lines) - SHOWN} more differences")
        wrong, total = wrong + len(drawn) - agreeing, total + len(drawn)
    print(f"{'all':24} {100 * (total - wrong) / max(total, 1):.1f} % of {total} (seed {asked.seed})")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
