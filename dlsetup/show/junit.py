"""What was proved, as a report in the form of JUnit, which every CI server reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from dlsetup.model.record import Unknown
from dlsetup.show.lines import clean

if TYPE_CHECKING:
    from dlsetup.model.capability import Absent, Proved
    from dlsetup.show.verify import VerifyDocument

_NO_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def junit(document: VerifyDocument) -> str:
    """One test case a capability; what could not be tried, or is not installed, is skipped."""
    cases = [_case(item) for item in document.proved]
    cases += [_skipped(item, f"not installed: {', '.join(item.needs)}") for item in document.absent]
    suite = ElementTree.Element(
        "testsuite",
        name="dlsetup verify",
        tests=str(len(cases)),
        failures=str(sum(item.verdict == "no" for item in document.proved)),
        errors="0",
        skipped=str(sum(case.find("skipped") is not None for case in cases)),
        time=f"{sum(_seconds(item) for item in document.proved):.3f}",
    )
    suite.extend(cases)
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _case(item: Proved) -> ElementTree.Element:
    if item.verdict == "unknown":
        return _skipped(item, item.because)
    case = ElementTree.Element(
        "testcase", classname=item.framework, name=item.name, time=f"{_seconds(item):.3f}"
    )
    if item.verdict == "no":
        failure = ElementTree.SubElement(case, "failure", message=_text(item.because))
        found = (f"{one.title} [{one.id}]\n{one.because}" for one in item.findings)
        failure.text = _text("\n".join((item.because, *found)))
    if item.evidence:
        ElementTree.SubElement(case, "system-out").text = _text("\n".join(item.evidence))
    return case


def _skipped(item: Proved | Absent, because: str) -> ElementTree.Element:
    case = ElementTree.Element("testcase", classname=item.framework, name=item.name, time="0.000")
    ElementTree.SubElement(case, "skipped", message=_text(because))
    return case


def _seconds(item: Proved) -> float:
    return 0.0 if isinstance(item.seconds, Unknown) else item.seconds


def _text(words: str) -> str:
    """Without signs that XML cannot hold, and without escape sequences."""
    return _NO_XML.sub("", "\n".join(map(clean, words.split("\n"))))
