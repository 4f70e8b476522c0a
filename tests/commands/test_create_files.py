"""`create files` from outside: the real command, the real uv, tiny wheels."""

from __future__ import annotations

import itertools
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import tomli
import yaml
from packaging.requirements import Requirement
from tiny.command import Command, has_network
from tiny.index import TinyIndex
from tiny.wheels import TinyWheel
from tiny.world import jax

from dlsetup.act.uv import find_uv

Stock = Callable[..., dict[str, Any]]
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
HERE = ("--cpu", "--python", PYTHON)
NODE = ("--target", 'name=node,os=linux,arch=x86_64,glibc=2.35,driver=580.65.06,gpu="A100"')
LOGIN = ("--target", "name=login,os=linux,arch=x86_64,glibc=2.31,gpu=none")
MAC = ("--target", "name=mac,os=macos,arch=arm64,macos=14.5")
WINDOWS = ("--target", "name=desk,os=windows,arch=x86_64,gpu=none")


def created(command: Command, *words: str) -> dict[str, Any]:
    found = command("create", "files", *words, "--json")
    assert "Traceback" not in found.stderr, found.stderr
    document: dict[str, Any] = json.loads(found.stdout)
    return {**document, "exit": found.returncode}


def resolved(command: Command, *words: str) -> dict[str, Any]:
    found = command("resolve", *words, "--json")
    document: dict[str, Any] = json.loads(found.stdout)
    return document


def told(document: dict[str, Any]) -> list[Any]:
    """What makes a plan the same as another, for each target."""
    plans = document["together"]["plans"] if "together" in document else [document["plan"]]
    return [
        (
            plan["python"],
            [(pick["framework"], pick["version"], pick["variant"], pick["index"]) for pick in plan["picks"]],
            plan["indexes"],
        )
        for plan in plans
    ]


def content(command: Command) -> dict[str, str]:
    return {name: (command.home / name).read_text("utf-8") for name in command.entries()}


@pytest.mark.parametrize("form", ["uv", "pixi"])
@pytest.mark.parametrize(
    "words",
    [
        ("torch", "jax", *NODE),
        ("torch", "jax", "onnxruntime", *NODE, *MAC, *WINDOWS),
        ("torch", *NODE, *LOGIN),
        ("tensorflow", "torch", "torchvision", *NODE, "--cuda", "12"),
        ("torch", "jax", *NODE, "--cpu"),
        ("jax", "torch==2.14.1", *MAC, *WINDOWS, "--python", "3.12"),
        ("torch", *NODE, "--python", "3.12", "--cuda", "12.6", "--prefer", "stable"),
        ("torch", "--target", "os=linux,arch=aarch64,glibc=2.39,driver=580.65.06,gpu=GH200", *MAC),
    ],
)
def test_read_back_it_gives_the_same_plan(command: Command, form: str, words: tuple[str, ...]) -> None:
    made = created(command, *words, "--form", form, "--yes")
    assert (made["exit"], made["written"]) == (0, True), made
    (file,) = command.entries()
    places = [word for pair in itertools.pairwise(words) if pair[0] == "--target" for word in pair]
    again = resolved(command, "-r", file, *places)
    assert told(again) == told(made)
    # pixi has no bounds on wheels that nothing asks for: they stand among the requirements.
    assert [_asked(plan, form) for plan in _plans(again)] == [_asked(plan, form) for plan in _plans(made)]


def test_further_packages_of_a_profile_stay_beside_it(command: Command) -> None:
    made = created(command, "--profile", "teaching", *NODE, "--form", "uv", "--yes")
    again = resolved(command, "-r", "pyproject.toml", *NODE)
    # tensorboard is a framework of the catalog, and a further package of the profile.
    (before,), (after,) = told(made), told(again)
    assert set(before[1]) < set(after[1])
    assert {pick[0] for pick in after[1]} - {pick[0] for pick in before[1]} == {"tensorboard"}


def _asked(plan: dict[str, Any], form: str) -> set[str]:
    return {str(Requirement(text)) for text in plan["requirements"]} | (
        set(plan["constraints"]) if form == "pixi" else set()
    )


def _plans(document: dict[str, Any]) -> list[dict[str, Any]]:
    plans: list[dict[str, Any]] = (
        document["together"]["plans"] if "together" in document else [document["plan"]]
    )
    return plans


@pytest.mark.parametrize("form", ["uv", "pixi"])
def test_a_second_run_has_nothing_to_change(command: Command, form: str) -> None:
    words = ("torch", "jax", "onnxruntime", *NODE, *MAC, "--form", form)
    created(command, *words, "--yes")
    before = content(command)
    again = created(command, *words, "--yes")
    assert (again["written"], [item["change"] for item in again["changes"]]) == (False, ["same"])
    assert content(command) == before
    read = created(command, "-r", *before, *NODE, *MAC, "--form", form, "--yes")
    assert [item["change"] for item in read["changes"]] == ["same"], read["changes"]


def test_locked_forms_read_back_and_serve_the_machine(command: Command, stocked: Stock) -> None:
    stocked("torch", *HERE)
    words = ("torch", *HERE, "--form", "pylock", "--form", "requirements", *command.indexes)
    made = created(command, *words, "--yes")
    assert made["exit"] == 0, made
    assert command.entries() == ["constraints.txt", "pylock.toml", "requirements.txt"]
    assert (command.home / "constraints.txt").read_text().splitlines()[1:] == _versions(command)
    for file in ("pylock.toml", "requirements.txt"):
        assert told(resolved(command, "-r", file))[0][:2] == told(made)[0][:2]
        assert command("check-lock", file).returncode == 0
        other = command("check-lock", file, "--target", "os=macos,arch=arm64,macos=14.5", "--json")
        found = {item["id"] for item in json.loads(other.stdout)["findings"]}
        assert (other.returncode, "lock-platform" in found) == (1, True)
    _install(command, "-r", "requirements.txt", "-c", "constraints.txt")
    again = created(command, *words, "--yes")
    assert [item["change"] for item in again["changes"]] == ["same"] * 3


def test_locked_forms_of_two_platforms_read_back(command: Command, tiny_index: TinyIndex) -> None:
    words = ("jax", *LOGIN, *MAC, "--python", "3.12")
    version = resolved(command, *words)["together"]["plans"][0]["picks"][0]["version"]
    tiny_index.add("default", jax(version))
    for name, number in (("numpy", "2.3.5"), ("jaxlib", version)):
        tiny_index.add("default", [TinyWheel(name, number, "cp312-cp312-macosx_14_0_arm64")])
        tiny_index.add("default", [TinyWheel(name, number, "cp312-cp312-manylinux_2_28_x86_64")])
    made = created(command, *words, "--form", "pylock", "--form", "requirements", "--yes")
    assert made["exit"] == 0, made
    for file in ("pylock.toml", "requirements.txt"):
        assert told(resolved(command, "-r", file, *LOGIN, *MAC)) == told(made)


def test_a_cpu_build_is_read_back_where_there_is_a_gpu(command: Command, tiny_index: TinyIndex) -> None:
    """jax has the same wheel for both: only the note tells."""
    words = ("jax", *NODE, "--cpu", "--python", "3.12")
    version = resolved(command, *words)["plan"]["picks"][0]["version"]
    tiny_index.add("default", jax(version))
    tiny_index.add("default", [TinyWheel("jaxlib", version, "cp312-cp312-manylinux_2_28_x86_64")])
    tiny_index.add("default", [TinyWheel("numpy", "2.3.5", "cp312-cp312-manylinux_2_28_x86_64")])
    forms = [word for form in ("uv", "pixi", "pylock", "requirements") for word in ("--form", form)]
    made = created(command, *words, *forms, "--yes")
    assert made["exit"] == 0, made
    for file in ("pyproject.toml", "pixi.toml", "pylock.toml", "requirements.txt"):
        assert told(resolved(command, "-r", file, *NODE)) == told(made), file


def test_uv_locks_and_would_install_the_project(command: Command, stocked: Stock) -> None:
    plan = stocked("torch", *HERE)
    made = created(command, "torch", *HERE, "--form", "uv", *command.indexes, "--yes")
    assert made["exit"] == 0, made
    _uv(command, "lock", "--python", PYTHON)
    lock = tomli.loads((command.home / "uv.lock").read_text())
    torch = next(item for item in lock["package"] if item["name"] == "torch")
    assert torch["source"]["registry"].rstrip("/") in " ".join(command.indexes)
    assert torch["version"] == plan["picks"][0]["requirement"].partition("==")[2]
    numpy_ = next(item for item in lock["package"] if item["name"] == "numpy")
    assert numpy_["source"]["registry"] != torch["source"]["registry"]
    told_ = _uv(command, "sync", "--dry-run", "--python", PYTHON).stderr
    assert f"torch=={torch['version']}" in told_


def test_uv_locks_a_project_of_two_platforms(command: Command, tiny_index: TinyIndex) -> None:
    words = ("torch", *NODE, *MAC, "--python", PYTHON)
    made = created(command, *words, "--form", "uv", "--yes")
    picks = [plan["picks"][0] for plan in made["together"]["plans"]]
    cp = f"cp{PYTHON.replace('.', '')}"
    version = picks[0]["requirement"].partition("==")[2]
    tiny_index.add(picks[0]["index"], [TinyWheel("torch", version, f"{cp}-{cp}-manylinux_2_28_x86_64")])
    tiny_index.add("default", [TinyWheel("torch", picks[1]["version"], f"{cp}-{cp}-macosx_14_0_arm64")])
    address = tiny_index.address(picks[0]["index"])
    again = created(
        command, *words, "--form", "uv", "--force", "--yes", "--index", f"{picks[0]['index']}={address}"
    )
    assert "stood as it was" in str(again["changes"]) or "stands as it was" in str(again["changes"])
    (command.home / "pyproject.toml").unlink()
    created(command, *words, "--form", "uv", "--yes", "--index", f"{picks[0]['index']}={address}")
    _uv(command, "lock", "--python", PYTHON)
    lock = tomli.loads((command.home / "uv.lock").read_text())
    found = {
        item["version"]: item["source"]["registry"] for item in lock["package"] if item["name"] == "torch"
    }
    assert set(found) == {version, picks[1]["version"]}
    assert found[version].rstrip("/") == address.rstrip("/")


REQUIREMENTS = """\
# what we train with
-r more.txt
Torch>=2.0  # the framework
rich
jax[cuda12] ; sys_platform == 'darwin'
"""


def test_requirements_of_a_person_are_edited_line_by_line(command: Command, stocked: Stock) -> None:
    plan = stocked("torch", *HERE)
    (command.home / "requirements.txt").write_text(REQUIREMENTS)
    (command.home / "constraints.txt").write_text("# ours\nnumpy<3  # why\nsix<2\n")
    words = ("torch", *HERE, "--form", "requirements", *command.indexes)
    made = created(command, *words, "--yes")
    assert made["exit"] == 0, made
    pin = plan["picks"][0]["requirement"].partition("==")[2]
    lines = (command.home / "requirements.txt").read_text().splitlines()
    assert [line for line in lines if not line.startswith(("# dlsetup", "--extra-index-url"))] == [
        "# what we train with",
        "-r more.txt",
        "-c constraints.txt",
        f"Torch=={pin}  # the framework",
        "rich",
        "jax[cuda12] ; sys_platform == 'darwin'",
    ]
    bounds = (command.home / "constraints.txt").read_text().splitlines()
    assert bounds[0] == "# ours"
    assert bounds[1].startswith("numpy==")
    assert bounds[1].endswith("  # why")
    assert bounds[2:] == ["six<2", f"torch=={pin}"]
    again = created(command, *words, "--yes")
    assert [item["change"] for item in again["changes"]] == ["same", "same"]


def test_nothing_is_written_unasked(command: Command) -> None:
    words = ("torch", *NODE, "--form", "uv", "--form", "pixi")
    dry = created(command, *words, "--dry-run")
    assert (dry["exit"], dry["written"], len(dry["changes"])) == (0, False, 2)
    refused = created(command, *words)
    assert (refused["exit"], refused["error"]["code"]) == (2, "usage")
    assert command.entries() == []


@pytest.mark.parametrize("answer", ["n\n", "\n", ""])
def test_who_says_no_keeps_the_files(command: Command, terminal: tuple[int, int], answer: str) -> None:
    inner, outer = terminal[1], terminal[0]
    before = '[project]\nname = "x"\n'
    (command.home / "pyproject.toml").write_text(before)
    argv = command.argv("create", "files", "torch", *NODE, "--form", "uv")
    with subprocess.Popen(
        argv,
        cwd=command.home,
        env=command.environ,
        stdin=inner,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        os.write(outer, (answer or "\x04").encode())
        out, err = process.communicate(timeout=60)
    os.close(inner)
    os.close(outer)
    assert process.returncode == 130, err
    assert b"Write 1 file?" in err
    assert b'+    "torch==' in out
    assert (command.home / "pyproject.toml").read_text() == before


def test_all_files_or_none(command: Command) -> None:
    if os.geteuid() == 0:
        (command.home / "pixi.toml").mkdir()
    else:
        (command.home / "pixi.toml").write_text("")
        (command.home / "pixi.toml").chmod(stat.S_IRUSR)
    made = created(command, "torch", *NODE, "--form", "uv", "--form", "pixi", "--yes")
    assert made["exit"] in (2, 3)
    assert command.entries() == ["pixi.toml"]


@pytest.mark.parametrize(
    ("name", "form", "text"),
    [
        ("pyproject.toml", "uv", b"[project\n"),
        ("pyproject.toml", "uv", b"\xff\xfe\x00"),
        ("pyproject.toml", "uv", b"project = 1\n"),
        ("pyproject.toml", "uv", b'[project]\nname = "x"\ndynamic = ["dependencies"]\n'),
        ("pyproject.toml", "uv", b'[tool.poetry.dependencies]\ntorch = "^2"\n'),
        ("pyproject.toml", "uv", b'[project]\nname = "x"\ndependencies = "torch"\n'),
        ("pyproject.toml", "uv", b'[project]\nname = "x"\n[tool]\nuv = 3\n'),
        ("pixi.toml", "pixi", b"a = \n"),
        ("pixi.toml", "pixi", b'[workspace]\nchannels = "conda-forge"\n'),
    ],
)
def test_what_cannot_be_edited_is_replaced_only_by_force(
    command: Command, name: str, form: str, text: bytes
) -> None:
    (command.home / name).write_bytes(text)
    refused = created(command, "torch", *NODE, "--form", form, "--yes")
    assert (refused["exit"], "--force" in refused["error"]["hint"]) == (4, True), refused
    assert (command.home / name).read_bytes() == text
    made = created(command, "torch", *NODE, "--form", form, "--yes", "--force")
    assert made["written"]
    assert "torch" in str(tomli.loads((command.home / name).read_text()))


def test_a_lock_of_another_tool_is_not_edited(command: Command, stocked: Stock) -> None:
    stocked("torch", *HERE)
    (command.home / "requirements.txt").write_text("torch==2.0 --hash=sha256:00\n")
    (command.home / "pylock.toml").write_text('lock-version = "1.0"\npackages = []\n')
    for form in ("requirements", "pylock"):
        made = created(command, "torch", *HERE, "--form", form, *command.indexes, "--yes")
        assert (made["exit"], "--force" in made["error"]["hint"]) == (4, True)


@pytest.mark.parametrize(
    "words",
    [
        ("torch",),
        ("torch", "--form", "poetry"),
        ("torch", "--form", "uv", "--into", "lost"),
        ("torch", "--form", "uv", "--conda-forge"),
        ("torch", "--form", "uv", "--index", "nonsense"),
        ("torch", "--form", "pixi", "--target", "driver=580.65.06"),
        ("torch", "--form", "uv", "--target", "name=a,driver=580.65.06", "--target", "name=b,os=linux"),
        ("tensorrt", "torch", "--form", "pixi", "--conda-forge", *NODE),
    ],
)
def test_what_cannot_be_understood_is_told(command: Command, words: tuple[str, ...]) -> None:
    made = created(command, *words, "--yes")
    assert (made["exit"], made["error"]["code"]) == (2, "usage"), made
    assert made["schema"] == "dlsetup.create-files/1"
    assert command.entries() == []


def test_a_conflict_writes_nothing(command: Command) -> None:
    target = 'os=linux,arch=x86_64,glibc=2.35,driver=390.48,gpu="RTX 4090"'
    made = created(command, "torch", "--target", target, "--form", "uv", "--yes")
    assert (made["exit"], bool(made["conflict"]["core"])) == (1, True)
    assert command.entries() == []


def test_builds_of_conda_forge_and_their_reading_back(command: Command) -> None:
    words = ("torch", "torchvision", *NODE, "--form", "pixi", "--conda-forge")
    made = created(command, *words, "--yes")
    assert made["exit"] == 0, made
    pixi = tomli.loads((command.home / "pixi.toml").read_text())
    line = ".".join(made["plan"]["picks"][0]["version"].split(".")[:2])
    assert pixi["dependencies"]["pytorch-gpu"] == f"{line}.*"
    assert pixi["dependencies"]["cuda-version"] == "13.*"
    assert "pypi-dependencies" not in pixi
    again = resolved(command, "-r", "pixi.toml", *NODE)
    assert [pick[:3] for pick in told(again)[0][1]] == [pick[:3] for pick in told(made)[0][1]]
    assert {pick["index"] for pick in made["plan"]["picks"]} == {"conda-forge"}
    assert any("patch releases" in note for note in made["notes"])
    assert [item["change"] for item in created(command, *words, "--yes")["changes"]] == ["same"]


def test_passwords_are_not_written(command: Command) -> None:
    index = "pytorch-cu130=https://me:secret@mirror.example/cu130"
    more = "https://you:hidden@more.example/simple"
    forms = ("--form", "uv", "--form", "pixi")
    made = created(command, "torch", *NODE, *forms, "--index", index, "--index", more, "--yes")
    assert made["exit"] == 0, made
    assert len(made["notes"]) == 2
    for text in (*content(command).values(), json.dumps(made)):
        assert "secret" not in text
        assert "hidden" not in text
        assert "mirror.example/cu130" in text


def _versions(command: Command) -> list[str]:
    lock = tomli.loads((command.home / "pylock.toml").read_text())
    return sorted(f"{item['name']}=={item['version']}" for item in lock["packages"])


def _install(command: Command, *words: str) -> None:
    _uv(command, "venv", "--quiet", "--python", PYTHON, "env")
    _uv(command, "pip", "install", "--python", "env", *words)
    for path in sorted((command.home / "env").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    (command.home / "env").rmdir()


def _uv(command: Command, *words: str) -> subprocess.CompletedProcess[str]:
    uv = find_uv(command.environ)
    environ = {**command.environ, "UV_PREVIEW_FEATURES": "pylock"}
    found = subprocess.run(
        [uv, *words], cwd=command.home, env=environ, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    return found


@pytest.mark.network
def test_the_real_registry_locks_and_would_install_jax(command: Command) -> None:
    if not has_network():
        pytest.skip("uv reaches no package index with the configuration of this machine")
    kept = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
    command.environ = {**os.environ, **{name: command.environ[name] for name in kept}}
    command.environ.pop("VIRTUAL_ENV", None)
    made = created(
        command, "jax", "--cpu", "--python", PYTHON, "--form", "uv", "--form", "requirements", "--yes"
    )
    assert made["exit"] == 0, made
    _uv(command, "lock", "--python", PYTHON)
    version = made["plan"]["picks"][0]["version"]
    assert f"jax=={version}" in _uv(command, "sync", "--dry-run", "--python", PYTHON).stderr
    locked = tomli.loads((command.home / "uv.lock").read_text())["package"]
    bounds = (command.home / "constraints.txt").read_text()
    for item in locked:
        if item["name"] in ("jax", "jaxlib"):
            assert f"{item['name']}=={item['version']}\n" in bounds


def test_an_environment_for_conda_gives_its_plan_back(command: Command) -> None:
    made = created(command, "torch", "torchvision", *NODE, "--form", "conda", "--yes")
    assert made["written"], made
    text = (command.home / "environment.yml").read_text()
    file = yaml.safe_load(text)
    assert file["channels"] == ["conda-forge", "nodefaults"]
    assert {"pytorch-gpu=2.15", "cuda-version=13"} <= set(file["dependencies"]), text
    again = resolved(command, "-r", "environment.yml", *NODE)
    versions = {pick["framework"]: (pick["version"], pick["variant"]) for pick in again["plan"]["picks"]}
    assert versions == {pick["framework"]: (pick["version"], pick["variant"]) for pick in _picks(command)}
    assert not created(command, "torch", "torchvision", *NODE, "--form", "conda", "--yes")["written"]


def _picks(command: Command) -> list[dict[str, Any]]:
    picks: list[dict[str, Any]] = resolved(command, "torch", "torchvision", *NODE)["plan"]["picks"]
    return picks


def test_an_environment_for_conda_is_of_one_kind_of_machine(command: Command) -> None:
    both = created(command, "torch", *NODE, *MAC, "--form", "conda", "--yes")
    assert (both["exit"], "pixi" in both["error"]["hint"]) == (2, True), both
    (command.home / "environment.yml").write_text("dependencies: [numpy]\n")
    other = created(command, "torch", *NODE, "--form", "conda", "--yes")
    assert (other["exit"], "import environment.yml" in other["error"]["message"]) == (4, True), other
    assert (command.home / "environment.yml").read_text() == "dependencies: [numpy]\n"
