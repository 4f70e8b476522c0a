"""`dlsetup fix` on environments of conda that cannot, must not or may not go on: each is as it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from tiny.broken import Broken, Fix
from tiny.conda import CondaWorld, make_tool
from tiny.faults import OLD_DRIVER, TWINS
from tiny.index import TinyIndex


@pytest.fixture
def on_cpu(conda: CondaWorld, fix: Fix) -> CondaWorld:
    """A CPU build, beside an idle GPU."""
    conda.install("pytorch=2.14.1=cpu*", "pytorch-cpu", "torchvision")
    conda.record.unlink()
    fix.give_gpu(*OLD_DRIVER)
    return conda


def whole(broken: Broken) -> tuple[object, ...]:
    return broken.tree(), broken.beside(), broken.formers()


@pytest.mark.parametrize(
    ("fault", "said"), [("fails", "Download error (28)"), ("crash", "was ended by the signal SIGABRT")]
)
def test_conda_fails_half_way(fix: Fix, on_cpu: CondaWorld, fault: str, said: str) -> None:
    before = whole(on_cpu.broken)
    found = fix(TINY_CONDA=fault)
    assert (found["exit"], found["error"]["code"]) == (3, "step-failed"), found
    assert said in found["error"]["message"]
    assert whole(on_cpu.broken) == before
    (past,) = json.loads(fix.command("history", "--json").stdout)["changes"]
    assert past["entry"]["state"] == "reverted"
    assert fix()["result"] == "mended"


def test_uv_fails_after_conda_was_done(fix: Fix, conda: CondaWorld, tiny_index: TinyIndex) -> None:
    """Both worlds go back."""
    conda.install("onnxruntime")
    fix.give_gpu("NVIDIA H100", "9.0", "580.65.06")
    before = whole(conda.broken)
    tiny_index.faults["onnxruntime_gpu-"] = "wrong-hash"
    found = fix()
    assert (found["exit"], found["error"]["code"]) == (3, "step-failed"), found
    assert [call[0] for call in conda.calls()].count("remove") == 1
    assert whole(conda.broken) == before


def test_what_does_not_work_after_all_is_taken_back(fix: Fix, on_cpu: CondaWorld) -> None:
    before = whole(on_cpu.broken)
    found = fix(TINY_TORCH="wrong")
    assert (found["exit"], found["result"]) == (3, "taken-back"), found
    assert whole(on_cpu.broken) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_ended_while_conda_is_at_work(fix: Fix, on_cpu: CondaWorld, number: signal.Signals) -> None:
    """Whoever comes next waits for the tool, says what was found, and has the environment as it was."""
    before = whole(on_cpu.broken)
    process = at_work(fix, on_cpu, TINY_CONDA="hang")
    process.send_signal(number)
    process.communicate(timeout=30)
    folder = str(on_cpu.broken.folder)
    if number == signal.SIGKILL:
        assert whole(on_cpu.broken) != before
        busy = fix("--yes", "--wait", "0")
        assert "is at work on" in busy["error"]["message"], busy
        assert "has started" in busy["error"]["message"], busy
        end_tools(on_cpu)
        assert f"left `{folder}` half changed" in str(fix("--dry-run")["notes"])
        said = json.loads(fix.command("history", "--env", folder, "--json").stdout)
        assert "it is as it was before that" in said["notes"][0]
    assert whole(on_cpu.broken) == before
    assert fix()["result"] == "mended"


def test_a_second_run_waits_its_turn(fix: Fix, on_cpu: CondaWorld) -> None:
    process = at_work(fix, on_cpu, TINY_CONDA="hang")
    found = fix("--yes", "--wait", "0")
    assert f"process {process.pid} is at work" in found["error"]["message"]
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert fix()["result"] == "mended"


def at_work(fix: Fix, conda: CondaWorld, **variables: str) -> subprocess.Popen[bytes]:
    """The command, as soon as its tool has taken files away."""
    pipe = subprocess.PIPE
    environ = {**fix.command.environ, **variables}
    argv = fix.argv("--yes")
    process = subprocess.Popen(argv, cwd=fix.command.home, env=environ, stdout=pipe, stderr=pipe)
    end = time.monotonic() + 40
    while ["half way"] not in conda.calls():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)
    return process


def end_tools(conda: CondaWorld) -> None:
    """As if the machine had been switched off: what was left of the run ends as well."""
    import psutil

    for process in psutil.process_iter():
        try:
            told = process.environ()
            ours = told.get("TINY_CONDA_RECORD") == str(conda.record) and told.get("TINY_CONDA") == "hang"
        except psutil.Error:
            continue
        if ours and process.pid != os.getpid():
            process.kill()
            process.wait(10)


def test_no_tool_no_change(fix: Fix, on_cpu: CondaWorld) -> None:
    before = whole(on_cpu.broken)
    on_cpu.tool.rename(on_cpu.tool.with_name("pixi"))
    found = fix()
    assert (found["exit"], found["error"]["code"]) == (5, "tool-missing"), found
    assert whole(on_cpu.broken) == before
    (offer,) = fix.listed()["kinds"]
    assert "none of micromamba, mamba and conda" in offer["against"]


def test_what_pip_alone_mends_needs_no_tool(fix: Fix, conda: CondaWorld, tiny_index: TinyIndex) -> None:
    for source, *requirements in TWINS:
        conda.broken.put(*requirements, index=tiny_index.address(source))
    conda.tool.unlink()
    assert fix()["result"] == "mended"


@pytest.mark.parametrize("name", ["conda", "mamba"])
def test_another_tool(fix: Fix, on_cpu: CondaWorld, name: str) -> None:
    on_cpu.tool.unlink()
    make_tool(on_cpu.tool.parent, name)
    assert fix()["result"] == "mended"


def test_no_channel_has_it(fix: Fix, on_cpu: CondaWorld, tmp_path: Path) -> None:
    """Nothing but the CPU build is there any more."""
    for path in on_cpu.channel.rglob("pytorch-*cuda*"):
        assert path.exists()
    before = whole(on_cpu.broken)
    bare = tmp_path / "bare-channel"
    rename_channel(on_cpu.broken, f"file://{on_cpu.channel}", make_bare(bare))
    before = whole(on_cpu.broken)
    found = fix()
    assert (found["exit"], found["result"]) == (1, "refused"), found
    assert "Could not solve" in found["refused"]
    assert "dlsetup create env" in found["instead"]
    assert whole(on_cpu.broken) == before


def make_bare(folder: Path) -> str:
    """A channel without packages."""
    import rattler

    for name in (str(rattler.Subdir.current()), "noarch"):
        (folder / name).mkdir(parents=True)
        (folder / name / "repodata.json").write_text('{"packages": {}, "packages.conda": {}}')
    return f"file://{folder}"


def rename_channel(broken: Broken, was: str, now: str) -> None:
    for path in (broken.folder / "conda-meta").glob("*.json"):
        told: dict[str, Any] = json.loads(path.read_text())
        told["channel"] = told["channel"].replace(was, now)
        path.write_text(json.dumps(told))


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("condabin/conda", "base of a conda installation"),
        ("conda-meta/pixi", "made by pixi"),
        ("conda-meta/frozen", "is frozen"),
    ],
)
def test_environments_of_somebody_else(fix: Fix, on_cpu: CondaWorld, path: str, reason: str) -> None:
    file = on_cpu.broken.folder / path
    file.parent.mkdir(exist_ok=True)
    file.touch()
    before = whole(on_cpu.broken)
    found = fix()
    assert (found["exit"], found["result"]) == (1, "refused"), found
    assert reason in found["refused"]
    assert found["findings"][0]["remedies"][0]["commands"]
    assert not on_cpu.calls()
    assert whole(on_cpu.broken) == before


def test_a_package_that_another_asks_for_stays(fix: Fix, conda: CondaWorld) -> None:
    conda.install("onnxruntime", "asks-for-onnxruntime")
    fix.give_gpu("NVIDIA H100", "9.0", "580.65.06")
    before = whole(conda.broken)
    found = fix()
    assert (found["exit"], found["result"]) == (1, "refused"), found
    assert "conda's `asks-for-onnxruntime` asks for it" in found["refused"]
    assert whole(conda.broken) == before


def test_the_steps_as_a_script(fix: Fix, on_cpu: CondaWorld, tmp_path: Path) -> None:
    before = whole(on_cpu.broken)
    found = fix("--dry-run")
    assert found["result"] == "planned", found
    assert whole(on_cpu.broken) == before
    script = tmp_path / "steps.sh"
    script.write_text(found["script"])
    environ = fix.command.environ
    subprocess.run(["sh", str(script)], check=True, env=environ, cwd=tmp_path, capture_output=True)
    assert fix()["result"] == "nothing-to-mend"


def test_history_and_undo_tell_of_packages(fix: Fix, on_cpu: CondaWorld) -> None:
    assert fix()["result"] == "mended"
    assert "remove pytorch-cpu 2.14.1 0" in " ".join(fix.command("history").stdout.split())
    where = ("--env", str(on_cpu.broken.folder), "--json")
    planned = json.loads(fix.command("undo", *where, "--dry-run").stdout)
    assert "install pytorch-cpu 2.14.1 0" in planned["moves"]
    assert any(move.startswith("pytorch 2.14.1 cuda126") for move in planned["moves"])
    undone = json.loads(fix.command("undo", *where, "--yes").stdout)
    assert [item["name"] for item in undone["change"]["conda_after"] if item["name"] == "pytorch-cpu"]
