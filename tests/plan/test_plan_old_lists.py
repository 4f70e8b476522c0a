"""Old lists: every entry becomes exactly one thing, whatever signs it holds."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from dlsetup.catalog.conda import conda_packages, old_facts
from dlsetup.intake.old_list import is_command, read_old
from dlsetup.model.conda import CondaWish
from dlsetup.model.errors import DlsetupError
from dlsetup.model.framework import Ended
from dlsetup.model.modernised import ListForm, OldList
from dlsetup.model.resolution import Pick, Plan
from dlsetup.model.target import Target
from dlsetup.model.versions import CudaVersion
from dlsetup.plan.conda import conda_wish, wish_text
from dlsetup.plan.modernise import Choice, modernised
from dlsetup.plan.old_entries import Names, understand
from dlsetup.plan.yaml_edit import edited
from dlsetup.plan.yaml_text import plain_or_quoted, quoted

ENDED = Ended(last=Version("0.18"), when="2024-04-24", instead="something else", source="there")
NAMES = Names(
    facts=old_facts(),
    owners={"torch": "torch", "torchtext": "torchtext"},
    ended={"torchtext": ENDED},
    served={item.distribution for item in conda_packages()},
)
PLAN = Plan(
    target=Target(name="the target"),
    python=Version("3.12"),
    cuda=CudaVersion("12.6"),
    picks=(
        Pick(
            framework="torch",
            version=Version("2.14.1"),
            variant="cu126",
            index="x",
            requirement="torch==2.14.1",
        ),
    ),
    requirements=("torch==2.14.1",),
)
WISH = conda_wish(PLAN, conda_packages(), {"torch": "cuda"})


def modern(old: OldList, form: ListForm = "conda"):  # type: ignore[no-untyped-def]
    choice = Choice(plan=PLAN, wish=WISH, form=form)
    return modernised(old, understand(old, NAMES), choice, old_facts())


ENTRIES = st.lists(
    st.one_of(
        st.text(min_size=1, max_size=30),
        st.sampled_from(
            [
                "pytorch=1.10",
                "torchtext",
                "cudatoolkit=10.2",
                "numpy=1.2=py38_0",
                "cpuonly",
                "python=3.8",
                "x::y>=2",
            ]
        ),
    ),
    max_size=8,
)


@given(
    channels=ENTRIES,
    conda=ENTRIES,
    pip=ENTRIES,
    name=st.text(max_size=12),
    form=st.sampled_from(["conda", "requirements"]),
)
def test_every_entry_of_a_file_becomes_something(
    channels: list[str], conda: list[str], pip: list[str], name: str, form: ListForm
) -> None:
    lines = [
        f"name: {quoted(name)}",
        "channels:",
        *(f"- {quoted(item)}" for item in channels),
        "dependencies:",
    ]
    lines += [f"- {quoted(item)}" for item in conda]
    lines += ["- pip:", *(f"  - {quoted(item)}" for item in pip)]
    text = "\n".join(lines) + "\n"
    old = read_old(text, "it")
    assert [item.text for item in old.entries] == [*channels, *conda, *pip]
    found = modern(old, form)
    assert len(found.changes) == len(old.entries)
    if form == "conda":
        data = yaml.safe_load(found.text)
        assert data.get("name", "") == name
        assert data["channels"][0] == "conda-forge"
        assert {"python=3.12", "cuda-version=12", "pytorch-gpu=2.14"} <= {
            str(item) for item in data["dependencies"]
        }
        assert all(isinstance(item, (str, dict)) for item in data["dependencies"])
        again = yaml.safe_load(edited(text, found, found.text))
        strings = {item for item in data["dependencies"] if isinstance(item, str)}
        assert {item for item in again["dependencies"] if isinstance(item, str)} == strings


@given(text=st.text(max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        old = read_old(text, "it")
    except DlsetupError:
        return
    assert len(modern(old).changes) == len(old.entries)


@given(words=st.lists(st.text(min_size=1, max_size=15), max_size=6))
def test_no_command_breaks_the_reader(words: list[str]) -> None:
    test_no_text = "conda install " + " ".join(words)
    try:
        old = read_old(test_no_text, "it")
    except DlsetupError:
        return
    assert len(modern(old).changes) == len(old.entries)


@given(text=st.text())
def test_quoting_is_yaml(text: str) -> None:
    assert yaml.safe_load(quoted(text)) == text
    assert yaml.safe_load(f"- {plain_or_quoted(text)}\n") == [text]


@given(
    st.lists(st.text(min_size=1, max_size=20)),
    st.lists(st.text(min_size=1, max_size=20)),
    st.text(max_size=9),
)
def test_a_wish_reads_back(packages: list[str], pip: list[str], name: str) -> None:
    wish = CondaWish(
        always=("python=3.12",), packages=tuple(packages), pip=tuple(pip), channels=("conda-forge", *packages)
    )
    data = yaml.safe_load(wish_text(wish, name=name))
    extra = ["pip", {"pip": pip}] if pip else []
    assert data["dependencies"] == ["python=3.12", *packages, *extra]
    assert data["channels"] == ["conda-forge", *packages, "nodefaults"]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("conda install pytorch", True),
        ("(base) $ conda create -n x python", True),
        ("  pip3 install torch", True),
        ("python -m pip install torch", True),
        ("> mamba install x", True),
        ("condai install x", False),
        ("pip", False),
        ("environment.yml", False),
    ],
)
def test_commands_are_told_from_files(text: str, answer: bool) -> None:
    assert is_command(text) is answer


def test_commands_are_split_at_their_ends() -> None:
    first = "conda create -n my-env python=3.8 -y && conda install -n my-env"
    text = f"{first} \\\n  pytorch -cpytorch; pip install 'a b' -e ."
    old = read_old(text, "it")
    assert old.name == "my-env"
    assert [(item.part, item.text) for item in old.entries] == [
        ("conda", "python=3.8"),
        ("conda", "pytorch"),
        ("channel", "pytorch"),
        ("pip", "a b"),
        ("option", "-e ."),
    ]


def test_every_fact_has_a_source_and_a_name_once() -> None:
    facts = old_facts()
    names = [name for item in facts.package for name in item.names]
    assert len(names) == len(set(names))
    for item in (*facts.package, *facts.channel, *facts.python):
        assert item.source.startswith("https://")
        assert len(item.checked) == 10
    for package in facts.package:
        assert package.framework or package.because, package
    assert json.dumps(names)
