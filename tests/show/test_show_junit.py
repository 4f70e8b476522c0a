"""The report for CI servers: valid XML, whatever a program says."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from dlsetup.model.capability import Absent, Proved
from dlsetup.model.finding import Finding
from dlsetup.show.junit import junit
from dlsetup.show.verify import VerifyDocument

TEXTS = st.text(st.characters(codec=None, categories=None), max_size=200)
VERDICTS = st.sampled_from(["yes", "no", "unknown"])


@st.composite
def proved(draw: st.DrawFn) -> Proved:
    return Proved(
        id="torch-conv",
        framework="torch",
        name="conv",
        title=draw(TEXTS),
        verdict=draw(VERDICTS),
        because=draw(TEXTS),
        evidence=tuple(draw(st.lists(TEXTS, max_size=3))),
        seconds=draw(st.floats(0, 1e6)),
        findings=tuple(
            Finding(id="shm-too-small", severity="error", title=draw(TEXTS), because=draw(TEXTS))
            for _ in range(draw(st.integers(0, 2)))
        ),
    )


@given(st.lists(proved(), max_size=4), st.lists(TEXTS, max_size=2))
def test_any_text_is_valid_xml(items: list[Proved], lacks: list[str]) -> None:
    absent = tuple(Absent(id="a-b", framework="a", name="b", needs=(text,)) for text in lacks)
    text = junit(VerifyDocument(ok=True, environment="/env", proved=tuple(items), absent=absent))
    suite = ElementTree.fromstring(text.encode("utf-8"))[0]
    counted = [len(suite.findall(f"testcase{part}")) for part in ("", "/failure", "/skipped")]
    verdicts = [item.verdict for item in items]
    assert counted == [len(items) + len(lacks), verdicts.count("no"), verdicts.count("unknown") + len(lacks)]
    assert [suite.get(name) for name in ("tests", "failures", "skipped")] == list(map(str, counted))
    assert "\x1b" not in text


@given(st.text(st.characters(categories=["L", "N", "S"]), min_size=1, max_size=80))
def test_what_can_be_said_in_xml_is_said(because: str) -> None:
    item = Proved(id="a-b", framework="a", name="b", title="t", verdict="no", because=because)
    text = junit(VerifyDocument(ok=False, environment="/env", proved=(item,)))
    failure = ElementTree.fromstring(text.encode("utf-8"))[0][0][0]
    assert failure.get("message") == because
    assert failure.text == because
