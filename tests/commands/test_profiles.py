"""`dlsetup profiles` from outside: shown, checked and locked."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tiny.command import Command, has_network
from tiny.index import TinyIndex

from dlsetup import cli
from dlsetup.catalog.profiles import profile_names
from dlsetup.commands.schema import DOCUMENTS
from dlsetup.model import codec

Stock = Callable[..., dict[str, Any]]
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
OWN = 'name = "own"\ntitle = "Own"\nsummary = "A test."\nframeworks = ["torch"]\npackages = ["numpy"]\n'
GPU = 'name=node,os=linux,arch=x86_64,glibc=2.35,driver=550.54.14,gpu="RTX 4090"'
WINDOWS = 'name=desk,os=windows,arch=x86_64,driver=560.94,gpu="RTX 4090"'


def document(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    assert cli.call(["profiles", *words, "--json"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    Draft202012Validator(codec.schema(DOCUMENTS[f"profiles-{words[0]}"])).validate(found)
    assert found["ok"] is (code == 0)
    return found


def test_a_profile_is_shown_with_its_plan(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "show", "language-models", "--target", GPU)
    assert found["profile"]["packages"][0] == "transformers"
    assert found["plan"]["picks"][0]["variant"] == "cu126"
    assert cli.call(["profiles", "show", "language-models", "--target", GPU]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "packages transformers, datasets" in text
    assert "dlsetup verify --env NAME --only import,gradients,amp,compile,dataloader" in text
    assert "· Quantised training needs bitsandbytes" in text
    assert "cu126 from https://" in text


def test_a_profile_that_does_not_fit_is_shown_with_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "show", "hpc", "--target", WINDOWS, code=1)
    assert found["conflict"]["ways_out"]
    assert "plan" not in found


def test_profiles_are_checked_on_several_targets(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("check", "hpc", "vision", "--target", GPU, "--target", WINDOWS)
    found = document(capsys, *words, code=1)
    assert [(row["profile"], row["target"], row["outcome"]) for row in found["checked"]] == [
        ("hpc", "node", "resolves"),
        ("hpc", "desk", "conflict"),
        ("vision", "node", "resolves"),
        ("vision", "desk", "resolves"),
    ]
    assert "has no wheel for Windows x86_64" in found["checked"][1]["because"]
    assert cli.call(["profiles", *words]) == 1
    assert "✗ hpc on desk: conflict: jax" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (OWN.replace('"torch"', '"trch"'), "no framework `trch`"),
        (OWN.replace('"numpy"', '"num py"'), "cannot read the package `num py`"),
        (OWN + 'verify = ["import", "fly"]\n', "`fly` names nothing that can be proved"),
        ("name =", "own.toml"),
    ],
)
def test_a_malformed_profile_is_one_of_many(
    text: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "own.toml").write_text(text)
    found = document(capsys, "check", "own", "edge", "--catalog", str(tmp_path), "--target", GPU, code=1)
    told = [(row["profile"], row["outcome"]) for row in found["checked"]]
    assert told == [("own", "malformed"), ("edge", "resolves")]
    assert says in found["checked"][0]["because"]


def test_without_a_name_every_profile_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "check", "--target", GPU)
    assert [row["profile"] for row in found["checked"]] == list(profile_names())


def test_an_unknown_profile_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["show", "hcp"], ["check", "vision", "hcp"]):
        assert cli.call(["profiles", *words]) == 2
        assert "Did you mean `hpc`?" in " ".join(capsys.readouterr().err.split())


def test_a_profile_of_ones_own_is_locked(command: Command, stocked: Stock, tiny_index: TinyIndex) -> None:
    path = command.home / "own.toml"
    path.write_text(OWN)
    words = ("profiles", "check", "./own.toml", "--cpu", "--python", PYTHON, "--lock", "--json")
    stocked("--profile", "./own.toml", "--cpu", "--python", PYTHON)
    made = command(*words, *command.indexes)
    assert made.returncode == 0, made.stdout + made.stderr
    (row,) = json.loads(made.stdout)["checked"]
    assert (row["outcome"], row["packages"]) == ("resolves", 2)
    path.write_text(OWN.replace('"numpy"', '"numpy>=99"'))
    refused = command(*words, *command.indexes)
    assert refused.returncode == 1
    (row,) = json.loads(refused.stdout)["checked"]
    assert row["outcome"] == "not locked"
    assert "numpy" in row["because"]
    assert command.entries() == ["own.toml"]


@pytest.mark.network
def test_the_real_registry_locks_profiles(command: Command) -> None:
    if not has_network():
        pytest.skip("uv reaches no package index with the configuration of this machine")
    kept = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
    command.environ = {**os.environ, **{name: command.environ[name] for name in kept}}
    command.environ.pop("VIRTUAL_ENV", None)
    names = ("edge", "hpc", "production", "scientific", "mobile")
    made = command("profiles", "check", *names, "--cpu", "--lock", "--json")
    assert made.returncode == 0, made.stdout + made.stderr
    locked = {row["profile"]: row["packages"] for row in json.loads(made.stdout)["checked"]}
    assert set(locked) == set(names)
    assert all(count > 3 for count in locked.values())
