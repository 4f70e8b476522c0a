"""Every message is explained, every command of an explanation is one, and what cannot be used is named."""

from __future__ import annotations

import datetime
import shlex
from pathlib import Path

import pytest
import typer

from dlsetup import cli
from dlsetup.catalog.check import problems
from dlsetup.catalog.explanations import explanations
from dlsetup.catalog.messages import knowledge
from dlsetup.model.errors import DataError
from dlsetup.model.explanation import Explanation

TODAY = datetime.date(2027, 1, 1)
ALL = explanations().explanations
HEAD = '[[source]]\nid = "own"\nwhat = "a test"\nchecked = "2026-12-03"\n[[explanation]]\nid = "odd"\n'
CAUSE = '[[explanation.cause]]\ncause = "One."\ndo = "This."\n'
WELL = 'title = "Odd"\nmeaning = "It is."\nmessages = ["cuda-oom"]\nrests_on = ["own"]\n'
SECOND = f'[[explanation]]\nid = "odd"\n{WELL.replace("cuda-oom", "tf-oom")}{CAUSE}'


def test_every_message_is_explained() -> None:
    explained = [name for row in ALL for name in row.messages]
    assert sorted(explained) == sorted(row.id for row in knowledge().signatures)


def test_what_is_a_failure_has_causes_and_sources() -> None:
    for row in ALL:
        assert row.rests_on, row.id
        assert row.cause or row.severity == "note", row.id


def commands(row: Explanation) -> list[str]:
    return [text for item in row.cause for text in (*item.look_commands, *item.do_commands)]


def test_commands_of_ours_are_there() -> None:
    from dlsetup.plan.notes.registry import names

    known = typer.main.get_command(cli.app)
    said = [shlex.split(text) for row in ALL for text in commands(row) if text.startswith("dlsetup ")]
    assert len(said) > 20
    for words in said:
        found = known
        for word in words[1:]:
            found = getattr(found, "commands", {}).get(word, found)
        assert found is not known, words
        if words[1] == "notes":
            assert words[2] in names()


def test_commands_can_be_read_by_a_shell() -> None:
    for row in ALL:
        for text in commands(row):
            assert shlex.split(text), text
            assert "\n" not in text


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (WELL.replace("cuda-oom", "nosuch") + CAUSE, "there is no signature `nosuch`"),
        (WELL.replace('"own"]', '"elsewhere", "own"]') + CAUSE, "no `[[source]]` has the id `elsewhere`"),
        (WELL, "it names no cause"),
        (WELL.replace('["cuda-oom"]', "[]") + CAUSE, "explains neither a message nor an end"),
        (WELL.replace('["cuda-oom"]', '[]\nends = ["SOON"]') + CAUSE, "no program ends with `SOON`"),
        (WELL + CAUSE.replace("One.", "One {odd}."), "nothing fills `{odd}`"),
        (WELL + CAUSE.replace("One.", "One {gpu.odd}."), "nothing fills `{gpu.odd}`"),
        (WELL.replace("It is.", "It is {tried}.") + CAUSE, "hold for every machine"),
        (WELL + CAUSE + SECOND, "`odd` stands twice"),
        (WELL + CAUSE + f'[[explanation]]\nid = "two"\n{WELL}{CAUSE}', "`cuda-oom` is explained twice"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, rows: str, says: str) -> None:
    (tmp_path / "explanations").mkdir()
    (tmp_path / "explanations" / "own.toml").write_text(HEAD + rows)
    found = list(problems(tmp_path, TODAY))
    assert any(says in text for text in found), found


def test_a_site_explains_in_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "explanations").mkdir()
    (tmp_path / "explanations" / "zz.toml").write_text(HEAD + WELL + CAUSE)
    assert list(problems(tmp_path, TODAY)) == []
    known = explanations((tmp_path,))
    own, packaged = known.of_signature("cuda-oom"), known.of_signature("gpu-oom")
    assert own is not None
    assert packaged is not None
    assert (own.id, packaged.id) == ("odd", "gpu-memory")
    assert len(known.explanations) == len(ALL) + 1


def test_a_malformed_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "explanations").mkdir()
    (tmp_path / "explanations" / "own.toml").write_text(HEAD + WELL.replace("cuda-oom", "nosuch") + CAUSE)
    with pytest.raises(DataError, match="there is no signature `nosuch`"):
        explanations((tmp_path,))
