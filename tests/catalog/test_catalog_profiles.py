"""Profiles: the packaged ones on the machines that people have, one's own, and malformed ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hand_made import Shelf
from packaging.requirements import Requirement

from dlsetup.catalog.load import load, names
from dlsetup.catalog.profiles import load_profile, profile_names
from dlsetup.commands.question import Question, wish_of
from dlsetup.intake.target import parse
from dlsetup.model.errors import DataError, UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.resolve import resolve
from dlsetup.verify.table import TABLE

OWN = 'name = "own"\ntitle = "Own"\nsummary = "A test."\nframeworks = ["jax"]\n'
ALL = (
    "audio",
    "deployment",
    "distributed",
    "edge",
    "hpc",
    "language-models",
    "mobile",
    "production",
    "reinforcement-learning",
    "research",
    "scientific",
    "tabular",
    "teaching",
    "vision",
)
LINUX = "os=linux,arch=x86_64,glibc=2.35"
TARGETS = {
    "RTX 4090, driver 550": f'{LINUX},driver=550.54.14,gpu="RTX 4090"',
    "A100, driver 535": 'os=linux,arch=x86_64,glibc=2.31,driver=535.129.03,gpu="A100"',
    "H100 and B200, driver 580": f'{LINUX},driver=580.65.06,gpu="H100",gpu="B200"',
    "aarch64 without a GPU": "os=linux,arch=aarch64,glibc=2.35,driver=none,gpu=none",
    "Apple": "os=macos,arch=arm64,macos=14.5",
    "without a GPU": f"{LINUX},driver=none,gpu=none",
    "WSL": f'{LINUX},wsl=yes,driver=560.94,gpu="RTX 4090"',
    "Windows": 'os=windows,arch=x86_64,driver=560.94,gpu="RTX 4090"',
}
REFUSED = {
    ("hpc", "Windows"): "has no wheel for Windows x86_64",
    ("scientific", "Windows"): "has no wheel for Windows x86_64",
}
"""What is known not to go, and why."""


def test_these_profiles_are_packaged() -> None:
    assert profile_names() == ALL


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    profiles = map(load_profile, ALL)
    return load({Requirement(text).name for profile in profiles for text in profile.frameworks})


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ALL)
def test_a_packaged_profile_resolves_or_is_known_not_to(catalog: Catalog, name: str, target: str) -> None:
    answer = resolve(wish_of(Question(profile=name)), parse(TARGETS[target]), catalog)
    reason = REFUSED.get((name, target))
    if reason is None:
        assert isinstance(answer, Plan), answer
        asked = {Requirement(text).name for text in load_profile(name).frameworks}
        assert asked <= {pick.framework for pick in answer.picks}
        assert set(load_profile(name).packages) <= set(answer.requirements)
    else:
        assert isinstance(answer, Conflict)
        assert any(reason in clause.text for clause in answer.core)


@pytest.mark.parametrize("name", ALL)
def test_a_packaged_profile_says_what_to_prove_and_to_know(name: str) -> None:
    profile = load_profile(name)
    assert profile.verify[0] == "import"
    assert len(profile.verify) == len(set(profile.verify))
    held = {Requirement(text).name for text in (*profile.frameworks, *profile.packages)}
    held |= {"keras"} if "tensorflow" in held else set()  # its metadata asks for it
    for word in profile.verify[1:]:
        assert any(item.framework in held and item.answers_to(word) for item in TABLE), word
    assert profile.notes
    assert all(note.endswith(".") for note in profile.notes)


@pytest.mark.parametrize("name", ALL)
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
    assert profile_names([shelf.folder]) == tuple(sorted((*ALL, "own")))
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
