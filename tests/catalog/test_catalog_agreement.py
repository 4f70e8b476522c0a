"""The script that holds hardware rows against a folder of facts says what agrees and what does not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "facts_agreement.py"
TABLES = {
    "cuda_driver.csv": "cuda,linux_driver_shipped,windows_driver_shipped,"
    "linux_min_minor_compat,windows_min_minor_compat\n"
    "12.4.1,550.54.15,551.78,525.60.13,528.33\n10.2.89,440.33,441.22,440.33,441.22\n",
    "cuda_arch_range.csv": "cuda,min_cc,max_cc\n12.8,5.0,12.0\n13.5,7.5,unknown\n",
    "cuda_arch_support.csv": "compute_capability,cuda_first,cuda_last\n8.9,11.8,\n3.5,5.0,11.8\n",
    "cuda_host_compiler.csv": "cuda_up_to,first_unsupported_gcc,first_unsupported_clang\n12.9,15,20\n",
    "gpu_compute_capability.csv": "gpu,compute_capability\n"
    "V100 / Tesla V100,7.0\nNVIDIA GB10 (DGX Spark),12.1\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def agreement(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False)


def test_true_facts_agree(folder: Path) -> None:
    done = agreement(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    counts = [line.partition(": ")[2] for line in done.stdout.splitlines()]
    assert counts == [
        "4 of 4 agree",
        "2 of 2 agree",
        "2 of 2 agree",
        "2 of 2 agree",
        "2 of 2 agree",
        "2 of 2 agree",
    ]


@pytest.mark.parametrize(
    ("table", "true", "false", "says"),
    [
        ("cuda_driver.csv", "550.54.15", "555.55", "12.4.1 linux: facts 555.55, catalog 550.54.15"),
        ("cuda_driver.csv", ",528.33", ",527.41", "12.4.1 windows: facts 527.41, catalog 528.33"),
        ("cuda_arch_range.csv", "12.0", "9.0", "12.8: facts 5.0 to 9.0, catalog 5.0 to 12.0"),
        ("cuda_arch_support.csv", "8.9,11.8", "8.9,12.0", "8.9: facts 12.0 to 13.3, catalog 11.8 to 13.3"),
        ("cuda_host_compiler.csv", ",15,", ",14,", "12.9 gcc: facts 14, catalog 15"),
        ("gpu_compute_capability.csv", "7.0", "7.5", "V100 / Tesla V100: facts 7.5, catalog 7.0"),
    ],
)
def test_every_difference_is_said(folder: Path, table: str, true: str, false: str, says: str) -> None:
    path = folder / table
    path.write_text(path.read_text("utf-8").replace(true, false, 1), "utf-8")
    done = agreement(folder)
    assert done.returncode == 1
    assert says in done.stdout


def test_it_wants_a_folder() -> None:
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "usage" in done.stderr
