"""`dlsetup explain` from outside: words, document and exit code; this machine, a saved one, another one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dlsetup import cli
from dlsetup.model import codec
from dlsetup.show.explain import ExplainDocument

MACHINES = Path(__file__).parents[1] / "machines"
OLD_DRIVER = str(MACHINES / "linux-driver535-torch-cu130" / "machine.json")
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of "
    "23.65 GiB of which 1.06 GiB is free. Including non-PyTorch memory, this process has 22.58 GiB memory in "
    "use. Of the allocated memory 21.00 GiB is allocated by PyTorch, and 1.20 GiB is reserved by PyTorch but "
    "unallocated."
)


def document(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    Draft202012Validator(codec.schema(ExplainDocument)).validate(found)
    return found


def test_words_and_document_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["explain", "--machine", OLD_DRIVER, OOM]
    assert cli.call(words) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert cli.call([*words, "--json"]) == 0
    told = document(capsys)
    (item,) = told["explained"]
    assert told["ok"]
    assert f"{item['title']} [{item['id']}]" in said
    assert all(cause["cause"] in said for cause in item["causes"])
    assert "This machine has NVIDIA GeForce RTX 3090 with 24.0 GiB." in item["here"]
    assert "In the environment: torch 2.14.1 (cu130)." in said
    assert item["messages"][0]["source"] == "text:1"


def test_the_doctor_joins_machine_and_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["explain", "--machine", OLD_DRIVER, OOM, "--json"]) == 0
    ids = [item["id"] for item in document(capsys)["findings"]]
    assert "cuda-oom-capacity" in ids
    assert "driver-too-old" in ids


def test_a_name_is_explained_for_the_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["explain", "--machine", OLD_DRIVER, "driver-too-old", "-v"]) == 0
    said = capsys.readouterr().out
    assert "[driver-too-old]" in said
    assert "Driver 535.183.01, the newest CUDA it knows is 12.2." in said
    assert "source " in said


def test_what_can_be_explained_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["explain", "--list", "--json"]) == 0
    rows = document(capsys)["known"]
    assert cli.call(["explain", "--list"]) == 0
    said = capsys.readouterr().out
    assert len(rows) > 60
    assert all(row["id"] in said for row in rows)
    assert not any(row["id"] == "context" for row in rows)


@pytest.mark.parametrize("text", ["nothing of the kind", "{gpu.free}", "import torch", "\x1b[31m\x00\ufffd"])
def test_what_is_not_known_is_said_plainly(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["explain", "--machine", OLD_DRIVER, text]) == 1
    said = capsys.readouterr().out
    assert "Nothing in this text is known to the catalog." in said
    assert "dlsetup doctor --from" in said
    assert cli.call(["explain", "--machine", OLD_DRIVER, text, "--json"]) == 1
    assert not document(capsys)["ok"]


def test_files_are_read_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "train.log"
    log.write_text(f"epoch 1\nepoch 2\n{OOM}\n")
    assert cli.call(["explain", "--machine", OLD_DRIVER, "--from", str(log)]) == 0
    assert "(train.log:3)" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [["a text", "--from", "file"], ["--from", "nowhere.log"], [""], ["--machine", "nowhere.json", "a"]],
)
def test_what_cannot_be_read(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["explain", *words]) == 2
    assert "hint:" in capsys.readouterr().err


def test_a_pipe_on_this_machine() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dlsetup", "explain"],
        input=f"noise\n{OOM}\n".encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert b"[gpu-memory]" in done.stdout
    assert done.stderr == b""


def test_a_text_of_another_machine_is_not_explained_by_this_one(capsys: pytest.CaptureFixture[str]) -> None:
    text = f"GPU 0: NVIDIA H100 PCIe (UUID: GPU-00000000-0000-0000-0000-000000000000)\n{OOM}"
    assert cli.call(["explain", text, "--json"]) == 0
    told = document(capsys)
    assert "NVIDIA H100 PCIe" in told["about"]
    assert not any("free now" in line for item in told["explained"] for line in item["here"])


@pytest.mark.parametrize(("word", "meant"), [("device-asser", "device-assert"), ("GPU-Memory", "gpu-memory")])
def test_a_name_that_is_nearly_right(word: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["explain", word]) == 1
    assert f"hint: did you mean `dlsetup explain {meant}`?" in capsys.readouterr().out
    assert cli.call(["explain", meant]) == 0


def test_a_text_is_not_taken_for_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["explain", "hello"]) == 1
    assert "did you mean" not in capsys.readouterr().out
