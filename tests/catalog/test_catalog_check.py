"""Everything that is wrong with a catalog's files, at once."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from hand_made import Shelf

from dlsetup.catalog.check import problems
from dlsetup.catalog.folders import PACKAGED

TODAY = datetime.date(2026, 6, 1)
HEAD = 'known_to = "2.0"\n[[distribution]]\nname = "deep"\n'
ROW = {"variant": "cu126", "accelerator": "cuda", "platforms": ["linux-x86_64"]}
CODE = {"variant": "cu126", "platforms": ["linux-x86_64"], "kernels": ["8.0"]}


def found(shelf: Shelf) -> list[str]:
    return list(problems(shelf.folder, TODAY))


def test_nothing_is_wrong_with_what_is_shipped() -> None:
    assert list(problems(PACKAGED, datetime.datetime.now(datetime.timezone.utc).date())) == []


def test_nothing_is_wrong_with_a_good_overlay(shelf: Shelf) -> None:
    shelf.framework("deep", HEAD, build=[ROW], code=[CODE])
    shelf.generated("deep", [{"version": "2.0", "wheels": [["cp312", "manylinux_2_28_x86_64", 5]]}])
    assert found(shelf) == []


@pytest.mark.parametrize(
    ("head", "row", "code", "says"),
    [
        (HEAD, {"source": "elsewhere"}, {}, "no `[[source]]` has the id `elsewhere`"),
        (HEAD, {"since": "2.0", "before": "2.0"}, {}, "holds for no release"),
        (HEAD, {"parts": ["plugin"]}, {}, "no `[[distribution]]`"),
        (HEAD, {"variant": "cu12"}, {}, "does not say its CUDA"),
        ('[[distribution]]\nname = "deep"\n', {}, {}, "need `known_to`"),
        (HEAD, {}, {"kernels": ["12.0"]}, "CUDA 12.6 makes no code for sm_120"),
        (HEAD, {}, {"ptx": ["3.5"]}, "CUDA 12.6 makes no code for sm_35"),
        (HEAD, {"odd": 1}, {}, "unknown field"),
    ],
)
def test_every_fault_is_named(
    shelf: Shelf, head: str, row: dict[str, Any], code: dict[str, Any], says: str
) -> None:
    shelf.framework("deep", head, build=[ROW | row], code=[CODE | code])
    (problem,) = found(shelf)
    assert "frameworks/deep.toml" in problem
    assert says in problem


def test_all_files_are_looked_at(shelf: Shelf) -> None:
    shelf.framework("deep", HEAD, build=[ROW])
    shelf.generated("deep", [{"version": "one"}])
    shelf.write("hardware/mine.toml", "gpus = 3\n")
    shelf.write("indexes.toml", "[[index]]\n")
    shelf.write("measured/deep.json", "{")
    assert len(found(shelf)) == 4


def test_a_link_that_leads_nowhere_is_named(shelf: Shelf) -> None:
    place = shelf.write("frameworks/deep.toml", "")
    place.unlink()
    place.symlink_to("elsewhere.toml")
    assert found(shelf) == [f"{place}: a link to a file that is not there"]


@pytest.mark.parametrize(("date", "says"), [("2026-06-02", "lies in the future"), ("soon", "no ISO date")])
def test_dates_are_of_the_past(shelf: Shelf, date: str, says: str) -> None:
    shelf.write("hardware/mine.toml", f'[[source]]\nid = "a"\nwhat = "b"\nchecked = "{date}"\n')
    assert sorted(problem.rpartition(": ")[2] for problem in found(shelf)) == sorted(
        ["the source `a` is cited by no row", f"{date} {says}" if "lies" in says else f"`{date}` is {says}"]
    )


def test_rows_that_the_registry_contradicts_are_named(shelf: Shelf) -> None:
    shelf.framework("deep", HEAD, build=[ROW | {"since": "1.5"}], code=[CODE])
    shelf.generated("deep", [{"version": "1.0", "wheels": [["cp312", "manylinux_2_28_x86_64", 5]]}])
    told = found(shelf)
    assert any("no release fits the build `cu126`" in text for text in told)
    assert any("known to 2.0" in text for text in told)


SOURCE = '[[source]]\nid = "guide"\nwhat = "a guide"\nchecked = "2026-01-02"\n'
MESSAGE = (
    '[[message]]\nid = "broken"\nmarks = ["it broke"]\npattern = "it broke"\nmeans = "."\nsource = "guide"\n'
)
FAULT = (
    '[[fault]]\nid = "a-fault"\nmessages = ["broken"]\ntitle = "It broke"\nbecause = "."\nsource = "guide"\n'
)


def test_a_message_may_rest_on_another_file(shelf: Shelf) -> None:
    shelf.write("messages/sources.toml", SOURCE)
    shelf.write("messages/messages.toml", MESSAGE)
    shelf.write("messages/faults.toml", FAULT)
    assert found(shelf) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (MESSAGE, "no `[[source]]` has the id `guide`"),
        (SOURCE, "the source `guide` is cited by no row"),
        (SOURCE + SOURCE + MESSAGE, "the source `guide` stands twice"),
        (SOURCE + MESSAGE + MESSAGE, "the signature `broken` stands twice"),
        (SOURCE + FAULT, "`a-fault` names the signature `broken`, which is not there"),
        (SOURCE + MESSAGE.replace('pattern = "it', 'pattern = "(it'), "the pattern of `broken`"),
        (SOURCE + MESSAGE.replace('["it broke"]', '["it"]'), "no mark of three letters"),
        (MESSAGE + SOURCE.replace("2026-01-02", "2027-01-02"), "lies in the future"),
    ],
)
def test_every_fault_of_messages_is_named(shelf: Shelf, text: str, says: str) -> None:
    shelf.write("messages/mine.toml", text)
    (problem,) = found(shelf)
    assert problem.startswith(str(shelf.folder / "messages"))
    assert says in problem


def test_what_a_check_rests_on_is_a_source_that_is_cited(shelf: Shelf) -> None:
    shelf.write("messages/mine.toml", SOURCE + '[[ground]]\nfinding = "a-fault"\nsource = "guide"\n')
    assert found(shelf) == []
