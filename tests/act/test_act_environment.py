"""Environments built by the real uv from the tiny index."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny.index import TinyIndex
from tiny.plans import base_python, tiny_plan

from dlsetup.act.environment import UvBuild
from dlsetup.act.uv import PythonUnavailable
from dlsetup.act.workplace import workplace
from dlsetup.model.errors import StepFailed

Builder = Callable[..., UvBuild]


def build(made: UvBuild) -> Path:
    with workplace(made.place):
        list(made.prepare())
        list(made.install())
        made.settle()
    return Path(made.place.final)


def output(*argv: str | Path, cwd: Path | None = None) -> str:
    finished = subprocess.run(argv, capture_output=True, text=True, check=True, cwd=cwd, timeout=60)
    return finished.stdout.strip()


def entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_builds_what_the_plan_says_from_the_indexes_it_names(
    tiny_index: TinyIndex, uv_build: Builder, home: Path
) -> None:
    plan = tiny_plan(tiny_index, "torch==2.14.1+cu126", sources={"torch": "pytorch-cu126"})
    made = uv_build(plan)
    with workplace(made.place):
        list(made.prepare())
        assert made.lock().packages == 3
        list(made.install())
        made.settle()
    final = home / "demo"
    code = "import torch, numpy; print(torch.__version__, torch.version.cuda, numpy.__version__)"
    assert output(final / "bin/python", "-c", code) == "2.14.1+cu126 12.6 2.3.5"
    assert entries(home) == ["demo"]


def test_keeps_the_lock_and_the_reasons_but_no_address_with_a_password(
    tiny_index: TinyIndex, uv_build: Builder
) -> None:
    plan = tiny_plan(tiny_index, "torch==2.14.1+cu126", sources={"torch": "pytorch-cu126"})
    secret = plan.indexes[-1].url.replace("http://", "http://me:geheim@")  # type: ignore[union-attr]
    plan = tiny_plan(
        tiny_index,
        "torch==2.14.1+cu126",
        sources={"torch": "pytorch-cu126"},
        indexes=(plan.indexes[0], type(plan.indexes[0])(name="pytorch-cu126", url=secret)),
    )
    made = uv_build(plan)
    with workplace(made.place):
        list(made.prepare())
        kept = [path for path in Path(made.place.work).rglob("*") if path.is_file()]
        assert [path.name for path in kept] == ["pylock.toml"]
        assert "geheim" not in kept[0].read_text()
        assert kept[0].read_text().count("sha256") == 3


def test_still_works_after_the_move_with_scripts_modules_and_activation(
    tiny_index: TinyIndex, uv_build: Builder, home: Path
) -> None:
    final = build(uv_build(tiny_plan(tiny_index, "numpy==2.3.5"), "my demo (1)"))
    assert output(final / "bin/numpy-config") == "numpy 2.3.5"
    said = output("sh", "-c", '. "$0/bin/activate" && python -c "import sys; print(sys.prefix)"', final)
    assert said == str(final)
    assert output(final / "bin/python", "-m", "platform")
    for path in (final / "bin").iterdir():
        if path.is_file() and not path.is_symlink():
            assert ".building-" not in path.read_text(errors="replace"), path


def test_passport_says_target_and_reasons(tiny_index: TinyIndex, uv_build: Builder) -> None:
    final = build(uv_build(tiny_plan(tiny_index, "numpy==2.3.5", because=("a reason",))))
    passport = json.loads((final / "dlsetup.json").read_text())
    assert passport["schema"] == "dlsetup.environment/1"
    assert passport["plan"]["because"] == ["a reason"]
    assert (final / "dlsetup/pylock.toml").is_file()


def test_standard_library_environment_has_pip_and_right_scripts(
    tiny_index: TinyIndex, uv_build: Builder
) -> None:
    final = build(uv_build(tiny_plan(tiny_index, "numpy==2.3.5"), "with venv", tool="venv"))
    assert output(final / "bin/numpy-config") == "numpy 2.3.5"
    assert str(final) in output(final / "bin/python", "-m", "pip")
    said = output("bash", "-c", 'source "$0/bin/activate" && command -v python', final)
    assert said == str(final / "bin/python")


@pytest.mark.parametrize(
    ("fault", "words"), [("wrong-hash", "ash mismatch"), ("unavailable", "503"), ("cut", "numpy")]
)
def test_failure_while_installing_leaves_nothing(
    fault: str, words: str, tiny_index: TinyIndex, uv_build: Builder, home: Path
) -> None:
    tiny_index.faults["numpy-2.3.5"] = fault  # type: ignore[assignment]
    with pytest.raises(StepFailed) as caught:
        build(uv_build(tiny_plan(tiny_index, "torch==2.14.1")))
    assert words in caught.value.message
    assert caught.value.hint
    assert entries(home) == []


def test_a_file_that_changes_after_locking_is_refused(
    tiny_index: TinyIndex, uv_build: Builder, home: Path
) -> None:
    made = uv_build(tiny_plan(tiny_index, "numpy==2.3.5"))
    with workplace(made.place):
        list(made.prepare())
        lock = Path(made.place.lock)
        digest = lock.read_text().split('sha256 = "')[1][:64]
        lock.write_text(lock.read_text().replace(digest, "0" * 64))
        with pytest.raises(StepFailed, match="ash mismatch"):
            list(made.install())
    assert entries(home) == []


def test_an_index_of_its_own_gives_nothing_else(tiny_index: TinyIndex, uv_build: Builder) -> None:
    """`pytorch-cu126` also holds a newer numpy: it must not be taken."""
    plan = tiny_plan(tiny_index, "torch==2.14.1+cu126", sources={"torch": "pytorch-cu126"})
    final = build(uv_build(plan))
    assert output(final / "bin/python", "-c", "import numpy; print(numpy.__version__)") == "2.3.5"
    assert not any("/pytorch-cu126/simple/numpy" in path for path in tiny_index.asked)
    assert not any("/default/simple/torch/" in path for path in tiny_index.asked)


def test_variables_of_uv_do_not_change_the_plan(
    tiny_index: TinyIndex, uv_build: Builder, tiny_environ: dict[str, str]
) -> None:
    tiny_environ.update(UV_TORCH_BACKEND="cpu", UV_SYSTEM_PYTHON="1", UV_VENV_CLEAR="1")
    final = build(uv_build(tiny_plan(tiny_index, "torch==2.14.1")))
    code = "import torch; print(torch.version.cuda)"
    assert output(final / "bin/python", "-c", code) == "13.0"
    assert (final / "dlsetup/pylock.toml").is_file()


def test_no_such_version(tiny_index: TinyIndex, uv_build: Builder, home: Path) -> None:
    with pytest.raises(StepFailed, match=r"numpy==77") as caught:
        build(uv_build(tiny_plan(tiny_index, "numpy==77")))
    assert "--index" in caught.value.hint
    assert entries(home) == []


def test_no_network(
    tiny_index: TinyIndex,
    uv_build: Builder,
    home: Path,
    tiny_environ: dict[str, str],
    nobody_listens: str,
) -> None:
    tiny_environ["UV_DEFAULT_INDEX"] = nobody_listens
    with pytest.raises(StepFailed, match="onnect") as caught:
        build(uv_build(tiny_plan(tiny_index, "numpy==2.3.5")))
    assert "network" in caught.value.hint
    assert entries(home) == []


def test_offline_without_a_cache(tiny_index: TinyIndex, uv_build: Builder, home: Path) -> None:
    with pytest.raises(StepFailed) as caught:
        build(uv_build(tiny_plan(tiny_index, "numpy==2.3.5"), offline=True))
    assert "--offline" in caught.value.hint
    assert tiny_index.asked == []
    assert entries(home) == []


def test_unknown_interpreter(tiny_index: TinyIndex, uv_build: Builder, home: Path) -> None:
    with pytest.raises(StepFailed):
        build(uv_build(tiny_plan(tiny_index, "numpy==2.3.5", interpreter="/nowhere/python3")))
    assert entries(home) == []


def test_python_that_cannot_be_fetched(tiny_index: TinyIndex, uv_build: Builder, home: Path) -> None:
    made = uv_build(tiny_plan(tiny_index, "numpy==2.3.5", interpreter=None))
    with pytest.raises(PythonUnavailable):
        build(made)
    assert entries(home) == []


def test_find_links_are_handed_on(
    tiny_index: TinyIndex, uv_build: Builder, tmp_path: Path, tiny_environ: dict[str, str]
) -> None:
    folder = tmp_path / "wheels"
    folder.mkdir()
    for path in (tiny_index.folder / "default").rglob("numpy-2.3.5*"):
        (folder / path.name).write_bytes(path.read_bytes())
    tiny_index.faults["numpy-2.3.5"] = "unavailable"
    final = build(uv_build(tiny_plan(tiny_index, "numpy==2.3.5"), find_links=(str(folder),)))
    assert output(final / "bin/numpy-config") == "numpy 2.3.5"


def test_an_existing_folder_is_not_replaced(tiny_index: TinyIndex, uv_build: Builder, home: Path) -> None:
    made = uv_build(tiny_plan(tiny_index, "numpy==2.3.5"))
    with workplace(made.place):
        list(made.prepare())
        list(made.install())
        (home / "demo").mkdir()
        (home / "demo/precious").write_text("mine")
        with pytest.raises(StepFailed, match="put into place"):
            made.settle()
    assert (home / "demo/precious").read_text() == "mine"
    assert entries(home) == ["demo"]


def test_the_script_of_a_dry_run_builds_the_same(
    tiny_index: TinyIndex, uv_build: Builder, home: Path, tiny_environ: dict[str, str], tmp_path: Path
) -> None:
    from dlsetup.plan.script import shell_script

    plan = tiny_plan(tiny_index, "torch==2.14.1+cu126", sources={"torch": "pytorch-cu126"})
    script = tmp_path / "build.sh"
    script.write_text(shell_script(uv_build(plan, "it is here").procedure()))
    environ = {**tiny_environ, "UV_PREVIEW_FEATURES": "pylock"}
    subprocess.run(["sh", script], check=True, env=environ, capture_output=True, timeout=60)
    assert (
        output(home / "it is here/bin/python", "-c", "import torch; print(torch.__version__)")
        == "2.14.1+cu126"
    )
    assert entries(home) == ["it is here"]


def test_interpreter_of_the_environment_is_the_planned_one(tiny_index: TinyIndex, uv_build: Builder) -> None:
    final = build(uv_build(tiny_plan(tiny_index, "numpy==2.3.5")))
    assert os.path.realpath(final / "bin/python") == base_python()
