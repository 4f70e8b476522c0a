"""Tables of whatever records: columns where they fit, the widest one wrapped, else paragraphs."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dlsetup.model.source import Source
from dlsetup.show.catalog_document import Table
from dlsetup.show.catalog_table import said, table_lines
from dlsetup.show.lines import plain

SOURCE = Source(id="s-1", what="a page", checked="2026-12-02", certainty="low")


def table(*rows: dict[str, Any], columns: str) -> Table:
    return Table(name="t", title="Things", columns=tuple(columns.split()), rows=rows, sources=(SOURCE,))


def test_columns_stand_under_a_head_of_one_word_a_line() -> None:
    rows = (
        {"version": "13.0", "driver_linux": "580.65.06", "gcc": "<16,>=6"},
        {"version": "12.9", "driver_linux": "575.51.03"},
    )
    assert plain(table_lines(table(*rows, columns="version driver_linux gcc msvc"))) == (
        "Things\n"
        "\n"
        "           driver\n"
        "  version  linux      gcc\n"
        "  13.0     580.65.06  <16,>=6\n"
        "  12.9     575.51.03  ?\n"
        "\n"
        "Sources\n"
        "  s-1 a page (checked 2026-12-02, certainty low)\n"
    )


def test_the_widest_column_is_wrapped_under_itself() -> None:
    rows = ({"id": "one", "systems": [f"system-{number}" for number in range(20)], "end": "2028"},)
    text = plain(table_lines(table(*rows, columns="id systems end"))).splitlines()
    assert text[2] == "  id   end   systems"
    assert text[3].startswith("  one  2028  system-0, system-1")
    assert text[4].startswith("             system-")
    assert max(map(len, text)) <= 80


def test_what_fits_in_no_columns_is_a_paragraph_a_row() -> None:
    row = {f"part_{number}": f"value {number} of it" for number in range(9)}
    text = plain(table_lines(table(row, columns=" ".join(row))))
    assert "  value 0 of it part 1 value 1 of it; part 2 value 2 of it;" in text
    assert max(map(len, text.splitlines())) <= 80


def test_values_are_said_as_people_write_them() -> None:
    assert said(...) == "?"
    assert said(None) == "none"
    assert said(True) == "yes"
    assert (
        said([[11, "libcudart.so.11.0"], [12, "libcudart.so.12"]])
        == "11 libcudart.so.11.0, 12 libcudart.so.12"
    )
    assert said({"condition": "cuda>=12.6", "source": "s-1"}) == "condition cuda>=12.6"


@given(
    st.lists(
        st.dictionaries(st.sampled_from("abcdef"), st.text("aäß01", max_size=30)), min_size=1, max_size=5
    )
)  # fmt: skip
def test_no_value_is_lost(rows: list[dict[str, str]]) -> None:
    text = plain(table_lines(table(*rows, columns="a b c d e f")))
    words = "".join(text.split())
    assert all("".join(value.split()) in words for row in rows for value in row.values())


def test_a_table_without_rows_is_no_fault() -> None:
    assert plain(table_lines(table(columns="a b"))).startswith("Things\n\n  no rows\n")
