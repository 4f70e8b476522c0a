"""Commands fit the environment and can be pasted, whatever its path and the names in it."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge_machines import PATH, dist, environment, machine, tool, variables, windows

from dlsetup.judge.commands import conda, install, line, python_of, reinstall, uninstall
from dlsetup.judge.scene import Scene
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Environment, Machine

PIP = dist("pip", "25.0")
TORCH = dist("torch", "2.14.1+cu126", "cu126")


def scene(base: Machine) -> Scene:
    return Scene.of(base, Catalog())


def of(chosen: Environment, **parts) -> Scene:
    return scene(machine(environments=(chosen,), **parts))


@pytest.mark.parametrize(
    ("where", "command"),
    [
        (of(environment(PIP)), f"{PATH}/bin/python -m pip install 'numpy<2'"),
        (of(environment(PIP), variables=variables(VIRTUAL_ENV=PATH)), "python -m pip install 'numpy<2'"),
        (of(environment(PIP, kind="uv")), f"uv pip install --python {PATH} 'numpy<2'"),
        (
            of(environment(dist("torch", "2.9.1", installer="uv"))),
            f"uv pip install --python {PATH} 'numpy<2'",
        ),
        (of(environment(), tools=(tool("uv"),)), f"uv pip install --python {PATH} 'numpy<2'"),
        (of(environment(PIP), tools=(tool("uv"),)), f"{PATH}/bin/python -m pip install 'numpy<2'"),
        (of(environment(PIP, path="~/dl work/env")), "~/'dl work/env/bin/python' -m pip install 'numpy<2'"),
        (of(environment(PIP, path="/usr/bin/python3.11")), "/usr/bin/python3.11 -m pip install 'numpy<2'"),
        (
            of(
                environment(PIP, kind="conda", path="/opt/conda"),
                variables=variables(CONDA_PREFIX="/opt/conda"),
            ),
            "python -m pip install 'numpy<2'",
        ),
        (scene(windows(PIP)), '"C:\\Users\\Ada Lovelace\\env\\Scripts\\python.exe" -m pip install "numpy<2"'),
    ],
)
def test_the_installer_is_the_one_of_the_environment(where: Scene, command: str) -> None:
    assert install(where, ["numpy<2"]) == (command,)


def test_an_index_is_named_in_the_words_of_the_installer() -> None:
    address = "https://download.pytorch.org/whl/cu126"
    assert f"--index-url {address}" in install(of(environment(PIP)), ["torch"], index=address)[0]
    assert f"--index {address}" in install(of(environment(kind="uv")), ["torch"], index=address)[0]


def test_what_the_system_owns_gets_no_command() -> None:
    owned = of(environment(PIP, TORCH, externally_managed=True))
    assert install(owned, ["torch"]) == uninstall(owned, ["torch"]) == reinstall(owned, ["torch"]) == ()
    assert install(scene(machine(environments=())), ["torch"]) == ()


def test_files_are_written_again_in_their_present_versions() -> None:
    assert reinstall(of(environment(PIP, TORCH)), ["torch"]) == (
        f"{PATH}/bin/python -m pip install --force-reinstall --no-deps torch==2.14.1+cu126",
    )
    assert reinstall(of(environment(TORCH, kind="uv")), ["torch"]) == (
        f"uv pip install --python {PATH} --reinstall --no-deps torch==2.14.1+cu126",
    )
    assert reinstall(of(environment(PIP)), ["torch"]) == ()


def test_conda_is_the_tool_that_is_there() -> None:
    chosen = environment(kind="conda", path="/opt/conda/envs/a")
    assert conda(of(chosen), "install", ["numpy<2"]) == (
        "conda install --prefix /opt/conda/envs/a 'numpy<2'",
    )
    assert conda(of(chosen, tools=(tool("micromamba"),)), "remove", ["cpuonly"]) == (
        "micromamba remove --prefix /opt/conda/envs/a cpuonly",
    )
    assert conda(of(environment()), "install", ["numpy"]) == ()


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1), min_size=1, max_size=4
    )
)
def test_a_shell_reads_the_words_that_were_meant(words: list[str]) -> None:
    plain = [f"/x{word}" for word in words]
    assert shlex.split(line(of(environment()), plain)[0]) == plain


@given(st.text(min_size=1))
def test_no_windows_command_holds_what_a_shell_acts_on(word: str) -> None:
    for command in line(scene(windows()), ["python", word]):
        inside = command.removeprefix("python ")
        assert not set(inside) & set("%$`&|^'\n\r\"") or inside.strip('"') == word
        assert not set(word) & set("%$`&|^'\"\n\r")


def test_the_interpreter_of_an_environment() -> None:
    posix, other = scene(machine()), scene(windows())
    assert python_of(posix, environment(path="/opt/venv")) == "/opt/venv/bin/python"
    assert python_of(posix, environment(path="/usr/bin/python3")) == "/usr/bin/python3"
    assert (
        python_of(other, environment(path="C:/conda/envs/a", kind="conda")) == r"C:\conda\envs\a\python.exe"
    )
    assert (
        python_of(other, environment(path="C:/Python/python.exe", kind="system")) == r"C:\Python\python.exe"
    )


def test_a_python_of_a_hostile_path_stays_one_word() -> None:
    chosen = of(environment(PIP, path="/tmp/$(reboot); echo '"))
    words = shlex.split(install(chosen, ["torch"])[0])
    assert words[0] == "/tmp/$(reboot); echo '/bin/python"
