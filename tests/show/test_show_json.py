"""Documents keep their contract, and hold nothing that a terminal obeys."""

from __future__ import annotations

import json as standard

from hypothesis import given
from hypothesis import strategies as st

from dlsetup.model import codec
from dlsetup.model.finding import Diagnosis, Evidence, Finding, Remedy
from dlsetup.model.machine import Gap, Machine, System
from dlsetup.model.resolution import Conflict
from dlsetup.model.target import Target
from dlsetup.show.json import (
    CreateDocument,
    DoctorDocument,
    ErrorDocument,
    Failure,
    ResolveDocument,
    document,
)

DIAGNOSIS = Diagnosis(
    findings=(
        Finding(
            id="driver-too-old",
            severity="error",
            role="primary",
            title="t",
            because="b",
            evidence=(Evidence(fact="f", value="v", source="s"),),
            remedies=(Remedy(text="t", commands=("c",)),),
        ),
    ),
    unknown=(Gap(fact="f", reason="r", ask="a"),),
)

FAILED = ErrorDocument(
    schema="dlsetup.create-env/1",
    error=Failure(code="tool-missing", message="no conda", hint="install it"),
)


def test_the_keys_of_the_doctor_are_a_contract() -> None:
    told = standard.loads(document(DoctorDocument.of(Machine(gpus=()), DIAGNOSIS)))
    assert told["schema"] == "dlsetup.doctor/1"
    assert set(told) == {"schema", "ok", "findings", "unknown", "machine"}
    assert told["ok"] is False
    finding = told["findings"][0]
    assert set(finding) == {
        "id", "severity", "role", "title", "because", "evidence", "remedies", "rests_on"
    }  # fmt: skip
    assert set(finding["evidence"][0]) == {"fact", "value", "source"}
    assert set(finding["remedies"][0]) == {"text", "commands", "scope"}
    assert set(told["unknown"][0]) == {"fact", "reason", "ask"}
    assert "driver" not in told["machine"]
    assert told["machine"]["gpus"] == []


def test_the_keys_of_an_answer_and_of_an_error_are_a_contract() -> None:
    conflict = standard.loads(document(ResolveDocument.of(Conflict(target=Target(), core=()))))
    assert set(conflict) == {"schema", "ok", "conflict"}
    assert conflict["ok"] is False
    error = standard.loads(document(FAILED))
    assert error == {
        "schema": "dlsetup.create-env/1",
        "ok": False,
        "error": {"code": "tool-missing", "message": "no conda", "hint": "install it"},
    }


@given(st.text(st.characters(codec=None)))
def test_documents_are_printable_ascii_and_lose_no_text(text: str) -> None:
    written = document(Machine(system=System(name=text)))
    assert written.isascii()
    assert written.replace("\n", "").isprintable()
    read = standard.loads(written)["system"]["name"]
    assert read == text.encode("utf-8", "replace").decode("utf-8")


def test_a_document_can_be_read_back_by_its_own_record() -> None:
    first = DoctorDocument.of(Machine(gpus=()), DIAGNOSIS)
    assert codec.decode(document(first), DoctorDocument, where="doctor") == first


def test_every_document_has_a_schema() -> None:
    for kind in (DoctorDocument, ResolveDocument, CreateDocument, ErrorDocument):
        definitions = codec.schema(kind)["$defs"][kind.__name__]
        assert {"schema", "ok"} <= set(definitions["properties"])
