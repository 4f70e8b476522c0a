"""Messages of programs, as they stand in a text that somebody wrapped or quoted."""

from __future__ import annotations

from dlsetup.intake.messages import Sought, messages_of
from dlsetup.intake.page import Page
from dlsetup.model.signature import Signature

TOO_OLD = Signature(
    id="too-old",
    marks=("driver is too old",),
    pattern=r"driver is too old \(found version (?P<number>\d+)\)",
    means="It is too old.",
    source="nowhere",
)


def found(text: str) -> list[str]:
    facts = messages_of(Page(text, "x"), [Sought(TOO_OLD)])
    return [
        f"{fact.value.value('number')} at {fact.value.source}" for fact in facts if fact.about == "message"
    ]


def test_a_message_that_is_wrapped_is_found_where_it_begins() -> None:
    assert found("one\nthe driver is\ntoo old (found\nversion 11040)\n") == ["11040 at x:2"]


def test_a_message_in_a_quoted_mail_is_found() -> None:
    assert found("Hello,\n> the driver is too\n> old (found version\n> 11040)\n") == ["11040 at x:2"]


def test_two_messages_on_one_line_are_two() -> None:
    text = "driver is too old (found version 1) driver is too old (found version 2)\n"
    assert found(text) == ["1 at x:1", "2 at x:1"]
