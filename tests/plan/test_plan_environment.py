"""The steps of a build, as data."""

from __future__ import annotations

import re
import shlex
import subprocess

import pytest
import tomli
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Index
from dlsetup.model.machine import Libc
from dlsetup.model.outcome import Passport
from dlsetup.model.resolution import Pick, Plan
from dlsetup.model.steps import Procedure, Run, Tell, Write
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.versions import LibcVersion, OsRelease
from dlsetup.plan.building_target import building_target, check_buildable, only_present
from dlsetup.plan.environment import Means, Place, build_steps, environment_procedure, lock_steps
from dlsetup.plan.indexes import parse_index, with_addresses, without_secrets
from dlsetup.plan.script import shell_script
from dlsetup.plan.toml import pyproject, quoted
from dlsetup.plan.uv_platform import uv_platform

CU126 = Index(name="pytorch-cu126", url="https://download.pytorch.org/whl/cu126")
PLACE = Place(final="/home/me/demo", work="/home/me/.demo.building-1")


def plan(**changes: object) -> Plan:
    known = {
        "target": Target(os="linux", arch="x86_64", libc=Libc(name="glibc", version=LibcVersion("2.31"))),
        "python": Version("3.12"),
        "interpreter": "/usr/bin/python3.12",
        "picks": (
            Pick(
                framework="torch",
                version=Version("2.14.1"),
                variant="cu126",
                index="pytorch-cu126",
                requirement="torch==2.14.1+cu126",
            ),
        ),
        "requirements": ("torch==2.14.1+cu126", "numpy"),
        "constraints": ("numpy<3",),
        "indexes": (Index(name="default"), CU126),
        "sources": (("torch", "pytorch-cu126"), ("numpy", "default"), ("helper", "pytorch-cu126")),
    }
    return Plan(**{**known, **changes})  # type: ignore[arg-type]


def calls(steps: tuple[object, ...]) -> list[tuple[str, ...]]:
    return [step.argv for step in steps if isinstance(step, Run)]


def test_each_distribution_of_a_named_index_comes_from_there_alone() -> None:
    text = tomli.loads(pyproject(plan()))
    assert text["project"]["dependencies"] == ["torch==2.14.1+cu126", "numpy"]
    assert text["project"]["requires-python"] == "==3.12.*"
    uv = text["tool"]["uv"]
    assert uv["index"] == [{"name": CU126.name, "url": CU126.url, "explicit": True}]
    assert uv["sources"] == {"torch": {"index": "pytorch-cu126"}}


def test_only_indexes_that_are_used_are_named() -> None:
    text = tomli.loads(pyproject(plan(requirements=("numpy",))))
    assert "tool" not in text


def test_pip_comes_with_an_environment_of_the_standard_library() -> None:
    assert tomli.loads(pyproject(plan(), seed=True))["project"]["dependencies"][-1] == "pip"


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=40))
def test_quoted_text_is_read_back(text: str) -> None:
    assert tomli.loads(f"a = {quoted(text)}") == {"a": text}


def test_lock_uses_the_very_python_where_it_is_known() -> None:
    compile_ = calls(lock_steps(plan(), PLACE, Means()))[0]
    assert compile_[:3] == ("uv", "pip", "compile")
    assert compile_[compile_.index("--python") + 1] == "/usr/bin/python3.12"
    assert "--python-platform" not in compile_
    assert "--python-version" not in compile_


def test_lock_for_another_machine_uses_its_platform() -> None:
    means = Means(foreign=True)
    for argv in (calls(lock_steps(plan(), PLACE, means))[0], install(plan(), means)):
        assert argv[argv.index("--python-platform") + 1] == "x86_64-manylinux_2_31"


def install(wanted: Plan, means: Means) -> tuple[str, ...]:
    passport = Passport(dlsetup="0", tool="uv", plan=wanted)
    return next(argv for argv in calls(build_steps(wanted, PLACE, means, passport)) if "sync" in argv)


def test_python_is_fetched_only_if_it_is_not_there() -> None:
    passport = Passport(dlsetup="0", tool="uv", plan=plan())
    there = calls(build_steps(plan(), PLACE, Means(), passport))
    assert not any(argv[:3] == ("uv", "python", "install") for argv in there)
    fetched = calls(build_steps(plan(interpreter=None), PLACE, Means(), passport))
    assert fetched[0] == ("uv", "python", "install", "3.12")


def test_options_reach_every_call_they_concern() -> None:
    means = Means(
        offline=True,
        find_links=("/wheels",),
        extra_indexes=(Index(name="", url="https://a/simple"), Index(name="default", url="https://b/simple")),
    )
    compile_ = calls(lock_steps(plan(), PLACE, means))[0]
    assert compile_[compile_.index("--index") + 1] == "https://a/simple"
    assert compile_[compile_.index("--default-index") + 1] == "https://b/simple"
    for argv in (compile_, install(plan(), means)):
        assert "--offline" in argv
        assert argv[argv.index("--find-links") + 1] == "/wheels"


def test_windows_paths() -> None:
    place = Place(final=r"C:\envs\demo", work=r"C:\envs\.demo.building-1", windows=True)
    assert place.python == r"C:\envs\.demo.building-1\Scripts\python.exe"


@pytest.mark.parametrize(
    ("os", "arch", "libc", "expected"),
    [
        ("linux", "x86_64", ("glibc", "2.17"), "x86_64-manylinux_2_17"),
        ("linux", "x86_64", ("glibc", "2.27"), "x86_64-manylinux_2_17"),
        ("linux", "x86_64", ("glibc", "2.30"), "x86_64-manylinux_2_28"),
        ("linux", "aarch64", ("glibc", "2.39"), "aarch64-manylinux_2_39"),
        ("linux", "aarch64", ("glibc", "2.99"), "aarch64-manylinux_2_40"),
        ("linux", "x86_64", ("musl", "1.2"), "x86_64-unknown-linux-musl"),
        ("windows", "x86_64", None, "x86_64-pc-windows-msvc"),
        ("macos", "aarch64", None, "aarch64-apple-darwin"),
    ],
)
def test_target_in_the_words_of_uv(os: str, arch: str, libc: tuple[str, str] | None, expected: str) -> None:
    known = None if libc is None else Libc(name=libc[0], version=LibcVersion(libc[1]))  # type: ignore[arg-type]
    assert uv_platform(Target(os=os, arch=arch, libc=known)) == expected  # type: ignore[arg-type]


def test_uv_is_told_the_macos_release_of_another_machine() -> None:
    mac = plan(target=Target(os="macos", arch="aarch64", release=OsRelease("14.5")))
    for means, told in (
        (
            Means(foreign=True),
            (("MACOSX_DEPLOYMENT_TARGET", "14.5"), ("UV_PYTHON_DOWNLOADS", "never")),
        ),
        (Means(), ()),
    ):
        (lock,) = [step for step in lock_steps(mac, PLACE, means) if isinstance(step, Run)]
        assert lock.env == told


def test_target_that_does_not_tell_has_no_platform() -> None:
    assert uv_platform(Target(os="linux")) is None


OWN = Interpreter(version=Version("3.11.7"), path="/usr/bin/python3.11")


def test_this_machine_offers_its_pythons_and_those_that_can_be_fetched() -> None:
    own = Target(os="linux", arch="x86_64")
    found = building_target(own, [OWN], [Version("3.11"), Version("3.12")])
    assert found.pythons == (OWN, Interpreter(version=Version("3.12")))
    assert only_present(found).pythons == (OWN,)
    assert only_present(own) is own


def test_pythons_of_a_target_stay_the_only_ones() -> None:
    said = Target(os="linux", arch="x86_64", pythons=(Interpreter(version=Version("3.11")),))
    assert building_target(said, [OWN], [Version("3.12")]).pythons == (OWN,)
    assert building_target(said, [], [Version("3.11")]).pythons == said.pythons


def test_another_system_cannot_be_built_for() -> None:
    with pytest.raises(UsageError, match="windows"):
        check_buildable(Target(os="windows", arch="x86_64"), Target(os="linux", arch="x86_64"))
    check_buildable(Target(os="linux"), Target(os="linux", arch="x86_64"))


def test_index_with_and_without_a_name() -> None:
    assert parse_index("https://a/simple?x=y") == Index(name="", url="https://a/simple?x=y")
    assert parse_index("pytorch-cu126=https://a/x=y") == Index(name="pytorch-cu126", url="https://a/x=y")
    for text in ("", "--flag", "pytorch-cu126=", "name=ftp://a", "https://a b"):
        with pytest.raises(UsageError):
            parse_index(text)


def test_a_name_of_the_plan_gets_another_address() -> None:
    mirror = Index(name="pytorch-cu126", url="https://user:secret@mirror/cu126")
    extra = Index(name="", url="https://extra/simple")
    found, rest = with_addresses(plan(), (mirror, extra))
    assert found.indexes == (Index(name="default"), mirror)
    assert rest == (extra,)
    assert without_secrets(found).indexes[1].url == "https://mirror/cu126"


def test_another_address_of_an_index_that_is_not_used_is_no_further_index() -> None:
    unused = Index(name="pytorch-cpu", url="https://mirror/cpu")
    default = Index(name="default", url="https://mirror/all")
    known = (Index(name="default"), Index(name="pytorch-cpu", url="https://origin/cpu"))
    assert with_addresses(plan(), (unused, default), known) == (plan(), (default,))


def test_procedure_ends_at_the_place() -> None:
    passport = Passport(dlsetup="0", tool="uv", plan=plan())
    shown = environment_procedure(plan(), PLACE, Means(), passport)
    assert ("mv", PLACE.work, PLACE.final) in calls(shown.steps)
    assert PLACE.final in shown.title


@given(
    st.text(st.characters(exclude_characters="\r\0", exclude_categories=("Cs",)), max_size=60),
    st.lists(
        st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=12), max_size=3
    ),
)
def test_script_writes_and_quotes_whatever_it_is_given(text: str, words: list[str]) -> None:
    steps = (
        Write(path="/x/it's $(here)", text=text, why="a\nb"),
        Run(argv=("printf", "%s", *words), why="say"),
        Tell(text="reboot", commands=("reboot",)),
    )
    script = shell_script(Procedure(title="t", steps=steps))
    end = re.search(r"<<'(END_*)'\n", script)
    assert end is not None
    body = script.partition(f"<<'{end[1]}'\n")[2].partition(f"{end[1]}\n\n")[0]
    assert body in (text, f"{text}\n")
    assert shlex.join(("printf", "%s", *words)) in script


def test_script_is_understood_by_a_shell() -> None:
    steps = (Run(argv=("printf", "%s", "a'b $(c)"), why="say", env=(("A", "x y"),)),)
    script = shell_script(Procedure(title="t", steps=steps))
    finished = subprocess.run(["sh"], input=script, capture_output=True, text=True, check=True)
    assert finished.stdout == "a'b $(c)"
