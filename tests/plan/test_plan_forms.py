"""Files of a project: hostile names change no meaning, and what is not the plan's stays to the byte."""

from __future__ import annotations

import difflib
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import tomli
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from dlsetup.act.uv import find_uv
from dlsetup.intake.pixi_file import parse_pixi
from dlsetup.intake.project_file import parse_project
from dlsetup.intake.requirements_file import parse_requirements
from dlsetup.intake.target import parse
from dlsetup.model.framework import Index
from dlsetup.model.locked import LockNote
from dlsetup.model.resolution import Compiled, Pick, Plan
from dlsetup.model.target import Target
from dlsetup.plan.draft import Draft, FileText, Unreadable, project_name
from dlsetup.plan.form_pixi import pixi_workspace
from dlsetup.plan.form_requirements import pylock, requirements
from dlsetup.plan.form_uv import uv_project

LINUX = "os=linux,arch=x86_64,glibc=2.35"
CUDA = "https://download.pytorch.org/whl/cu130"
LOCK = """\
lock-version = "1.0"
requires-python = "==3.12.*"
[[packages]]
name = "torch"
version = "2.15.0+cu130"
wheels = [{ url = "https://f.example/torch-2.15.0%2Bcu130-py3-none-any.whl", hashes = { sha256 = "aa" } }]
[[packages]]
name = "numpy"
version = "2.3.5"
wheels = [{ url = "https://f.example/numpy-2.3.5-py3-none-any.whl", hashes = { sha256 = "bb" } }]
"""


def plan(*requirements: str, words: str = LINUX, name: str = "node", **changes: Any) -> Plan:
    wanted = requirements or ("torch==2.15.0+cu130",)
    picks = tuple(
        Pick(
            framework=canonicalize_name(Requirement(text).name),
            version=Version(str(Requirement(text).specifier).removeprefix("==") or "1"),
            variant="cu130",
            index="pytorch-cu130" if "+cu130" in text else "default",
            requirement=text,
        )
        for text in wanted
        if "==" in text
    )
    target: Target = parse(words)
    given_ = {
        "target": replace_name(target, name),
        "python": Version("3.12"),
        "picks": picks,
        "requirements": wanted,
        "indexes": (Index(name="default"), Index(name="pytorch-cu130", url=CUDA)),
        "sources": tuple((item.framework, item.index) for item in picks),
    }
    return Plan(**{**given_, **changes})


def replace_name(target: Target, name: str) -> Target:
    from msgspec.structs import replace

    return replace(target, name=name)


def draft(*plans: Plan, **parts: Any) -> Draft:
    note = LockNote(version="0.1.0", python=Version("3.12"))
    return Draft(plans=plans or (plan(),), lock=LOCK, note=note, **parts)


def only(files: tuple[FileText, ...], name: str) -> FileText:
    return next(item for item in files if item.name == name)


def on(form: Any, text: str, *plans: Plan, name: str, **parts: Any) -> FileText:
    return only(form(draft(*plans, present=((name, text),), **parts)), name)


def uv_on(text: str, *plans: Plan, **parts: Any) -> FileText:
    return on(uv_project, text, *plans, name="pyproject.toml", **parts)


def pixi_on(text: str, *plans: Plan, **parts: Any) -> FileText:
    return on(pixi_workspace, text, *plans, name="pixi.toml", **parts)


def removed(before: str, after: str) -> list[str]:
    rows = difflib.ndiff(before.splitlines(), after.splitlines())
    return [row[2:] for row in rows if row.startswith("- ")]


PROJECT = """\
# top of the file

[build-system]
requires = ['hatchling']   # single quotes

[project]
version = "1.0"
name = 'lab'  # keep
requires-python = "==3.12.*"
dependencies = [
  # the framework
  "Torch[opt_einsum]>=2.0",  # behind it
  'rich',
\t"numpy<3" ,
]

[project.optional-dependencies]
more = ["torch-geometric"]

[dependency-groups]
dev = ["pytest", {include-group = "x"}]
x = []

[tool.uv]
dev-dependencies = []
constraint-dependencies = ["six<2"]

[[tool.uv.index]]
url = "https://mirror.example/simple"
default = true

[tool.ruff]
line-length = 99
# the end"""


def test_of_a_project_only_what_the_plan_decides_is_changed() -> None:
    file = uv_on(PROJECT, plan("torch==2.15.0+cu130", "numpy", constraints=("protobuf<7",)))
    assert removed(PROJECT, file.text) == [
        '  "Torch[opt_einsum]>=2.0",  # behind it',
        'constraint-dependencies = ["six<2"]',
    ]
    found = tomli.loads(file.text)
    assert found["project"]["dependencies"] == ["Torch[opt_einsum]==2.15.0+cu130", "rich", "numpy<3"]
    assert found["tool"]["uv"]["constraint-dependencies"] == ["six<2", "protobuf<7"]
    assert found["tool"]["uv"]["index"][1] == {"name": "pytorch-cu130", "url": CUDA, "explicit": True}
    assert found["tool"]["uv"]["sources"] == {"torch": {"index": "pytorch-cu130"}}
    assert (
        uv_on(file.text, plan("torch==2.15.0+cu130", "numpy", constraints=("protobuf<7",))).text == file.text
    )


def test_an_index_by_another_name_is_used_as_it_is_called() -> None:
    text = f'[[tool.uv.index]]\nname = "ours"\nurl = "{CUDA}/"\nexplicit = true\n'
    found = tomli.loads(uv_on(text).text)["tool"]["uv"]
    assert len(found["index"]) == 1
    assert found["sources"]["torch"] == {"index": "ours"}


def test_a_mirror_under_the_name_stays_and_is_told() -> None:
    text = '[[tool.uv.index]]\nname = "pytorch-cu130"\nurl = "https://mirror.example/x"\n'
    file = uv_on(text)
    assert tomli.loads(file.text)["tool"]["uv"]["index"][0]["url"] == "https://mirror.example/x"
    assert any("stands as it was" in note for note in file.notes)


def test_indexes_as_an_array_get_a_row() -> None:
    file = uv_on('[tool.uv]\nindex = [{ name = "a", url = "https://a.example" }]\n')
    assert [item["name"] for item in tomli.loads(file.text)["tool"]["uv"]["index"]] == ["a", "pytorch-cu130"]


def test_markers_for_other_platforms_stay() -> None:
    text = """\
[project]
name = "x"
dependencies = ["torch==2.1 ; sys_platform == 'darwin'", "torch>=2 ; sys_platform == 'linux'", "torch>=1"]
[tool.uv.sources]
torch = [
  { index = "mac", marker = "sys_platform == 'darwin'" },
  { index = "old", marker = "sys_platform == 'linux'" },
]
"""
    file = uv_on(text)
    found = tomli.loads(file.text)
    assert found["project"]["dependencies"] == [
        "torch==2.1 ; sys_platform == 'darwin'",
        "torch==2.15.0+cu130 ; sys_platform == 'linux'",
    ]
    rows = found["tool"]["uv"]["sources"]["torch"]
    assert {row["index"] for row in rows} == {"mac", "pytorch-cu130"}
    assert all("marker" in row for row in rows)
    assert uv_on(file.text).text == file.text


def test_a_source_of_the_user_is_left_and_told() -> None:
    for source in ('{ path = "../torch" }', '{ git = "https://host.example/torch" }'):
        file = uv_on(f"[tool.uv.sources]\ntorch = {source}\n")
        assert f"torch = {source}" in file.text
        assert any("not from the plan's index" in note for note in file.notes)


def test_a_source_for_an_extra_is_the_users_own() -> None:
    text = '[tool.uv.sources]\ntorch = [{ index = "a", extra = "cpu" }, { index = "b" }]\n'
    rows = tomli.loads(uv_on(text).text)["tool"]["uv"]["sources"]["torch"]
    assert {"index": "a", "extra": "cpu"} in rows
    assert [row["index"] for row in rows if "extra" not in row] == ["pytorch-cu130"]


TWINS = (("onnxruntime", "onnxruntime"), ("onnxruntime-gpu", "onnxruntime"))


def test_another_name_of_a_framework_gives_way() -> None:
    """Two packages that own the same files must never stand beside each other."""
    gpu = plan("onnxruntime-gpu[cuda]==1.31.1", "rich")
    project = '[project]\nname = "x"\ndependencies = ["rich", "onnxruntime>=1", "six"]\n'
    file = uv_on(project, gpu, twins=TWINS)
    assert tomli.loads(file.text)["project"]["dependencies"] == [
        "rich",
        "onnxruntime-gpu[cuda]==1.31.1",
        "six",
    ]
    assert any("gives way" in note for note in file.notes)
    assert uv_on(file.text, gpu, twins=TWINS).text == file.text
    pixi = pixi_on('[pypi-dependencies]\nonnxruntime = "*"\n', gpu, twins=TWINS)
    assert set(tomli.loads(pixi.text)["pypi-dependencies"]) == {"onnxruntime-gpu", "rich"}
    lines = on(
        requirements, "onnxruntime\nsix\n", gpu, name="requirements.txt", twins=TWINS
    ).text.splitlines()
    assert lines == ["-c constraints.txt", "onnxruntime-gpu[cuda]==1.31.1", "six", "rich"]


def test_twins_of_two_platforms_stand_beside_each_other() -> None:
    gpu = plan("onnxruntime-gpu[cudnn]==1.31.1")
    mac = plan("onnxruntime==1.31.1", words="os=macos,arch=arm64", name="m")
    more = {"twins": TWINS, "device_extras": frozenset({"cudnn"})}
    file = uv_on('[project]\nname = "x"\ndependencies = ["onnxruntime[x]>=1"]\n', gpu, mac, **more)
    names_ = [text.partition("=")[0] for text in tomli.loads(file.text)["project"]["dependencies"]]
    assert names_ == ["onnxruntime-gpu[cudnn,x]", "onnxruntime[x]"]
    assert uv_on(file.text, gpu, mac, **more).text == file.text
    pixi = tomli.loads(pixi_on('[pypi-dependencies]\nonnxruntime = "*"\n', gpu, mac, **more).text)
    assert pixi["pypi-dependencies"] == {}
    assert list(pixi["target"]["linux-64"]["pypi-dependencies"]) == ["onnxruntime-gpu"]
    assert list(pixi["target"]["osx-arm64"]["pypi-dependencies"]) == ["onnxruntime"]


PARTS = """\
[project]
name = "x"
dependencies = ["rich"]
[project.optional-dependencies]
Train_Set = ["torch>=2", "tqdm"]
other = ["torch<2"]
[dependency-groups]
dev = ["pytest", { include-group = "more" }]
more = []
"""


def test_what_stands_in_an_extra_stays_there() -> None:
    wanted = plan("torch==2.15.0+cu130", "rich", "tqdm")
    file = uv_on(PARTS, wanted, parts=(("extra", "train-set"), ("group", "dev")))
    project = tomli.loads(file.text)["project"]
    assert project["dependencies"] == ["rich"]
    assert project["optional-dependencies"] == {
        "Train_Set": ["torch==2.15.0+cu130", "tqdm"],
        "other": ["torch<2"],
    }
    assert [note for note in file.notes if "extra" in note] == [
        "torch stands in the extra `other` too, as it was"
    ]
    main = tomli.loads(uv_on(PARTS, wanted).text)["project"]
    assert main["dependencies"] == ["rich", "torch==2.15.0+cu130", "tqdm"]
    assert main["optional-dependencies"]["Train_Set"] == ["torch>=2", "tqdm"]


def test_an_index_of_ours_goes_with_what_was_bound_to_it() -> None:
    first = uv_on(PROJECT)
    other = plan("torch==2.15.0")
    file = uv_on(first.text, other)
    uv = tomli.loads(file.text)["tool"]["uv"]
    assert [item.get("name") for item in uv["index"]] == [None]
    assert uv["sources"] == {}
    foreign = '[[tool.uv.index]]\nname = "mine"\nurl = "https://m.example"\nexplicit = true\n'
    assert foreign.strip() in uv_on(foreign, other).text
    lines = on(requirements, "torch\n", name="requirements.txt").text
    assert "--extra-index-url" in lines
    again = on(
        requirements, f"--extra-index-url https://m.example\n{lines}", other, name="requirements.txt"
    ).text
    assert again.splitlines() == [
        "--extra-index-url https://m.example",
        "-c constraints.txt",
        "torch==2.15.0",
    ]


def test_environments_of_the_user_stay_and_ours_follow_the_plan() -> None:
    text = "[tool.uv]\nenvironments = [\"sys_platform == 'linux'\"]\n"
    file = uv_on(text)
    assert "environments = [\"sys_platform == 'linux'\"]" in file.text
    assert any("environments" in note for note in file.notes)
    ours = uv_on(uv_on("").text, plan(words="os=windows,arch=x86_64"))
    assert "win32" in str(tomli.loads(ours.text)["tool"]["uv"]["environments"])


def test_what_was_asked_once_and_is_no_longer_goes() -> None:
    cpu = uv_on("", cpu=True, allow_cpu=True)
    assert tomli.loads(cpu.text)["tool"]["dlsetup"] == {"cpu": True, "allow-cpu": True}
    assert "dlsetup" not in tomli.loads(uv_on(cpu.text).text)["tool"]


def test_what_is_compiled_is_told_to_uv() -> None:
    pick = Pick(
        framework="flash-attn",
        version=Version("2.8"),
        variant="any",
        index="default",
        requirement="flash-attn==2.8",
        compiled=Compiled(
            distribution="flash-attn",
            version=Version("2.8"),
            requires=("torch", "einops"),
            variables=("MAX_JOBS=4", 'ODD_NAME=a=b "c"'),
        ),
    )
    compiling = plan(picks=(pick,), requirements=("flash-attn==2.8",))
    file = uv_on("", compiling)
    uv = tomli.loads(file.text)["tool"]["uv"]
    assert uv["no-build-isolation-package"] == ["flash-attn"]
    assert uv["dependency-metadata"] == [
        {"name": "flash-attn", "version": "2.8", "requires-dist": ["torch", "einops"]}
    ]
    assert uv["extra-build-variables"]["flash-attn"] == {"MAX_JOBS": "4", "ODD_NAME": 'a=b "c"'}
    assert uv_on(file.text, compiling).text == file.text


def test_a_range_of_pythons_becomes_that_of_the_plan_and_is_told() -> None:
    for known, changed in (
        (">=3.9", True),
        (">=3.12,<3.13", False),
        ("==3.12.4", False),
        ("~=3.12.0", False),
    ):
        file = uv_on(f'[project]\nname = "x"\nrequires-python = "{known}"\n')
        found = tomli.loads(file.text)["project"]["requires-python"]
        assert (found == "==3.12.*", any(known in note for note in file.notes)) == (changed, changed)


PIXI = """\
# a workspace
[project]
name = "lab"   # keep
channels = ["https://prefix.example/conda-forge"]
platforms = ["linux-64", "osx-arm64"]

[dependencies]
python = ">=3.10"
ffmpeg = "*"

[pypi-dependencies]
Torch = { version = ">=2", extras = ["opt_einsum"] }  # behind it
rich = "*"

[tasks]
test = 'pytest -q'

[target.linux-64.pypi-dependencies]
torch = "==2.1"
"""


def test_of_a_workspace_only_what_the_plan_decides_is_changed() -> None:
    file = pixi_on(PIXI)
    found = tomli.loads(file.text)
    assert found["pypi-dependencies"]["Torch"] == {
        "version": "==2.15.0+cu130",
        "extras": ["opt_einsum"],
        "index": CUDA,
    }
    assert "# behind it" in file.text
    assert found["dependencies"] == {"python": "3.12.*", "ffmpeg": "*"}
    assert found["target"]["linux-64"]["pypi-dependencies"] == {}
    assert found["project"]["platforms"][1] == "osx-arm64"
    assert found["tasks"] == {"test": "pytest -q"}
    assert set(removed(PIXI, file.text)) == {
        'platforms = ["linux-64", "osx-arm64"]',
        'python = ">=3.10"',
        'Torch = { version = ">=2", extras = ["opt_einsum"] }  # behind it',
        'torch = "==2.1"',
    }
    assert pixi_on(file.text).text == file.text


def test_a_workspace_that_has_system_requirements_keeps_this_way() -> None:
    gpu = plan(words=f"{LINUX},driver=580.65.06,gpu=A100", cuda=Version("13.0"))
    text = '[workspace]\nname = "x"\nplatforms = ["linux-64"]\n[system-requirements]\ncuda = "12"  # old\n'
    found = tomli.loads(pixi_on(text, gpu).text)
    assert found["workspace"]["platforms"] == ["linux-64"]
    assert found["system-requirements"] == {"cuda": "13.0"}


def test_a_platform_promises_what_all_of_its_targets_have() -> None:
    from dlsetup.model.versions import CudaVersion

    gpu = plan(words=f"{LINUX},driver=580.65.06,gpu=A100", cuda=CudaVersion("13.0"))
    login = plan(
        words="os=linux,arch=x86_64,glibc=2.28,gpu=none,driver=none", cuda=CudaVersion("13.0"), name="l"
    )
    assert tomli.loads(pixi_on("", gpu).text)["workspace"]["platforms"] == [
        {"platform": "linux-64", "cuda": "13.0", "glibc": "2.35"}
    ]
    assert tomli.loads(pixi_on("", gpu, login).text)["workspace"]["platforms"] == [
        {"platform": "linux-64", "glibc": "2.28"}
    ]


def test_bounds_join_what_a_workspace_asks_for() -> None:
    bounded = plan("torch==2.15.0+cu130", constraints=("numpy<2.4",))
    file = pixi_on('[pypi-dependencies]\nnumpy = ">=2"\n', bounded)
    assert set(tomli.loads(file.text)["pypi-dependencies"]["numpy"].split(",")) == {"<2.4", ">=2"}
    assert pixi_on(file.text, bounded).text == file.text


hostile = st.text(
    st.one_of(
        st.sampled_from("\"'\\$`#;&|<>{}[]()\n\r\t\x00\x1b\x7f\u2028\u202eé漢 =,."),
        st.characters(codec="utf-8"),
    ),
    max_size=20,
)
names = st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,10}[A-Za-z0-9])?", fullmatch=True)


@given(hostile)
def test_any_folder_gives_a_project_a_name(folder: str) -> None:
    name = project_name(folder, ["torch"])
    assert Requirement(name).name == name
    assert name != "torch"


@given(target=hostile, words=st.sampled_from([LINUX, "os=windows,arch=x86_64", "os=macos,arch=arm64"]))
def test_names_of_targets_are_remarks_and_nothing_else(target: str, words: str) -> None:
    """They come from the command line and from names of files."""
    plain, odd = draft(plan(words=words, name="n")), draft(plan(words=words, name=target))
    for form in (uv_project, pixi_workspace):
        assert tomli.loads(form(odd)[0].text) == tomli.loads(form(plain)[0].text)
    rows = [
        parse_requirements(only(requirements(item), "constraints.txt").text, "c") for item in (plain, odd)
    ]
    assert rows[0] == rows[1]


addresses = st.one_of(
    st.builds("https://host.example/{}".format, hostile), st.builds("file:///{}/simple".format, hostile)
)


@given(address=addresses, name=names)
def test_addresses_are_values_and_nothing_else(address: str, name: str) -> None:
    index = Index(name=f"i-{name}", url=address)
    made = plan(indexes=(index,), sources=(("torch", index.name),))
    project = tomli.loads(uv_project(draft(made))[0].text)
    assert project["tool"]["uv"]["index"] == [{"name": index.name, "url": address, "explicit": True}]
    assert set(project) == {"project", "tool"}
    pixi = tomli.loads(pixi_workspace(draft(made))[0].text)
    assert pixi["pypi-dependencies"]["torch"]["index"] == address
    further = tomli.loads(pixi_workspace(draft(more=(Index(name="", url=address),)))[0].text)
    assert further["pypi-options"]["extra-index-urls"] == [address]


@given(address=addresses)
def test_an_address_in_requirements_is_one_word(address: str) -> None:
    index = Index(name="i", url=address)
    text = "rich\n"
    made = on(requirements, text, plan(indexes=(index,), sources=(("torch", "i"),)), name="requirements.txt")
    found = parse_requirements(made.text, "r")
    assert [said.text for said in found.requirements] == ["rich", "torch==2.15.0+cu130"]
    assert len(found.indexes) + len(found.left) == 1
    assert [said.text for said in found.bounds] == ["constraints.txt"]


versions = st.from_regex(r"[0-9]{1,3}(\.[0-9]{1,3}){0,2}(rc[0-9])?(\+[a-z0-9]{1,5})?", fullmatch=True)
extras = st.lists(st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,6}[A-Za-z0-9]", fullmatch=True), max_size=3)
markers = st.sampled_from(
    ["", "sys_platform == 'linux'", "python_version >= '3.8'", 'extra == "odd \' sign"', "os_name != 'nt'"]
)


@st.composite
def written(draw: st.DrawFn) -> str:
    listed = draw(extras)
    marker = draw(markers)
    text = f"{draw(names)}{f'[{chr(44).join(listed)}]' if listed else ''}=={draw(versions)}"
    return f"{text} ; {marker}" if marker else text


@given(
    st.lists(
        written(), min_size=1, max_size=4, unique_by=lambda text: canonicalize_name(Requirement(text).name)
    )
)
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_requirements_come_through_and_a_second_run_changes_nothing(wanted: list[str]) -> None:
    made = plan(*wanted, picks=(), sources=())
    for form, name, reader in (
        (uv_project, "pyproject.toml", parse_project),
        (pixi_workspace, "pixi.toml", parse_pixi),
    ):
        first = form(draft(made))[0]
        read = {_same(said.text) for said in reader(first.text, name).requirements}
        if form is uv_project:
            assert read == {_same(text) for text in wanted}
        else:
            # Markers are decided for each platform, and these hold on it or do not.
            assert read <= {_same(text.partition(" ; ")[0]) for text in wanted}
            assert len(read) >= sum(" ; " not in text for text in wanted)
        again = form(draft(made, present=((name, first.text),)))[0]
        assert again.text == first.text


def _same(text: str) -> tuple[str, frozenset[str], str, str]:
    item = Requirement(text)
    kept = frozenset(map(canonicalize_name, item.extras))
    return canonicalize_name(item.name), kept, str(item.specifier), str(item.marker)


LINES = st.lists(
    st.one_of(
        st.sampled_from(
            ["", "# a comment", "-r more.txt", "-e .", "rich", "pandas[all]>=2 ; os_name == 'nt'", "--pre"]
        ),
        st.builds("# {}".format, st.text(st.characters(categories=["L", "P", "Zs"]), max_size=10)),
    ),
    max_size=6,
)


@given(
    before=LINES,
    after=LINES,
    end=st.sampled_from(["\n", "\r\n"]),
    torch=st.sampled_from(
        ["torch", "Torch>=2  # why", "torch \\{end}  >=1", "torch[x]<3 ; sys_platform == 'linux'"]
    ),
)
def test_lines_of_others_stay_to_the_byte(before: list[str], after: list[str], end: str, torch: str) -> None:
    line = torch.replace("{end}", end)
    text = end.join([*before, line, *after])
    file = on(requirements, text, name="requirements.txt")
    kept = [
        row
        for row in re.split(r"\r?\n", file.text)
        if not row.startswith(("# dlsetup", "--extra-index", "-c const"))
    ]
    assert [row for row in kept if "2.15.0+cu130" not in row and row] == [
        row for row in (*before, *after) if row
    ]
    assert sum("2.15.0+cu130" in row for row in kept) == 1
    assert ("# why" in line) == any(row.endswith("cu130  # why") for row in kept)
    assert on(requirements, file.text, name="requirements.txt").text == file.text
    assert not parse_requirements(file.text, "r").left or "-e ." in text or "--pre" in text


@given(st.text(max_size=80))
def test_any_text_is_edited_or_refused(text: str) -> None:
    for form, name in (
        (uv_project, "pyproject.toml"),
        (pixi_workspace, "pixi.toml"),
        (requirements, "requirements.txt"),
        (pylock, "pylock.toml"),
    ):
        try:
            file = on(form, text, name=name)
        except Unreadable:
            continue
        if name.endswith(".toml"):
            tomli.loads(file.text)
        again = on(form, file.text, name=name)
        assert again.text == file.text


KEYS = ["project", "dependencies", "tool", "uv", "index", "sources", "torch", "name", "workspace"]
values = st.recursive(
    st.one_of(st.booleans(), st.integers(-5, 5), st.text(max_size=6)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*KEYS, "pypi-dependencies", "target"]), values, max_size=4))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_toml_of_any_shape_is_edited_or_refused(data: dict[str, Any]) -> None:
    import tomlkit

    text = tomlkit.dumps(data)
    for form, name in ((uv_project, "pyproject.toml"), (pixi_workspace, "pixi.toml")):
        try:
            file = on(form, text, name=name)
        except Unreadable:
            continue
        found = tomli.loads(file.text)
        assert set(data) <= set(found)


@pytest.mark.parametrize(
    ("folder", "index"),
    [
        ('we\'ird "dir" $(touch x)\né', "https://host.example/a'b\"c$(x)`y`\\z#{}"),
        ("torch", "https://host.example/ü漢?x=[1]&y={2}"),
        ("--help", "file:///tmp/a b;c|d"),
    ],
)
def test_uv_itself_reads_the_same_out_of_it(tmp_path: Path, folder: str, index: str) -> None:
    made = plan(
        "torch==2.15.0+cu130",
        "odd-thing[a,b]>=1 ; python_version >= '3.8'",
        indexes=(Index(name="pytorch-cu130", url=index),),
        name=folder,
    )
    name = project_name(folder, ["torch"])
    file = uv_project(draft(made, project=name))[0]
    (tmp_path / "pyproject.toml").write_text(file.text, "utf-8")
    environ = {"UV_OFFLINE": "1", "UV_NO_CONFIG": "1", "UV_CACHE_DIR": str(tmp_path / "cache")}
    uv = find_uv({})
    found = subprocess.run(
        [uv, "lock", "--python", "/nonexistent/python"],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
    )
    # It gets as far as the Python that is not there: nothing in the file stops it.
    assert found.returncode != 0
    assert "nonexistent" in found.stderr
    assert "parse" not in found.stderr.lower()
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "cache") == ["pyproject.toml"]
