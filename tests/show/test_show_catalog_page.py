"""The page holds the document whole, loads nothing, and nothing inside it can become markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest
from catalog_documents import SMALL, build_row, matrix, release_row
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from dlsetup.model import codec
from dlsetup.show.catalog_document import ShowDocument
from dlsetup.show.catalog_page import embedded, page

HOSTILE = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>&amp;\"'\u2028"


class Parts(HTMLParser):
    """The elements of a page and the text of its scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._open = False
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.texts.append("")
        self._open = True

    def handle_endtag(self, tag: str) -> None:
        self._open = False

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts[-1] += data

    def all(self, name: str) -> list[tuple[dict[str, str | None], str]]:
        pairs = zip(self.elements, self.texts, strict=True)
        return [(attributes, text) for (tag, attributes), text in pairs if tag == name]


@given(st.text())
@example(HOSTILE)
@example("<!--<script>")
def test_no_text_ends_the_script_that_holds_it(text: str) -> None:
    held = embedded(json.dumps({"text": text}))
    assert not re.search(r"[<>&\u2028\u2029]", held)
    assert json.loads(held) == {"text": text}


def test_the_document_is_that_of_json() -> None:
    document = ShowDocument(framework=SMALL)
    data, script = Parts(page(document)).all("script")
    assert data[0] == {"type": "application/json", "id": "document"}
    assert codec.decode(data[1], ShowDocument, where="page") == document
    assert script[0] == {}


def test_hostile_words_add_no_element() -> None:
    hostile = matrix(release_row("1.0", build_row("cu126", "no", because=HOSTILE)))
    hostile = replace(hostile, title=HOSTILE, target=HOSTILE, target_words=HOSTILE)
    plain, attacked = (Parts(page(ShowDocument(framework=item))) for item in (SMALL, hostile))
    assert [tag for tag, _ in attacked.elements] == [tag for tag, _ in plain.elements]
    assert HOSTILE.rstrip("\u2028").split("&")[0] in attacked.all("h1")[0][1]
    assert json.loads(attacked.all("script")[0][1])["framework"]["title"] == HOSTILE


def test_the_policy_allows_the_script_and_the_style_inside_and_nothing_else() -> None:
    parts = Parts(page(ShowDocument(framework=SMALL)))
    (policy,) = (
        attributes["content"]
        for attributes, _ in parts.all("meta")
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    allowed = dict(item.strip().split(" ", 1) for item in str(policy).split(";"))
    assert allowed.pop("default-src") == allowed.pop("base-uri") == allowed.pop("form-action") == "'none'"
    assert allowed == {
        "style-src": f"'{_hash(parts.all('style')[0][1])}'",
        "script-src": f"'{_hash(parts.all('script')[1][1])}'",
    }


def test_nothing_is_loaded_and_nobody_is_addressed() -> None:
    text = page(ShowDocument(framework=SMALL))
    assert not re.search(r"https?:|//[a-z]|url\(|@import|@font-face|\bfetch\b|innerHTML", text)
    for _, attributes in Parts(text).elements:
        assert not {"src", "href", "style", "onclick", "action"} & attributes.keys()


def test_only_a_framework_has_a_page() -> None:
    with pytest.raises(ValueError, match="framework"):
        page(ShowDocument())


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
