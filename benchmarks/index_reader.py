"""A package index, read by other means than the catalog's refresher."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple
from urllib.parse import urljoin

from packaging.metadata import parse_email
from packaging.version import InvalidVersion, Version

JSON = "application/vnd.pypi.simple.v1+json"
OLD_NAMES = {
    "manylinux1": "manylinux_2_5",
    "manylinux2010": "manylinux_2_12",
    "manylinux2014": "manylinux_2_17",
}


class Wheel(NamedTuple):
    """A wheel of the index: its entry on the page, and what its name says."""

    entry: dict[str, Any]
    pythons: tuple[str, ...]
    abis: tuple[str, ...]
    platforms: tuple[str, ...]


class Index:
    """The package index, as anyone can ask it."""

    def __init__(self, address: str) -> None:
        self._address = address.rstrip("/")
        import requests

        self._session = requests.Session()
        self._session.mount("https://", requests.adapters.HTTPAdapter(pool_maxsize=8, max_retries=3))

    def files(self, name: str) -> list[dict[str, Any]]:
        """The entries of a project page, their addresses made whole."""
        answer = self._session.get(f"{self._address}/{name}/", headers={"Accept": JSON}, timeout=60)
        answer.raise_for_status()
        entries: list[dict[str, Any]] = answer.json()["files"]
        for entry in entries:
            entry["url"] = urljoin(answer.url, entry["url"]).partition("#")[0]
        return entries

    def requires(self, entry: dict[str, Any]) -> list[str] | None:
        """What a wheel requires; None where the index keeps no metadata beside it."""
        answer = self._session.get(f"{entry['url']}.metadata", timeout=60)
        if answer.status_code == 404:
            return None
        answer.raise_for_status()
        return parse_email(answer.content)[0].get("requires_dist", [])


def is_wheel(entry: dict[str, Any]) -> bool:
    return str(entry["filename"]).endswith(".whl")


def version_of(filename: str, row: dict[str, Any]) -> Version | None:
    """The version in a file name; None for what is neither wheel nor source."""
    if filename.endswith(".whl"):
        text = filename.split("-")[1]
    elif filename.endswith((".tar.gz", ".zip")):
        text = filename.removesuffix(".tar.gz").removesuffix(".zip")[len(row["name"]) + 1 :]
    else:
        return None
    try:
        return Version(text)
    except InvalidVersion:
        return None


def wheels(entries: Iterable[dict[str, Any]]) -> list[Wheel]:
    found = []
    for entry in filter(is_wheel, entries):
        *_, pythons, abis, platforms = entry["filename"].removesuffix(".whl").split("-")
        parts = tuple(tuple(text.split(".")) for text in (pythons, abis, platforms))
        found.append(Wheel(entry, *parts))
    return found


def modern(tag: str) -> str:
    start, _, rest = tag.partition("_")
    return f"{OLD_NAMES[start]}_{rest}" if start in OLD_NAMES else tag


def family(tag: str) -> str:
    """`linux-x86_64` for `manylinux_2_28_x86_64`; for `universal2` of macOS the one of Apple silicon."""
    for start, system in (
        ("win", "windows"),
        ("musllinux", "musl"),
        ("manylinux", "linux"),
        ("linux", "linux"),
    ):
        if tag.startswith(start):
            rest = modern(tag).split("_", 3)[3] if "many" in tag or "musl" in tag else tag.partition("_")[2]
            return f"{system}-{rest or 'x86'}"
    if tag.startswith("macosx"):
        arch = tag.split("_", 3)[3]
        return "macos-arm64" if arch.startswith("universal") else f"macos-{arch}"
    return tag


def python_names(wheel: Wheel) -> set[str]:
    """As the catalog writes them: `cp312`, `cp313-cp313t`, `cp39-abi3`, `py3`."""
    return {
        python if abi in (python, f"{python}m", "none") else f"{python}-{abi}"
        for python in wheel.pythons
        for abi in wheel.abis
    }


def newness(wheel: Wheel) -> tuple[bool, int, str]:
    """Of several wheels for one platform the newest ordinary Python's comes last."""
    digits = "".join(char for char in wheel.pythons[-1] if char.isdigit())
    minor = int(digits[1:] or 0)
    return (
        not any(abi.endswith("t") for abi in wheel.abis),
        int(digits[:1] or 0) * 100 + minor,
        str(wheel.entry["filename"]),
    )
