"""What uv refused and `resolve` took for granted: it must not come back."""

from __future__ import annotations

import pytest

from dlsetup.catalog.load import load
from dlsetup.intake.target import parse
from dlsetup.intake.wish import parse_python, parse_wanted
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.model.wish import Wish
from dlsetup.resolve import resolve

H100 = 'os=linux,arch=x86_64,glibc=2.35,driver=580.65.06,gpu="H100"'


def answer(words: str, target: str, python: str = "3.12") -> Plan | Conflict:
    wish = Wish(wanted=(parse_wanted(words),), python=parse_python(python))
    return resolve(wish, parse(target), load([wish.wanted[0].framework]))


def test_vllm_has_the_pythons_of_its_torchvision() -> None:
    assert isinstance(answer("vllm==0.6.5", H100), Plan)
    found = answer("vllm==0.6.5", H100, "3.13")
    assert isinstance(found, Conflict)
    assert any("torchvision 0.20.1" in clause.text for clause in found.core)


def test_vllm_and_its_torchvision_come_from_one_index() -> None:
    found = answer("vllm==0.33.0", H100)
    assert isinstance(found, Plan)
    assert {(pick.variant, pick.index) for pick in found.picks} == {("cu130", "default")}
    assert {"vllm", "torch", "torchvision", "torchaudio"} <= {pick.framework for pick in found.picks}


def test_torch_npu_takes_the_torch_that_bears_its_local_version() -> None:
    found = answer("torch-npu==2.9.0.post6", 'os=linux,arch=x86_64,glibc=2.35,gpu="Ascend 910B"')
    assert isinstance(found, Plan)
    assert "torch==2.9.0+cpu" in found.requirements
    assert ("torch", "pytorch-cpu") in found.sources


@pytest.mark.parametrize(
    ("companion", "backend", "python"),
    [
        ("torchaudio==2.9.1", "torch", "3.14"),
        ("lightning==2.2.4", "torch", "3.12"),
        ("optax==0.2.1", "jax", "3.12"),
    ],
)
def test_keras_runs_on_what_comes_along_anyway(companion: str, backend: str, python: str) -> None:
    words = (companion, "keras>=3.1")
    wish = Wish(wanted=tuple(map(parse_wanted, words)), python=parse_python(python))
    names = [item.framework for item in wish.wanted]
    found = resolve(wish, parse("os=linux,arch=x86_64,glibc=2.39,gpu=none,driver=none"), load(names))
    assert isinstance(found, Plan), found
    picks = {pick.framework for pick in found.picks}
    assert backend in picks
    assert "tensorflow" not in picks
