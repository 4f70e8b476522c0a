"""`dlsetup fix` from outside: real uv, really broken environments, tiny wheels."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tiny.broken import Broken, Fix, collide, mismatch, moves, pair
from tiny.index import TinyIndex
from tiny.wheels import TinyWheel
from tiny.world import torch


def says(broken: Broken, code: str) -> str:
    done = subprocess.run([broken.python, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_two_majors_over_each_other(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    collide(broken, tiny_index)
    assert broken.text("nvidia/cudnn/lib/libcudnn.so.9").startswith("nvidia-cudnn-cu13")
    found = fix()
    assert (found["exit"], found["result"], found["ok"]) == (0, "mended", True), found
    assert moves(found) == {
        "nvidia-cudnn-cu13": ("9.24.0.43", None),
        "nvidia-cudnn-cu12": ("9.20.0.48", "9.20.0.48"),
    }
    assert broken.text("nvidia/cudnn/lib/libcudnn.so.9").startswith("nvidia-cudnn-cu12")
    assert broken.beside() == [broken.folder.name]
    again = fix()
    assert (again["exit"], again["result"]) == (0, "nothing-to-mend"), again


def test_the_companion_of_another_torch(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    mismatch(broken, tiny_index)
    found = fix()
    assert found["result"] == "mended", found
    assert moves(found) == {"torchvision": ("0.28.0", "0.29.1+cpu")}
    assert says(broken, "import torchvision; print(torchvision.__version__)") == "0.29.1+cpu"
    assert fix()["result"] == "nothing-to-mend"


def test_twins_without_a_gpu(fix: Fix, broken: Broken) -> None:
    pair(broken)
    found = fix()
    assert found["result"] == "mended", found
    assert moves(found) == {"onnxruntime-gpu": ("1.31.1", None), "onnxruntime": ("1.31.1", "1.31.1")}
    assert says(broken, "import onnxruntime; print(onnxruntime.build)") == "onnxruntime"
    assert fix()["result"] == "nothing-to-mend"


def test_a_plugin_out_of_step(fix: Fix, broken: Broken) -> None:
    broken.put("jax==0.10.2", "jaxlib==0.10.2", "jax-cuda12-plugin==0.10.1", "numpy==2.3.5")
    broken.put("nvidia-cudnn-cu12==9.20.0.48")
    found = fix()
    assert found["result"] == "mended", found
    assert moves(found) == {"jax-cuda12-plugin": ("0.10.1", "0.10.2")}
    assert fix()["result"] == "nothing-to-mend"


def test_two_faults_at_once(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    collide(broken, tiny_index)
    pair(broken)
    found = fix()
    assert found["result"] == "mended", found
    assert set(moves(found)) == {
        "nvidia-cudnn-cu13",
        "nvidia-cudnn-cu12",
        "onnxruntime",
        "onnxruntime-gpu",
    }
    assert fix()["result"] == "nothing-to-mend"


def test_a_dry_run_shows_the_steps_and_writes_nothing(
    fix: Fix, broken: Broken, tiny_index: TinyIndex, tmp_path: Path
) -> None:
    collide(broken, tiny_index)
    before = broken.tree(), broken.beside()
    found = fix("--dry-run")
    assert (found["exit"], found["result"]) == (0, "planned"), found
    assert (broken.tree(), broken.beside()) == before
    script = tmp_path / "steps.sh"
    script.write_text(found["script"])
    subprocess.run(["sh", str(script)], check=True, env=broken.environ, cwd=tmp_path, capture_output=True)
    assert broken.text("nvidia/cudnn/lib/libcudnn.so.9").startswith("nvidia-cudnn-cu12")
    assert fix()["result"] == "nothing-to-mend"


def test_a_cpu_build_on_a_gpu_machine(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    broken.put("torch==2.14.1+cpu", "torchvision==0.29.1+cpu", index=tiny_index.address("pytorch-cpu"))
    broken.put("numpy==2.3.5")
    fix.give_gpu(driver="535.129.03")
    found = fix()
    assert found["result"] == "mended", found
    assert moves(found) == {
        "torch": ("2.14.1+cpu", "2.14.1+cu126"),
        "torchvision": ("0.29.1+cpu", "0.29.1+cu126"),
        "nvidia-cudnn-cu12": (None, "9.20.0.48"),
    }
    assert {item["device"] for item in found["mending"]["outcomes"]} == {"cuda"}
    assert fix()["result"] == "nothing-to-mend"


def test_a_build_that_the_driver_cannot_serve(fix: Fix, broken: Broken) -> None:
    broken.put("torch==2.14.1", "nvidia-cudnn-cu13==9.24.0.43", "numpy==2.3.5")
    fix.give_gpu(driver="535.129.03")
    found = fix()
    assert found["result"] == "mended", found
    assert moves(found) == {
        "torch": ("2.14.1", "2.14.1+cu126"),
        "nvidia-cudnn-cu12": (None, "9.20.0.48"),
        "nvidia-cudnn-cu13": ("9.24.0.43", None),
    }
    assert fix()["result"] == "nothing-to-mend"


def test_of_twins_the_one_for_the_gpu_stays(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    """Also where something asks for the other by its name."""
    tiny_index.add("default", [TinyWheel("asks", "1.0", requires=("onnxruntime>=1.10",))])
    pair(broken)
    broken.put("asks==1.0")
    fix.give_gpu()
    found = fix()
    assert found["result"] == "mended", found
    assert moves(found) == {"onnxruntime": ("1.31.1", None), "onnxruntime-gpu": ("1.31.1", "1.31.1")}
    assert fix()["result"] == "nothing-to-mend"


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the releases made for NumPy 1 end with Python 3.12")
def test_numpy_2_under_code_for_numpy_1(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    tiny_index.add("pytorch-cpu", torch("2.2.2+cpu", None, "numpy"))
    broken.put("torch==2.2.2+cpu", index=tiny_index.address("pytorch-cpu"))
    broken.put("numpy==2.3.5")
    found = fix()
    assert found["result"] == "mended", found
    assert moves(found) == {"numpy": ("2.3.5", "1.26.4")}
    assert fix()["result"] == "nothing-to-mend"


def test_what_the_base_python_has_is_left_there(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    """An environment that sees the packages of the Python it rests on gets none of them."""
    mismatch(broken, tiny_index)
    settings = broken.folder / "pyvenv.cfg"
    text = settings.read_text().replace("include-system-site-packages = false", "")
    settings.write_text(f"{text}include-system-site-packages = true\n")
    before = broken.versions()
    found = fix()
    assert found["result"] == "mended", found
    assert broken.versions() == {**before, "torchvision": "0.29.1+cpu"}
    assert settings.read_text().endswith("include-system-site-packages = true\n")


def test_what_else_is_installed_is_kept_whole(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    """numpy 1.26 stays although newer ones are there: nothing asks for another."""
    broken.put("torch==2.14.1+cu126", index=tiny_index.address("pytorch-cu126"))
    broken.put("numpy==1.26.4", "nvidia-cudnn-cu12==9.20.0.48", "nvidia-nccl-cu13==2.30.7")
    broken.put("nvidia-cudnn-cu13==9.24.0.43")
    before = broken.versions()
    assert fix()["result"] == "mended"
    assert broken.versions() == {
        name: version for name, version in before.items() if name != "nvidia-cudnn-cu13"
    }


def test_what_does_not_fit_together_even_now_is_no_hindrance(
    fix: Fix, broken: Broken, tiny_index: TinyIndex
) -> None:
    tiny_index.add("default", [TinyWheel("odd", "1.0", requires=("numpy<1", "of-no-index"))])
    mismatch(broken, tiny_index)
    broken.put("odd==1.0")
    found = fix()
    assert found["result"] == "mended", found
    assert moves(found) == {"torchvision": ("0.28.0", "0.29.1+cpu")}
    assert broken.versions()["odd"] == "1.0"


def test_scripts_work_after_the_exchange(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    collide(broken, tiny_index)
    assert fix()["result"] == "mended"
    script = broken.folder / "bin" / "numpy-config"
    done = subprocess.run([script], capture_output=True, text=True, check=True)
    assert done.stdout == "numpy 2.3.5\n"
    assert says(broken, "import sys; print(sys.prefix)") == str(broken.folder)
    assert not any(b".mending-" in path.read_bytes() for path in script.parent.iterdir() if path.is_file())
