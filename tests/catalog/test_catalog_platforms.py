"""Platform tags and the families they belong to."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlsetup.catalog.platforms import demand, families, least_demanding, modern


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("any", ("any",)),
        ("manylinux1_x86_64", ("linux-x86_64",)),
        ("manylinux2014_aarch64", ("linux-aarch64",)),
        ("manylinux_2_28_x86_64", ("linux-x86_64",)),
        ("linux_armv7l", ("linux-armv7l",)),
        ("musllinux_1_2_x86_64", ("musl-x86_64",)),
        ("win_amd64", ("windows-amd64",)),
        ("win_arm64", ("windows-arm64",)),
        ("win32", ("windows-x86",)),
        ("macosx_11_0_arm64", ("macos-arm64",)),
        ("macosx_10_9_x86_64", ("macos-x86_64",)),
        ("macosx_11_0_universal2", ("macos-arm64", "macos-x86_64")),
        ("android_21_arm64_v8a", ("android_21_arm64_v8a",)),
    ],
)
def test_families(tag: str, expected: tuple[str, ...]) -> None:
    assert families(tag) == expected


def test_of_several_tags_the_least_demanding_one_says_all() -> None:
    tags = ["manylinux_2_28_x86_64", "manylinux2014_x86_64", "manylinux_2_17_x86_64"]
    assert least_demanding(tags) == ["manylinux_2_17_x86_64"]
    assert least_demanding(["macosx_11_0_arm64", "macosx_10_9_x86_64"]) == [
        "macosx_10_9_x86_64",
        "macosx_11_0_arm64",
    ]


@given(st.lists(st.tuples(st.integers(5, 40), st.sampled_from(["x86_64", "aarch64"])), min_size=1))
def test_every_tag_asks_for_at_least_what_is_kept(minors: list[tuple[int, str]]) -> None:
    tags = [f"manylinux_2_{minor}_{arch}" for minor, arch in minors]
    kept = least_demanding(tags)
    assert set(kept) <= set(tags)
    for tag in tags:
        (one,) = (item for item in kept if families(item) == families(tag))
        assert demand(one) <= demand(tag)


@given(st.text(string.printable, max_size=60))
def test_any_text_is_a_tag_of_some_family(text: str) -> None:
    assert families(text)
    assert modern(modern(text)) == modern(text)
