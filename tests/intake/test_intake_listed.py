"""Files that list packages: what is read, what is left, and that nothing hostile gets through."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement

from dlsetup.intake.environment_file import parse_environment, specifier_of
from dlsetup.intake.listed import LARGEST, MOST_FILES, read_listed
from dlsetup.intake.lock_file import parse_lock
from dlsetup.intake.project_file import parse_project
from dlsetup.intake.requirements_file import LONGEST, MOST_LINES, parse_requirements
from dlsetup.model.errors import DataError, DlsetupError, UsageError
from dlsetup.model.listing import Listing, Said


def texts(said: tuple[Said, ...]) -> list[str]:
    return [item.text for item in said]


def reasons(listing: Listing) -> dict[str, str]:
    return {item.text: item.because for item in listing.left}


REQUIREMENTS = """\
# what we train with
--extra-index-url https://download.pytorch.org/whl/cu126
-i 'https://user:secret@mirror.example/simple'
torch==2.14.1+cu126 \\
    --hash=sha256:aaaa \\
    --hash=sha256:bbbb
jax[cuda12] ; sys_platform == "linux"  # only there
thing @ git+https://host.example/thing#egg=thing
-r more/base.in
-c bounds.txt
-e .
./here.whl
--pre
pandas>=
token-${TOKEN}==1
"""


def test_lines_of_requirements() -> None:
    found = parse_requirements(REQUIREMENTS, "r.txt")
    assert texts(found.requirements) == [
        "torch==2.14.1+cu126",
        'jax[cuda12] ; sys_platform == "linux"',
        "thing @ git+https://host.example/thing#egg=thing",
    ]
    assert [item.where for item in found.requirements] == [f"r.txt, line {number}" for number in (4, 7, 8)]
    assert texts(found.indexes)[0] == "https://download.pytorch.org/whl/cu126"
    assert texts(found.includes) == ["more/base.in"]
    assert texts(found.bounds) == ["bounds.txt"]
    left = reasons(found)
    assert "source tree" in left["-e ."]
    assert "path or an address" in left["./here.whl"]
    assert "prerelease" in left["--pre"]
    assert "cannot be read" in left["pandas>="]
    assert "variables" in left["token-${TOKEN}==1"]


def test_what_is_left_is_shown_without_secrets_and_escapes() -> None:
    found = parse_requirements("-e git+https://me:secret@host.example/x\nto\x1b[31mrch\n", "r.txt")
    assert [item.text for item in found.left] == [
        "-e git+https://host.example/x",
        "to\\x1b[31mrch",
    ]


@given(st.text(max_size=400))
def test_any_text_gives_requirements_that_can_be_read_and_the_rest_is_left(text: str) -> None:
    found = parse_requirements(text, "r.txt")
    for said in found.requirements:
        Requirement(said.text)
        assert said.text.isprintable()
        assert len(said.text) <= LONGEST
    for left in found.left:
        assert left.because
        assert left.text.isprintable()


@given(
    st.lists(
        st.sampled_from(["torch>=2", "numpy", "jax[cuda12]==0.9.0", "rich ; python_version > '3.9'"]),
        max_size=8,
    ),
    st.sampled_from(["\n", "\r\n", "\r", "\n\n# note\n", " # note\n"]),
)
def test_requirements_come_back_in_their_order(lines: list[str], end: str) -> None:
    found = parse_requirements(end.join(lines), "r.txt")
    assert texts(found.requirements) == lines
    assert not found.left


def test_a_backslash_joins_lines_and_nothing_is_joined_to_a_comment() -> None:
    assert texts(parse_requirements("torch\\\n>=2\n", "r").requirements) == ["torch>=2"]
    assert texts(parse_requirements("# a \\\ntorch\n", "r").requirements) == ["torch"]
    assert texts(parse_requirements("torch \\", "r").requirements) == []


def test_too_many_lines_are_refused() -> None:
    with pytest.raises(DataError, match="lines"):
        parse_requirements("\n" * (MOST_LINES + 1), "r.txt")


def test_included_files_are_read_once_and_from_beside(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "r.txt").write_text("torch\n-r sub/base.txt\n-c bounds.txt\n-r https://host.example/r.txt\n")
    (tmp_path / "sub" / "base.txt").write_text("jax\n-r ../r.txt\n-r lost.txt\n")
    (tmp_path / "bounds.txt").write_text("numpy<2\n")
    found = read_listed(str(tmp_path / "r.txt"))
    assert texts(found.requirements) == ["torch", "jax"]
    assert texts(found.constraints) == ["numpy<2"]
    assert "fetched" in reasons(found)["-r https://host.example/r.txt"]
    assert "no file" in reasons(found)["lost.txt"]


def test_a_chain_of_files_without_end_is_refused(tmp_path: Path) -> None:
    for number in range(MOST_FILES + 5):
        (tmp_path / f"r{number}.txt").write_text(f"-r r{number + 1}.txt\n")
    with pytest.raises(DataError, match="more than"):
        read_listed(str(tmp_path / "r0.txt"))


def test_only_ordinary_files_of_a_sensible_size_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "large.txt").write_bytes(b"#" * (LARGEST + 1))
    for name in ("pipe.txt", "large.txt", "lost.txt", "notes.doc"):
        with pytest.raises(UsageError):
            read_listed(str(tmp_path / name))


def test_files_that_powershell_wrote_are_read(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_bytes("torch==2.14.1\r\n".encode("utf-16"))
    assert texts(read_listed(str(tmp_path / "r.txt")).requirements) == ["torch==2.14.1"]
    (tmp_path / "s.txt").write_bytes(b"\xef\xbb\xbftorch\n\xff\xfe\n")
    assert texts(read_listed(str(tmp_path / "s.txt")).requirements) == ["torch"]


PROJECT = """
[project]
name = "x"
requires-python = ">=3.11"
dependencies = ["torch>=2.9", "rich", "odd odd"]
[project.optional-dependencies]
Train_Set = ["lightning"]
[dependency-groups]
dev = ["pytest", { include-group = "gpu" }]
gpu = ["jax[cuda12]", { include-group = "dev" }]
[tool.uv]
constraint-dependencies = ["numpy<2.3"]
override-dependencies = ["numpy==1"]
[tool.uv.sources]
torch = { index = "pytorch-cu126" }
jax = [{ index = "pytorch-cu126", marker = "sys_platform == 'linux'" }]
rich = { path = "../rich" }
[[tool.uv.index]]
name = "pytorch-cu126"
url = "https://download.pytorch.org/whl/cu126"
explicit = true
[[tool.uv.index]]
url = "https://mirror.example/simple"
"""


def test_a_project_with_its_parts() -> None:
    plain = parse_project(PROJECT, "pyproject.toml")
    assert texts(plain.requirements) == ["torch>=2.9", "rich"]
    assert plain.python == ">=3.11"
    assert texts(plain.constraints) == ["numpy<2.3"]
    assert [(item.distribution, item.marker) for item in plain.sources] == [
        ("torch", ""),
        ("jax", "sys_platform == 'linux'"),
    ]
    assert {item.address.text for item in plain.sources} == {"https://download.pytorch.org/whl/cu126"}
    assert texts(plain.indexes) == ["https://mirror.example/simple"]
    assert set(reasons(plain)) == {"odd odd", "override-dependencies", "rich"}
    whole = parse_project(PROJECT, "pyproject.toml", extras=["train-set"], groups=["DEV"])
    assert texts(whole.requirements) == ["torch>=2.9", "rich", "lightning", "pytest", "jax[cuda12]"]


@pytest.mark.parametrize("part", [{"extras": ["lost"]}, {"groups": ["lost"]}])
def test_a_part_that_is_not_there_is_told_with_those_that_are(part: dict[str, list[str]]) -> None:
    with pytest.raises(UsageError, match="lost") as caught:
        parse_project(PROJECT, "pyproject.toml", **part)
    assert "train-set" in caught.value.hint or "dev" in caught.value.hint


def test_poetry_alone_and_dynamic_dependencies_are_named() -> None:
    found = parse_project('[tool.poetry.dependencies]\ntorch = "^2"\n', "pyproject.toml")
    assert list(reasons(found)) == ["tool.poetry.dependencies"]
    found = parse_project('[project]\nname = "x"\ndynamic = ["dependencies"]\n', "pyproject.toml")
    assert list(reasons(found)) == ["dynamic"]


values = st.recursive(
    st.one_of(st.booleans(), st.integers(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["project", "dependencies", "tool", "uv", "index", "sources", "dependency-groups", "packages", "package"]
)


@given(st.dictionaries(KEYS, st.one_of(values, st.dictionaries(KEYS, values, max_size=3)), max_size=4))
def test_toml_of_any_shape_is_read_or_refused(data: dict[str, object]) -> None:
    text = "".join(f"{_quoted(key)} = {_toml(value)}\n" for key, value in data.items())
    for reader in (parse_project, parse_lock):
        try:
            found = reader(text, "x.toml")
        except DlsetupError:
            continue
        for said in found.requirements:
            Requirement(said.text)


def _quoted(text: str) -> str:
    return (
        '"' + "".join(f"\\U{ord(letter):08x}" for letter in text if not 0xD800 <= ord(letter) < 0xE000) + '"'
    )


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quoted(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return _quoted(str(value))


def test_nested_without_end_is_no_crash() -> None:
    for text in ("a = " + "[" * 20_000, "project = " + "{a=" * 5_000):
        with pytest.raises(DataError):
            parse_project(text, "pyproject.toml")
    with pytest.raises(DataError):
        parse_environment("dependencies: " + "[" * 20_000, "e.yml")


PYLOCK = """
lock-version = "1.0"
created-by = "uv"
requires-python = ">=3.12"
[[packages]]
name = "Torch"
version = "2.14.1+cu126"
[[packages]]
name = "local-tree"
[[packages]]
name = "numpy"
version = "2.2.6"
"""
UVLOCK = """
version = 1
requires-python = ">=3.11"
[[package]]
name = "numpy"
version = "1.26.4"
[[package]]
name = "numpy"
version = "2.2.6"
[[package]]
name = "torch"
version = "2.9.1"
"""


def test_locks_of_both_kinds() -> None:
    found = parse_lock(PYLOCK, "pylock.toml")
    assert texts(found.requirements) == ["numpy==2.2.6", "torch==2.14.1+cu126"]
    assert (found.locked, found.python) == (True, ">=3.12")
    found = parse_lock(UVLOCK, "uv.lock")
    assert texts(found.requirements) == ["torch==2.9.1"]
    assert reasons(found) == {"numpy": "locked in 2 versions"}
    with pytest.raises(DataError, match="no lock"):
        parse_lock("[project]\nname = 'x'\n", "uv.lock")


ENVIRONMENT = """
name: old
channels: [pytorch, nvidia]
dependencies:
  - python=3.11
  - pytorch::pytorch=2.9
  - pytorch-cuda=12.6
  - numpy >=1.26,<2.3
  - scipy 1.11.*
  - blas=*=mkl
  - pip
  - pip:
    - jax==0.9.*
    - --extra-index-url https://download.pytorch.org/whl/cu126
    - -r requirements.txt
    - 3
"""


def test_an_environment_of_conda() -> None:
    found = parse_environment(ENVIRONMENT, "environment.yml")
    assert texts(found.requirements) == [
        "torch==2.9.*",
        "numpy<2.3,>=1.26",
        "scipy==1.11.*",
        "blas",
        "jax==0.9.*",
    ]
    assert (found.python, found.cuda, found.cpu) == ("==3.11.*", "12.6", False)
    assert texts(found.includes) == ["requirements.txt"]
    assert parse_environment("dependencies: [pytorch, cpuonly]", "e.yml").cpu


@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        ("", ""),
        ("=2.1", "==2.1.*"),
        ("==2.1", "==2.1"),
        ("2.1", "==2.1"),
        ("=2.1=py310_cuda", "==2.1"),
        ("==2.1=py310", "==2.1"),
        ("2.1.*", "==2.1.*"),
        (">=2,<3", "<3,>=2"),
        ("*", ""),
    ],
)
def test_versions_as_conda_writes_them(words: str, meaning: str) -> None:
    assert str(specifier_of(words)) == meaning


def test_alternatives_have_no_meaning_for_wheels() -> None:
    assert specifier_of("2.1|2.2") is None
    found = parse_environment("dependencies: ['numpy=1|2']", "e.yml")
    assert list(reasons(found)) == ["numpy=1|2"]


@pytest.mark.parametrize(
    "text",
    ["", "- a", "dependencies: 3", "a: [", "dependencies: &a [*a]", "!!python/object/apply:os.system [id]"],
)
def test_yaml_that_is_no_environment_is_refused(text: str) -> None:
    with pytest.raises(DataError):
        parse_environment(text, "e.yml")


@given(st.text(max_size=200))
def test_any_yaml_is_read_or_refused(text: str) -> None:
    for whole in (text, f"dependencies:\n- {text}", f"dependencies: [{text}]"):
        try:
            found = parse_environment(whole, "e.yml")
        except DataError:
            continue
        for said in found.requirements:
            Requirement(said.text)
