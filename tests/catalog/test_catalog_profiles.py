"""Profiles: the packaged five, one's own, and malformed ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hand_made import Shelf
from packaging.requirements import Requirement

from dlsetup.catalog.load import names
from dlsetup.catalog.profiles import load_profile, profile_names
from dlsetup.model.errors import DataError, UsageError

OWN = 'name = "own"\ntitle = "Own"\nsummary = "A test."\nframeworks = ["jax"]\n'
FIVE = ("edge", "hpc", "production", "research", "teaching")


def test_five_profiles_are_packaged() -> None:
    assert profile_names() == FIVE


@pytest.mark.parametrize("name", FIVE)
def test_a_packaged_profile_names_frameworks_of_the_catalog(name: str) -> None:
    profile = load_profile(name)
    assert profile.name == name
    assert {Requirement(text).name for text in profile.frameworks} <= set(names())
    packages = [Requirement(text).name for text in profile.packages]
    assert len(packages) == len(set(packages))
    assert not set(packages) & set(profile.frameworks)
    assert profile.summary.endswith(".")


def test_a_profile_of_ones_own_by_folder_and_by_path(shelf: Shelf) -> None:
    path = shelf.write("profiles/own.toml", OWN)
    assert profile_names([shelf.folder]) == tuple(sorted((*FIVE, "own")))
    assert load_profile("own", [shelf.folder]) == load_profile(str(path))
    assert load_profile("own", [shelf.folder]).frameworks == ("jax",)


def test_a_folder_comes_before_the_package(shelf: Shelf) -> None:
    shelf.write("profiles/hpc.toml", OWN.replace("own", "hpc"))
    assert load_profile("hpc", [shelf.folder]).title == "Own"


@pytest.mark.parametrize("name", ["reserch", "nothing", "", "research; rm -rf ~"])
def test_an_unknown_profile(name: str) -> None:
    with pytest.raises(UsageError, match="no profile") as caught:
        load_profile(name)
    assert "research" in caught.value.hint


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no profile file"):
        load_profile(str(tmp_path / "gone.toml"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name =", "own.toml"),
        (OWN + "packges = []\n", "packges"),
        (OWN.replace('["jax"]', '"jax"'), "frameworks"),
        ('title = "Own"\n', "missing required field"),
        ("\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), "own.toml"),
    ],
)
def test_a_malformed_profile_names_itself(shelf: Shelf, text: str, says: str) -> None:
    path = shelf.write("profiles/own.toml", text)
    for name in ("own", str(path)):
        with pytest.raises(DataError) as caught:
            load_profile(name, [shelf.folder])
        assert "own.toml" in caught.value.message
        assert says in caught.value.message


def test_a_profile_under_another_name_is_malformed(shelf: Shelf) -> None:
    shelf.write("profiles/other.toml", OWN)
    with pytest.raises(DataError, match="not `other`"):
        load_profile("other", [shelf.folder])
