"""What `verify` costs beside its programs: each of them against the same child run bare.

.venv/bin/python benchmarks/verify_time.py --runs 9 [--env ENV --only torch-import,torch-gradients]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from tiny.proving import make
from tiny.wheels import TinyWheel

from dlsetup.verify.asked import CHILD

BOUND = 0.2
TINY = ("xformers", "bitsandbytes", "deepspeed", "optax")
MODULES = {"paddlepaddle": "paddle", "pytorch-lightning": "pytorch_lightning"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--env", type=Path)
    parser.add_argument("--only")
    asked = parser.parse_args()
    words = ["--only", asked.only] if asked.only else []
    print("| environment | programs | bare | in verify | overhead of each | bound |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        wheels = [TinyWheel(name, "1.0", files={f"{name}/__init__.py": ""}) for name in TINY]
        environment = asked.env or make(Path(folder) / "env", *wheels)
        _measured(environment, words, asked.runs, asked.env.name if asked.env else "empty packages")


def _measured(environment: Path, words: Sequence[str], runs: int, name: str) -> None:
    """One row: what `verify` takes beyond `verify --list`, and beyond its children run by themselves."""
    verify = [sys.executable, "-m", "dlsetup", "verify", "--env", str(environment), *words, "--json"]
    listed = subprocess.run([*verify, "--list"], capture_output=True, check=True).stdout
    children = [_child(environment, item) for item in json.loads(listed)["planned"]]
    bare, within = [], []
    for number in range(runs + 1):
        alone = sum(map(_seconds, children))
        whole = _seconds(verify) - _seconds([*verify, "--list"])
        if number:
            bare.append(alone / len(children))
            within.append(whole / len(children))
    apart = statistics.median(one - other for one, other in zip(within, bare, strict=True))
    mark = "✓" if apart <= BOUND else "✗"
    print(
        f"| {name} | {len(children)} | {statistics.median(bare):.3f} s | {statistics.median(within):.3f} s "
        f"| {apart:.3f} s | ≤ {BOUND} s {mark} |"
    )


def _child(environment: Path, item: dict[str, str]) -> list[str]:
    """The command of one program, as `verify` has it."""
    module = MODULES.get(item["framework"], item["framework"].replace("-", "_"))
    asked = ["prove", item["program"]] if item["program"] else ["look", module]
    return [str(environment / "bin/python"), "-I", CHILD, *asked, "120"]


def _seconds(argv: Sequence[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(argv, capture_output=True, check=True)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
