"""Which Pythons a machine has, and what is told of each without running it."""

from __future__ import annotations

import os
import sys
import venv
from pathlib import Path

import pytest
from fake_pythons import (
    AARCH64,
    at,
    conda,
    examined,
    interpreter,
    link,
    listed,
    paths,
    script,
    system_python,
    virtual,
    write,
)
from packaging.version import Version

from dlsetup.probe.host import Host


def test_a_system_python_is_told_by_its_header_and_not_run(tmp_path: Path) -> None:
    system_python(tmp_path)
    (only,) = listed(at(tmp_path))
    assert (only.path, only.kind, only.python) == ("/usr/bin/python3.12", "system", Version("3.12.3"))
    assert (only.arch, only.externally_managed, only.free_threaded) == ("x86_64", True, False)
    assert only.examined
    assert (only.distributions, only.shared_files) == ((), ())


def test_what_virtual_environments_write_of_themselves(tmp_path: Path) -> None:
    system_python(tmp_path)
    virtual(tmp_path, "/opt/by-venv", "home = /usr/bin\nversion = 3.12.3\n")
    virtual(
        tmp_path, "/opt/by-uv", "home = /usr/bin\nimplementation = CPython\nuv = 0.9\nversion_info = 3.12.3"
    )
    virtual(tmp_path, "/opt/by-virtualenv", "version_info = 3.13.0.candidate.2\nimplementation = PyPy\n")
    virtual(tmp_path, "/opt/silent", "home = /usr/bin\n")
    told = {name: examined(at(tmp_path), f"/opt/{name}") for name in ("by-venv", "by-uv", "by-virtualenv")}
    assert {str(item.python) for item in told.values()} == {"3.12.3", "3.13.0"}
    assert [item.implementation for item in told.values()] == ["cpython", "cpython", "pypy"]
    silent = examined(at(tmp_path), "/opt/silent")
    assert (silent.python, silent.kind, silent.name) == (Version("3.12"), "venv", "silent")


def test_conda_environments_by_name_and_base(tmp_path: Path) -> None:
    conda(tmp_path, "/home/ada/miniforge3")
    (tmp_path / "home/ada/miniforge3/condabin").mkdir()
    conda(tmp_path, "/home/ada/miniforge3/envs/ml", "python-3.13.1-h9a34b6e_5_cp313t.json")
    write(tmp_path, "/home/ada/miniforge3/envs/no-python/conda-meta/history")
    conda(tmp_path, "/data/shared")
    write(tmp_path, "/home/ada/.conda/environments.txt", "/data/shared\n/gone\n")
    found = {item.name: item for item in listed(at(tmp_path))}
    assert set(found) == {"base", "ml", "shared"}
    assert {item.kind for item in found.values()} == {"conda"}
    assert (found["ml"].python, found["ml"].free_threaded) == (Version("3.13.1"), True)
    assert (found["base"].python, found["base"].free_threaded) == (Version("3.11.9"), False)
    assert examined(at(tmp_path), "ml").path == "/home/ada/miniforge3/envs/ml"


def test_pyenv_by_folder_and_its_choice_behind_the_shim(tmp_path: Path) -> None:
    for version, name in (("3.12.1", "python3.12"), ("3.13.0t", "python3.13t")):
        base = f"/home/ada/.pyenv/versions/{version}"
        interpreter(tmp_path, f"{base}/bin/{name}")
        link(tmp_path, f"{base}/bin/python", name)
        write(tmp_path, f"{base}/lib/{name}/os.py")
    virtual(tmp_path, "/home/ada/.pyenv/versions/proj", "home = /x\nversion = 3.12.1\n")
    (tmp_path / "home/ada/.pyenv/versions/proj/bin/python").unlink()
    link(tmp_path, "/home/ada/.pyenv/versions/proj/bin/python", "../../3.12.1/bin/python")
    script(tmp_path, "/home/ada/.pyenv/shims/python", "exit 9")
    environ = {"PATH": "/home/ada/.pyenv/shims:/usr/bin"}
    found = {item.name: item for item in listed(at(tmp_path, **environ, PYENV_VERSION="3.13.0t"))}
    assert set(found) == {"3.12.1", "3.13.0t", "proj"}
    assert found["3.13.0t"].examined
    assert (found["3.13.0t"].python, found["3.13.0t"].free_threaded) == (Version("3.13.0"), True)
    assert (found["3.12.1"].kind, found["proj"].kind) == ("pyenv", "venv")
    write(tmp_path, "/home/ada/.python-version", "proj\n")
    assert examined(at(tmp_path, **environ)).path == "/home/ada/.pyenv/versions/proj"


def test_pythons_of_uv_by_folder(tmp_path: Path) -> None:
    base = "/home/ada/.local/share/uv/python/cpython-3.14.0rc2-linux-aarch64-gnu"
    interpreter(tmp_path, f"{base}/bin/python3.14", AARCH64)
    link(tmp_path, f"{base}/bin/python", "python3.14")
    write(tmp_path, f"{base}/lib/python3.14/os.py")
    (only,) = listed(at(tmp_path), base)
    assert (only.kind, only.python, only.arch) == ("uv", Version("3.14.0rc2"), "aarch64")


def test_a_python_without_header_is_asked_once_whatever_its_names(tmp_path: Path) -> None:
    log = tmp_path / "log"
    script(
        tmp_path, "/usr/bin/python3.11", f"echo x >> {log}; echo 3.11.2 cpython -; echo /usr/bin/python3.11"
    )
    link(tmp_path, "/usr/bin/python3", "python3.11")
    link(tmp_path, "/usr/bin/python", "python3")
    (only,) = listed(at(tmp_path, folder="/"), "/usr/bin/python3.11")
    assert (only.python, only.implementation) == (Version("3.11.2"), "cpython")
    assert log.read_text() == "x\n"


@pytest.mark.parametrize("text", ["exit 1", "echo nonsense", "echo 2.7.18 cpython -", "echo 3.11 a b c d"])
def test_what_only_calls_itself_python_is_none(tmp_path: Path, text: str) -> None:
    script(tmp_path, "/usr/bin/python3", text)
    assert listed(at(tmp_path)) == ()


def test_a_hanging_python_costs_its_own_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dlsetup.probe.pythons.DEADLINE", 0.2)
    system_python(tmp_path)
    script(tmp_path, "/opt/bin/python3", "sleep 60")
    assert paths(at(tmp_path, PATH="/opt/bin:/usr/bin")) == ["/usr/bin/python3.12"]


def test_a_script_that_starts_another_python_is_that_python(tmp_path: Path) -> None:
    system_python(tmp_path)
    virtual(tmp_path, "/opt/tools")
    script(tmp_path, "/home/ada/bin/python", "echo 3.12.3 cpython -; echo /opt/tools/bin/python")
    assert examined(at(tmp_path, PATH="/home/ada/bin:/usr/bin")).path == "/opt/tools"
    script(tmp_path, "/a/python", "echo 3.12.3 cpython -; echo /b/python")
    script(tmp_path, "/b/python", "echo 3.12.3 cpython -; echo /a/python")
    assert "/a/python" not in paths(at(tmp_path, PATH="/a:/usr/bin"))


def test_apples_stub_is_not_started_without_developer_tools(tmp_path: Path) -> None:
    started = tmp_path / "started"
    script(tmp_path, "/usr/bin/python3", f"touch {started}")
    host = Host(tmp_path, {"PATH": "/usr/bin", "HOME": "/Users/ada"}, platform="darwin", folder="/")
    assert listed(host) == ()
    assert not started.exists()
    write(tmp_path, "/Library/Developer/CommandLineTools/usr/bin/python3")
    listed(host)
    assert started.exists()


def test_environments_of_native_windows(tmp_path: Path) -> None:
    folder = "C:/Users/ada/tf/.venv"
    settings = "home = C:\\Python311\nversion = 3.11.9\n"
    write(tmp_path, f"/{folder}/pyvenv.cfg", settings)
    write(tmp_path, f"/{folder}/Scripts/python.exe", "MZ")
    write(
        tmp_path, f"/{folder}/Lib/site-packages/tensorflow-2.16.1.dist-info/METADATA", "Name: tensorflow\n\n"
    )
    environ = {"VIRTUAL_ENV": "C:\\Users\\ada\\tf\\.venv", "USERPROFILE": "C:\\Users\\ada"}
    found = examined(Host(tmp_path, environ, platform="win32", folder="C:\\Users\\ada\\tf"))
    assert (found.path, found.name, found.python) == (folder, ".venv", Version("3.11.9"))
    assert found.distribution("tensorflow")


def test_a_real_environment_made_by_venv(tmp_path: Path) -> None:
    venv.create(tmp_path / "real env", symlinks=True)
    found = examined(Host("", {**os.environ}, folder=str(tmp_path)), "real env")
    version = ".".join(str(part) for part in sys.version_info[:3])
    assert (found.path, found.kind, found.distributions) == (str(tmp_path / "real env"), "venv", ())
    assert str(found.python) == version


@pytest.mark.parametrize("version", ["3." + "9" * 5000, "3.12.٣x", "3.\0", "", "\x1b[2J"])
def test_settings_that_make_no_sense_leave_the_version_to_the_folders(tmp_path: Path, version: str) -> None:
    system_python(tmp_path)
    virtual(tmp_path, "/opt/odd", f"home = /usr/bin\nversion = {version}\n")
    assert examined(at(tmp_path), "/opt/odd").path == "/opt/odd"


@pytest.mark.parametrize("name", ["cpython-3.12.1junk-linux", "cpython-٣.١٢.١-linux"])
def test_a_folder_of_uv_with_no_version_in_its_name_costs_only_itself(tmp_path: Path, name: str) -> None:
    system_python(tmp_path)
    interpreter(tmp_path, f"/home/ada/.local/share/uv/python/{name}/bin/python")
    assert "/usr/bin/python3.12" in paths(at(tmp_path))
