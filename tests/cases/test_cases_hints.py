"""What remedies say: dlsetup accepts its own hints, and commands are of the reporter's world."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import yaml

from dlsetup import cli
from dlsetup.catalog.load import opened
from dlsetup.catalog.messages import knowledge
from dlsetup.commands.pasted import catalog_of_report, ways
from dlsetup.intake.report import report_of
from dlsetup.judge.registry import every_check, judge
from dlsetup.model.finding import Diagnosis, Remedy

HERE = Path(__file__).parent
CREATE = ["dlsetup", "create", "env"]


@pytest.fixture(scope="module")
def diagnoses() -> dict[str, Diagnosis]:
    """The diagnosis of every case, by the number it begins with."""
    place = opened(())
    known, checks = knowledge(place), every_check()
    read, found = ways(known), {}
    for case in sorted(HERE.glob("*/case.yaml")):
        spec = yaml.safe_load(case.read_text(encoding="utf-8"))
        texts = [(item["file"], (case.parent / item["file"]).read_bytes()) for item in spec["inputs"]]
        machine = report_of(texts, read).machine
        number = case.parent.name.partition("-")[0]
        found[number] = judge(machine, catalog_of_report(machine, known, place), checks)
    return found


def remedies(diagnosis: Diagnosis) -> list[Remedy]:
    return [remedy for finding in diagnosis.findings for remedy in finding.remedies]


def told(diagnosis: Diagnosis) -> str:
    """Titles, reasons, remedies and questions as one text."""
    parts = [f"{item.title}\n{item.because}" for item in diagnosis.findings]
    parts += [line for item in remedies(diagnosis) for line in (item.text, *item.commands)]
    return "\n".join([*parts, *(gap.ask for gap in diagnosis.unknown)])


def test_every_hint_of_dlsetup_is_accepted(
    diagnoses: dict[str, Diagnosis], capsys: pytest.CaptureFixture[str]
) -> None:
    commands = {
        command
        for diagnosis in diagnoses.values()
        for remedy in remedies(diagnosis)
        for command in remedy.commands
        if command.startswith("dlsetup ")
    }
    assert len(commands) > 20
    for command in sorted(commands):
        words = shlex.split(command)
        if words[:3] == CREATE:
            assert cli.call([*words[1:], "--help"]) == 0, command
            words = ["dlsetup", "resolve", *words[4:]]
        assert cli.call(words[1:]) in (0, 1), f"{command}\n{capsys.readouterr().err}"
        capsys.readouterr()


def test_no_first_remedy_is_an_alternative(diagnoses: dict[str, Diagnosis]) -> None:
    findings = [item for diagnosis in diagnoses.values() for item in diagnosis.findings if item.remedies]
    assert findings
    assert not [item.title for item in findings if item.remedies[0].text.startswith(("Or ", "or "))]


@pytest.mark.parametrize(
    ("case", "said", "not_said"),
    [
        # The default index has a CPU build for Windows; `uv tool` has an environment of its own.
        ("025", ("uv tool install", "--index https://download.pytorch.org/whl/cu128"), ("-m pip install",)),
        # All that is installed of the family moves in one command.
        ("019", ("install torch==2.9.1 torchvision==0.24.1", "uninstall --yes torch torchvision"), ()),
        ("023", ("torchaudio==", "torchvision==", "python_embeded"), ("\npython -m pip",)),
        # GPU and driver are unknown: the condition is named, the fact is asked for.
        (
            "1002",
            ("needs NVIDIA driver", "a GPU from sm_70 to sm_120", "--query-gpu=name,driver_version"),
            ("cu130",),
        ),
        ("1002", (r"C:\ComfyUI\.venv\Scripts\python.exe -m pip",), ("\npython -m pip",)),
        # Two builds of one release, from two channels or of two CUDA versions.
        ("081", ("come from the channels", "pytorch=1.13.1 torchaudio=0.13.1 cpuonly"), ("does not belong",)),
        ("359", ("'pytorch=1.8.0=*cuda11.1*' torchaudio=0.8.0 cudatoolkit=11.1",), ("does not belong",)),
        ("1076", ("built for CUDA 11.7 and torchvision for CUDA 11.8", "/whl/cu117"), ("does not belong",)),
        ("774", ("torchvision==0.16.0+cu121",), ("does not belong",)),
        ("341", ("torchaudio==2.0.2+cu118",), ("does not belong",)),
        ("771", ("torchvision==0.17.1+cpu",), ("does not belong",)),
        ("924", ("builds for different CUDA versions",), ("does not belong",)),
        # The release that belongs to the torch that is there.
        ("1071", ("made for torch 1.7.0", "torchvision=0.7.0"), ("dlsetup resolve torch torchvision",)),
        ("934", ("torchvision==0.21.0",), ()),
        ("1073", ("torchaudio==2.6.0+cu124",), ()),
        ("1513", ("torchaudio==0.6.0",), ()),
        ("1511", ("/whl/nightly/cu130", "--pre torch torchvision"), ()),
        # The Python that goes with the release, and what the index has.
        ("560", ("Python 3.7 to 3.10", "--python 3.10"), ()),
        ("559", ("torch 1.13.1 has wheels", "torch 2.0.0 or newer"), ()),
        (
            "077",
            ("The index of cu121 has no torch for Python 3.13", "torchvision 0.21.0"),
            ("torch has no wheel",),
        ),
        # A plugin is no framework; pins, Python and GPU of the report are part of the question.
        ("531", ("dlsetup resolve torch jax",), ("resolve torch jax-cuda12-plugin", "requirements.txt")),
        ("093", ("torch==1.13.1 --accelerator cuda", "python=3.8"), ()),
        # What no published build holds code for is compiled.
        ("1113", ("holds no code for gfx902", "PYTORCH_ROCM_ARCH=gfx902"), ("Or build",)),
        ("1111", ("PYTORCH_ROCM_ARCH=gfx1010",), ("Or build",)),
        # conda-forge has no CUDA build of that release for Windows; the channel of its authors has.
        ("1003", ('--channel pytorch --channel conda-forge "pytorch=1.12.1=*cuda11.6*"',), ("pytorch-gpu",)),
    ],
)
def test_remedies_fit_the_report(
    case: str, said: tuple[str, ...], not_said: tuple[str, ...], diagnoses: dict[str, Diagnosis]
) -> None:
    text = told(diagnoses[case])
    assert [words for words in said if words not in text] == []
    assert [words for words in not_said if words in text] == []
