"""Which environment is examined: the active one, the project's, or the one asked for."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest
from fake_pythons import at, conda, examined, link, listed, paths, system_python, virtual, write

from dlsetup.model.errors import UsageError
from dlsetup.model.record import UNKNOWN
from dlsetup.probe.environments import environments
from dlsetup.probe.notes import Notes


def test_what_is_only_listed_is_not_known_to_be_empty(tmp_path: Path) -> None:
    system_python(tmp_path)
    virtual(tmp_path, "/home/ada/work/.venv")
    here, system = listed(at(tmp_path))
    assert here.distributions == ()
    assert (system.distributions, system.shared_files) == (UNKNOWN, UNKNOWN)


def test_the_active_environment_comes_before_the_project_and_the_system(tmp_path: Path) -> None:
    system_python(tmp_path)
    for folder in ("/opt/active", "/home/ada/work/.venv"):
        virtual(tmp_path, folder)
    conda(tmp_path, "/opt/conda/envs/ml")
    assert examined(at(tmp_path)).path == "/home/ada/work/.venv"
    assert examined(at(tmp_path, CONDA_PREFIX="/opt/conda/envs/ml")).path == "/opt/conda/envs/ml"
    both = at(tmp_path, CONDA_PREFIX="/opt/conda/envs/ml", VIRTUAL_ENV="/opt/active/")
    assert examined(both).path == "/opt/active"
    assert examined(at(tmp_path, folder="/")).path == "/usr/bin/python3.12"


def test_an_active_environment_whose_python_is_gone_is_a_gap(tmp_path: Path) -> None:
    system_python(tmp_path)
    write(tmp_path, "/opt/old/pyvenv.cfg", "home = /usr/lib/gone\nversion = 3.8.1\n")
    link(tmp_path, "/opt/old/bin/python", "/usr/lib/gone/python3.8")
    notes = Notes()
    found = environments(at(tmp_path, VIRTUAL_ENV="/opt/old"), notes, asked=None, clues=())
    assert [item.path for item in found if item.examined] == ["/usr/bin/python3.12"]
    assert [(gap.fact, "/opt/old" in gap.reason) for gap in notes.gaps] == [("environment", True)]


def test_an_environment_whose_python_is_gone_is_told_from_one_that_never_was(tmp_path: Path) -> None:
    write(tmp_path, "/opt/old/pyvenv.cfg", "home = /usr/lib/gone\nversion = 3.8.1\n")
    link(tmp_path, "/opt/old/bin/python", "/usr/lib/gone/python3.8")
    with pytest.raises(UsageError, match="`/opt/old` has no Python any more") as refused:
        environments(at(tmp_path), Notes(), asked="/opt/old", clues=())
    assert "bin/python" in refused.value.hint


def test_no_python_at_all_examines_nothing_and_says_so(tmp_path: Path) -> None:
    notes = Notes()
    assert environments(at(tmp_path), notes, asked=None, clues=()) == ()
    assert [gap.fact for gap in notes.gaps] == ["environment"]


@pytest.mark.parametrize(
    "asked",
    [
        "/opt/one",
        "/opt/one/",
        "/opt/one/bin/python",
        "one",
        "../../../opt/one",
        "/opt/../opt/./one",
        "/opt/alias",
    ],
)
def test_an_environment_by_whatever_people_call_it(tmp_path: Path, asked: str) -> None:
    system_python(tmp_path)
    virtual(tmp_path, "/opt/one")
    link(tmp_path, "/home/ada/.virtualenvs/one", "/opt/one")
    link(tmp_path, "/opt/alias", "one")
    host = at(tmp_path)
    found = listed(host, asked)
    assert [item.examined for item in found] == [True, False]
    assert host.real(found[0].path) == "/opt/one"


def test_home_and_folders_here(tmp_path: Path) -> None:
    system_python(tmp_path)
    virtual(tmp_path, "/home/ada/envs/two")
    virtual(tmp_path, "/home/ada/work/two")
    assert examined(at(tmp_path), "~/envs/two").path == "/home/ada/envs/two"
    assert examined(at(tmp_path), "two").path == "/home/ada/work/two"


def test_a_name_of_several_must_be_a_path(tmp_path: Path) -> None:
    for root in ("/home/ada/miniforge3", "/opt/conda"):
        conda(tmp_path, f"{root}/envs/ml")
    with pytest.raises(UsageError) as told:
        listed(at(tmp_path), "ml")
    assert "/opt/conda/envs/ml" in told.value.hint
    assert "/home/ada/miniforge3/envs/ml" in told.value.hint


@pytest.mark.parametrize("asked", ["nowhere", "/etc", "/etc/passwd", "", "a\x00b", "$(reboot)", "../" * 40])
def test_no_such_environment_lists_those_that_are_there(tmp_path: Path, asked: str) -> None:
    system_python(tmp_path)
    write(tmp_path, "/etc/passwd", "root:x:0:0::/:/bin/sh\n")
    with pytest.raises(UsageError) as told:
        listed(at(tmp_path), asked)
    assert "/usr/bin/python3.12" in told.value.hint


def test_the_same_environment_through_a_link_is_listed_once(tmp_path: Path) -> None:
    system_python(tmp_path)
    virtual(tmp_path, "/data/env")
    link(tmp_path, "/home/ada/work/.venv", "/data/env")
    assert paths(at(tmp_path, VIRTUAL_ENV="/data/env")) == ["/data/env", "/usr/bin/python3.12"]


@pytest.mark.parametrize("where", ["lib/python3.12/site-packages", "tree"])
def test_a_folder_that_may_not_be_looked_into_is_not_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    system_python(tmp_path)
    virtual(tmp_path, "/opt/it's")
    write(tmp_path, "/opt/it's/lib/python3.12/site-packages/tree.pth", "/opt/it's/tree")
    write(tmp_path, "/opt/it's/tree/x.py")
    host = at(tmp_path)
    hidden = host.local(f"/opt/it's/{where}")
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != hidden and real(path, mode))
    notes = Notes()
    found = environments(host, notes, asked="/opt/it's", clues=())[0]
    assert found.distributions is UNKNOWN
    (gap,) = notes.gaps
    assert gap.fact == "environment.distributions"
    assert shlex.split(gap.ask) == ["ls", "-ld", f"/opt/it's/{where}"]
