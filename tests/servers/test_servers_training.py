"""The training scripts: their settings, and that they run where their framework is."""

from __future__ import annotations

import ast
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlsetup.model.errors import DataError
from dlsetup.model.tuning import Advice, Settings
from dlsetup.plan.tuning.script import BEGIN, END, filled
from dlsetup.servers.training import SCRIPTS, training_script
from dlsetup.verify.measuring import measurable

HARD = Settings(
    batch=6,
    accumulate=2,
    workers=1,
    prefetch=3,
    amp="bfloat16",
    tf32=True,
    channels_last=True,
    threads=1,
    environment=(("TUNED", "yes"),),
)


def test_whatever_is_measured_has_a_script() -> None:
    assert set(measurable()) == set(SCRIPTS)
    assert training_script("paddlepaddle") is None


def values(script: str) -> dict[str, object]:
    """The settings of a script, as Python reads them."""
    block = script.partition(f"\n{BEGIN}\n")[2].partition(f"\n{END}\n")[0]
    found: dict[str, object] = {}
    for node in ast.parse(block).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        assert isinstance(target, ast.Name)
        found[target.id] = ast.literal_eval(node.value)  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize("framework", SCRIPTS)
def test_the_settings_are_filled_in_and_nothing_else_changes(framework: str) -> None:
    text = training_script(framework)
    assert text is not None
    assert filled(text, Settings()) == text, "what stands in it is the usual"
    changed = filled(text, HARD)
    assert values(changed)["BATCH"] == 6
    assert values(changed)["AMP"] == "bfloat16"
    assert values(changed)["ENVIRONMENT"] == {"TUNED": "yes"}
    assert set(values(changed)) == set(values(text))
    assert changed.partition(END)[2] == text.partition(END)[2]


@given(st.text(max_size=200))
def test_a_reason_is_a_comment_whatever_it_says(words: str) -> None:
    text = training_script("jax")
    assert text is not None
    reason = Advice(setting="batch", standing="change", value="8", because=words)
    assert values(filled(text, Settings(batch=8), [reason]))["BATCH"] == 8
    assert len(ast.parse(filled(text, Settings(batch=8), [reason])).body) == len(ast.parse(text).body)


def test_a_text_without_settings_is_refused() -> None:
    with pytest.raises(DataError):
        filled("print()\n", Settings())


@pytest.mark.skipif("DLSETUP_TORCH_ENV" not in os.environ, reason="DLSETUP_TORCH_ENV names no environment")
@pytest.mark.parametrize("framework", SCRIPTS)
@pytest.mark.parametrize("settings", [Settings(batch=4), HARD])
def test_it_trains_on_the_cpu(framework: str, settings: Settings, tmp_path: Path) -> None:
    python = Path(os.environ["DLSETUP_TORCH_ENV"]) / "bin/python"
    module = {"tensorflow": "keras"}.get(framework, framework)
    if subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode:
        pytest.skip(f"{module} is not in that environment")
    text = training_script(framework)
    assert text is not None
    (tmp_path / "train.py").write_text(filled(text, settings))
    environ = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    argv = [str(python), "train.py", "--steps", "3"]
    ended = subprocess.run(argv, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=240)
    assert ended.returncode == 0, ended.stderr
    assert "loss" in ended.stdout
