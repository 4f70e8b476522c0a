"""The refresher against a package index on loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fickle_index import Registry
from hand_made import Follower, Shelf
from msgspec.structs import replace
from tiny.wheels import TinyWheel

from dlsetup.catalog.folders import Folders
from dlsetup.catalog.jobs import jobs
from dlsetup.catalog.load import load
from dlsetup.catalog.refresh import main
from dlsetup.model.errors import StepFailed, UsageError

LINUX = "cp312-cp312-manylinux2014_x86_64.manylinux_2_17_x86_64"
WINDOWS = "cp312-cp312-win_amd64"


def test_releases_wheels_and_requirements_are_learned(run: Callable[..., Any], shelf: Shelf) -> None:
    done = run()
    assert [(item.name, item.rows, item.changed) for item in done] == [
        ("deep", 2, True),
        ("thin", 2, True),
    ]
    newest, first = shelf.read("deep")["releases"]
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
    assert shelf.read("thin")["versions"] == ["1.5", "1.0"]


def test_what_was_learned_can_be_loaded(run: Callable[..., Any], shelf: Shelf) -> None:
    run()
    catalog = load(["deep"], [shelf.folder])
    assert [str(build.version) for build in catalog.frameworks[0].builds] == ["1.1rc1", "1.0", "1.0"]
    assert [build.prerelease for build in catalog.frameworks[0].builds] == [True, False, False]
    assert [(name, [str(item) for item in found]) for name, found in catalog.libraries.items()] == [
        ("thin", ["1.5", "1.0"])
    ]


def test_two_refreshes_write_the_same_bytes(run: Callable[..., Any], shelf: Shelf) -> None:
    run()
    path = shelf.folder / "generated" / "deep.json"
    before = path.read_bytes()
    path.unlink()
    run()
    assert path.read_bytes() == before


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
    assert [item["version"] for item in shelf.read("deep")["releases"]] == ["1.1", "1.0"]


def test_a_yanked_release_is_kept_and_marked(
    run: Callable[..., Any], registry: Registry, shelf: Shelf
) -> None:
    run()
    registry.yanked = {"1.5", "1.0"}
    run()
    assert shelf.read("thin")["yanked"] == ["1.5", "1.0"]
    assert "versions" not in shelf.read("thin")
    assert shelf.read("deep")["releases"][1]["yanked"] is True


def test_a_distribution_that_the_index_does_not_have_is_left_as_it_is(
    run: Callable[..., Any], registry: Registry, shelf: Shelf
) -> None:
    run()
    registry.wheels = [wheel for wheel in registry.wheels if wheel.name == "deep"]
    follower = Follower()
    assert [item.name for item in run(watch=follower)] == ["deep"]
    assert shelf.read("thin")["versions"] == ["1.5", "1.0"]
    assert any("thin" in line and "left as it is" in line for line in follower.said)


def test_an_unreadable_release_is_left_out_and_said(
    run: Callable[..., Any], registry: Registry, shelf: Shelf
) -> None:
    registry.wheels.append(TinyWheel("deep", "1.2", LINUX, ("torch (>=1.9.*)",)))
    follower = Follower()
    run(watch=follower)
    assert [item["version"] for item in shelf.read("deep")["releases"]] == ["1.0"]
    assert any("deep-1.2" in line and "\n" not in line for line in follower.said)


def test_an_unknown_name_is_a_usage_error(run: Callable[..., Any]) -> None:
    with pytest.raises(UsageError, match="no framework or distribution `shallow`"):
        run("shallow")


def test_the_users_own_data_comes_before_the_packaged(
    run: Callable[..., Any], registry: Registry, shelf: Shelf, home: Path
) -> None:
    done = run("deep", into=None)
    assert all(Path(item.path).is_relative_to(home) for item in done)
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
    assert "deep: 2 rows" in out
    assert "pages: 2" in err
    assert command(asked) == 0
    assert "nothing new in 2 files" in capsys.readouterr().out
    assert command(replace(asked, as_json=True)) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["ok"]) == ("dlsetup.catalog-refresh/1", True)
    assert [(item["name"], item["changed"]) for item in document["files"]] == [
        ("deep", False),
        ("thin", False),
    ]
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
        "import dlsetup.catalog.delivery as delivery\n"
        "delivery.os.rename = lambda *_: os._exit(9)\n"
        "from dlsetup.catalog.refresh import Errand, refresh\n"
        "folder = Path(sys.argv[1])\n"
        "refresh(Errand(names=('deep',), into=folder, folders=(folder,), index=sys.argv[2]))\n"
    )
    ran = subprocess.run([sys.executable, "-c", program, str(shelf.folder), registry.address], check=False)
    assert ran.returncode == 9
    assert (shelf.folder / "generated" / "deep.json").read_bytes() == before
    run()
    assert shelf.read("deep")["releases"][0]["version"] == "2.0"


def test_a_framework_stands_for_all_that_it_uses(run: Callable[..., Any]) -> None:
    assert [item.name for item in run("deep")] == ["deep", "thin"]
    assert [item.name for item in run("thin")] == ["thin"]


def test_two_frameworks_may_want_to_know_different_things_of_one_distribution(shelf: Shelf) -> None:
    for name, since, extra in (("one", "2", "a"), ("two", "1.10", "b")):
        row = {"name": "part", "since": since, "extras": [extra]}
        shelf.write(
            f"frameworks/{name}.toml",
            f'name = "{name}"\ntitle = "x"\ndistributions = ["part"]\nimports = "x"\nlibraries = ["part"]\n'
            "[[distribution]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in row.items()),
        )
    (job,) = jobs(["one", "two"], Folders([shelf.folder]))
    assert (str(job.row.since), job.row.extras, job.library) == ("1.10", ("a", "b"), False)


def test_the_torch_family_learns_of_torch_once() -> None:
    names = [job.row.name for job in jobs([], Folders())]
    assert len(names) == len(set(names))
    assert {"torch", "jaxlib", "numpy", "cuda-toolkit"} <= set(names)
    assert not next(job for job in jobs(["cuda-toolkit"], Folders())).library
