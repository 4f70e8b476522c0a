"""`pixi.toml`: what a workspace takes from conda channels and from indexes of wheels, on which platforms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from packaging.utils import canonicalize_name

from dlsetup.intake.environment_file import Reader
from dlsetup.intake.project_file import read_toml
from dlsetup.intake.requirements_file import parse_one
from dlsetup.model.listing import Left, Listing, Placed, Said

MOST = 2000
SUBDIRS = {
    "linux-64": ("linux", "x86_64"),
    "linux-aarch64": ("linux", "aarch64"),
    "osx-64": ("darwin", "x86_64"),
    "osx-arm64": ("darwin", "arm64"),
    "win-64": ("win32", "AMD64"),
    "win-arm64": ("win32", "ARM64"),
}
"""Platforms of conda with what markers call their system and processor."""
_SYSTEMS = {"linux": "linux", "osx": "darwin", "macos": "darwin", "win": "win32"}
_ONE = ("python", "cuda-version")
"""Of these a listing has one, whatever some platforms have."""
_OTHER_NAMES = {"tensorflow-gpu": "tensorflow", "tensorflow-cpu": "tensorflow"}


def parse_pixi(text: str, name: str) -> Listing:
    """What the default environment asks for. Raises `DataError` for what is no TOML."""
    data = read_toml(text, name)
    reader = _PixiReader(name, platform_names(data))
    targets = _table(data.get("target"))
    reader.tables(data, "", list(targets.items())[:MOST])
    for selector, table in list(targets.items())[:MOST]:
        marker = reader.marker(selector)
        if marker is None:
            reader.leave(f"target.{selector}", "nothing tells on which platforms it holds")
        else:
            reader.tables(_table(table), marker, [])
    if _table(data.get("feature")):
        reader.leave("feature", "only the default environment is read")
    return reader.finished(data)


def platform_names(data: Mapping[str, Any]) -> dict[str, str]:
    """The platforms of a workspace by name, each with its platform of conda."""
    workspace = _table(data.get("workspace")) or _table(data.get("project"))
    found: dict[str, str] = {}
    platforms = workspace.get("platforms")
    for item in platforms[:MOST] if isinstance(platforms, list) else []:
        row = {"platform": item} if isinstance(item, str) else _table(item)
        subdir = row.get("platform", row.get("name"))
        if isinstance(subdir, str):
            found[str(row.get("name", subdir))] = subdir
    return found


class _PixiReader:
    """Gathers what the tables say, one after the other."""

    def __init__(self, name: str, names: Mapping[str, str]) -> None:
        self.name = name
        self.names = names
        self.conda = Reader(name)
        self.wheels: list[Said] = []
        self.sources: list[Placed] = []
        self.left: list[Left] = []

    def finished(self, data: Mapping[str, Any]) -> Listing:
        """All of it as one listing."""
        found = self.conda.listing()
        own = _table(_table(data.get("tool")).get("dlsetup"))
        return Listing(
            requirements=(*found.requirements, *self.wheels),
            indexes=tuple(self._indexes(_table(data.get("pypi-options")))),
            sources=tuple(self.sources),
            python=found.python,
            cuda=found.cuda,
            cpu=found.cpu or own.get("cpu") is True,
            allow_cpu=own.get("allow-cpu") is True,
            left=(*found.left, *self.left),
        )

    def marker(self, selector: str) -> str | None:
        """Where a target holds (PEP 508): `linux-64`, `osx`, or a platform that the workspace names."""
        if selector == "unix":
            return "sys_platform != 'win32'"
        if selector in _SYSTEMS:
            return f"sys_platform == '{_SYSTEMS[selector]}'"
        pair = SUBDIRS.get(self.names.get(selector, selector))
        return f"sys_platform == '{pair[0]}' and platform_machine == '{pair[1]}'" if pair else None

    def tables(self, tables: Mapping[str, Any], marker: str, targets: list[tuple[str, Any]]) -> None:
        """What is asked for where the marker holds. `targets` replace what is said of the same name."""
        for kind, take in (("dependencies", self._conda), ("pypi-dependencies", self._wheel)):
            for package, spec in list(_table(tables.get(kind)).items())[:MOST]:
                markers = [
                    self.marker(selector)
                    for selector, table in targets
                    if _named(package, _table(_table(table).get(kind)))
                ]
                elsewhere = " and ".join([f"({_not(item)})" for item in markers if item])
                take(package, spec, marker if package in _ONE else elsewhere or marker)

    def _conda(self, package: str, spec: Any, marker: str) -> None:
        row = {"version": spec} if isinstance(spec, str) else _table(spec)
        version, build = row.get("version", "*"), str(row.get("build", ""))
        if not isinstance(version, str) or not {"version", "build", "channel"}.issuperset(row):
            self.leave(package, "it is not asked for by a version")
            return
        if package in ("tensorflow-cpu", "pytorch-cpu") or (package == "jaxlib" and build.startswith("cpu")):
            # What one platform has need not hold for the others.
            self.conda.cpu = self.conda.cpu or not marker
        if package in _ONE and marker:
            self.leave(package, "it holds for some platforms only")
            return
        plain = re.sub(r"^=?(?=\d)", "=" if package == "python" or version.endswith("*") else "==", version)
        self.conda.conda(f"{_OTHER_NAMES.get(package, package)} {plain}".rstrip(), marker)

    def _wheel(self, package: str, spec: Any, marker: str) -> None:
        row = {"version": spec} if isinstance(spec, str) else _table(spec)
        where = f"{self.name}, pypi-dependencies"
        found = parse_one(_requirement(package, row, marker), where)
        if isinstance(found, Left) or not row.keys() & {"version", "url", "git"}:
            self.leave(package, "a path, or it cannot be read as a requirement")
            return
        self.wheels.append(found[1])
        if isinstance(row.get("index"), str):
            address = Said(text=row["index"], where=f"{where}.{package}")
            self.sources.append(
                Placed(distribution=canonicalize_name(package), address=address, marker=marker)
            )

    def _indexes(self, options: Mapping[str, Any]) -> Iterator[Said]:
        more = options.get("extra-index-urls")
        for url in (options.get("index-url"), *(more[:MOST] if isinstance(more, list) else ())):
            if isinstance(url, str):
                yield Said(text=url, where=f"{self.name}, pypi-options")

    def leave(self, text: str, because: str) -> None:
        """Not taken, and why."""
        shown = text[:100] if text.isprintable() else repr(text[:100])[1:-1]
        self.left.append(Left(text=shown, where=self.name, because=because))


def _requirement(package: str, row: Mapping[str, Any], marker: str) -> str:
    """As PEP 508 says it."""
    extras = row.get("extras")
    listed = f"[{','.join(map(str, extras))}]" if isinstance(extras, list) and extras else ""
    version = str(row.get("version", "")).strip()
    if "url" in row or "git" in row:
        rev = f"@{row['rev']}" if "rev" in row else ""
        below = f"#subdirectory={row['subdirectory']}" if "subdirectory" in row else ""
        version = f" @ {row['url']}" if "url" in row else f" @ git+{row['git']}{rev}{below}"
    return f"{package}{listed}{'' if version == '*' else version}{f' ; {marker}' if marker else ''}"


def _named(package: str, table: Mapping[str, Any]) -> bool:
    return canonicalize_name(package) in map(canonicalize_name, table)


def _not(marker: str) -> str:
    """The opposite of a marker that `marker` made."""
    turned = marker.replace(" == ", " =! ").replace(" != ", " == ").replace(" =! ", " != ")
    return turned.replace(" and ", " or ")


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
