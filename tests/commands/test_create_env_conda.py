"""`dlsetup create env --with conda`: a stand-in for the tool records how it is called."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest
import yaml
from tiny.command import Command
from tiny.world import program

FAKE_CONDA = """\
#!{python}
import json, os, pathlib, sys
words = sys.argv[1:]
prefix = pathlib.Path(words[words.index("--prefix") + 1])
file = pathlib.Path(words[words.index("--file") + 1])
record = {{"words": words, "file": file.read_text(), "cuda": os.environ.get("CONDA_OVERRIDE_CUDA")}}
pathlib.Path({record!r}).write_text(json.dumps(record))
(prefix / "conda-meta").mkdir(parents=True)
if os.environ.get("FAKE_CONDA") == "fails":
    sys.exit("PackagesNotFoundError: pytorch-cpu")
(prefix / "bin").mkdir()
(prefix / "bin/python").write_text("#!/bin/sh\\nshift\\nexec {python} \\"$@\\"\\n")
(prefix / "bin/python").chmod(0o755)
"""


@pytest.fixture
def conda(command: Command, tmp_path: Path) -> Path:
    """A stand-in for micromamba that records how it is called. Gives the path of the record."""
    folder = tmp_path / "bin"
    folder.mkdir()
    record = tmp_path / "record.json"
    tool = folder / "micromamba"
    tool.write_text(FAKE_CONDA.format(python=sys.executable, record=str(record)))
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    command.environ["PATH"] = f"{folder}:{command.environ['PATH']}"
    frameworks = tmp_path / "frameworks/torch"
    frameworks.mkdir(parents=True)
    (frameworks / "__init__.py").write_text(program("torch"))
    (frameworks / "version.py").write_text("__version__ = '2.14.1'\ncuda = None\n")
    command.environ["PYTHONPATH"] += f":{frameworks.parent}"
    return record


def test_conda_tool_gets_the_file_and_builds_in_place(command: Command, conda: Path) -> None:
    found = command.json("demo", "torch", "--cpu", "--yes", "--with", "conda")
    assert found["exit"] == 0, found
    record = json.loads(conda.read_text())
    assert record["words"][:3] == ["create", "--yes", "--prefix"]
    assert record["words"][3] == str(command.home / "demo")
    assert "conda-forge" in record["file"]
    assert "pytorch-cpu=" in record["file"]
    assert found["environment"]["activate"] == f"micromamba activate {command.home / 'demo'}"
    assert command.entries() == ["demo"]
    assert (command.home / "demo/dlsetup.json").is_file()


def test_conda_tool_that_fails_leaves_nothing(command: Command, conda: Path) -> None:
    found = command.json("demo", "torch", "--cpu", "--yes", "--with", "conda", FAKE_CONDA="fails")
    assert found["exit"] == 3
    assert "PackagesNotFoundError" in found["error"]["message"]
    assert command.entries() == []


def test_neither_conda_tool_nor_embedded_solver(command: Command, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "sitecustomize.py").write_text("import sys\nsys.modules['rattler'] = None\n")
    lacking = {"PATH": str(empty), "PYTHONPATH": f"{empty}:{command.environ['PYTHONPATH']}"}
    found = command.json("demo", "torch", "--cpu", "--yes", "--with", "conda", **lacking)
    assert found["exit"] == 5
    assert "pip install 'dlsetup[conda]'" in found["error"]["hint"]
    assert command.json("demo", "torch", "--cpu", "--yes", "--with", "rattler", **lacking)["exit"] == 5
    text = command.create("demo", "torch", "--cpu", "--dry-run", "--with", "conda", **lacking)
    assert "pytorch-cpu=" in text.stdout
    assert command.entries() == []


def test_kernel_comes_with_what_the_conda_tool_installs(command: Command, conda: Path) -> None:
    command.environ["JUPYTER_DATA_DIR"] = str(command.home.parent / "jupyter")
    found = command.json("my demo", "torch", "--cpu", "--yes", "--with", "conda", "--kernel", "demo")
    assert found["exit"] == 0, found
    listed = yaml.safe_load(json.loads(conda.read_text())["file"])["dependencies"]
    assert "ipykernel" in listed
    assert not [item for item in listed if isinstance(item, dict)]
    about = json.loads((command.home.parent / "jupyter/kernels/demo/kernel.json").read_text())
    assert about["argv"][0] == f"{command.home}/my demo/bin/python"
    assert about["env"]["CONDA_PREFIX"] == f"{command.home}/my demo"
    assert about["env"]["PATH"] == f"{command.home}/my demo/bin:${{PATH}}"
