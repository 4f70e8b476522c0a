"""`dlsetup catalog why` from outside: the rules, the rows they rest on, and what is not known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tiny.site import make_site

from dlsetup import cli
from dlsetup.commands.schema import DOCUMENTS
from dlsetup.model import codec
from dlsetup.show.catalog_document import WhyDocument

LINUX = "os=linux,arch=x86_64,glibc=2.35"
OLD = f'{LINUX},driver=535.65.06,gpu="RTX 4090",python=3.12'

CUDA = """
code = [{ variant = "cu12", platforms = ["linux-x86_64"], kernels = ["8.9"], ptx = [], source = "s" }]

[[build]]
variant = "cu12"
accelerator = "cuda"
cuda = "12.6"
platforms = ["linux-x86_64"]
source = "s"
"""


def told(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert cli.call(["catalog", "why", *words]) == code
    return capsys.readouterr().out


def document(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    text = told(capsys, *words, "--json", code=code)
    found: dict[str, Any] = json.loads(text)
    Draft202012Validator(codec.schema(DOCUMENTS["catalog-why"])).validate(found)
    codec.decode(text, WhyDocument, where="document")
    assert found["ok"] is (code == 0)
    return found


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert cli.call(["catalog", "why", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "hint:" in said.err
    return " ".join(said.err.split())


def test_every_verdict_cites_sources_that_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("torch", "tensorflow", "jax"):
        found = document(capsys, name, "--target", OLD)
        known = {source["id"]: source for source in found["sources"]}
        cited = {item for standing in found["standings"] for item in standing["build"]["sources"]}
        for standing in found["standings"]:
            assert standing["verdicts"]
            cited |= {item for verdict in standing["verdicts"] for item in verdict["sources"]}
        assert cited == known.keys()
        assert all(source["what"] and source["checked"] and source["certainty"] for source in known.values())


def test_the_row_about_the_driver_decides(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "torch", "2.14.1+cu130", "--target", OLD, code=1)
    assert {standing["build"]["variant"] for standing in found["standings"]} == {"cu130"}
    assert all(standing["rule"] == "driver" for standing in found["standings"])
    text = told(capsys, "torch", "2.14.1+cu130", "--target", OLD, code=1)
    assert "✗ cu130 from the configured index does not work: CUDA 13 needs NVIDIA driver 580" in text
    assert "    ✗ driver   CUDA 13 needs NVIDIA driver 580 or newer on Linux" in text
    assert "[cuda-minor-compatibility]" in text
    assert "  cuda-minor-compatibility docs.nvidia.com" in text
    assert "(checked 20" in text
    assert "certainty high" in text


def test_what_works_is_told_with_its_facts(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "torch", "2.14.1+cu126", "--target", OLD)
    assert "✓ cu126 from https://download.pytorch.org/whl/cu126 works, by itself" in text
    assert "    ask for    torch==2.14.1+cu126" in text
    assert "    code for   sm_50, sm_60, sm_70, sm_75, sm_80, sm_86, sm_90; PTX none" in text
    assert "    brings     nvidia-cudnn-cu12 9.10.2.21" in text
    assert "    ✓ kernels  holds code for sm_89" in text
    assert "    ✓ python   can be installed on Python 3.12" in text
    assert max(len(row) for row in text.splitlines() if " " in row.strip()) <= 80


def test_what_is_unknown_is_told_as_that(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "torch", "2.14.1+cpu", "--target", "os=linux")
    answers = {standing["build"]["index"]: standing["answer"] for standing in found["standings"]}
    assert answers["pytorch-cpu"] == "unknown"
    text = " ".join(told(capsys, "torch", "2.14.1+cpu", "--target", "os=linux").split())
    assert "? cpu from https://download.pytorch.org/whl/cpu: whether a wheel of it fits is not known" in text
    assert "nothing tells the processor and the C library of the target" in text


def test_a_version_may_leave_out_its_zeros(capsys: pytest.CaptureFixture[str]) -> None:
    assert document(capsys, "torch", "2.15", "--target", OLD)["version"] == "2.15.0"
    assert "cu126" in told(capsys, "torch", "2.14.01+cu126", "--target", OLD)


def test_the_newest_final_release_is_meant_where_none_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["catalog", "show", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["frameworks"]
    newest = next(row["newest"] for row in rows if row["name"] == "torch")
    assert document(capsys, "torch", "--target", OLD)["version"] == newest


def test_a_release_newer_than_the_rows_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    site = make_site(tmp_path, CUDA, "2.1", "2.0", wheel=("cp312", "manylinux_2_28_x86_64"))
    options = ("--catalog", str(site), "--target", OLD)
    looked_at = document(capsys, "deep", "2.0", *options)
    assert (looked_at["beyond"], looked_at["standings"][0]["answer"]) == (False, "yes")
    newer = document(capsys, "deep", "2.1", *options)
    assert (newer["beyond"], newer["standings"][0]["answer"]) == (True, "unknown")
    assert newer["standings"][0]["rule"] == "kernels"
    text = " ".join(told(capsys, "deep", "2.1", *options).split())
    assert (
        "newer than what the catalog was checked for (2.0): only the registry's metadata is believed" in text
    )
    assert "no row tells whether it holds code for sm_89" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["torch", "99.0"], "`? `dlsetup catalog refresh torch` asks the package index"),
        (["torch", "2.14.9"], "Did you mean `2.14.1` or `"),
        (["torch", "2.14.9"], "releases from 1."),
        (["torch", "2.14.1+cu999"], "its variants are cu1"),
        (["torch", "newest"], "cannot read the version `newest`"),
        (["torch", "9" * 5000], "cannot read the version `999"),
        (["torch>=2.14.1"], "dlsetup why torch 2.14.1"),
        (["tensoflow"], "Did you mean `tensorflow`"),
        (["torch", "2.14.1", "--target", "nonsense"], "nonsense"),
    ],
    ids=lambda item: str(item)[:60],
)
def test_what_is_not_there_is_told_with_what_is(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said in refused(capsys, *words)
    assert cli.call(["catalog", "why", *words, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["schema"] == "dlsetup.catalog-why/1"


def test_one_word_names_a_release_at_the_top_level_too(capsys: pytest.CaptureFixture[str]) -> None:
    long = document(capsys, "torch", "2.15.0+cu130", "--target", OLD, code=1)
    assert cli.call(["why", "torch==2.15.0+cu130", "--target", OLD, "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == long
