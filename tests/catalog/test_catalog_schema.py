"""The published schemas are true of every file that is shipped, and false of what is no such file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tomli
from jsonschema import Draft202012Validator

from dlsetup.catalog.check import FORMS, files_of
from dlsetup.catalog.folders import PACKAGED
from dlsetup.model import codec

NOT_SHIPPED = {"generated/index-*.json"}
"""What only those have who can reach the other indexes."""


def document(path: Path) -> Any:
    text = path.read_text("utf-8")
    return tomli.loads(text) if path.suffix == ".toml" else json.loads(text)


@pytest.mark.parametrize("pattern", FORMS)
def test_files_are_what_the_schema_says(pattern: str) -> None:
    schema = codec.schema(FORMS[pattern])
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    paths = [path for path, form in files_of(PACKAGED).items() if form is FORMS[pattern]]
    assert paths or pattern in NOT_SHIPPED
    for path in paths:
        whole = document(path)
        validator.validate(whole)
        assert not validator.is_valid({**whole, "odd": 1}), path.name
