"""The catalog in words: every row has its mark and its reason, and fits a terminal."""

from __future__ import annotations

import re
from itertools import pairwise

from catalog_documents import CODE, ENDED, OLD, SMALL, build_row, matrix, release_row
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from packaging.version import Version

from dlsetup.model.record import UNKNOWN
from dlsetup.show.catalog import code_words, framework_lines, matrix_lines, spans
from dlsetup.show.catalog_document import FrameworkRow, TableName
from dlsetup.show.lines import plain


def rows_of(text: str) -> list[str]:
    return [row for row in text.splitlines() if re.match(r"[✓✗?] \d", row)]


def test_a_row_for_each_release_and_variant_with_its_mark_and_reason() -> None:
    assert plain(matrix_lines(SMALL)) == (
        "Deep on the target\n"
        "  os=linux\n"
        "\n"
        "  release  variant  Python     code for\n"
        f"✗ 2.2      cu130    3.12–3.13  80 90 +PTX 90  (1) (2)\n"
        f"✓ 2.2      cpu      3.12–3.13  -              (2)\n"
        f"✗ 2.1      cu130    3.10–3.12  80 90 +PTX 90  (1)\n"
        f"✓ 2.1      cu126    3.10–3.12  80 90 +PTX 90\n"
        f"? 2.1      cu118    3.10–3.12  ?              (3)\n"
        f"✓ 2.1      cpu      3.10–3.12  -\n"
        f"✓ 2.0      cpu      3.9–3.10   -\n"
        "\n"
        f"(1) {OLD}\n"
        "(2) newer than what the catalog was checked for (2.1): only its metadata speaks\n"
        "    of it\n"
        "(3) no row tells\n"
        "\n"
        "✓ works, by itself; ✗ does not; ? is not known\n"
        "`dlsetup catalog why deep 2.2` says which rows decide\n"
    )


def test_what_is_not_shown_is_told() -> None:
    text = plain(matrix_lines(replace(SMALL, asked=10)))
    assert "7 older releases not shown: `--all` shows all" in text
    assert "not shown" not in plain(matrix_lines(SMALL))


def test_what_has_ended_says_what_to_take_instead() -> None:
    text = plain(matrix_lines(replace(SMALL, ended=ENDED)))
    assert "! Deep has ended: 2.2 of 2026-01-31 is its last release. Take instead: deeper" in text


def test_what_is_special_about_a_build_is_told_even_where_it_works() -> None:
    release = release_row("3.0rc1", build_row("cpu", "yes", from_source=True), prerelease=True)
    text = plain(matrix_lines(matrix(release)))
    assert "✓ 3.0rc1   cpu      3.10–3.12  -         (1) (2)" in text
    assert "(1) has no wheel: it is built from its source" in text
    assert "(2) is a prerelease" in text


def test_hostile_words_stay_words() -> None:
    because = "\x1b[31mred\x1b[0m\nsecond \u202eline"
    text = plain(matrix_lines(matrix(release_row("1.0", build_row("cu126", "no", because=because)))))
    assert "(1) red second line" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


@given(st.lists(st.sampled_from([f"3.{minor}" for minor in range(5, 16)]), unique=True))
def test_neighbouring_pythons_are_one_span(pythons: list[str]) -> None:
    told = spans([*pythons, "3.13t"])
    found: set[str] = set()
    for word in [] if told == "none" else told.split():
        first, _, last = word.partition("–")
        low, high = (int((text or first).split(".")[1]) for text in (first, last))
        assert not last or high > low
        found |= {f"3.{minor}" for minor in range(low, high + 1)}
    assert found == set(pythons)
    ends = [word.split("–") for word in told.split()]
    for before, after in pairwise(ends):
        assert int(after[0].split(".")[1]) > int(before[-1].split(".")[1]) + 1


def test_code_is_told_by_kind_and_unknown_is_no_guess() -> None:
    assert code_words(build_row("cu126", "yes", **CODE)) == "80 90 +PTX 90"
    assert code_words(build_row("cu126", "yes", kernels=CODE["kernels"], ptx=())) == "80 90"
    assert code_words(build_row("cu126", "yes", kernels=UNKNOWN, ptx=CODE["ptx"])) == "? +PTX 90"
    assert code_words(build_row("cu126", "yes")) == "?"
    assert code_words(build_row("rocm7.2", "yes", accelerator="rocm")) == "?"
    assert (
        code_words(build_row("rocm7.2", "yes", accelerator="rocm", gfx=("gfx90a", "gfx942")))
        == "gfx90a gfx942"
    )
    many = tuple(f"gfx{number}" for number in range(1100, 1130))
    assert code_words(build_row("rocm7.2", "yes", accelerator="rocm", gfx=many)).endswith(" …")
    assert code_words(build_row("cpu", "yes")) == "-"


def test_the_list_names_every_framework_and_table() -> None:
    rows = (
        FrameworkRow(
            name="deep", title="Deep", newest=Version("2.2"), releases=3, builds=9,
            variants=("cu130", "cpu"), known_to=Version("2.1"), ended=ENDED,
        ),
        FrameworkRow(name="empty", title="Empty", newest=None, releases=0, builds=0, variants=()),
    )  # fmt: skip
    text = plain(framework_lines(rows, (TableName(name="cuda", title="CUDA toolkits"),)))
    assert text.splitlines()[:5] == [
        "name   newest  known to  releases  builds  title: variants of the newest",
        "deep   2.2     2.1       3         9       Deep: cu130, cpu",
        "  ! Deep has ended: 2.2 of 2026-01-31 is its last release. Take instead: deeper",
        "empty  -                 0         0       Empty: -",
        "",
    ]
    assert "  cuda CUDA toolkits" in text


def test_rows_fit_eighty_columns() -> None:
    for text in (plain(matrix_lines(SMALL)), plain(matrix_lines(replace(SMALL, ended=ENDED, asked=99)))):
        assert rows_of(text)
        assert max(map(len, text.splitlines())) <= 80
