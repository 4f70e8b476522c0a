"""The refresher against a package index on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Registry, Shelf
from msgspec.structs import replace
from tiny.wheels import TinyWheel

from dlsetup.catalog import registry as registry_module
from dlsetup.catalog.load import load
from dlsetup.catalog.refresh import Refreshed, main, refresh
from dlsetup.catalog.registry import configured_index
from dlsetup.model.errors import DataError, StepFailed, UsageError

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

    def call(*names: str, **more: Any) -> list[Refreshed]:
        return refresh(
            names or ("deep", "thin"),
            index=registry.address,
            folders=[shelf.folder],
            **{"into": shelf.folder, **more},
        )

    return call


def generated(shelf: Shelf, name: str) -> Any:
    return json.loads((shelf.folder / "generated" / f"{name}.json").read_text())


def test_releases_wheels_and_requirements_are_learned(run: Callable[..., Any], shelf: Shelf) -> None:
    done = run()
    assert [(item.distribution, item.releases, item.changed) for item in done] == [
        ("deep", 2, True),
        ("thin", 2, True),
    ]
    newest, first = generated(shelf, "deep")["releases"]
    assert newest["version"] == "1.1rc1"
    assert first == {
        "version": "1.0",
        "python": ">=3.9",
        "released": "2026-01-02",
        "wheels": [
            ["cp312", "manylinux_2_17_x86_64", first["wheels"][0][2]],
            ["cp312", "win_amd64", first["wheels"][1][2]],
        ],
        "requires": [
            {"platforms": ["linux-x86_64"], "base": ["thin<2"], "extras": {"gpu": ["big==1"]}},
            {"platforms": ["windows-amd64"], "base": ["colorama", "thin<2"]},
        ],
    }
    assert generated(shelf, "thin")["versions"] == ["1.5", "1.0"]


def test_what_was_learned_can_be_loaded(run: Callable[..., Any], shelf: Shelf) -> None:
    run()
    catalog = load(["deep"], [shelf.folder])
    assert [str(build.version) for build in catalog.frameworks[0].builds] == ["1.1rc1", "1.0", "1.0"]
    assert [build.prerelease for build in catalog.frameworks[0].builds] == [True, False, False]
    assert [(name, [str(item) for item in found]) for name, found in catalog.libraries] == [
        ("thin", ["1.5", "1.0"])
    ]


def test_a_second_refresh_asks_only_whether_something_changed(
    run: Callable[..., Any], registry: Registry
) -> None:
    run()
    registry.asked.clear()
    done = run()
    assert not any(item.changed for item in done)
    assert {status for _, status in registry.asked} == {304}


def test_two_refreshes_write_the_same_bytes(run: Callable[..., Any], shelf: Shelf) -> None:
    run()
    path = shelf.folder / "generated" / "deep.json"
    before = path.read_bytes()
    path.unlink()
    run()
    assert path.read_bytes() == before


def test_metadata_is_read_out_of_the_wheel_where_none_lies_beside_it(
    run: Callable[..., Any], registry: Registry, shelf: Shelf
) -> None:
    registry.beside = False
    run()
    assert generated(shelf, "deep")["releases"][1]["requires"][0]["extras"] == {"gpu": ["big==1"]}
    assert 206 in {status for _, status in registry.asked}


def test_a_busy_index_is_asked_again(run: Callable[..., Any], registry: Registry) -> None:
    registry.fails = {"/simple/deep/": 2, "/files/deep-1.0": 1}
    assert len(run()) == 2


def test_an_answer_that_breaks_off_is_asked_for_again(
    run: Callable[..., Any], registry: Registry, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry_module.time, "sleep", lambda _seconds: None)
    registry.breaks = {"/simple/deep/": 2}
    run("deep")
    assert len(generated(shelf, "deep")["releases"]) == 2
    registry.wheels.append(TinyWheel("deep", "2.0", LINUX))
    registry.breaks = {"/simple/deep/": 1000}
    with pytest.raises(StepFailed, match="does not answer"):
        run("deep")


def test_an_index_that_stays_down_changes_nothing(
    run: Callable[..., Any], registry: Registry, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry_module, "RETRIES", 1)
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
    monkeypatch.setattr(registry_module, "RETRIES", 0)
    with pytest.raises(StepFailed, match="does not answer") as caught:
        refresh(["numpy"], index=nobody_listens)
    assert caught.value.hint


def test_forged_metadata_is_refused(run: Callable[..., Any], registry: Registry, shelf: Shelf) -> None:
    registry.wrong = {wheel.filename for wheel in registry.wheels if wheel.name == "deep"}
    with pytest.raises(DataError, match="not what the index says"):
        run()
    assert not (shelf.folder / "generated").exists()


@pytest.mark.parametrize(
    "lose",
    [
        lambda wheel: wheel.name == "thin" and wheel.version == "1.0",
        lambda wheel: wheel.name == "deep" and wheel.tag == WINDOWS,
    ],
    ids=["a version", "a platform"],
)
def test_losing_rows_is_refused_unless_told(
    run: Callable[..., Any], registry: Registry, shelf: Shelf, lose: Callable[[TinyWheel], bool]
) -> None:
    run()
    before = {path: path.read_bytes() for path in shelf.folder.rglob("*.json")}
    registry.wheels = [wheel for wheel in registry.wheels if not lose(wheel)]
    with pytest.raises(StepFailed, match="no longer has") as caught:
        run()
    assert "--allow-loss" in caught.value.hint
    assert {path: path.read_bytes() for path in shelf.folder.rglob("*.json")} == before
    assert any(item.changed for item in run(allow_loss=True))


def test_a_prerelease_may_go_when_the_release_is_there(
    run: Callable[..., Any], registry: Registry, shelf: Shelf
) -> None:
    run()
    registry.wheels.append(TinyWheel("deep", "1.1", LINUX))
    run()
    assert [item["version"] for item in generated(shelf, "deep")["releases"]] == ["1.1", "1.0"]


def test_a_yanked_release_is_kept_and_marked(
    run: Callable[..., Any], registry: Registry, shelf: Shelf
) -> None:
    run()
    registry.yanked = {"1.5", "1.0"}
    run()
    assert generated(shelf, "thin") == {
        "distribution": "thin",
        "checked": today(shelf),
        "yanked": ["1.5", "1.0"],
    }
    assert generated(shelf, "deep")["releases"][1]["yanked"] is True


def today(shelf: Shelf) -> str:
    return str(generated(shelf, "deep")["checked"])


def test_a_distribution_that_the_index_does_not_have_is_left_as_it_is(
    run: Callable[..., Any], registry: Registry, shelf: Shelf
) -> None:
    run()
    registry.wheels = [wheel for wheel in registry.wheels if wheel.name == "deep"]
    said: list[str] = []
    assert [item.distribution for item in run(say=said.append)] == ["deep"]
    assert generated(shelf, "thin")["versions"] == ["1.5", "1.0"]
    assert any("thin" in line and "left as it is" in line for line in said)


def test_an_unreadable_release_is_left_out_and_said(
    run: Callable[..., Any], registry: Registry, shelf: Shelf
) -> None:
    registry.wheels.append(TinyWheel("deep", "1.2", LINUX, ("torch (>=1.9.*)",)))
    said: list[str] = []
    run(say=said.append)
    assert [item["version"] for item in generated(shelf, "deep")["releases"]] == ["1.0"]
    assert any("deep-1.2" in line and "\n" not in line for line in said)


def test_an_unknown_name_is_a_usage_error(run: Callable[..., Any]) -> None:
    with pytest.raises(UsageError, match="no distribution `shallow`"):
        run("shallow")


def test_the_users_own_data_comes_before_the_packaged(
    run: Callable[..., Any], registry: Registry, shelf: Shelf, home: Path
) -> None:
    (item,) = run("deep", into=None)
    assert Path(item.path).is_relative_to(home)
    (framework,) = load(["deep"], [shelf.folder]).frameworks
    assert len(framework.builds) == 3


def test_older_refreshed_data_does_not_hide_newer_packaged_data(home: Path) -> None:
    from dlsetup.catalog.folders import user_folder

    own = Shelf(user_folder())
    assert own.folder.is_relative_to(home)
    own.generated("torch", [], checked="2001-01-01")
    assert load(["torch"]).frameworks[0].builds
    own.generated("torch", [], checked="2999-01-01")
    assert not load(["torch"]).frameworks[0].builds


@pytest.mark.parametrize("body", [b"<html>", b'{"files": 3}', b'{"name": "deep", "files": [{"url": "x"}]}'])
def test_an_index_that_does_not_speak_json_is_named(
    run: Callable[..., Any], registry: Registry, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Registry, "page", lambda self, name: body)
    with pytest.raises(DataError, match="page of `deep`"):
        run()


def test_the_command_line(
    run: Callable[..., Any], registry: Registry, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.wheels.append(TinyWheel("numpy", "2.4.0", LINUX))
    argv = ["numpy", "--into", str(shelf.folder), "--index", registry.address]
    assert main(argv) == 3
    assert "--allow-loss" in capsys.readouterr().err
    assert main([*argv, "--allow-loss"]) == 0
    assert capsys.readouterr().out == "numpy: 1 (changed)\n"
    assert main(["no-such", "--index", registry.address]) == 2


def test_the_configured_index_is_asked_of_uv(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("UV_", "PIP_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://mirror.example/simple")
    assert configured_index() == "https://mirror.example/simple"


def test_the_configured_index_is_asked_of_pip_where_uv_is_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = tmp_path / "pip.conf"
    config.write_text("[global]\nindex-url = https://other.example/simple\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    monkeypatch.setattr(registry_module, "_uv", lambda: ["no-such-program"])
    assert configured_index() == "https://other.example/simple"
    config.write_text("")
    with pytest.raises(UsageError, match="which package index"):
        configured_index()


def test_the_command_says_what_changed(
    run: Callable[..., Any], registry: Registry, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    from dlsetup.commands.catalog_refresh import Request
    from dlsetup.commands.catalog_refresh import run as command

    asked = Request(
        names=("deep",), into=str(shelf.folder), index=registry.address, catalog=(str(shelf.folder),)
    )
    assert command(asked) == 0
    out, err = capsys.readouterr()
    assert "deep: 2 releases" in out
    assert "[1/1] deep" in err
    assert command(asked) == 0
    assert "nothing new in 1 distribution" in capsys.readouterr().out
    assert command(replace(asked, as_json=True)) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["ok"]) == ("dlsetup.catalog-refresh/1", True)
    assert [(item["distribution"], item["changed"]) for item in document["files"]] == [("deep", False)]
    with pytest.raises(UsageError, match="is not there"):
        command(replace(asked, into=str(shelf.folder / "gone")))


def test_a_killed_refresh_leaves_whole_files(
    run: Callable[..., Any], registry: Registry, shelf: Shelf
) -> None:
    run()
    before = (shelf.folder / "generated" / "deep.json").read_bytes()
    registry.wheels.append(TinyWheel("deep", "2.0", LINUX))
    program = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "import dlsetup.catalog.registry as registry\n"
        "registry.os.replace = lambda *_: os._exit(9)\n"
        "from dlsetup.catalog.refresh import refresh\n"
        "folder = Path(sys.argv[1])\n"
        "refresh(['deep'], into=folder, folders=[folder], index=sys.argv[2])\n"
    )
    ran = subprocess.run([sys.executable, "-c", program, str(shelf.folder), registry.address], check=False)
    assert ran.returncode == 9
    assert (shelf.folder / "generated" / "deep.json").read_bytes() == before
    run()
    assert generated(shelf, "deep")["releases"][0]["version"] == "2.0"
