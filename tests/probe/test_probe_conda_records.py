"""What conda's records tell, well and ill."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from dlsetup.probe.conda_records import conda_records, replaced_by_pip
from dlsetup.probe.host import Host

SITE = "lib/python3.12/site-packages"


def host(root: Path) -> Host:
    return Host(str(root), {})


def put(root: Path, name: str, record: object, **files: str) -> None:
    meta = root / "env" / "conda-meta"
    meta.mkdir(parents=True, exist_ok=True)
    (meta / f"{name}.json").write_text(record if isinstance(record, str) else json.dumps(record))
    for path, text in files.items():
        place = root / "env" / SITE / path.replace("__", "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def pytorch(text: str = "torch/__init__.py,,\n", *, hashed: bool = True) -> dict[str, object]:
    path = f"{SITE}/torch-2.8.0.dist-info/RECORD"
    rows = [{"_path": path, "sha256": hashlib.sha256(text.encode()).hexdigest()}] if hashed else []
    return {
        "name": "pytorch",
        "version": "2.8.0",
        "build": "cpu_generic_py312_h1_0",
        "channel": "https://me:secret@host/t/TOKEN-1/conda-forge/linux-64",
        "depends": ["numpy >=1.23", "python 3.12.*"],
        "files": [path, f"{SITE}/torch/__init__.py"],
        "paths_data": {"paths": rows},
    }


def test_a_package_and_what_it_brought(tmp_path: Path) -> None:
    put(
        tmp_path,
        "pytorch-2.8.0-cpu_0",
        pytorch(),
        **{"torch-2.8.0.dist-info__RECORD": "torch/__init__.py,,\n"},
    )
    (found,) = conda_records(host(tmp_path), "/env")
    assert (found.name, found.version, found.distribution) == ("pytorch", "2.8.0", "torch")
    assert found.channel == "https://host/conda-forge"
    assert found.depends == ("numpy", "python")
    assert found.whole


@pytest.mark.parametrize("text", ["written by pip\n", None])
def test_pip_has_replaced_it(tmp_path: Path, text: str | None) -> None:
    files = {} if text is None else {"torch-2.8.0.dist-info__RECORD": text}
    put(tmp_path, "pytorch-2.8.0-cpu_0", pytorch(), **files)
    (found,) = conda_records(host(tmp_path), "/env")
    assert not found.whole
    assert replaced_by_pip(host(tmp_path), "/env", {"torch"}) == {"torch"}
    assert replaced_by_pip(host(tmp_path), "/env", {"numpy"}) == frozenset()


@pytest.mark.parametrize(("installer", "whole"), [("conda\n", True), (None, True), ("uv", False)])
def test_without_a_hash_the_installer_tells(tmp_path: Path, installer: str | None, whole: bool) -> None:
    files = {"torch-2.8.0.dist-info__RECORD": "any"}
    if installer is not None:
        files["torch-2.8.0.dist-info__INSTALLER"] = installer
    put(tmp_path, "pytorch-2.8.0-cpu_0", pytorch(hashed=False), **files)
    (found,) = conda_records(host(tmp_path), "/env")
    assert found.whole is whole


@pytest.mark.parametrize(
    "record",
    ["", "[]", "{}", "null", '{"name": 1, "version": "1", "build": "0"}', "[" * 5000, '{"name": "a"}'],
)
def test_what_is_no_record_is_left_out(tmp_path: Path, record: str) -> None:
    put(tmp_path, "odd-1-0", record)
    put(tmp_path, "numpy-2.3.5-0", {"name": "numpy", "version": "2.3.5", "build": "0"})
    assert [item.name for item in conda_records(host(tmp_path), "/env")] == ["numpy"]
    assert conda_records(host(tmp_path), "/nowhere") == ()


@pytest.mark.parametrize("part", ["files", "paths_data", "depends"])
@pytest.mark.parametrize("value", [1, "text", [1], {"paths": 1}, {"paths": [1]}])
def test_odd_parts_do_no_harm(tmp_path: Path, part: str, value: object) -> None:
    put(tmp_path, "pytorch-2.8.0-cpu_0", {**pytorch(), part: value})
    assert len(conda_records(host(tmp_path), "/env")) <= 1
