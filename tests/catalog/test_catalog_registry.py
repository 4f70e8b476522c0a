"""What the refresher asks of a package index, and what it makes of the answers."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fickle_index import Registry, served
from hand_made import Follower, Shelf
from tiny.wheels import TinyWheel

from dlsetup.catalog import registry as registry_module
from dlsetup.catalog import transport as transport_module
from dlsetup.catalog.refresh import Errand, refresh
from dlsetup.catalog.registry import configured_index
from dlsetup.model.errors import DataError, StepFailed, UsageError

LINUX = "cp312-cp312-manylinux2014_x86_64.manylinux_2_17_x86_64"
WINDOWS = "cp312-cp312-win_amd64"


@pytest.mark.parametrize("dated", [False, True], ids=["by tag", "by date"])
def test_a_second_refresh_asks_only_whether_something_changed(
    run: Callable[..., Any], registry: Registry, dated: bool
) -> None:
    registry.dated = dated
    run()
    registry.asked.clear()
    done = run()
    assert not any(item.changed for item in done)
    assert {status for _, status in registry.asked} == {304}


def test_metadata_is_read_out_of_the_wheel_where_none_lies_beside_it(
    run: Callable[..., Any], registry: Registry, shelf: Shelf
) -> None:
    registry.beside = False
    run()
    assert shelf.read("deep")["releases"][1]["requires"][0]["extras"] == {"gpu": ["big==1"]}
    assert 206 in {status for _, status in registry.asked}


def test_a_busy_index_is_asked_again(run: Callable[..., Any], registry: Registry) -> None:
    registry.fails = {"/simple/deep/": 2, "/files/deep-1.0": 1}
    assert len(run()) == 2


def test_an_answer_that_breaks_off_is_asked_for_again(
    run: Callable[..., Any], registry: Registry, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport_module.time, "sleep", lambda _seconds: None)
    registry.breaks = {"/simple/deep/": 2}
    run("deep")
    assert len(shelf.read("deep")["releases"]) == 2
    registry.wheels.append(TinyWheel("deep", "2.0", LINUX))
    registry.breaks = {"/simple/deep/": 1000}
    with pytest.raises(StepFailed, match="does not answer"):
        run("deep")


def test_an_index_that_stays_down_changes_nothing(
    run: Callable[..., Any], registry: Registry, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport_module, "RETRIES", 1)
    run()
    before = {path: path.read_bytes() for path in shelf.folder.rglob("*.json")}
    registry.wheels.append(TinyWheel("deep", "2.0", LINUX))
    registry.fails = {"/simple/thin/": 1000}
    with pytest.raises(StepFailed, match="thin"):
        run()
    assert {path: path.read_bytes() for path in shelf.folder.rglob("*.json")} == before


def test_nobody_listens(
    run: Callable[..., Any], nobody_listens: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport_module, "RETRIES", 0)
    with pytest.raises(StepFailed, match="does not answer for `numpy`: no connection") as caught:
        refresh(Errand(names=("numpy",), index=nobody_listens))
    assert caught.value.hint


@pytest.mark.parametrize("address", ["simple", "file:///etc", "ftp://index/", "https://", "http:///simple"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="is no address of a package index"):
        refresh(Errand(names=("numpy",), index=address))


def test_forged_metadata_is_refused(run: Callable[..., Any], registry: Registry, shelf: Shelf) -> None:
    registry.wrong = {wheel.filename for wheel in registry.wheels if wheel.name == "deep"}
    with pytest.raises(DataError, match="not what the index says"):
        run()
    assert not (shelf.folder / "generated").exists()


@pytest.mark.parametrize("body", [b"<html>", b'{"files": 3}', b'{"name": "deep", "files": [{"url": "x"}]}'])
def test_an_index_that_does_not_speak_json_is_named(
    run: Callable[..., Any], registry: Registry, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Registry, "page", lambda self, name: body)
    with pytest.raises(DataError, match=r"page of `(deep|thin)`"):
        run()


def test_the_configured_index_is_asked_of_uv(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("UV_", "PIP_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://mirror.example/simple")
    assert configured_index() == "https://mirror.example/simple"


def test_the_configured_index_is_asked_of_pip_where_uv_is_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("pip", reason="this environment has no pip to ask")
    config = tmp_path / "pip.conf"
    config.write_text("[global]\nindex-url = https://other.example/simple\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    monkeypatch.setattr(registry_module, "_uv", lambda: ["no-such-program"])
    assert configured_index() == "https://other.example/simple"
    config.write_text("")
    with pytest.raises(UsageError, match="which package index"):
        configured_index()


def test_an_index_may_speak_html(run: Callable[..., Any], registry: Registry, shelf: Shelf) -> None:
    run()
    spoken = shelf.read("deep")
    registry.html = True
    done = run()
    assert [item["requires"] for item in shelf.read("deep")["releases"] if "requires" in item] == [
        item["requires"] for item in spoken["releases"] if "requires" in item
    ]
    assert [item.rows for item in done] == [2, 2]
    registry.asked.clear()
    run()
    assert {status for _, status in registry.asked} == {304}


def test_a_wheel_is_read_whose_size_the_page_does_not_say(
    run: Callable[..., Any], registry: Registry, shelf: Shelf
) -> None:
    registry.html, registry.beside = True, False
    run()
    assert shelf.read("deep")["releases"][1]["requires"][0]["extras"] == {"gpu": ["big==1"]}


def test_indexes_do_not_share_what_is_kept_of_their_pages(
    run: Callable[..., Any], registry: Registry, shelf: Shelf, tmp_path: Path
) -> None:
    run("thin")
    (tmp_path / "other").mkdir()
    with served(tmp_path / "other") as other:
        other.wheels = [TinyWheel("thin", "1.0"), TinyWheel("thin", "1.5"), TinyWheel("thin", "1.9")]
        run("thin", index=other.address)
        assert ("/simple/thin/", 200) in other.asked
    assert shelf.read("thin")["versions"] == ["1.9", "1.5", "1.0"]


def test_a_spoilt_cache_is_made_anew(run: Callable[..., Any], registry: Registry, home: Path) -> None:
    run("overlaps", allow_loss=True)
    run("deep")
    spoilt = [path for path in home.rglob("*.json") if "pages" in path.parts or "members" in path.parts]
    assert len(spoilt) >= 2
    for path in spoilt:
        path.write_bytes(b"\xff{")
    assert not any(item.changed for item in run("deep"))


def test_a_refresh_that_is_interrupted_leaves_what_was(
    run: Callable[..., Any], registry: Registry, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    run()
    before = {path: path.read_bytes() for path in shelf.folder.rglob("*") if path.is_file()}
    registry.wheels.append(TinyWheel("deep", "2.0", LINUX))

    class Impatient(Follower):
        def step(self, what: str) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(watch=Impatient())
    assert {path: path.read_bytes() for path in shelf.folder.rglob("*") if path.is_file()} == before
