"""What installations that broke off left, seen in real folders."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest
from packaging.version import Version

from dlsetup.model.machine import Remains
from dlsetup.probe.distributions import Site
from dlsetup.probe.host import Host
from dlsetup.probe.remains import remains

SITE = "/env/lib/python3.11/site-packages"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / SITE.lstrip("/")
    folder.mkdir(parents=True)
    return folder


def put(site: Path, name: str, version: str, text: str = "", *, files: bool = True) -> Path:
    """A distribution with one module; `text`: what its RECORD says is in it."""
    content = (text or f"{name} {version}\n").encode()
    if files:
        (site / name).mkdir(exist_ok=True)
        (site / name / "__init__.py").write_bytes(content)
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    info = site / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
    (info / "RECORD").write_text(f"{name}/__init__.py,sha256={digest},{len(content)}\n{info.name}/RECORD,,\n")
    return info


def left(tmp_path: Path) -> list[Remains]:
    host = Host(tmp_path)
    return list(remains(host, SITE, Site(host, SITE).distributions(()), ()))


def seen(tmp_path: Path) -> list[tuple[str, str, bool]]:
    return [(item.kind, item.path.rpartition("/")[2], item.owns) for item in left(tmp_path)]


def test_health(site: Path, tmp_path: Path) -> None:
    put(site, "torch", "2.14.1")
    put(site, "six", "1.17.0")
    (site / "~notes.txt").write_text("a file of somebody")
    (site / "old-1.0.egg-info").mkdir()
    assert seen(tmp_path) == []


def test_leftovers(site: Path, tmp_path: Path) -> None:
    (site / "~orch").mkdir()
    (site / "~orch-2.13.0.dist-info").mkdir()
    assert seen(tmp_path) == [("leftover", "~orch", False), ("leftover", "~orch-2.13.0.dist-info", False)]


def test_the_files_tell_which_of_two_is_true(site: Path, tmp_path: Path) -> None:
    put(site, "torch", "2.14.1", files=False)
    put(site, "torch", "2.13.0")
    assert sorted(seen(tmp_path)) == [
        ("twice", "torch-2.13.0.dist-info", True),
        ("twice", "torch-2.14.1.dist-info", False),
    ]
    assert {item.version for item in left(tmp_path)} == {
        Version("2.13.0"),
        Version("2.14.1"),
    }


def test_files_that_are_gone(site: Path, tmp_path: Path) -> None:
    put(site, "torch", "2.14.1", files=False)
    put(site, "six", "1.17.0", files=False)
    """Only of what concerns frameworks the RECORD is read."""
    assert seen(tmp_path) == [("emptied", "torch-2.14.1.dist-info", False)]


def test_metadata_that_is_gone(site: Path, tmp_path: Path) -> None:
    (put(site, "six", "1.17.0") / "METADATA").unlink()
    assert seen(tmp_path) == [("emptied", "six-1.17.0.dist-info", False)]


@pytest.mark.parametrize("record", ["", "\0\0", '"', "a,b\n" * 10, "x" * 100_000, "../../bin/x,sha256=1,2\n"])
def test_a_record_that_says_nothing_is_no_fault(site: Path, tmp_path: Path, record: str) -> None:
    (put(site, "torch", "2.14.1") / "RECORD").write_text(record)
    assert seen(tmp_path) == []
