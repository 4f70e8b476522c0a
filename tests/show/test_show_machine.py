"""A machine in a few lines, of a report those that it tells."""

from __future__ import annotations

from dlsetup.model.machine import Machine
from dlsetup.model.report import Observation, Report
from dlsetup.show.machine import machine_lines


def told(*answers: tuple[str, str]) -> list[str]:
    seen = tuple(Observation(subject=subject, value=value, source="r.txt:1") for subject, value in answers)
    return [line.text for line in machine_lines(Machine(report=Report(observations=seen, lines=3)))]


def test_answers_without_a_place_of_their_own_are_shown() -> None:
    lines = told(("nccl.version", "2.21.5, built for CUDA 12.4"), ("tensorrt.version", "10.3.0"))
    assert lines == ["TensorRT 10.3.0; NCCL 2.21.5, built for CUDA 12.4"]


def test_of_several_answers_the_last_one_counts() -> None:
    assert told(("tensorrt.version", "8.6.1"), ("tensorrt.version", "10.3.0")) == ["TensorRT 10.3.0"]


def test_an_answer_that_a_check_uses_is_not_repeated() -> None:
    assert told(("torch.cuda.is_available", "False")) == []
