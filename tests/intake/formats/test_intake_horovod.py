"""`horovodrun --check-build`, and rows of `pip list` without their head."""

from __future__ import annotations

import pytest

from dlsetup.intake.fact import Fact
from dlsetup.intake.formats.horovod import check_build
from dlsetup.intake.formats.pip_columns import rows
from dlsetup.intake.page import Page
from dlsetup.intake.reading import facts_of

BUILD = """$ horovodrun --check-build
Horovod v0.28.1:

Available Frameworks:
    [ ] TensorFlow
    [X] PyTorch

Available Tensor Operations:
    [X] NCCL
    [ ] DDL
"""


def facts(text: str) -> list[Fact]:
    return [item for item in facts_of(Page(text, "paste.txt"), (check_build, rows)) if isinstance(item, Fact)]


def test_what_horovod_was_built_for() -> None:
    seen = {item.value.subject: item.value.value for item in facts(BUILD) if item.about == "observation"}
    assert seen["horovod.frameworks.PyTorch"] == "True"
    assert seen["horovod.frameworks.TensorFlow"] == "False"
    assert seen["horovod.tensor_operations.NCCL"] == "True"


def test_its_release() -> None:
    (item,) = [item.value for item in facts(BUILD) if item.about == "distribution"]
    assert (item.name, str(item.version)) == ("horovod", "0.28.1")


def test_rows_of_two_columns() -> None:
    text = "nvidia-cudnn-cu11             8.5.0.96\ntorch                         2.0.1+cu118\n"
    found = [(item.value.name, str(item.value.version)) for item in facts(text)]
    assert found == [("nvidia-cudnn-cu11", "8.5.0.96"), ("torch", "2.0.1+cu118")]


@pytest.mark.parametrize(
    "line",
    [
        "pytorch                   2.0.1           py3.10_cuda11.8_cudnn8.7.0_0    pytorch",
        "torch is fine in 2.0.1",
        "requests                  2.31.0",
    ],
)
def test_other_rows_are_left_alone(line: str) -> None:
    assert facts(line) == []
