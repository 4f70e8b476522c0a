"""The texts of a bundle, read by their real readers, whatever stands in a lock or a target."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import tomli
from hypothesis import given, settings
from hypothesis import strategies as some
from packaging.requirements import Requirement
from packaging.version import Version

from dlsetup.model.bundle import Carried, Fetched, Manifest
from dlsetup.model.errors import DataError, UsageError
from dlsetup.model.locked import LockNote
from dlsetup.model.machine import Libc
from dlsetup.model.record import UNKNOWN
from dlsetup.model.resolution import Plan
from dlsetup.model.steps import Procedure
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.versions import LibcVersion
from dlsetup.plan.bundle import bundled_lock, bundled_requirements, check_told, contents_of
from dlsetup.plan.bundle_texts import checksums, readme
from dlsetup.plan.bundle_tools import python_for
from dlsetup.plan.install_script import install_script
from dlsetup.plan.kernel import kernel_for, kernel_steps
from dlsetup.plan.script import shell_script

DIGEST = "ab" * 32
TARGET = Target(
    name="there",
    os="linux",
    arch="aarch64",
    libc=Libc(name="glibc", version=LibcVersion("2.31")),
    driver=None,
)
PYTHON = Interpreter(version=Version("3.12"))
PLAN = Plan(target=TARGET, python=Version("3.12"), picks=())
HOSTILE = some.text(alphabet="ab1 \n\r\t'\"`$();|&<>\\{}[]#=,%!*?~é\x7f\x1b-./", max_size=30)
posix = pytest.mark.skipif(
    shutil.which("sh") is None or sys.platform == "win32", reason="a POSIX shell is needed"
)


def package(name: str = "numpy", version: str = "2.3.5", **more: Any) -> dict[str, Any]:
    file = f"{name}-{version}-cp312-cp312-manylinux_2_28_aarch64.whl"
    row = {"url": f"https://index.example/{file}", "size": 7, "hashes": {"sha256": DIGEST}}
    return {"name": name, "version": version, "wheels": [{**row, **more}]}


def fetched(**more: Any) -> Fetched:
    about = {"name": "numpy-2.3.5-py3-none-any.whl", "address": "https://i.example/x", "package": "numpy"}
    return Fetched(**{**about, "version": "2.3.5", **more})


def manifest(**more: Any) -> Manifest:
    return Manifest(**{"dlsetup": "0", "target": "there", "python": Version("3.12"), **more})


def test_takes_the_one_wheel_that_the_target_installs() -> None:
    other = {**package()["wheels"][0], "url": "https://index.example/numpy-2.3.5-cp312-cp312-win_amd64.whl"}
    newer = {**other, "url": "https://index.example/numpy-2.3.5-cp312-cp312-manylinux_2_34_aarch64.whl"}
    row = package()
    row["wheels"] = [other, newer, *row["wheels"]]
    found = contents_of([row], TARGET, PYTHON)
    assert [item.name for item in found.files] == ["numpy-2.3.5-cp312-cp312-manylinux_2_28_aarch64.whl"]
    assert found.sources == ()


def test_leaves_what_is_for_other_platforms() -> None:
    rows = [package(), {**package("pywin32", "311"), "marker": "sys_platform == 'win32'"}]
    assert [item.package for item in contents_of(rows, TARGET, PYTHON).files] == ["numpy"]


def test_names_what_has_to_be_compiled() -> None:
    source = {"url": "https://index.example/numpy-2.3.5.tar.gz", "hashes": {"sha256": DIGEST}}
    row = {"name": "numpy", "version": "2.3.5", "sdist": source}
    assert contents_of([row], TARGET, PYTHON).sources == ("numpy 2.3.5",)


@pytest.mark.parametrize(
    "row",
    [
        {"name": "numpy", "version": "1", "directory": {"path": "."}},
        package(hashes={}),
        package(hashes={"md5": "ab" * 16}),
        package(hashes={"sha256": "zz"}),
        package(name="numpy", url="https://index.example/torch-2.3.5-py3-none-any.whl"),
        package(url="https://index.example/numpy-2.3.5-cp312-cp312-win_amd64.whl"),
    ],
    ids=["folder", "no hash", "weak hash", "no digest", "other package", "other platform"],
)
def test_lock_that_does_not_tell_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises(DataError) as failure:
        contents_of([row], TARGET, PYTHON)
    assert failure.value.hint


@pytest.mark.parametrize(
    "name", ["../numpy-1-py3-none-any.whl", "a\\numpy-1-py3-none-any.whl", "numpy-1-py3-none-any.whl\n"]
)
def test_name_of_a_file_is_no_path(name: str) -> None:
    row = package()
    row["wheels"][0]["name"] = name
    with pytest.raises(DataError):
        contents_of([row], TARGET, PYTHON)


@given(HOSTILE)
def test_whatever_a_lock_calls_its_file_it_stays_in_its_folder(name: str) -> None:
    row = package()
    row["wheels"] = [{**row["wheels"][0], "name": name}, row["wheels"][0]]
    try:
        found = contents_of([row], TARGET, PYTHON).files[0]
    except DataError:
        return
    assert re.fullmatch(r"wheels/[\w.+!-]+", found.path, re.ASCII)


@given(HOSTILE, HOSTILE)
def test_lock_is_toml_that_says_the_same(address: str, because: str) -> None:
    item = fetched(address=f"https://{address}")
    note = LockNote(version="0", python=Version("3.12"), because=(because,), wish=(address,))
    read = tomli.loads(bundled_lock([item], note, {item.path: DIGEST}))
    row = read["packages"][0]["wheels"][0]
    assert (row["path"], row["hashes"]) == (item.path, {"sha256": DIGEST})
    assert row["url"].endswith(address.rpartition("@")[2])
    assert read["tool"]["dlsetup"]["because"] == [because]
    assert read["requires-python"] == "==3.12.*"


def test_lock_keeps_no_password() -> None:
    item = fetched(address="https://me:secret@index.example/numpy.whl")
    assert "secret" not in bundled_lock(
        [item], LockNote(version="0", python=Version("3.12")), {item.path: DIGEST}
    )


def test_requirements_are_read_back() -> None:
    files = [fetched(version="2.3.5+cu126"), fetched(package="torch", version="2!1.0rc1", name="torch.whl")]
    text = bundled_requirements(files, {item.path: DIGEST for item in files})
    rows = [Requirement(row.partition(" --hash")[0]) for row in text.splitlines()]
    assert [str(row) for row in rows] == ["numpy==2.3.5+cu126", "torch==2!1.0rc1"]
    assert text.count(f"--hash=sha256:{DIGEST}") == 2


@posix
@settings(max_examples=60)
@given(HOSTILE, some.lists(HOSTILE, max_size=3), HOSTILE)
def test_script_does_nothing_else_whatever_it_is_made_for(arch: str, modules: list[str], name: str) -> None:
    made = manifest(target=name, words=name, modules=tuple(modules))
    text = install_script(made, Target(name=name, os="linux", arch=arch))
    with TemporaryDirectory() as folder:
        script = Path(folder, "install.sh")
        script.write_text(text, "utf-8")
        checked = subprocess.run(["sh", "-n", script], capture_output=True, text=True)
        assert checked.returncode == 0, checked.stderr
        Path(folder, "SHA256SUMS").write_text("")
        done = subprocess.run(["sh", script, "place"], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 1
        assert "another processor" in done.stderr
        assert sorted(path.name for path in Path(folder).iterdir()) == ["SHA256SUMS", "install.sh"]


def test_modules_that_are_none_are_left_out() -> None:
    text = install_script(manifest(modules=("jax", "a.b", "x; rm -rf /", "", "é")), TARGET)
    assert "modules='jax a.b'" in text


@given(HOSTILE, some.lists(HOSTILE, min_size=1, max_size=3))
def test_readme_keeps_its_form(words: str, packages: list[str]) -> None:
    text = readme(manifest(words=words), TARGET, packages, packages)
    assert text.count("\n- ") == 2 * len(packages)
    assert words in text
    assert "\x1b" not in text.replace(words, "")


def test_checksums_are_as_sha256sum_reads_them() -> None:
    files = [
        Carried(path="wheels/b.whl", sha256=DIGEST, size=1),
        Carried(path="wheels/a.whl", sha256=DIGEST, size=1),
    ]
    assert checksums(files) == f"{DIGEST}  wheels/a.whl\n{DIGEST}  wheels/b.whl\n"


@pytest.mark.parametrize(
    ("target", "lacking"),
    [
        (Target(), "os and arch"),
        (Target(os="linux", arch="x86_64"), "glibc"),
        (Target(os="linux", arch="x86_64", libc=Libc(name="glibc", version=UNKNOWN)), "glibc"),
        (Target(os="macos", arch="aarch64"), "macos"),
    ],
)
def test_target_has_to_tell_its_platform(target: Target, lacking: str) -> None:
    with pytest.raises(UsageError, match=lacking):
        check_told(target)
    check_told(TARGET)
    check_told(Target(os="windows", arch="x86_64"))


def listed(**more: Any) -> str:
    row = {
        "key": "cpython-3.12.9-linux-aarch64-gnu",
        "version": "3.12.9",
        "version_parts": {"major": 3, "minor": 12, "patch": 9},
        "url": "https://host.example/x/releases/download/20990101/cpython-3.12.9%2B20990101-aarch64.tar.gz",
        **{
            "os": "linux",
            "arch": "aarch64",
            "libc": "gnu",
            "implementation": "cpython",
            "variant": "default",
        },
    }
    older = {**row, "key": "older", "version_parts": {"major": 3, "minor": 12, "patch": 8}}
    return json.dumps([older, {**row, **more}])


def test_newest_python_for_the_target() -> None:
    found = python_for(listed(), PLAN)
    assert found is not None
    key, file = found
    assert key == "cpython-3.12.9-linux-aarch64-gnu"
    assert file.path == "python/20990101/cpython-3.12.9+20990101-aarch64.tar.gz"
    mirrored = python_for(listed(), PLAN, "https://mirror.example/py/")
    assert mirrored is not None
    assert mirrored[1].address.startswith("https://mirror.example/py/20990101/cpython-3.12.9%2B")


@pytest.mark.parametrize(
    "more", [{"arch": "x86_64"}, {"libc": "musl"}, {"implementation": "pypy"}, {"variant": "freethreaded"}]
)
def test_no_other_python(more: dict[str, str]) -> None:
    found = python_for(listed(**more), PLAN)
    assert found is not None
    assert found[0] == "older"


@posix
@settings(max_examples=40)
@given(HOSTILE.filter(lambda name: "\0" not in name and name.strip("/. \n\t\r") and len(name.encode()) < 80))
def test_kernel_is_the_same_through_a_shell(name: str) -> None:
    python = f"/envs/{name}/bin/python"
    with TemporaryDirectory() as folder:
        kernels = PurePosixPath(folder) / f"data {name.replace('/', '_')}"
        kernel = kernel_for("demo", kernels, python, PLAN)
        script = shell_script(Procedure(title="", steps=kernel_steps(kernel)))
        subprocess.run(["sh"], input=script, text=True, check=True, capture_output=True, cwd=folder)
        about = json.loads(Path(kernels, "demo/kernel.json").read_text("utf-8"))
        assert about["argv"][0] == python
        assert about["display_name"] == "demo (Python 3.12)"
        again = subprocess.run(["sh"], input=script, text=True, capture_output=True, cwd=folder)
        assert again.returncode != 0
