"""Of every message: a text that its pattern finds bears one of the marks that are looked for first."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dlsetup.catalog.messages import knowledge
from dlsetup.model.signature import Signature

PRINTABLE = st.characters(min_codepoint=32, max_codepoint=126)


@pytest.mark.parametrize("row", knowledge().signatures, ids=lambda row: row.id)
def test_what_a_pattern_finds_is_marked(row: Signature) -> None:
    texts = st.from_regex(re.compile(row.pattern), fullmatch=True, alphabet=PRINTABLE)

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(texts)
    def marked(text: str) -> None:
        assert any(mark in text for mark in row.marks)

    marked()
