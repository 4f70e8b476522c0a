"""The environment whose files a traceback names."""

from __future__ import annotations

import pytest

from dlsetup.catalog.load import opened
from dlsetup.catalog.messages import knowledge
from dlsetup.commands.pasted import ways
from dlsetup.intake.report import report_of

FAILURE = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"


def place(*lines: str) -> tuple[str, str]:
    """Path and kind of the environment that a traceback with these lines is of."""
    text = "\n".join(["torch==2.6.0", *lines, FAILURE])
    machine = report_of([("run.log", text.encode())], ways(knowledge(opened(())))).machine
    environment = machine.environment
    assert environment is not None
    return environment.path, environment.kind


@pytest.mark.parametrize(
    ("line", "path", "kind"),
    [
        (
            '  File "/srv/app/.venv/lib/python3.12/site-packages/torch/a.py", line 1',
            "/srv/app/.venv",
            "other",
        ),
        (
            '  File "/home/u/miniconda3/envs/dl/lib/python3.10/site-packages/torch/a.py"',
            "/home/u/miniconda3/envs/dl",
            "conda",
        ),
        ('  File "C:\\work\\venv\\Lib\\site-packages\\torch\\a.py"', "C:\\work\\venv", "other"),
        (
            '  File "C:\\Python310\\lib\\site-packages\\torch\\a.py"',
            "C:\\Python310\\python.exe",
            "other",
        ),
        (
            "** Python executable: C:\\ComfyUI\\.venv\\Scripts\\python.exe",
            "C:\\ComfyUI\\.venv\\Scripts\\python.exe",
            "other",
        ),
        # Of the system, of the user, of a build, or of nobody knows which kind of folder.
        ('  File "/usr/local/lib/python3.12/site-packages/torch/a.py"', "", "other"),
        ('  File "/home/u/.local/lib/python3.10/site-packages/torch/a.py"', "", "other"),
        ('  File "/tmp/pip-build-env-1/overlay/lib/python3.10/site-packages/x.py"', "", "other"),
        ('  File "D:\\app\\env\\Lib\\site-packages\\torch\\a.py"', "", "other"),
    ],
)
def test_the_folder_tells(line: str, path: str, kind: str) -> None:
    assert place(line) == (path, kind)


def test_of_two_environments_none_is_meant() -> None:
    lines = (f'  File "/opt/{name}/lib/python3.11/site-packages/a.py"' for name in ("one", "two"))
    assert place(*lines) == ("", "other")
