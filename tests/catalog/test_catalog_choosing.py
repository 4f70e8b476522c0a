"""What speaks for frameworks: whole, sourced, replaceable, and true where the catalog itself can tell."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from pathlib import Path

import pytest
from hand_made import Shelf

from dlsetup.catalog.check import problems
from dlsetup.catalog.choosing import choosing
from dlsetup.catalog.folders import PACKAGED
from dlsetup.catalog.load import load
from dlsetup.model.errors import DataError
from dlsetup.model.record import Unknown

EIGHT = {
    "torch",
    "tensorflow",
    "jax",
    "lightning",
    "ai-edge-litert",
    "paddlepaddle",
    "mindspore",
    "oneflow",
}
TODAY = datetime.date(2026, 12, 31)


def test_eight_frameworks_are_judged_by_five_criteria() -> None:
    found = choosing()
    assert set(found.frameworks) == EIGHT
    assert [item.id for item in found.criteria] == [
        "learning",
        "research",
        "production",
        "community",
        "mobile",
    ]
    assert len(found.judgements) == 8 * 5
    assert all(row.because and row.source for row in found.judgements)


def test_every_row_names_a_source_with_a_date() -> None:
    found = choosing()
    known = {source.id: source.checked for source in found.sources}
    rows = (*found.judgements, *found.strengths, *found.declines)
    assert {row.source for row in rows} == set(known)
    assert all(datetime.date.fromisoformat(date) <= TODAY for date in known.values())


def test_the_scenarios_begin_as_they_should() -> None:
    assert {item.id: item.default for item in choosing().tasks} == {
        "research": "torch",
        "production": "tensorflow",
        "hpc": "jax",
        "teaching": "lightning",
        "edge": "ai-edge-litert",
        "distributed": "torch",
        "deployment": "tensorflow",
    }


def test_the_release_lines_of_tensorflow_are_as_the_registry_has_them() -> None:
    (fact,) = (row.fact for row in choosing().declines if row.framework == "tensorflow")
    (framework,) = load(["tensorflow"]).frameworks
    first: dict[tuple[int, int], str] = {}
    for build in framework.builds:
        if not isinstance(build.released, Unknown) and not build.prerelease and not build.version.local:
            line = (build.version.major, build.version.minor)
            first[line] = min(first.get(line, build.released), build.released)
    years = Counter(date[:4] for date in first.values())
    numbers = {"one": 1, "two": 2, "three": 3, "four": 4}
    told = {year: numbers[word] for word, year in re.findall(r"(one|two|three|four) in (20\d\d)", fact)}
    assert told == {year: years[year] for year in ("2023", "2024", "2025", "2026")}


def test_a_site_judges_for_itself(shelf: Shelf) -> None:
    text = (PACKAGED / "choosing" / "oneflow.toml").read_text("utf-8")
    shelf.write("choosing/oneflow.toml", text.replace("stars = 2", "stars = 4"))
    own = {row.criterion: row.stars for row in choosing((shelf.folder,)).judged("oneflow")}
    assert own["learning"] == 4
    assert list(problems(shelf.folder, TODAY)) == []


JUDGED = """
[[judgement]]
framework = "torch"
criterion = "learning"
stars = 4
because = "b"
source = "s"
[[source]]
id = "s"
what = "a page"
checked = "2026-01-02"
"""


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("own", JUDGED, "`torch` is judged twice by `learning`"),
        ("own", JUDGED.replace('"torch"', '"deep"'), "there is no framework of the catalog `deep`"),
        ("torch", JUDGED, "`torch` is not judged by `mobile`"),
        ("torch", JUDGED.replace("stars = 4", "stars = 6"), "6 stars"),
        ("torch", JUDGED.replace('"learning"', '"beauty"'), "there is no criterion `beauty`"),
        ("own", '[[skill]]\nid = "x"\ntitle = "x"\nbecause = "x"\nframeworks = ["deep"]\n', "judged `deep`"),
        ("own", '[[domain]]\nid = "vision"\ntitle = "x"\n', "`vision` stands twice"),
        ("own", '[[domain]]\nid = "x"\ntitle = "x"\nprofile_for = ["cooking"]\n', "no task `cooking`"),
    ],
)
def test_rows_that_do_not_go_together_are_named(shelf: Shelf, file: str, text: str, says: str) -> None:
    shelf.write(f"choosing/{file}.toml", text)
    assert any(says in problem for problem in problems(shelf.folder, TODAY))
    if "of the catalog" not in says:
        with pytest.raises(DataError, match=r"^choosing: "):
            choosing((shelf.folder,))


def test_a_profile_that_is_not_there_is_named(shelf: Shelf) -> None:
    shelf.write("choosing/own.toml", '[[domain]]\nid = "x"\ntitle = "x"\nprofile = "nothing"\n')
    assert [text.rpartition(": ")[2] for text in problems(shelf.folder, TODAY)] == [
        "there is no profile `nothing`"
    ]


def test_a_row_without_its_source_and_a_malformed_file_are_named(shelf: Shelf, tmp_path: Path) -> None:
    decline = '[[decline]]\nframework = "torch"\nfact = "f"\nsource = "nowhere"\n'
    shelf.write("choosing/own.toml", decline)
    assert any("no `[[source]]` has the id `nowhere`" in text for text in problems(shelf.folder, TODAY))
    shelf.write("choosing/own.toml", '[[judgement]]\nframework = "torch"\nstars = "many"\n')
    assert any("own.toml" in text for text in problems(shelf.folder, TODAY))
    with pytest.raises(DataError, match=r"own\.toml"):
        choosing((shelf.folder,))
