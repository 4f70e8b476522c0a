"""Names and places: either they work or they are refused in one sentence, and nothing is touched."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlsetup.act.neighbour import host_mark
from dlsetup.act.workplace import check_free, place_for, put_into_place, remove, remove_leftovers, workplace
from dlsetup.model.errors import StepFailed, UsageError
from dlsetup.plan.environment import Place


def place(folder: Path, name: str = "demo") -> Place:
    return place_for(name, str(folder))


@pytest.mark.parametrize("name", ["demo", "my demo", "größe-1.0_x+y@z", "a" * 120, ".hidden", "sub/../demo"])
def test_names_that_work(name: str, tmp_path: Path) -> None:
    found = place(tmp_path, name)
    check_free(found)
    assert os.path.dirname(found.final) == str(tmp_path)
    assert os.path.dirname(found.work) == str(tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "$(x)",
        "a`b`",
        "a;b",
        "a'b",
        'a"b',
        "a\nb",
        "a\x1b[31m",
        "-rf",
        "a:b",
        "a" * 121,
        "x\\y",
        "a*",
        "~",
        "/",
        "a\0b",
        "a\udc80",
    ],
)
def test_names_that_do_not(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        place(tmp_path, name)
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []


@given(st.text(max_size=300))
def test_any_name_is_a_place_or_a_usage_error(name: str) -> None:
    try:
        found = place_for(name, "/home/somebody")
    except UsageError:
        return
    assert os.path.isabs(found.final)
    assert os.path.dirname(found.final) == os.path.dirname(found.work)


@pytest.mark.parametrize("name", [".", "..", "a/.."])
def test_the_folder_itself_and_the_one_above_are_taken(name: str, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x/file").write_text("")
    with pytest.raises(UsageError):
        check_free(place(tmp_path / "x", name))


def test_what_exists_is_left_as_it_is(tmp_path: Path) -> None:
    for name in ("folder", "file", "link", "dangling"):
        target = tmp_path / name
        if name == "folder":
            (target / "inside").mkdir(parents=True)
        elif name == "file":
            target.write_text("")
        else:
            target.symlink_to(tmp_path / ("folder" if name == "link" else "nowhere"))
        with pytest.raises(UsageError, match="exists already"):
            check_free(place(tmp_path, name))


def test_an_empty_folder_may_be_filled(tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    check_free(place(tmp_path))
    with pytest.raises(UsageError):
        check_free(place(tmp_path), empty_folder=False)


def test_the_folder_around_must_exist(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        check_free(place(tmp_path, "a/b"))


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_folder_that_cannot_be_written() -> None:
    found = place_for("demo", "/proc/self")
    with pytest.raises(UsageError, match="nothing can be written"), workplace(found):
        pytest.fail("never inside")


def break_inside(found: Place, error: type[BaseException], *, in_place: bool = False) -> None:
    with workplace(found, in_place=in_place):
        (Path(found.work) / "half").write_text("")
        if in_place:
            Path(found.final).mkdir()
        raise error("half-way")


def test_neighbour_is_removed_whatever_happens(tmp_path: Path) -> None:
    found = place(tmp_path)
    for error in (ValueError, KeyboardInterrupt):
        with pytest.raises(error):
            break_inside(found, error)
        assert list(tmp_path.iterdir()) == []


def test_what_was_built_in_place_is_removed_only_on_failure(tmp_path: Path) -> None:
    found = place(tmp_path)
    with workplace(found, in_place=True):
        Path(found.final).mkdir()
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]
    other = place(tmp_path, "other")
    with pytest.raises(ValueError, match="half-way"):
        break_inside(other, ValueError, in_place=True)
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]


def test_rename_never_replaces(tmp_path: Path) -> None:
    found = place(tmp_path)
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo/mine").write_text("")
    with workplace(found), pytest.raises(StepFailed):
        put_into_place(found)
    assert [path.name for path in (tmp_path / "demo").iterdir()] == ["mine"]


def dead_process() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_leftovers_of_the_dead_are_removed_and_those_of_the_living_kept(tmp_path: Path) -> None:
    gone = tmp_path / f".demo.building-{dead_process()}-{host_mark()}"
    kept = (
        tmp_path / f".demo.building-{os.getpid()}-{host_mark()}",
        tmp_path / f".demo.building-{dead_process()}-00000000",
        tmp_path / f".other.building-{dead_process()}-{host_mark()}",
        tmp_path / ".demo.building-x",
    )
    for path in (gone, *kept):
        (path / "bin").mkdir(parents=True)
    assert remove_leftovers(place(tmp_path)) == (str(gone),)
    assert sorted(tmp_path.iterdir()) == sorted(kept)


def test_a_link_with_the_name_of_a_leftover_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (tmp_path / f".demo.building-{dead_process()}-{host_mark()}").symlink_to(precious)
    assert remove_leftovers(place(tmp_path)) == ()
    assert precious.is_dir()


@pytest.mark.parametrize(("mark", "removed"), [(None, True), ("dlsetup.json", False)])
def test_half_made_conda_environment_goes_and_a_finished_one_stays(
    mark: str | None, removed: bool, tmp_path: Path
) -> None:
    claim = tmp_path / f".demo.building-{dead_process()}-{host_mark()}"
    claim.mkdir()
    (claim / "environment.yml").write_text("")
    (tmp_path / "demo/conda-meta").mkdir(parents=True)
    if mark:
        (tmp_path / "demo" / mark).write_text("{}")
    remove_leftovers(place(tmp_path))
    assert (tmp_path / "demo").exists() is not removed
    assert not claim.exists()


def test_a_folder_that_was_not_made_by_conda_is_never_removed(tmp_path: Path) -> None:
    claim = tmp_path / f".demo.building-{dead_process()}-{host_mark()}"
    claim.mkdir()
    (claim / "environment.yml").write_text("")
    (tmp_path / "demo/thesis").mkdir(parents=True)
    remove_leftovers(place(tmp_path))
    assert (tmp_path / "demo/thesis").exists()


def test_removal_does_not_follow_links_nor_change_what_they_point_to(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("")
    (outside / "file").chmod(0o640)
    folder = tmp_path / "folder"
    (folder / "locked").mkdir(parents=True)
    (folder / "link").symlink_to(outside)
    (folder / "locked/link").symlink_to(outside / "file")
    (folder / "locked").chmod(0o500)
    remove(folder)
    assert not folder.exists()
    assert (outside / "file").stat().st_mode & 0o777 == 0o640
