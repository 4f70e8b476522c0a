"""Bad input: one message, one hint, the exit code of its kind, and nothing changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dlsetup import cli

LINUX = "os=linux,arch=x86_64,glibc=2.35,gpu=none"
REQUESTS = [
    pytest.param(["resolve"], 2, "no framework", id="nothing asked for"),
    pytest.param(["resolve", "torhc", "--target", LINUX], 2, "`torhc`", id="unknown framework"),
    pytest.param(["resolve", "torch==", "--target", LINUX], 2, "`torch==`", id="impossible specifier"),
    pytest.param(["resolve", "torch>=2", "torch<1", "--target", LINUX], 2, "twice", id="asked for twice"),
    pytest.param(["resolve", "../../etc/passwd"], 2, "../../etc/passwd", id="a path for a framework"),
    pytest.param(["resolve", "torch; rm -rf /"], 2, "torch; rm", id="shell words for a framework"),
    pytest.param(["resolve", "to\x1b[31mrch"], 2, "framework", id="an escape sequence for a framework"),
    pytest.param(["resolve", "torch", "--python", "three"], 2, "three", id="Python"),
    pytest.param(["resolve", "torch", "--cuda", "twelve"], 2, "twelve", id="CUDA"),
    pytest.param(["resolve", "torch", "--accelerator", "gpu"], 2, "`gpu`", id="accelerator"),
    pytest.param(["resolve", "torch", "--cpu", "--accelerator", "cuda"], 2, "both", id="CPU and CUDA"),
    pytest.param(["resolve", "torch", "--python", ""], 2, "Python", id="an empty Python"),
    pytest.param(["resolve", "torch", "--cuda", ""], 2, "CUDA", id="an empty CUDA"),
    pytest.param(
        ["doctor", "--from", str(Path(__file__).parent.parent / "empty")],
        2,
        "nothing to read",
        id="nothing to read",
    ),
    pytest.param(["resolve", "torch", "--catalog", ""], 2, "catalog folder", id="an empty catalog folder"),
    pytest.param(["resolve", "torch", "--cpu", "--cuda", "12"], 2, "both", id="CPU and a CUDA"),
    pytest.param(
        ["resolve", "torch", "--accelerator", "rocm", "--cuda", "12"], 2, "both", id="ROCm and a CUDA"
    ),
    pytest.param(["resolve", "torch", "torch==2.1"], 2, "twice", id="twice, once without a version"),
    pytest.param(["resolve", "tensorflow-gpu"], 2, "`tensorflow-gpu`", id="a former name"),
    pytest.param(["resolve", "cv2"], 2, "`cv2`", id="a module for a framework"),
    pytest.param(["resolve", "PyTorch"], 2, "`pytorch`", id="a title for a framework"),
    pytest.param(["resolve", "torch", "--prefer", "best"], 2, "`best`", id="nothing to prefer"),
    pytest.param(["resolve", "torch", "--prefer", "keep"], 2, "nothing to keep", id="nothing to keep"),
    pytest.param(["resolve", "torch", "--env", "x"], 2, "`--env`", id="an environment for nothing"),
    pytest.param(["resolve", "-r", "nowhere.txt"], 2, "`nowhere.txt`", id="no such file of packages"),
    pytest.param(["resolve", "-r", "odd.toml"], 2, "`odd.toml`", id="a file of no known name"),
    pytest.param(["resolve", "torch", "--extra", "x"], 2, "`--extra`", id="an extra of no file"),
    pytest.param(["resolve", "--profile", "odd.toml"], 4, "`torch[x`", id="a profile of the unreadable"),
    pytest.param(["resolve", "--profile", "shell.toml"], 4, "; rm", id="a profile with shell words"),
    pytest.param(["resolve", "torch", "--target", "linux"], 2, "linux", id="target"),
    pytest.param(["check-lock", "l", "--target", LINUX, "--machine", "m"], 2, "both", id="target and file"),
    pytest.param(["resolve", "torch", "--catalog", "nowhere"], 2, "nowhere", id="catalog folder"),
    pytest.param(["resolve", "--profile", "nowhere", "--target", LINUX], 2, "nowhere", id="unknown profile"),
    pytest.param(
        ["resolve", "--profile", "bad.toml", "--target", LINUX], 4, "bad.toml", id="malformed profile"
    ),
    pytest.param(["resolve", "torch", "--machine", "bad.json"], 4, "bad.json", id="malformed machine"),
    pytest.param(["doctor", "--machine", "bad.json"], 4, "bad.json", id="malformed machine for the doctor"),
    pytest.param(["doctor", "--machine", "nowhere.json"], 2, "nowhere.json", id="missing machine"),
    pytest.param(["doctor", "--machine", "."], 2, "", id="a folder for a machine"),
    pytest.param(["doctor", "--env", "nowhere"], 2, "nowhere", id="unknown environment"),
    pytest.param(
        ["doctor", "--machine", "good.json", "--env", "x"], 2, "--env", id="environment of a saved machine"
    ),
    pytest.param(
        ["doctor", "--machine", "good.json", "--save-machine", "no/m.json"], 3, "no/m.json", id="unwritable"
    ),
    pytest.param(["doctor", "--machine", "good.json", "--save-machine", ""], 2, "no file", id="no name"),
    pytest.param(["doctor", "--machine", "good.json", "--save-machine", "."], 3, "a folder", id="a folder"),
    pytest.param(["create", "env", "demo", "--yes"], 2, "no framework", id="an environment of nothing"),
    pytest.param(
        ["create", "env", "demo", "torhc", "--yes"], 2, "`torhc`", id="an environment of the unknown"
    ),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to stand in, with files that are not what they should be."""
    monkeypatch.chdir(tmp_path)
    Path("bad.json").write_text('{"schema": "dlsetup.machine/1", "gpus": [{"vendor": "no one"}]}')
    Path("bad.toml").write_text('name = "bad"\nframeworks = 3\n')
    text = 'name = "odd"\ntitle = "Odd"\nsummary = "Odd."\n'
    Path("odd.toml").write_text(text + 'frameworks = ["torch[x"]\n')
    Path("shell.toml").write_text(text + 'frameworks = ["torch"]\npackages = ["; rm -rf /"]\n')
    Path("good.json").write_text('{"schema": "dlsetup.machine/1", "gpus": [], "driver": null}')
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(("words", "code", "named"), REQUESTS)
def test_it_is_told_once_with_a_hint(
    words: list[str], code: int, named: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(folder)
    assert cli.call(words) == code
    told = capsys.readouterr()
    joined = " ".join(told.err.split())
    assert told.out == ""
    assert told.err.startswith("✗ ")
    assert told.err.count("✗") == 1
    assert told.err.count("hint:") == 1
    assert named in joined
    assert "\x1b" not in told.err
    assert "Traceback" not in told.err
    assert contents(folder) == before


@pytest.mark.parametrize(("words", "code", "named"), REQUESTS)
def test_it_is_told_as_a_document(
    words: list[str], code: int, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.call([*words, "--json"]) == code
    told = capsys.readouterr()
    document = json.loads(told.out)
    assert told.err == ""
    assert document["ok"] is False
    assert set(document["error"]) == {"code", "message", "hint"}
    assert document["error"]["hint"]
    assert document["error"]["code"] == {2: "usage", 3: "step-failed", 4: "malformed-data"}[code]
    assert named in document["error"]["message"]


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["torch", "torch==2.1"], "join them: `torch==2.1`"),
        (["torch>=2.1", "torch<2.3"], "join them: `torch>=2.1,<2.3`"),
        (["tensorflow-gpu"], "Did you mean `tensorflow`?"),
        (["cv2"], "Did you mean `opencv`?"),
        (["PyTorch"], "Did you mean `torch`?"),
        (["torch", "--prefer", "best"], "knows newest, stable, smallest, keep"),
    ],
)
def test_the_hint_is_what_to_type(words: list[str], hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["resolve", *words, "--json"]) == 2
    assert hint in json.loads(capsys.readouterr().out)["error"]["hint"]
