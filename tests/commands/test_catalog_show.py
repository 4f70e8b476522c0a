"""`dlsetup catalog show` from outside: frameworks against a target, the tables, the list, the page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from packaging.version import Version
from tiny.site import make_site

from dlsetup import cli
from dlsetup.catalog.load import names
from dlsetup.commands.catalog_tables import table_names
from dlsetup.commands.schema import DOCUMENTS
from dlsetup.model import codec
from dlsetup.show.catalog_document import ShowDocument

TARGET = 'os=linux,arch=x86_64,glibc=2.35,driver=535.65.06,gpu="RTX 4090",python=3.12'

ENDED = """
build = [{ variant = "cpu", accelerator = "cpu", platforms = ["any"], source = "s" }]
ended = { last = "2.0", when = "2026-01-31", instead = "deeper", source = "s" }
"""


def told(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert cli.call(["catalog", "show", *words]) == code
    return capsys.readouterr().out


def document(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """The document, which keeps its own schema."""
    text = told(capsys, *words, "--json")
    found: dict[str, Any] = json.loads(text)
    Draft202012Validator(codec.schema(DOCUMENTS["catalog-show"])).validate(found)
    codec.decode(text, ShowDocument, where="document")
    return found


def refused(capsys: pytest.CaptureFixture[str], *words: str, code: int = 2) -> str:
    """Message and hint of a refusal."""
    assert cli.call(["catalog", "show", *words]) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert "hint:" in said.err
    return " ".join(said.err.split())


def test_words_and_document_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    matrix = document(capsys, "torch", "--target", TARGET)["framework"]
    text = told(capsys, "torch", "--target", TARGET, "--all")
    marks = {"yes": "✓", "no": "✗", "unknown": "?"}
    rows = {
        tuple(row.split()[1:3]): row[0]
        for row in text.splitlines()
        if row[:1] in "✓✗?" and row[2:3].isdigit()
    }
    for release in matrix["releases"]:
        for variant in {build["variant"] for build in release["builds"]}:
            answers = [build["answer"] for build in release["builds"] if build["variant"] == variant]
            best = min(answers, key=["yes", "unknown", "no"].index)
            assert rows.pop((release["version"], variant)) == marks[best]
    assert not rows


def test_the_driver_decides_by_cuda_line(capsys: pytest.CaptureFixture[str]) -> None:
    matrix = document(capsys, "torch", "--version", "2.14.1", "--target", TARGET)["framework"]
    (release,) = matrix["releases"]
    here = [build for build in release["builds"] if "linux-x86_64" in build["platforms"]]
    answers = {build["variant"]: (build["answer"], build.get("rule")) for build in here}
    assert answers["cu126"] == ("yes", "")
    assert answers["cu130"] == ("no", "driver")
    assert answers["cpu"] == ("yes", "")
    cu126 = next(build for build in here if build["variant"] == "cu126")
    assert cu126["requirements"] == ["torch==2.14.1+cu126"]
    assert "8.9" in cu126["serves"]
    assert "3.12" in cu126["pythons"]
    assert matrix["target_words"] == TARGET.replace(
        "glibc=2.35,driver=535.65.06", "driver=535.65.06,glibc=2.35"
    )


def test_words_hold_the_newest_releases_unless_more_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    def versions(*words: str) -> list[str]:
        rows = told(capsys, *words, "--target", TARGET).splitlines()
        return list(dict.fromkeys(row.split()[1] for row in rows if row[:1] in "✓✗?" and row[2:3].isdigit()))

    every = versions("torch", "--all")
    assert versions("torch") == every[:5]
    assert versions("torch", "--since", "2.9") == [item for item in every if Version(item) >= Version("2.9")]
    assert versions("torch", "--version", "2.7") == ["2.7.1", "2.7.0"]
    assert versions("torch", "--version", ">=2.7,<2.7.1") == versions("torch==2.7.0") == ["2.7.0"]
    assert versions("torch>=2.5", "--version", "<2.6") == ["2.5.1", "2.5.0"]


def test_a_saved_machine_and_this_one_are_targets(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    saved = tmp_path / "machine.json"
    saved.write_text('{"schema": "dlsetup.machine/1", "gpus": [], "driver": null}')
    matrix = document(capsys, "torch", "--machine", str(saved))["framework"]
    assert matrix["target"] == f"the machine in {saved}"
    reasons = {build["because"] for release in matrix["releases"] for build in release["builds"]}
    assert f"the machine in {saved} has no AMD GPU" in reasons
    assert document(capsys, "ai-edge-litert")["framework"]["target"] == "this machine"


def test_the_list_has_every_framework_and_table(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys)
    assert [row["name"] for row in found["frameworks"]] == list(names())
    torch = next(row for row in found["frameworks"] if row["name"] == "torch")
    assert torch["title"] == "PyTorch"
    assert int(torch["newest"].split(".")[1]) >= 15
    assert torch["variants"][0].startswith("cu")
    assert "cpu" in torch["variants"]
    assert torch["builds"] > torch["releases"] > 30
    text = told(capsys)
    assert all(f"\n{name} " in f"\n{text}" for name in names())
    assert all(f"  {table.name}" in text for table in table_names())


@pytest.mark.parametrize("name", [table.name for table in table_names()])
def test_every_table_has_rows_with_sources(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for table in document(capsys, name)["table"]:
        assert table["rows"], table["title"]
        known = {source["id"] for source in table["sources"]}
        for row in table["rows"]:
            assert row["source"] in known
            assert set(row) - {"source"}
        assert set(table["columns"]) <= {field for row in table["rows"] for field in row} | set(
            table["columns"]
        )
    text = told(capsys, name)
    assert "Sources" in text
    assert len(text.splitlines()) > len(table["rows"])


def test_a_table_holds_what_the_catalog_says(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "drivers")
    assert "  12     525.60.13  528.33" in text
    assert any(row.split()[:3] == ["580", "13.0", "5.0"] for row in text.splitlines())
    assert "RTX 4090 " in told(capsys, "gpus")
    assert "nvidia/cuda" in told(capsys, "images")


def test_a_framework_of_another_folder_is_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    site = make_site(tmp_path, ENDED, "2.0", wheel=("py3", "any"))
    release = document(capsys, "deep", "--catalog", str(site), "--target", TARGET)["framework"]["releases"][0]
    assert release["builds"][0]["answer"] == "yes"
    matrix = document(capsys, "deep", "--catalog", str(site), "--target", TARGET)["framework"]
    assert matrix["ended"]["instead"] == "deeper"
    assert matrix["known_to"] == "2.0"
    text = told(capsys, "deep", "--catalog", str(site), "--target", TARGET)
    assert "Deep has ended: 2.0 of 2026-01-31 is its last release. Take instead: deeper" in text


def test_only_the_files_of_the_framework_are_read(tmp_path: Path) -> None:
    """Everything of another framework is malformed, and nobody notices."""
    site = make_site(tmp_path, ENDED, "2.0", wheel=("py3", "any"))
    (site / "frameworks" / "jax.toml").write_text("not = [toml")
    (site / "generated" / "torch.json").write_text("{")
    words = ["catalog", "show", "deep", "--catalog", str(site), "--target", TARGET]
    done = subprocess.run(
        [sys.executable, "-m", "dlsetup", *words], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "✓ 2.0" in done.stdout


def test_nothing_heavy_is_loaded() -> None:
    words = ["catalog", "show", "torch", "--target", TARGET]
    program = (
        f"import sys; from dlsetup.cli import call; call({words!r}); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert not loaded & {"docker", "rich", "psutil", "pynvml", "requests", "pydantic", "httpx"}


def test_the_page_is_written_whole_and_holds_the_document(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "torch.html"
    path.write_text("older")
    said = told(capsys, "torch", "--html", str(path), "--target", TARGET)
    assert said.split() == f"✓ The page is in `{path}`.".split()
    text = path.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    held = text.split('id="document">')[1].split("</script>")[0]
    assert json.loads(held) == document(capsys, "torch", "--target", TARGET)
    assert os.listdir(tmp_path) == ["torch.html"]
    both = document(capsys, "torch", "--html", str(path), "--target", TARGET)
    assert both["framework"]["name"] == "torch"


def test_the_page_takes_the_place_of_files_only(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("ai-edge-litert", "--target", TARGET, "--html")
    assert "it is a folder" in refused(capsys, *words, str(tmp_path), code=3)
    assert "cannot write" in refused(capsys, *words, str(tmp_path / "no" / "page.html"), code=3)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "no plain file" in refused(capsys, *words, str(pipe), code=3)
    assert "no file is named" in refused(capsys, *words, "-")
    assert "no file is named" in refused(capsys, *words, "")
    assert os.listdir(tmp_path) == ["pipe"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tensoflow"], "Did you mean `tensorflow`"),
        (["tensoflow"], "Its tables are cuda, drivers"),
        (["torch[x]"], "extra"),
        (["torch", "--version", ">>1"], "cannot read the versions `>>1`"),
        (["torch", "--version", "9" * 5000], "cannot read the versions `999"),
        (["torch", "--since", "9" * 5000], "cannot read the version `999"),
        (["torch", "--since", "new"], "cannot read the version `new`"),
        (["torch", "--since", "99", "--target", "os=linux"], "it has 1."),
        (["torch", "--target", "nonsense"], "os=linux"),
        (["torch", "--target", "os=linux", "--machine", "m.json"], "both a target and a machine file"),
        (["torch", "--catalog", "nowhere"], "`nowhere`"),
        (["--html", "x.html"], "`--html` says nothing about a list of all"),
        (["cuda", "--since", "12"], "`--since` says nothing about the table `cuda`"),
        (["drivers", "--target", "os=linux"], "`--target` says nothing about the table `drivers`"),
    ],
    ids=lambda item: str(item)[:60],
)
def test_what_cannot_be_shown_is_told_with_a_hint(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said in refused(capsys, *words)
    assert cli.call(["catalog", "show", *words, "--json"]) == 2
    failed = json.loads(capsys.readouterr().out)
    assert failed["schema"] == "dlsetup.catalog-show/1"
    assert failed["ok"] is False
