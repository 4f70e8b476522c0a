"""How many reports a second `dlsetup triage` reads, whether that lasts, and what takes the time.

    .venv/bin/python benchmarks/triage.py [--reports 20000] [--jobs 1 2] [--seed 7]

Reports are the cases of the tests with other drivers, GPUs, versions and lines of noise in them.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import yaml

CASES = Path(__file__).parent.parent / "tests" / "cases"
DRIVERS = (
    "410.104",
    "450.80.02",
    "470.256.02",
    "525.60.13",
    "535.129.03",
    "550.163.01",
    "570.86.10",
    "580.95.05",
)
GPUS = (
    "Tesla T4",
    "Tesla K80",
    "Tesla V100-SXM2-32GB",
    "NVIDIA A100-SXM4-80GB",
    "NVIDIA GeForce RTX 4090",
    "NVIDIA H100 80GB HBM3",
)
NOISE = (
    "INFO epoch 3 step 120 loss 0.4312",
    "Downloading data 100%|##########| 12/12",
    "I really need help with this",
    "",
)


def cases() -> list[dict[str, str]]:
    found = []
    for path in sorted(CASES.glob("*/case.yaml")):
        spec = yaml.safe_load(path.read_text(encoding="utf-8"))
        files = {
            item["file"]: (path.parent / item["file"]).read_text("utf-8", "replace")
            for item in spec["inputs"]
        }
        found.append(files)
    return found


def varied(text: str, chance: random.Random) -> str:
    text = re.sub(r"\b[3-6]\d\d\.\d{2,3}(?:\.\d\d)?\b", lambda _: chance.choice(DRIVERS), text)
    text = re.sub(
        r"\btorch(==| +)[12]\.\d+\.\d",
        lambda found: f"torch{found[1]}2.{chance.randrange(15)}.{chance.randrange(2)}",
        text,
    )
    text = re.sub(r"Tesla T4|GeForce RTX \d{4}|NVIDIA A100-SXM4-\d0GB", lambda _: chance.choice(GPUS), text)
    noise = "\n".join(chance.choice(NOISE) for _ in range(chance.randrange(40)))
    return f"{noise}\n{text}" if chance.random() < 0.5 else f"{text}\n{noise}"


def written(path: Path, count: int, seed: int) -> int:
    """A file of JSON lines; gives its bytes."""
    chance, known = random.Random(seed), cases()
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            files = {name: varied(text, chance) for name, text in chance.choice(known).items()}
            file.write(json.dumps({"id": number, "files": files}) + "\n")
    return path.stat().st_size


def measured(path: Path, jobs: int) -> tuple[float, int]:
    """Seconds, and the most memory that the command and its processes had at once, in KiB."""
    command = [sys.executable, "-m", "dlsetup", "triage", str(path), "--json", "--jobs", str(jobs)]
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        most = 0
        while running.poll() is None:
            most = max(most, sum(memory(number) for number in family(running.pid)))
            time.sleep(0.25)
    return time.perf_counter() - started, most


def family(number: int) -> Iterator[int]:
    yield number
    try:
        children = Path(f"/proc/{number}/task/{number}/children").read_text().split()
    except OSError:
        return
    for child in children:
        yield from family(int(child))


def memory(number: int) -> int:
    try:
        found = re.search(r"^Rss:\s+(\d+)", Path(f"/proc/{number}/smaps_rollup").read_text(), re.M)
    except OSError:
        return 0
    return int(found[1]) if found else 0


def dominating(path: Path, count: int = 400) -> str:
    """Where the time of one process goes."""
    from dlsetup.commands.reader import Reader
    from dlsetup.intake.batch import parcels

    reader, profile = Reader(()), cProfile.Profile()
    reports = [parcel for _, parcel in zip(range(count + 1), parcels(str(path)), strict=False)]
    reader.row(reports[0])
    profile.enable()
    for parcel in reports[1:]:
        reader.row(parcel)
    profile.disable()
    from io import StringIO

    text = StringIO()
    pstats.Stats(profile, stream=text).sort_stats("cumulative").print_stats("dlsetup", 25)
    return text.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--reports", type=int, default=20000)
    parser.add_argument("--jobs", type=int, nargs="*", default=[1, os.cpu_count() or 1])
    parser.add_argument("--seed", type=int, default=7)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for count in (words.reports // 16, words.reports // 4, words.reports):
            path = Path(folder) / f"{count}.ndjson"
            size = written(path, count, words.seed)
            for jobs in dict.fromkeys(words.jobs):
                seconds, most = measured(path, jobs)
                rate = count / seconds / jobs
                print(
                    f"{count:>6} reports, {size >> 10} KiB, {jobs} process(es): {seconds:.1f} s, "
                    f"{rate:.0f} a second and core, at most {most >> 10} MiB",
                    flush=True,
                )
        print(dominating(path))


if __name__ == "__main__":
    main()
