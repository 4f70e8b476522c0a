"""A home without refreshed data, catalog folders made by hand, and a package index that can misbehave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fickle_index import Registry, served
from hand_made import Shelf
from tiny.wheels import TinyWheel

from dlsetup.catalog.load import load
from dlsetup.catalog.refresh import Errand, Refreshed, refresh
from dlsetup.catalog.watch import Watch
from dlsetup.model.framework import Catalog

DEEP = """
libraries = ["thin"]
build = [
  { variant = "cpu", accelerator = "cpu", platforms = ["linux-x86_64", "windows-amd64"], source = "deep" },
]
[[distribution]]
name = "deep"
extras = ["gpu"]
[[source]]
id = "deep"
what = "a test"
checked = "2026-01-02"
"""
LINUX = "cp312-cp312-manylinux2014_x86_64.manylinux_2_17_x86_64"
WINDOWS = "cp312-cp312-win_amd64"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads or writes the data and the cache of the user who runs it."""
    place = tmp_path / "home"
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "LOCALAPPDATA", "APPDATA"):
        monkeypatch.setenv(name, str(place / name.lower()))
    monkeypatch.setenv("HOME", str(place))
    return place


@pytest.fixture(scope="session")
def shipped() -> Catalog:
    """All of the catalog as it is shipped."""
    return load()


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "shelf")


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    folder = tmp_path / "wheels"
    folder.mkdir()
    with served(folder) as index:
        yield index


@pytest.fixture
def run(registry: Registry, shelf: Shelf) -> Callable[..., list[Refreshed]]:
    """Refreshes a catalog of one framework, `deep`, that pins one library, `thin`."""
    shelf.framework("deep", DEEP)
    registry.wheels += [
        TinyWheel("deep", "1.0", LINUX, ("thin<2", 'big==1; extra == "gpu"'), requires_python=">=3.9"),
        TinyWheel("deep", "1.0", WINDOWS, ("thin<2", "colorama"), requires_python=">=3.9"),
        TinyWheel("deep", "1.1rc1", LINUX),
        TinyWheel("thin", "1.0"),
        TinyWheel("thin", "1.5"),
    ]

    def call(*names: str, watch: Watch | None = None, **more: Any) -> list[Refreshed]:
        given = {"into": shelf.folder, "index": registry.address, "folders": (shelf.folder,), **more}
        return refresh(Errand(names=names or ("deep", "thin"), **given), watch)

    return call
